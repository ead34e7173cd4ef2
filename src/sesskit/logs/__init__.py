"""Append-only session logs, and the registry of all formats.

Knows nothing of the redaction of values, and nothing of screens.
"""
