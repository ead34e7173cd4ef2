"""What was replaced in a file, as rows for people and as members of the report. Never a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sesskit.artifacts.documents import Found
from sesskit.artifacts.local_identity import environment_secrets, identity_spans, secrets_beside
from sesskit.artifacts.span import Span
from sesskit.cli.rows import Row
from sesskit.cli.screen import one_line
from sesskit.cli.usage import BadUsage
from sesskit.records.reading import read_document

MOST_ROWS = 40
_MOST_LIST_BYTES = 1 << 24
_GIT_CONFIGS = (".gitconfig", ".config/git/config")

Group = tuple[str, str, str, str]
"""Rule, class, confidence, placeholder."""


def grouped(found: Iterable[Found]) -> dict[Group, list[Found]]:
    """What belongs together: the same rule and the same placeholder, in order."""
    groups: dict[Group, list[Found]] = {}
    for one in found:
        groups.setdefault((one.rule, one.kind, one.confidence, one.placeholder), []).append(one)
    return groups


def rows_of_found(found: Iterable[Found], label: str) -> Iterator[Row]:
    """A row for each placeholder; what is too much is counted."""
    groups = grouped(found)
    for number, ((rule, kind, confidence, placeholder), places) in enumerate(groups.items()):
        if number == MOST_ROWS:
            yield "", f"and {len(groups) - MOST_ROWS:,} more; --output json has them all"
            return
        times = "" if len(places) == 1 else f", {len(places):,} times"
        first = places[0]
        where = (
            f"{first.line}:{first.column} {one_line(first.pointer)}" if first.line else "its name"
        )
        what = f"{placeholder}  {rule}" if placeholder else rule
        yield ("" if number else label), f"{what} ({kind}, {confidence}){times}, {where.rstrip()}"


def findings(found: Iterable[Found]) -> list[dict[str, Any]]:
    """The same for the JSON report, with every place."""
    return [
        {
            "rule": rule,
            "class": kind,
            "confidence": confidence,
            "placeholder": placeholder,
            "count": len(places),
            "places": [
                {"line": one.line, "column": one.column, "pointer": one.pointer} for one in places
            ],
        }
        for (rule, kind, confidence, placeholder), places in grouped(found).items()
    ]


def list_of(path: str | None, option: str) -> tuple[str, ...]:
    """The lines of a list file, without blank ones and those that begin with ``#``."""
    if path is None:
        return ()
    data = read_document(path, limit=_MOST_LIST_BYTES)
    if not isinstance(data, bytes):
        raise BadUsage(f"{option} {path}: {getattr(data, 'reason', 'there is no such file')}")
    lines = (line.strip() for line in data.decode("utf-8", "replace").splitlines())
    return tuple(line for line in lines if line and not line.startswith("#"))


def known_here(paths: Iterable[str], environment: dict[str, str], host: str) -> tuple[Span, ...]:
    """What this machine knows: who works here, secrets of the environment and of ``.env`` files."""
    home = environment.get("HOME", "")
    configs = (_read(Path(home, name)) for name in _GIT_CONFIGS) if home else ()
    spans = [
        *identity_spans(environment, host, "\n".join(configs)),
        *environment_secrets(environment),
    ]
    for folder in sorted({str(Path(path).parent) for path in paths}):
        spans += secrets_beside(Path(folder))
    return tuple(spans)


def _read(path: Path) -> str:
    data = read_document(path, limit=_MOST_LIST_BYTES)
    return data.decode("utf-8", "replace") if isinstance(data, bytes) else ""


def counted(found: Iterable[Found]) -> str:
    """``12 secrets and 3 personal data replaced``."""
    kinds = [one.kind for one in found]
    secrets, personal = kinds.count("secret"), kinds.count("personal")
    removed = kinds.count("removed")
    parts = [f"{secrets:,} secret{'' if secrets == 1 else 's'}"] if secrets else []
    parts += [f"{personal:,} of personal data"] if personal else []
    words = [" and ".join(parts) + " replaced"] if parts else []
    words += [f"{removed:,} image{'' if removed == 1 else 's'} removed"] if removed else []
    return ", ".join(words) or "nothing to replace"
