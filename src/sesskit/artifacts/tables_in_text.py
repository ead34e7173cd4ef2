"""Columns of secrets: tables whose head names one, drawn or parted by any sign, and dumps of rows.

The head of a table is its first line, or stands above a line of rules. What tools put before each
line stands before head and rows alike, so that columns keep their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from sesskit.artifacts.key_names import is_secret_name, stem_of
from sesskit.artifacts.line_views import PREFIXES
from sesskit.artifacts.secret_rule import UUID
from sesskit.artifacts.span import Span
from sesskit.artifacts.values_in_text import WEAK, Value, judged

__all__ = ["CELL_END", "COLUMN_WORDS", "copied_at", "tables_in"]

COLUMN_WORDS: Final = (
    *("assword", "ASSWORD", "asswd", "ASSWD", "asswort", "ECRET", "oken", "OKEN"),
    *("ecret,", "ecret;", "ecret\t", "ecret |", "ecret|", "ecret \u2502", 'ecret"'),
    *("_key", "_KEY", "pikey", "piKey", "pi key", "pi Key", "PI key", "PI Key", "PI KEY", "_pwd"),
)
"""How names of columns of secrets end, or the end of them begins."""

CELL_END: Final = re.compile(
    r"[A-Za-z_ ]{3,9}?[\w\u00f1]{0,6}[\"'`*]{0,4}[ \t]{0,80}"
    r"(?:[,;|\t\u2502\u2503\u2551]|\r?\n|[ ]{2})"
)
"""A word that ends a cell."""

_DRAWN: Final = ("\u2502", "\u2503", "\u2551", "|")
_PARTED: Final = ("\t", ";", ",")
_RULE: Final = re.compile(
    r"(?=.{0,200}?(?:--|==|\u2500\u2500|\u2501\u2501|\u2550\u2550))"
    r"[\s|+:=*#>0-9.\u2192\u2500-\u257f-]{3,4000}\Z|[+|]?[\s]*:?-+:?[\s]*[|]?\Z"
)
_NAME: Final = re.compile(r"[\w .#/()@$\u2192>:+-]{0,80}")
_QUOTED_CELL: Final = re.compile(r"[ \t]{0,8}\"((?:[^\"\n]|\"\"){0,4000})\"[ \t]{0,8}")
_ALIGNED: Final = re.compile(r"\S+(?: \S+)*")
_CALLED: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+")
_BEHIND: Final = re.compile(r"(?<=[\"'=>\u2192])[^\"'=>\u2192]+\Z")
_UUID: Final = re.compile(UUID)
_COPIED: Final = re.compile(r"COPY\s[^\n()]{1,200}\((?P<columns>[^()\n]{2,2000})\)\s*\Z")
_PLACE: Final = PREFIXES[1]
_AROUND: Final = " \t\r\"'`*"
_MOST_WORDS: Final = 4
_LONGEST: Final = 4000
_MOST_ROWS: Final = 10_000


class _Cell(NamedTuple):
    start: int
    end: int


class _Line(NamedTuple):
    start: int
    end: int


def tables_in(text: str) -> Iterator[Span]:
    """The cells of columns that are called as secrets are. Each line is looked at once."""
    done = -1
    for at in sorted(_heads(text)):
        if at <= done:
            continue
        head = _line(text, at)
        done = head.end
        if head.end - head.start > _LONGEST or head.end >= len(text):
            continue
        found = _table(text, head, None)
        for prefix in () if found else PREFIXES:
            begun = prefix.match(text, head.start, head.end)
            found = found or (
                _table(text, _Line(begun.end(), head.end), prefix) if begun and begun[0] else None
            )
        if found:
            yield from found[0]
            done = found[1]


def _table(text: str, head: _Line, prefix: re.Pattern[str] | None) -> tuple[list[Span], int] | None:
    """What is in the table below a head, if it has one, and where that ends."""
    for parted in _ways(text, head, prefix):
        columns = _columns(text, head, parted)
        if columns and not _goes_before(text, head, parted, prefix):
            found, end = _in_rows(text, head, parted, columns, prefix)
            if found:
                return found, end
    return None


def _heads(text: str) -> Iterator[int]:
    """Where words stand that end a cell."""
    for word in COLUMN_WORDS:
        at = text.find(word)
        while at >= 0:
            if CELL_END.match(text, at):
                yield at
            at = text.find(word, at + 1)


def _line(text: str, at: int, prefix: re.Pattern[str] | None = None) -> _Line:
    """The line around a place, behind its prefix."""
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    end = end if end >= 0 else len(text)
    begun = prefix.match(text, start, end) if prefix else None
    return _Line(begun.end() if begun else start, end)


def _ways(text: str, line: _Line, prefix: re.Pattern[str] | None) -> Iterator[str]:
    """The signs that may part the cells of a line; none for cells that stand below one another."""
    for sign in (*_DRAWN, *_PARTED):
        if text.find(sign, line.start, line.end) >= 0:
            yield sign
    if text.find("  ", line.start, line.end) >= 0:
        yield ""
    following = _line(text, line.end + 1, prefix)
    if _RULE.match(text, following.start, following.end):
        yield "\n"


def _cells(text: str, line: _Line, sign: str) -> list[_Cell]:
    if not sign:
        return [_Cell(*found.span()) for found in _ALIGNED.finditer(text, line.start, line.end)]
    found: list[_Cell] = []
    at = line.start
    if sign == "\n":
        return [_Cell(*line)]
    while at <= line.end:
        quoted = _QUOTED_CELL.match(text, at, line.end) if sign in _PARTED else None
        if quoted and (quoted.end() == line.end or text.startswith(sign, quoted.end())):
            found.append(_Cell(*quoted.span(1)))
            at = quoted.end() + 1
            continue
        end = text.find(sign, at, line.end)
        end = line.end if end < 0 else end
        found.append(_Cell(at, end))
        at = end + 1
    return found


def _columns(text: str, head: _Line, sign: str) -> dict[int, str]:
    """The columns of secrets by their number, or by where they begin; none if this is no head."""
    cells = _cells(text, head, sign)
    found: dict[int, str] = {}
    for number, cell in enumerate(cells):
        name = text[cell.start : cell.end].strip(_AROUND)
        if number == 0 and (behind := _BEHIND.search(name)):
            name = behind[0].strip(_AROUND)
        if not _NAME.fullmatch(name):
            return {}
        if len(name.split()) > _MOST_WORDS:
            return {}
        if not sign and name != name.upper():
            return {}
        if name and is_secret_name(name):
            found[number if sign else cell.start - head.start] = name
    return found if len(cells) > 1 or sign == "\n" else {}


def _goes_before(text: str, head: _Line, sign: str, prefix: re.Pattern[str] | None) -> bool:
    """Whether the line before is a row of the same table: then this is no head."""
    begin = text.rfind("\n", 0, head.start) + 1
    if not begin:
        return False
    before = _line(text, begin - 1, prefix)
    if before.end - before.start > _LONGEST or _RULE.match(text, before.start, before.end):
        return False
    if sign in ("", "\n"):
        return False
    loose = f"{sign} "
    if sign == "," and (text.count(loose, *before) > 0) != (text.count(loose, *head) > 0):
        return False
    count = text.count(sign, *before)
    return count > 0 and len(_cells(text, before, sign)) == len(_cells(text, head, sign))


def _in_rows(
    text: str,
    head: _Line,
    sign: str,
    columns: dict[int, str],
    prefix: re.Pattern[str] | None,
) -> tuple[list[Span], int]:
    """The secrets below the head, and where the table ends."""
    found: list[Span] = []
    count = len(_cells(text, head, sign))
    at = head.end
    for _ in range(_MOST_ROWS):
        if at >= len(text):
            break
        line = _line(text, at + 1, prefix)
        if line.end <= line.start or line.end - line.start > _LONGEST:
            break
        if not _RULE.match(text, line.start, line.end):
            cells = _by_column(text, line, sign, columns, count)
            if cells is None:
                break
            found += (s for c, name in cells if (s := _secret(text, c, name)))
        at = line.end
    return found, at


def _by_column(
    text: str, line: _Line, sign: str, columns: dict[int, str], count: int
) -> list[tuple[_Cell, str]] | None:
    """The cells of a row that lie in the columns; None if it is no row of the table."""
    if not sign:
        return [
            (_Cell(start, _word_end(text, start, line.end)), name)
            for column, name in columns.items()
            if (start := line.start + column) < line.end
            and not text[start].isspace()
            and text[start - 1].isspace()
        ]
    cells = _cells(text, line, sign)
    if len(cells) != count and not (line.end == len(text) and len(cells) > 1):
        return None  # but for the last row, which may be cut
    return [(cells[column], name) for column, name in columns.items() if column < len(cells)]


def _word_end(text: str, start: int, end: int) -> int:
    at = start
    while at < end and not text[at].isspace():
        at += 1
    return at


def _secret(text: str, cell: _Cell, name: str) -> Span | None:
    """The secret in a cell, if it can be one; what only names a secret is none."""
    start, end = cell
    while start < end and text[start] in _AROUND:
        start += 1
    while end > start and text[end - 1] in _AROUND:
        end -= 1
    place = _PLACE.match(text, start, end)  # of a search, before the first cell
    start = place.end() if place else start
    content = text[start:end]
    if not content or "\n" in content:
        return None
    stem = stem_of(name)
    span = judged(text, Value(start, end, quoted=True), stem)
    if span is None or (stem.rpartition("-")[2] in WEAK):
        return span
    return None if _CALLED.fullmatch(content) and not _UUID.fullmatch(content) else span


def copied_at(text: str, at: int) -> Iterator[Span]:
    """``COPY t (name, password) FROM stdin;`` and its rows, as a dump of PostgreSQL has them."""
    start = text.rfind("COPY ", max(at - 2400, 0), at)
    found = _COPIED.match(text, start, at) if start >= 0 else None
    if not found:
        return
    names = [name.strip(' "') for name in found["columns"].split(",")]
    columns = {n: name for n, name in enumerate(names) if is_secret_name(name)}
    if columns:
        head = _line(text, at)
        prefix = next((p for p in PREFIXES if _ends(p, text, head.start, start)), None)
        for _ in range(_MOST_ROWS):
            line = _line(text, head.end + 1, prefix) if head.end < len(text) else head
            if line == head or text.startswith("\\.", line.start):
                return
            cells = _cells(text, line, "\t")
            for number, name in columns.items():
                span = _secret(text, cells[number], name) if number < len(cells) else None
                if span:
                    yield span
            head = line


def _ends(prefix: re.Pattern[str], text: str, start: int, end: int) -> bool:
    found = prefix.match(text, start, end)
    return found is not None and start < found.end() == end
