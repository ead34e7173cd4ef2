"""What was replaced in a file, as rows for people and as members of the report. Never a value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sesskit.artifacts.documents import Found
from sesskit.artifacts.known_values import LEAST
from sesskit.artifacts.local_identity import environment_secrets, identity_spans, secrets_beside
from sesskit.artifacts.span import Span
from sesskit.cli.rows import Row
from sesskit.cli.screen import one_line
from sesskit.cli.usage import BadUsage
from sesskit.records.reading import read_document
from sesskit.schemas.masking import mask_text, printable

MOST_ROWS = 40
_HIDDEN = (".robota", ".dsh", ".ochat")
_DIGEST = re.compile(r"[0-9a-f]{64}")
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


def rows_of_found(found: Iterable[Found], label: str, main: str = "") -> Iterator[Row]:
    """A row for each placeholder; what is too much is counted. Files but ``main`` are named."""
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
        if first.file != main and main and first.line:
            where = f"{shortened(first.file)}:{where}"
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
                {
                    **({"file": mask_text(printable(one.file))} if one.file else {}),
                    "line": one.line,
                    "column": one.column,
                    "pointer": one.pointer,
                }
                for one in places
            ],
        }
        for (rule, kind, confidence, placeholder), places in grouped(found).items()
    ]


def list_of(path: str | None, option: str, *, numbered: bool = False) -> tuple[str, ...]:
    """The lines of a list file, without blank ones and those that begin with ``#``.

    Where they are ``numbered`` these are empty.
    """
    if path is None:
        return ()
    data = read_document(path, limit=_MOST_LIST_BYTES)
    if not isinstance(data, bytes):
        raise BadUsage(f"{option} {path}: {getattr(data, 'reason', 'there is no such file')}")
    lines = (line.strip() for line in data.decode("utf-8", "replace").splitlines())
    said = ("" if line.startswith("#") else line for line in lines)
    return tuple(line for line in said if line or numbered)


def denied(path: str | None) -> tuple[str, ...]:
    """The values of a deny list, each at the number of its line; lines without one are empty.

    Raises `BadUsage` for one that is too short to be looked for.
    """
    values = list_of(path, "--deny", numbered=True)
    for number, value in enumerate(values, 1):
        if value and len(value) < LEAST:
            raise BadUsage(
                f"--deny {path}, line {number}: too short; {LEAST} characters are the least"
            )
    return values


def known_here(paths: Iterable[str], environment: dict[str, str], host: str) -> tuple[Span, ...]:
    """What this machine knows: who works here, secrets of the environment and of ``.env`` files."""
    home = environment.get("HOME", "")
    configs = (_read(Path(home, name)) for name in _GIT_CONFIGS) if home else ()
    spans = [
        *identity_spans(environment, host, "\n".join(configs)),
        *environment_secrets(environment),
    ]
    for folder in sorted({str(folder) for path in paths for folder in _beside(Path(path))}):
        spans += secrets_beside(Path(folder))
    return tuple(spans)


def _beside(path: Path) -> Iterator[Path]:
    """The folder of a session, and that of the project that keeps its sessions in a hidden one."""
    yield path.parent
    for folder in path.absolute().parents:
        if folder.name in _HIDDEN:
            yield folder.parent


def _read(path: Path) -> str:
    data = read_document(path, limit=_MOST_LIST_BYTES)
    return data.decode("utf-8", "replace") if isinstance(data, bytes) else ""


def shortened(name: str) -> str:
    """The name of a file of a session for a row; of digests the beginning."""
    return _DIGEST.sub(lambda digest: f"{digest[0][:8]}\u2026", mask_text(one_line(name)))


def counted(found: Iterable[Found]) -> str:
    """``12 secrets and 3 personal data replaced``."""
    found = list(found)
    kinds = [one.kind for one in found]
    secrets, personal = kinds.count("secret"), kinds.count("personal")
    images = sum(one.rule == "image" for one in found)
    other = kinds.count("removed") - images
    parts = [f"{secrets:,} secret{'' if secrets == 1 else 's'}"] if secrets else []
    parts += [f"{personal:,} of personal data"] if personal else []
    words = [" and ".join(parts) + " replaced"] if parts else []
    words += [f"{images:,} image{'' if images == 1 else 's'} removed"] if images else []
    words += [f"{other:,} other value{'' if other == 1 else 's'} removed"] if other else []
    return ", ".join(words) or "nothing to replace"
