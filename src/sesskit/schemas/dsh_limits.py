"""Limits that only the logs of dsh need, and why they have the size they have."""

HELD_FRAME_BYTES = 1024 * 1024
"""Text of one zstd frame that is held back until its checksum was seen.

Append batches are a few KiB; a larger frame is passed on in pieces before it is known to be sound.
"""

FREE_EXPANSION_BYTES = 64 * 1024 * 1024
"""Decompressed text that is always allowed, however small the file is."""

EXPANSION_FACTOR = 1_000
"""Decompressed bytes allowed for each byte read, beyond the free ones.

Chat logs shrink five to fifty times. zstd itself can reach 30,000 times, which is a bomb.
"""

MAX_LOG_ISSUES = 50_000
"""Faults of one log that are kept one by one; those beyond are only counted.

A file of a few hundred bytes can unpack to millions of lines, each with a fault of its own.
"""

MAX_LOG_LINE_BYTES = 536_870_888
"""The longest line of a dsh log that is decoded: the longest string that the engine of dsh holds.

dsh makes a string of each line, and dies of a longer one. It counts UTF-16 units, we count bytes.
"""

SURE_LINE_BYTES = 48 * 1024 * 1024
"""So much of any line is held; beyond it only what can still be an event: an object without NUL.

A hole in a file, or an endless line, must not fill the memory.
"""

MAX_SAFE_INTEGER = 2**53 - 1
"""The largest count that a double holds exactly; counts beyond it are refused by the format."""

BUNDLE_ENTRIES = 20_000
"""Entries of one exported archive; one is a log of a helper, or an attachment."""

BUNDLE_SURE_BYTES = 64 << 20
BUNDLE_RATIO = 200
"""An entry of an archive larger than the first may be so many times as large as it is packed: logs
that say the same again and again are not packed tighter than that."""
