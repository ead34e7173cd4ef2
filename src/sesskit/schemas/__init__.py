"""Issues, outcomes, places; JSON text in and out; the shapes of every format; the decoder.

Knows nothing of files and screens.
"""
