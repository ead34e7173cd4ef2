"""What leaves the house: export and import.

Knows nothing of argv and colour.
"""
