"""A session at one look, as the members that ``inspect`` adds to a file of the JSON report."""

from __future__ import annotations

from typing import Any

from sesskit.logs.formats import Finding
from sesskit.records.overview import Overview, Part, dotted_of
from sesskit.records.view import Call, Usage
from sesskit.schemas.instants import Instant
from sesskit.schemas.masking import mask_text


def recognition_member(finding: Finding) -> dict[str, Any]:
    """How sure the format is, and why; empty for a file that was not recognised."""
    known = finding.recognition
    if known is None:
        return {}
    others = {"others": list(finding.others)} if finding.others else {}
    return {"recognition": {"sure": known.sure, "why": known.why, **others}}


def overview_member(overview: Overview) -> dict[str, Any]:
    """The numbers of a session. Instants are UTC, sizes bytes; what is unknown is null."""
    session = overview.session
    return {
        "id": _masked(session.id),
        "title": _masked(session.title),
        "cwd": _masked(session.cwd),
        "started": _instant(session.started),
        "ended": _instant(session.ended),
        "firstMessage": _instant(overview.first),
        "lastMessage": _instant(overview.last),
        "messages": overview.messages,
        "turns": overview.turns,
        "calls": overview.calls,
        "callsWithoutAnswer": [_call(call) for call in overview.troubled],
        "marks": {
            mask_text(name): {
                "total": group.total,
                "states": {mask_text(word): count for word, count in group.states.items()},
            }
            for name, group in overview.marks.items()
        },
        "children": [{"id": mask_text(c.id), "state": _masked(c.state)} for c in session.children],
        "usage": _usage(overview.usage),
        "space": {
            "bytes": session.total.length,
            "members": [_part(part) for part in overview.parts],
            "largest": [_part(part) for part in overview.largest],
        },
        "whole": overview.whole,
        "losses": [{"kind": loss.kind, "count": loss.count} for loss in session.losses],
    }


def _masked(text: str | None) -> str | None:
    return None if text is None else mask_text(text)


def _instant(time: Instant | None) -> str | None:
    return None if time is None else str(time)


def _call(call: Call) -> dict[str, Any]:
    ref = call.refs.call or call.refs.results[0]
    place = {} if ref.pointer is None else {"path": dotted_of(ref.pointer, mask_text)}
    return {
        "id": _masked(call.id),
        "name": mask_text(call.name),
        "state": call.state,
        **place,
        "line": ref.line,
    }


def _usage(usage: Usage | None) -> dict[str, int] | None:
    if usage is None:
        return None
    return {"prompt": usage.prompt, "cached": usage.cached, "output": usage.output}


def _part(part: Part) -> dict[str, Any]:
    return {
        "path": dotted_of(part.place, mask_text),
        "name": mask_text(part.name),
        "bytes": part.size,
        "count": part.count,
        "line": part.ref.line,
    }
