"""A session at one look, for people: what it is, what is in it, what takes the space."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sesskit.cli.details import Details
from sesskit.cli.report import unknown_inside
from sesskit.cli.rows import LABEL_WIDTH, Row, rows_of, safe, size_words
from sesskit.cli.screen import Screen
from sesskit.logs.formats import Finding
from sesskit.records.overview import Group, Overview, Part, dotted_of
from sesskit.records.view import Ref
from sesskit.schemas.instants import Instant
from sesskit.schemas.masking import columns, mask_text

LABELS = {
    "backgroundTasks": "tasks",
    "backgroundTaskEvents": "task events",
    "backgroundJobGroups": "job groups",
    "backgroundJobGroupEvents": "group events",
    "history": "history",
    "sessionLoops": "loops",
    "goal": "goal",
    "plan": "plan",
    "skillActivationEvents": "skills",
    "memoryEvents": "memory",
    "usedMemoryReferences": "memory used",
    "contextReferences": "context",
    "toolSchemas": "tools",
}
"""What the types of marks are called, in the order in which they are shown."""

ASKED_FOR = {"robota-record": ("backgroundTasks", "history", "sessionLoops", "goal", "plan")}
"""What people ask about first: said to be absent where it is."""

INSIDE = {"goal": ("goal.progress", "progress"), "plan": ("plan.steps", "steps")}
"""Marks whose count is told with the mark that holds them."""

VERDICTS = {
    "accept": "would load it",
    "accept-with-repair": "would repair it and load it",
    "reject": "would refuse it",
    "unsupported": "does not take this version",
}
UNKNOWN_VERSION = "this version is not known here; what follows is read as if it were"
LOG = "robota-log"
_STATES = 6
_WORD, _NAME, _PLACE, _NOTE = 32, 60, 36, 24
_SMALL = 0.02


def body_of(
    finding: Finding, overview: Overview | None, details: Details, screen: Screen
) -> tuple[str, ...]:
    """The lines between the heading of a file and its issues."""
    about = list(rows_of(_about_file(finding), screen))
    lines = ["", *about] if about else []
    if overview is not None:
        if finding.status == "unsupported" and not unknown_inside(finding):
            lines += ["", *rows_of([("note", UNKNOWN_VERSION)], screen)]
        for rows in (_about_session(overview), _about_content(overview), details.rows):
            shown = list(rows_of(rows, screen))
            lines += ["", *shown] if shown else []
        lines += ["", *_space(overview, screen)]
        lines += ["", *rows_of(details.closing, screen)] if details.closing else []
    elif details.rows:
        lines += ["", *rows_of(details.rows, screen)]
    return tuple(lines)


def counted(states: Mapping[str, int]) -> str:
    """``2 done, 1 pending``; of many different words the most frequent."""
    often = sorted(states, key=lambda word: -states[word]) if len(states) > _STATES else [*states]
    shown = [f"{states[word]:,} {safe(word, _WORD)}" for word in often[:_STATES]]
    rest = sum(states[word] for word in often[_STATES:])
    return ", ".join([*shown, f"{rest:,} other"] if rest else shown)


def _about_file(finding: Finding) -> Iterator[Row]:
    known = finding.recognition
    if known is not None:
        others = f" (as much as {', '.join(finding.others)})" if finding.others else ""
        yield "recognised", f"{known.sure}: {known.why}{others}"
    original = finding.original
    if original is not None:
        code = f" ({original.code})" if original.code else ""
        yield "original", f"{original.verdict}: the system that wrote it {_verdict(finding)}{code}"


def _verdict(finding: Finding) -> str:
    if unknown_inside(finding):
        return "does not know all that it holds"
    return VERDICTS[finding.original.verdict] if finding.original else ""


def _about_session(overview: Overview) -> Iterator[Row]:
    session = overview.session
    for label, text in (
        ("session", session.id),
        ("title", session.title),
        ("folder", session.cwd),
    ):
        if text:
            yield label, safe(text, _NAME)
    span = _span(session.started or overview.first, session.ended or overview.last)
    if span:
        yield "time", span
    talk = _span(overview.first, overview.last)
    if talk and talk != span:
        yield "talk", talk


def _about_content(overview: Overview) -> Iterator[Row]:
    yield "messages", _total(overview.messages)
    if overview.turns:
        yield "turns", _total(overview.turns)
    yield "calls", _total(overview.calls)
    for call in overview.troubled:
        ref = call.refs.call or call.refs.results[0]
        name = f"{safe(call.name, _WORD)}  " if call.name else ""
        yield "", f"{call.state}  {name}{safe(_place(overview, ref), _NAME)}"
    for kind, label in LABELS.items():
        if kind in overview.marks:
            yield label, _marked(kind, overview.marks)
    absent = [
        LABELS[kind]
        for kind in ASKED_FOR.get(overview.session.format.removesuffix("-bare"), ())
        if kind not in overview.marks
    ]
    if absent:
        yield ("without" if overview.whole else "not seen"), ", ".join(absent)
    if overview.usage is not None:
        used = overview.usage
        yield "tokens", f"{used.prompt + used.output:,}: {used.prompt:,} in, {used.output:,} out"
    if unknown := overview.unknown:
        yield (
            "unknown",
            f"{unknown:,} {'part' if unknown == 1 else 'parts'} that nothing here reads",
        )
    if not overview.whole:
        yield "", "not all of it could be read; there may have been more"


def _place(overview: Overview, ref: Ref) -> str:
    """Where a call is; in a log its path is only that inside its line."""
    path = "" if ref.pointer is None else dotted_of(ref.pointer, mask_text)
    if path and overview.session.format != LOG:
        return path
    return f"line {ref.line:,}{': ' if path else ''}{path}" if ref.line is not None else path


def _marked(kind: str, marks: Mapping[str, Group]) -> str:
    group = marks[kind]
    if kind not in INSIDE:
        return _total(group.states, group.total)
    state = counted(group.states).removeprefix("1 ") or "present"
    name, word = INSIDE[kind]
    inner = marks.get(name)
    return f"{state}; {word}: {counted(inner.states) or inner.total}" if inner else state


def _total(states: Mapping[str, int], total: int | None = None) -> str:
    count = sum(states.values()) if total is None else total
    if not states:
        return f"{count:,}"
    return counted(states) if [*states.values()] == [count] else f"{count:,}: {counted(states)}"


def _span(first: Instant | None, last: Instant | None) -> str:
    """``2026-05-11 08:14:02 to 09:02:47 UTC (48 min 45 s)``."""
    if first is None or last is None:
        return ""
    begin, end = (str(time)[:-5].replace("T", " ") for time in (first, last))
    if begin == end:
        return f"{begin} UTC"
    day, clock = begin.split(" ")
    shown = end.removeprefix(day).strip() if end.startswith(f"{day} ") else end
    return f"{day} {clock} to {shown} UTC ({_lasting(last.ms - first.ms)})"


def _lasting(milliseconds: int) -> str:
    if milliseconds < 0:
        return "it ends before it starts"
    seconds = milliseconds // 1000
    days, rest = divmod(seconds, 86_400)
    hours, rest = divmod(rest, 3600)
    minutes, left = divmod(rest, 60)
    units = ((days, "d"), (hours, "h"), (minutes, "min"), (left, "s"))
    parts = [f"{count:,} {word}" for count, word in units if count]
    return " ".join(parts[:2]) or "less than a second"


def _space(overview: Overview, screen: Screen) -> Iterator[str]:
    total = overview.session.total.length
    parts = [part for part in overview.parts if part.size >= _SMALL * total]
    hidden = len(overview.parts) - len(parts)
    yield from rows_of([("space", f"{size_words(total)}")], screen)
    for part in parts[:8]:
        note = f"{part.count:,} elements" if part.count > 1 else ""
        yield _line(part, f"{part.size / total:4.0%}", note)
    if hidden > 0:
        yield f"{'':>{LABEL_WIDTH}}and {hidden} smaller {'one' if hidden == 1 else 'ones'}"
    if overview.largest:
        yield from rows_of([("largest", "")], screen)
        for part in overview.largest:
            where = f", line {part.ref.line:,}" if part.ref.line is not None else ""
            name = "" if part.place == part.name else LABELS.get(part.name, part.name)
            yield _line(part, f"{part.size / total:4.0%}", (name + where).removeprefix(", "))


def _line(part: Part, share: str, note: str) -> str:
    path = safe(dotted_of(part.place, mask_text) or part.name, _PLACE)
    padding = " " * max(_PLACE - columns(path), 0)
    return f"  {size_words(part.size):>9} {share}  {path}{padding}  {safe(note, _NOTE)}".rstrip()
