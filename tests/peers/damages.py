"""Damage of all kinds to sound dsh logs, from a seed: what a differential test asks about."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

from logs.dsh.vectors import cases, rows
from sesskit.schemas.ecmascript import dumps

Json = dict[str, Any]
Lines = list[Any]

_RAW = re.compile(rb'"@raw:([^"]*)@"')
ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, 2, -1, 0.5, 1.0, 3, 7, 100, 2**53 - 1, 2**53, -(2**53), 1e21,
    "", "x", "1", "append", "user", [], [None], [0], [[0, 2]], ["x"], {}, {"kind": "user"},
    {"type": "text", "text": "x"}, {"op": "replace", "start": 1, "end": 1},
    {"op": "replace", "startSeq": 1, "endSeq": 1},
    "@raw:-0@", "@raw:1e400@", "@raw:1e2@", "@raw:9007199254740993@", "@raw:-0.0@",
)  # fmt: skip
EXTRA = (
    "x", "ignorable", "sourceEventSeqs", "surfaceOp", "error", "message", "isError", "inherited",
)  # fmt: skip
TYPES = (
    "turn/start", "turn/end", "step/start", "step/end", "user/message", "system/message",
    "assistant/message", "assistant/attempt", "assistant/chunk", "tool/call", "tool/result",
    "session/end-seed", "request/header", "compaction/start", "compaction/end", "todo/write",
    "tool/code-dispatch", "tool/ptc-dispatch", "feedback/message-put", "acme/x", "text-chunks",
    "model/selection", "mode/set", "request/header-delta", "steering/message", "usage",
)  # fmt: skip


def text_of(lines: Lines) -> bytes:
    """The lines as a file; numbers that a Python value cannot be are spelled out."""
    whole = b"".join(line if isinstance(line, bytes) else dumps(line) + b"\n" for line in lines)
    return _RAW.sub(rb"\1", whole)


def sources(version: int) -> list[Lines]:
    """Sound logs of one version, parsed: recorded ones and those that migration made of them."""
    found = [c.file for c in cases("valid") if c.file.name.endswith(".jsonl")]
    found += [f for c in cases("valid") for f in sorted(c.folder.glob("migrated.*jsonl"))]
    texts = [path.read_bytes() for path in found]
    if version:
        texts += [row["text"].encode() for row in rows("native-formats") if row["strict"]["ok"]]
    logs = [_parsed(text) for text in texts]
    return [log for log in logs if len(log) > 2 and _version(log[0]) == version]


def _parsed(text: bytes) -> Lines:
    return [json.loads(line) for line in text.split(b"\n") if line]


def _version(header: Json) -> int:
    seed = header.get("version") == 1 and not {"delegationDepth", "isSeeded"} & header.keys()
    return -1 if seed else int(header["version"])


def damaged(log: Lines, chance: random.Random) -> bytes:
    """The log with one to three things wrong."""
    lines = copy.deepcopy(log)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        chance.choice(DAMAGES)(lines, chance)
    return text_of(lines)


def _spots(value: Any) -> Iterator[tuple[Any, Any]]:
    waiting = [value]
    while waiting:
        holder = waiting.pop()
        for key in list(holder) if isinstance(holder, dict) else range(len(holder)):
            yield holder, key
            if isinstance(holder[key], dict | list):
                waiting.append(holder[key])


def _line(lines: Lines, chance: random.Random) -> Any:
    whole = [line for line in lines[1:] if isinstance(line, dict)]
    if not whole or chance.random() < 0.03:
        return lines[0]
    if chance.random() < 0.5:  # rare types as often as common ones
        kind = chance.choice(sorted({str(line.get("type")) for line in whole}))
        whole = [line for line in whole if str(line.get("type")) == kind]
    return chance.choice(whole)


def _spot(lines: Lines, chance: random.Random) -> tuple[Any, Any] | None:
    line = _line(lines, chance)
    if not isinstance(line, dict) or not line:
        return None
    spots = list(_spots(line))
    shallow = [spot for spot in spots if spot[0] is line or spot[0] is line.get("data")]
    return chance.choice(shallow if chance.random() < 0.5 else spots)


def _value(lines: Lines, chance: random.Random) -> None:
    spot = _spot(lines, chance)
    if spot:
        spot[0][spot[1]] = copy.deepcopy(chance.choice(ODD))


def _near(lines: Lines, chance: random.Random) -> None:
    """A number a little off, a text emptied, a flag turned round."""
    spot = _spot(lines, chance)
    if not spot:
        return
    old = spot[0][spot[1]]
    if isinstance(old, bool):
        spot[0][spot[1]] = not old
    elif isinstance(old, int | float):
        spot[0][spot[1]] = old + chance.choice((-2, -1, 1, 2, 0.0))
    elif isinstance(old, str):
        spot[0][spot[1]] = chance.choice(("", old + "x", old[:-1]))
    elif old:
        last = next(reversed(old)) if isinstance(old, dict) else -1
        del old[last]


def _removed(lines: Lines, chance: random.Random) -> None:
    spot = _spot(lines, chance)
    if spot:
        del spot[0][spot[1]]


def _renamed(lines: Lines, chance: random.Random) -> None:
    spot = _spot(lines, chance)
    if spot and isinstance(spot[0], dict):
        spot[0][chance.choice((*EXTRA, str(spot[1]).upper()))] = spot[0].pop(spot[1])


def _added(lines: Lines, chance: random.Random) -> None:
    spot = _spot(lines, chance)
    if spot and isinstance(spot[0], dict):
        spot[0][chance.choice(EXTRA)] = copy.deepcopy(chance.choice(ODD))


def _borrowed(lines: Lines, chance: random.Random) -> None:
    """The value that a member of the same name has in another place."""
    spot = _spot(lines, chance)
    if not spot:
        return
    whole = [line for line in lines if isinstance(line, dict)]
    others = [h[k] for line in whole for h, k in _spots(line) if k == spot[1]]
    if others:
        spot[0][spot[1]] = copy.deepcopy(chance.choice(others))


def _retyped(lines: Lines, chance: random.Random) -> None:
    line = _line(lines, chance)
    if isinstance(line, dict):
        line["type"] = chance.choice(TYPES)
        if chance.random() < 0.3:
            line["ignorable"] = chance.choice((True, True, False, None))


def _place(lines: Lines, chance: random.Random) -> int:
    return chance.randrange(1, len(lines)) if len(lines) > 1 else 0


def _doubled(lines: Lines, chance: random.Random) -> None:
    at = _place(lines, chance)
    lines.insert(chance.choice((at, _place(lines, chance))), copy.deepcopy(lines[at]))


def _dropped(lines: Lines, chance: random.Random) -> None:
    at = _place(lines, chance)
    if at:
        del lines[at : at + chance.choice((1, 1, 2, 5))]


def _swapped(lines: Lines, chance: random.Random) -> None:
    one = _place(lines, chance)
    other = min(one + 1, len(lines) - 1) if chance.random() < 0.5 else _place(lines, chance)
    lines[one], lines[other] = lines[other], lines[one]


def _ended(lines: Lines, chance: random.Random) -> None:
    del lines[max(2, _place(lines, chance)) :]


def _borrowed_line(lines: Lines, chance: random.Random) -> None:
    lines.insert(_place(lines, chance) or 1, copy.deepcopy(chance.choice(lines)))


def _broken(lines: Lines, chance: random.Random) -> None:
    odd = (b"\n", b"{\n", b"NaN\n", b"null\n", b"[]\n", b"7\n", b'"x"\n', b'{"a":NaN}\n', b"{}\n")
    lines.insert(_place(lines, chance) or 1, chance.choice(odd))


def renumbered(change: Callable[[Lines, random.Random], None]) -> Callable[..., None]:
    """The same damage with the events counted anew, so that only what is between them is wrong."""

    def damage(lines: Lines, chance: random.Random) -> None:
        change(lines, chance)
        seq = 0
        for line in lines[1:]:
            if isinstance(line, dict) and "seq0" in line:
                line["seq0"], data = seq, line.get("data")
                texts = data.get("texts", data.get("args", [])) if isinstance(data, dict) else []
                seq += len(texts) if isinstance(texts, list) else 1
            elif isinstance(line, dict):
                line["seq"] = seq
                seq += 1

    return damage


DAMAGES: tuple[Callable[[Lines, random.Random], None], ...] = (
    _value, _value, _value, _near, _near, _removed, _removed, _renamed, _added, _borrowed,
    _borrowed, _retyped, _doubled, _dropped, _swapped, _ended, _broken,
    *map(renumbered, (_retyped, _doubled, _dropped, _dropped, _swapped, _swapped, _borrowed_line)),
)  # fmt: skip
