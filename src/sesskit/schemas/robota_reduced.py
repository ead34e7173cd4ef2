"""Big damaged records: the tolerant reader goes only through what may be damaged.

Elements of the long lists that the fast path accepts are taken out of the text first; what is left
is small, and its faults are mapped back. It serves where the document stops making sense.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from msgspec.structs import replace

from sesskit.schemas.damaged import DAMAGED
from sesskit.schemas.items import REFUSED
from sesskit.schemas.json_scan import Members, behind_noise
from sesskit.schemas.json_text import read_json
from sesskit.schemas.outcomes import Decoded
from sesskit.schemas.robota_before import tell_what_was_whole
from sesskit.schemas.robota_members import MEMBERS
from sesskit.schemas.robota_reading import Reading, number

_BLANK = b" \t\r\n"

Span = tuple[int, int]


def read_reduced(reading: Reading) -> Decoded | None:
    """The answer of a document that stops making sense; None where it does not, or may not."""
    data = reading.data
    cuts = list(_sound_elements(data, enveloped=reading.enveloped))
    if not cuts:
        return None
    kept = list(_between(cuts, len(data)))
    text = read_json(b"".join(data[start:end] for start, end in kept), thorough=reading.thorough)
    if text.value is not DAMAGED:
        return None
    if reading.enveloped and isinstance(text.partial, dict):
        reading.version = number(text.partial.get("schemaVersion"))
    starts, total = [], 0
    for start, end in kept:
        starts.append(total)
        total += end - start
    issues = []
    for issue in text.issues:
        offset = issue.offset or 0
        part = bisect_right(starts, offset) - 1
        offset += kept[part][0] - starts[part]
        # Elements were taken out, so that keys no longer say where a warning stands.
        issues.append(replace(issue, offset=offset, line=None, column=None, keys=()))
    if reading.version == (1 if reading.enveloped else None):
        tell_what_was_whole(reading, issues)
    reading.issues.extend(issues)
    return reading.finish(None)


def _sound_elements(data: bytes, *, enveloped: bool) -> Iterator[Span]:
    """From the start of an element that the fast path accepts to the start of the one behind it."""
    start = behind_noise(data, 0)
    for name, _, at, _ in Members(data, start):
        if not enveloped:
            yield from _of_member(data, str(name), at)
        elif name == "record" and data[at : at + 1] == b"{":
            for inner, _, inner_at, _ in Members(data, at):
                yield from _of_member(data, str(inner), inner_at)


def _of_member(data: bytes, name: str, start: int) -> Iterator[Span]:
    member = MEMBERS.get(name)
    if member is None or not member.is_list or data[start : start + 1] != b"[":
        return
    before: Span | None = None
    follows = False  # whether a comma, and nothing else, stands in front of `before`
    for _, _, begin, end in Members(data, start):
        if before is not None:
            comma = data[before[1] : begin].strip(_BLANK) == b","
            element = memoryview(data)[before[0] : before[1]]
            if comma and follows and member.item.fast(element) is not REFUSED:
                yield before[0], begin
            follows = comma
        before = (begin, end)


def _between(cuts: list[Span], size: int) -> Iterator[Span]:
    """What is left of ``size`` bytes when the cuts are taken out."""
    position = 0
    for start, end in cuts:
        if start > position:
            yield position, start
        position = end
    if size > position:
        yield position, size
