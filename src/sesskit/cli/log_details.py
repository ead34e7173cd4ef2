"""What `inspect` tells of a log: read in one pass, in flat memory, with its sidecars."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sesskit.cli.checking import LOG
from sesskit.cli.details import Details
from sesskit.cli.looking import Reading
from sesskit.cli.overview_text import counted
from sesskit.cli.rows import Row, safe, size_words
from sesskit.logs.formats import Finding, identify
from sesskit.logs.log_sources import LogPlace
from sesskit.logs.robota_inspection import Inspection, inspect_log
from sesskit.logs.robota_log import SidecarOptions
from sesskit.logs.robota_subagents import subagent_logs
from sesskit.logs.walking import Source
from sesskit.records.format import Options
from sesskit.records.overview import Overview
from sesskit.schemas.masking import mask_text

_ROWS = 8
_WORD, _PATH = 40, 60
_REFUSED = {"tool_denied": "denied by permission", "tool_blocked": "blocked by a hook"}
_COUNTED = {
    "context_compact": "compactions",
    "provider_fallback": "fallbacks",
    "error": "errors",
    "session_shutdown_step_error": "bad shutdown",
}
"""Events of which the number is told, with their labels."""
_FAILING = {
    "payload-missing": "missing",
    "payload-outside": "outside",
    "payload-unreadable": "unreadable",
    "payload-length": "of another length",
    "payload-digest": "of another digest",
    "payload-json": "not JSON",
    "payload-budget": "over the budget",
    "payload-depth": "nested too deep",
    "payload-cycle": "inside itself",
}


class LogInspections:
    """Inspects logs, each once."""

    def __init__(self) -> None:
        self._kept: dict[str, Inspection] = {}

    def look(self, source: Source, reading: Reading) -> Finding:
        """What is in a log, which is checked and counted in one go."""
        found = identify(source.path, reading.format)
        if isinstance(found, Finding):
            return found  # it was there a moment ago
        inspection = self._inspected(Path(source.path), reading.options)
        self._kept[source.path] = inspection
        return Finding(source.path, inspection.outcome, LOG, found.recognition, found.others)

    def of(self, finding: Finding, options: Options) -> tuple[Overview | None, Details]:
        """The log in numbers, and what there is to tell beside them."""
        kept = self._kept.pop(finding.path, None)
        if kept is None:
            kept = self._inspected(_place(finding), options)
        return kept.overview, _details(finding, kept, looked=options.sidecars)

    def _inspected(self, place: LogPlace | io.BytesIO, options: Options) -> Inspection:
        options = options._replace(keep=False)
        return inspect_log(place, options, sidecars=SidecarOptions(look=options.sidecars))


def _place(finding: Finding) -> LogPlace | io.BytesIO:
    return Path(finding.path) if finding.source is None else io.BytesIO(finding.source)


def _details(finding: Finding, found: Inspection, *, looked: bool) -> Details:
    overview = found.overview
    if overview is None:
        return Details()
    looked = looked and finding.source is None
    beside = [] if finding.source is not None else _logs_beside(Path(finding.path))
    failing = _failing(finding)
    rows = _rows(found, overview, failing, beside, looked=looked)
    return Details(tuple(rows), members={"log": _member(found, overview, failing, beside, looked)})


def _logs_beside(log: Path) -> list[Path]:
    return subagent_logs(log, log.name.removesuffix(".jsonl")).logs


def _failing(finding: Finding) -> Counter[str]:
    """Sidecars that could not be read well, by the code of the first issue of each."""
    first = {
        issue.sidecar: issue.code
        for issue in reversed(finding.issues)
        if issue.sidecar is not None and issue.code.startswith("payload-")
    }
    return Counter(first.values())


def _rows(
    found: Inspection,
    overview: Overview,
    failing: Counter[str],
    beside: list[Path],
    *,
    looked: bool,
) -> Iterator[Row]:
    marks = overview.marks
    yield from _listed("models", _model_words(found.requests))
    if found.retries:
        yield "retries", f"{found.retries:,}"
    yield from _listed("tools", [_tool_words(*tool) for tool in _often(found.tools)])
    refused = {word: marks[name].total for name, word in _REFUSED.items() if name in marks}
    if refused:
        yield "refusals", counted(refused)
    for name, label in _COUNTED.items():
        if name in marks:
            yield label, f"{marks[name].total:,}"
    children = overview.session.children
    if children or beside:
        states = Counter(child.state or "unknown" for child in children)
        logs = f"{len(beside):,} {'log lies' if len(beside) == 1 else 'logs lie'} beside this one"
        told = f"{len(children):,}: {counted(states)}" if children else "none is told of"
        yield "subagents", f"{told}; {logs}"
    yield "lines", f"{found.lines:,}"
    yield "sidecars", _sidecar_words(found, failing) if looked else "not looked at"


def _listed(label: str, words: list[str]) -> Iterator[Row]:
    for place, text in enumerate(words[:_ROWS]):
        yield "" if place else label, text
    if len(words) > _ROWS:
        yield "", f"and {len(words) - _ROWS:,} more"


def _model_words(requests: Mapping[tuple[str, str], int]) -> list[str]:
    often = sorted(requests.items(), key=lambda pair: -pair[1])
    return [
        f"{safe(provider, _WORD)} {safe(model, _WORD)}: "
        f"{count:,} {'request' if count == 1 else 'requests'}"
        for (provider, model), count in often
    ]


def _often(tools: Mapping[str, Mapping[str, int]]) -> list[tuple[str, Mapping[str, int]]]:
    return sorted(tools.items(), key=lambda tool: -sum(tool[1].values()))


def _tool_words(name: str, states: Mapping[str, int]) -> str:
    total = sum(states.values())
    words = counted(states) if len(states) == 1 else f"{total:,}: {counted(states)}"
    return f"{safe(name, _WORD) or '(no name)'}: {words}"


def _sidecar_words(found: Inspection, failing: Counter[str]) -> str:
    if not found.sidecars and not failing:
        return "none is referred to"
    words = [f"{found.sidecars:,} referred to, {size_words(found.sidecar_bytes)} read"]
    words += [f"{count:,} {_FAILING.get(code, code)}" for code, count in sorted(failing.items())]
    return "; ".join(words)


def _member(
    found: Inspection, overview: Overview, failing: Counter[str], beside: list[Path], looked: bool
) -> dict[str, Any]:
    marks = overview.marks

    def total(name: str) -> int:
        return marks[name].total if name in marks else 0

    return {
        "lines": found.lines,
        "requests": [
            {"provider": mask_text(provider), "model": mask_text(model), "count": count}
            for (provider, model), count in found.requests.items()
        ],
        "retries": found.retries,
        "tools": [
            {"name": mask_text(name), "states": dict(states)}
            for name, states in found.tools.items()
        ],
        "denied": total("tool_denied"),
        "blocked": total("tool_blocked"),
        "compactions": total("context_compact"),
        "fallbacks": total("provider_fallback"),
        "errors": total("error"),
        "subagents": [
            {
                "id": mask_text(child.id),
                "state": child.state and mask_text(child.state),
                "path": child.path and mask_text(child.path),
                "call": child.call and mask_text(child.call),
            }
            for child in overview.session.children
        ],
        "subagentLogs": [mask_text(str(path)) for path in beside],
        "sidecars": {
            "looked": looked,
            "referred": found.sidecars,
            "bytes": found.sidecar_bytes,
            "failing": dict(failing),
        },
    }
