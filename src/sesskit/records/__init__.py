"""Whole-document session records: formats, store, migration, safe files, and the session view.

Knows nothing of logs, and nothing of the redaction of values.
"""
