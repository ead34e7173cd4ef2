"""Headers of zstd frames and of the blocks in them: how long each part is."""

from __future__ import annotations

MAGIC = b"\x28\xb5\x2f\xfd"
CHECKSUM = 0x04
CHECKSUM_BYTES = 4
RESERVED = 0x18
"""The reserved bit and the unused one: dsh refuses both, decompressors only the first."""
SINGLE_SEGMENT = 0x20
DICTIONARY_BYTES = (0, 1, 2, 4)
CONTENT_SIZE_BYTES = (0, 2, 4, 8)
BLOCK_RLE, BLOCK_RESERVED = 1, 3


def extent(buffer: bytearray, at: int) -> tuple[int, bool, int]:
    """The size of the frame that begins there, its checksum flag, and how many blocks it has: no
    block where it is not at hand, or no frame begins there."""
    end = len(buffer)
    if at + 5 > end or buffer[at : at + 4] != MAGIC:
        return 0, False, 0
    descriptor = buffer[at + 4]
    checksum = bool(descriptor & CHECKSUM)
    place = at + header_bytes(descriptor)
    blocks, last = 0, False
    while not last:
        if place + 3 > end:
            return 0, checksum, 0
        head = buffer[place] | buffer[place + 1] << 8 | buffer[place + 2] << 16
        kind, size, last = head >> 1 & 3, head >> 3, bool(head & 1)
        if kind == BLOCK_RESERVED:
            return 0, checksum, 0
        place += 3 + (1 if kind == BLOCK_RLE else size)
        blocks += 1
    place += CHECKSUM_BYTES * checksum
    whole = place <= end and not descriptor & RESERVED
    return (place - at, checksum, blocks) if whole else (0, checksum, 0)


def header_bytes(descriptor: int) -> int:
    """Bytes of a frame's header with its magic, by the byte behind the magic."""
    single = bool(descriptor & SINGLE_SEGMENT)
    content = CONTENT_SIZE_BYTES[descriptor >> 6] or int(single)
    return 5 + (not single) + DICTIONARY_BYTES[descriptor & 3] + content
