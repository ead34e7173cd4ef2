"""Every limit of sesskit, and why it has the size it has. Nothing else invents one."""

MAX_DEPTH = 768
"""Nesting of a JSON document, a log line or an element of a record's list, from level 1 on.

Real sessions nest a few dozen levels. Above 512, which must pass, and below the 1,000 frames that
Python gives its users, so that whoever holds a decoded value can still walk, copy or print it.
"""

MAX_DOCUMENT_BYTES = 4 * 1024**3
"""A session record is held in memory once while it is decoded; beyond 4 GiB it is refused."""

MAX_LINE_BYTES = 1024**3
"""The longest log line that is decoded; a longer one is an issue and is stepped over."""

MAX_NUMBER_DIGITS = 4_300
"""Digits of one number that are read exactly; longer ones are read as a double, like ECMAScript."""

RECOGNITION_BYTES = 64 * 1024
"""How much of a file's beginning is looked at to recognise its format."""

DAMAGE_SCAN_BYTES = 64 * 1024 * 1024
"""How much text the tolerant reader works through after a fault; then it looks no further."""

MAX_ISSUES = 250_000
"""Faults of shape in one record that are kept one by one; those beyond are only counted.

A record of 100 MB can have fifty million of them: kept, they would take ten times its size.
"""

MAX_TEXT_FAULTS = 1_000_000
"""Faults of one JSON text that are kept one by one, fewer if they lie deep; others are counted."""
