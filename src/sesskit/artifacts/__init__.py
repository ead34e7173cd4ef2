"""What leaves the house: export and import, scrub, redaction, share with proof.

Knows nothing of argv and colour.
"""
