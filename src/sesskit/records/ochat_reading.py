"""ochat: from the bytes of a snapshot to an outcome, every fault with its byte and its path.

A snapshot is one frame: eight bytes that say a length, then a payload of that length. Total and
bounded for any input; the original's verdict is worked out by doing what its reader does.
"""

from __future__ import annotations

from sesskit.records.ochat_attempts import (
    Attempt,
    attempts,
    choose,
    first_number,
    loaded_by_original,
    reads_well,
    same_bytes,
    same_meaning,
    to_report,
    wrong_number,
)
from sesskit.records.ochat_findings import (
    bad_header,
    faulted,
    in_order,
    is_document,
    more_bytes,
    newer_document,
    noted,
    placed,
    wrong_length,
    wrong_types,
)
from sesskit.records.ochat_rules import Broken
from sesskit.records.ochat_snapshot import Snapshot
from sesskit.schemas.binprot import HEADER_BYTES, INT_HIGH, declared_length
from sesskit.schemas.issues import Issue
from sesskit.schemas.ochat_sessions import LATEST, VERSIONS, Session, SessionV4, SessionV5
from sesskit.schemas.outcomes import Corrupt, Decoded, Original, Unsupported, Valid

MISREAD = "MISREAD"
REJECT = Original("reject")
ACCEPT = Original("accept")


def read_snapshot(data: bytes, version: int | None = None) -> Decoded:
    """What is in these bytes. With ``version`` (0 to 5) no other one is considered."""
    length = declared_length(data)
    if length is None:
        message = "the file ends inside the eight bytes that say how long the record is"
        issue = Issue(
            "frame-cut",
            message,
            expected="eight bytes",
            found=f"{len(data)} bytes",
            offset=len(data),
        )
        return Corrupt((issue,), None, original=REJECT)
    if not 0 <= length <= INT_HIGH:
        return Corrupt((bad_header(data, length),), None, original=REJECT)
    end = HEADER_BYTES + length
    if end > len(data) and is_document(data):
        return Corrupt((newer_document(),), None, original=REJECT)
    if end > len(data):
        return _cut(data, version)
    made = attempts(data, end, version)
    chosen = choose(made)
    if chosen is None or chosen.session is None:
        return _unread(data, end, made, version)
    return _read(data, end, made, chosen, chosen.session)


def _read(data: bytes, end: int, made: list[Attempt], chosen: Attempt, session: Session) -> Decoded:
    issues = [*noted(data, chosen), *_warnings(data, end, made, chosen, session)]
    original = _verdict(made, chosen)
    number = chosen.layout.version
    if isinstance(session, SessionV4 | SessionV5) and chosen.broken:
        found = placed(data, chosen.layout, [(broken, "error") for broken in chosen.broken])
        return Corrupt(in_order([*issues, *found]), number, original=original)
    refused = chosen.broken[0] if chosen.broken else None
    snapshot = Snapshot(session, chosen.layout, end, refused)
    return Valid(snapshot, in_order(issues), number, original=original)


def _verdict(made: list[Attempt], chosen: Attempt) -> Original:
    loaded = loaded_by_original(made)
    if loaded is None:
        return REJECT
    return ACCEPT if same_meaning(loaded, chosen) else Original("accept", MISREAD)


def _warnings(
    data: bytes, end: int, made: list[Attempt], chosen: Attempt, session: Session
) -> list[Issue]:
    issues: list[Issue] = []
    layout = chosen.layout
    if end < len(data):
        message = "bytes follow the record; the original ignores them"
        found = more_bytes(len(data) - end)
        issues.append(
            Issue(
                "frame-trailing", message, "warning", (), "the end of the file", found, offset=end
            )
        )
    others = {one.layout.version for one in made if one.sound and one.matching} - {layout.version}
    if others:
        words = ", ".join(str(other) for other in sorted(others))
        message = (
            f"these bytes are also a well-formed record of version {words}; "
            f"they are taken for version {layout.version}, as the original takes them"
        )
        issues.append(Issue("version-ambiguous", message, "warning", offset=HEADER_BYTES))
    if not layout.current:
        items = same_bytes(layout, {held.constructor for held in session.history})
        old = " or ".join(items) + (" with M1" if layout.moderator == "M1" else "")
        message = f"an old layout ({old}) that today's ochat does not know; it is read here"
        issues.append(Issue("layout-old", message, "info", offset=HEADER_BYTES))
    if chosen.broken and not isinstance(session, SessionV4 | SessionV5):
        broken = chosen.broken[0]
        message = f"it cannot be upgraded to version {LATEST}: {broken.message}"
        refused = Broken("upgrade-refused", broken.keys, message, broken.expected, broken.found)
        issues += placed(data, layout, [(refused, "warning")])
    return [*issues, *placed(data, layout, wrong_types(session))]


def _cut(data: bytes, version: int | None) -> Corrupt:
    """The header promises more than there is: the file was cut, or the header is wrong."""
    made = attempts(data, len(data), version)
    whole = choose(made)
    if whole is not None:
        message = "the record ends where the file ends, but its header says that it is longer"
        issue = Issue(
            "frame-length",
            message,
            expected="the length of the record",
            found="a larger number",
            offset=0,
        )
        return Corrupt((issue,), whole.layout.version, original=REJECT)
    best = to_report(data, made, len(data))
    fault = best.fault
    cut = fault is None or fault.code == "data-short"
    issue = Issue(
        "frame-cut",
        "the file ends before the record does",
        keys=fault.keys if fault is not None and cut else (),
        expected="as many bytes as its header says",
        found="the end of the file",
        offset=len(data),
    )
    others = [] if fault is None or cut else [faulted(fault)]
    return Corrupt(
        in_order([*noted(data, best), *others, issue]), _readable(data, best), original=REJECT
    )


def _readable(data: bytes, made: Attempt) -> int | None:
    """The version that a failed attempt is known to be of."""
    version = made.layout.version
    return version if version in (0, first_number(data)) else None


def _unread(data: bytes, end: int, made: list[Attempt], version: int | None) -> Decoded:
    """No layout fits: the number may be wrong or newer than this build, else it is damage."""
    other = wrong_number(data, end, version)
    if other is not None:
        return _other_number(data, other, forced=version is not None)
    number = first_number(data)
    best = to_report(data, made, end)
    if version is None and number is not None and number > LATEST and _newer(data, best):
        return Unsupported(number, VERSIONS, original=REJECT)
    issues = noted(data, best)
    if best.fault is not None:
        issues.append(faulted(best.fault))
    elif best.end != end:
        issues.append(wrong_length(data, best, end))
    too_deep = best.fault is not None and best.fault.code == "value-depth"
    # The original has no such limit; what it would say of the rest is not known here.
    verdict = None if too_deep else REJECT
    return Corrupt(in_order(issues), _readable(data, best), original=verdict)


def _other_number(data: bytes, made: Attempt, *, forced: bool) -> Decoded:
    if made.number > LATEST and not forced:
        return Unsupported(made.number, VERSIONS, original=REJECT)
    message = f"the record is laid out as version {made.layout.version} and says another number"
    issue = Issue(
        "version-mismatch",
        message,
        keys=("version",),
        expected=str(made.layout.version),
        found=str(made.number),
        offset=HEADER_BYTES,
    )
    return Corrupt(in_order([*noted(data, made), issue]), made.layout.version, original=REJECT)


def _newer(data: bytes, best: Attempt) -> bool:
    """Whether a payload that begins with a number above the latest is rather of a newer version."""
    return best.layout.version != 0 and reads_well(data, after_number=True)
