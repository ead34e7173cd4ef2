"""The tables of `tests/data/robota-log/vectors`: their rows, and the edits that make a case."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).parent / "data" / "robota-log" / "vectors"
VALID = sorted(folder.name for folder in (VECTORS / "valid").iterdir())

Edit = dict[str, Any]


def rows(name: str) -> list[Any]:
    """The rows of a `.jsonl` table, or of a `.json` list."""
    text = (VECTORS / name).read_text(encoding="utf-8")
    if name.endswith(".json"):
        return list(json.loads(text))
    return [json.loads(line) for line in text.split("\n") if line]


def prepare(folder: Path, row: dict[str, Any], source: Path | None = None) -> Path:
    """Make the case of a row below ``folder``; gives the path of its log."""
    base = folder / "log"
    shutil.copytree(source or VECTORS / "valid" / row["base"] / "log", base)
    case = Case(base, base / row["log"])
    for edit in row["edits"]:
        EDITS[edit["op"]](case, edit)
    return case.log


class Case:
    """A log under edit, and the directory that its sidecars lie below."""

    def __init__(self, base: Path, log: Path) -> None:
        self.base = base
        self.log = log

    def lines(self) -> list[str]:
        return self.log.read_bytes().decode("utf-8").removesuffix("\n").split("\n")

    def write(self, lines: list[str]) -> None:
        self.log.write_bytes("".join(line + "\n" for line in lines).encode("utf-8"))

    def change(self, number: int, change: Callable[[str], str]) -> None:
        lines = self.lines()
        lines[number - 1] = change(lines[number - 1])
        self.write(lines)

    def find(self, event: str, nth: int) -> int:
        found = [n for n, line in enumerate(self.lines(), 1) if json.loads(line)["event"] == event]
        return found[nth - 1]

    def number(self, edit: Edit) -> int:
        return int(edit["line"]) if "line" in edit else self.find(edit["event"], edit["nth"])


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _set(case: Case, edit: Edit) -> None:
    def change(line: str) -> str:
        value = json.loads(line)
        inner = value
        for key in edit["path"][:-1]:
            inner = inner[key]
        last = edit["path"][-1]
        if edit["op"].startswith("delete"):
            del inner[last]
        elif isinstance(inner, list) and last == len(inner):
            inner.append(edit["value"])
        else:
            inner[last] = edit["value"]
        return _compact(value)

    case.change(case.number(edit), change)


def _remove_event(case: Case, edit: Edit) -> None:
    lines = case.lines()
    line = lines.pop(case.find(edit["event"], edit["nth"]) - 1)
    case.write([*lines, line] if edit["op"] == "move_event_to_end" else lines)


def _insert(case: Case, edit: Edit) -> None:
    lines = case.lines()
    lines.insert(edit["line"] - 1, edit["text"])
    case.write(lines)


def _replace_text(case: Case, edit: Edit) -> None:
    def change(line: str) -> str:
        assert edit["find"] in line
        return line.replace(edit["find"], edit["with"], 1)

    case.change(edit["line"], change)


def _append_raw(case: Case, edit: Edit) -> None:
    with case.log.open("ab") as stream:
        stream.write(edit["text"].encode("utf-8"))


def _replace_all(case: Case, edit: Edit) -> None:
    find, new = edit["find"].encode(), edit["with"].encode()
    case.log.write_bytes(case.log.read_bytes().replace(find, new))


def _symlink(case: Case, edit: Edit) -> None:
    path = case.base / edit["path"]
    path.unlink(missing_ok=True)
    path.symlink_to(edit["target"])


def _hardlink(case: Case, edit: Edit) -> None:
    (case.base / edit["path"]).hardlink_to(case.base / edit["target"])


def _symlink_root(case: Case, edit: Edit) -> None:
    alias = case.base.with_name("alias")
    alias.symlink_to("log")
    case.log = alias / case.log.relative_to(case.base)


def _move_out(case: Case, edit: Edit) -> None:
    outside = case.base.with_name("outside")
    outside.mkdir(exist_ok=True)
    (case.base / edit["path"]).rename(outside / edit["name"])


def _write_file(case: Case, edit: Edit) -> None:
    path = case.base / edit["path"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(edit["text"].encode("utf-8"))


def _flip(case: Case, edit: Edit) -> None:
    path = case.base / edit["path"]
    data = bytearray(path.read_bytes())
    data[edit["offset"]] ^= edit["xor"]
    path.write_bytes(data)


def _sparse(case: Case, edit: Edit) -> None:
    path = case.base / edit["path"]
    path.touch()
    os.truncate(path, edit["size"])


def _drop_tail(case: Case, edit: Edit) -> None:
    case.log.write_bytes(case.log.read_bytes()[: -edit["bytes"]])


def _cut_line(case: Case, edit: Edit) -> None:
    case.change(edit["line"], lambda line: line[: edit["keep"]])


def _truncate(case: Case, edit: Edit) -> None:
    os.truncate(case.base / edit["path"], edit["keep"])


EDITS: dict[str, Callable[[Case, Edit], object]] = {
    "set": _set,
    "delete": _set,
    "set_event": _set,
    "delete_event": _set,
    "remove_event": _remove_event,
    "move_event_to_end": _remove_event,
    "insert_before": _insert,
    "replace_line": lambda case, e: case.change(e["line"], lambda _: str(e["text"])),
    "append_to_line": lambda case, e: case.change(e["line"], lambda line: line + e["text"]),
    "cut_line": _cut_line,
    "replace_text": _replace_text,
    "keep_lines": lambda case, e: case.write(case.lines()[: e["count"]]),
    "write_log": lambda case, e: case.log.write_bytes(e["text"].encode()),
    "delete_log": lambda case, e: case.log.unlink(),
    "append_raw": _append_raw,
    "replace_all": _replace_all,
    "drop_tail": _drop_tail,
    "write_file": _write_file,
    "delete_file": lambda case, e: (case.base / e["path"]).unlink(),
    "delete_dir": lambda case, e: shutil.rmtree(case.base / e["path"]),
    "rename": lambda case, e: (case.base / e["from"]).rename(case.base / e["to"]),
    "copy_file": lambda case, e: shutil.copyfile(case.base / e["from"], case.base / e["to"]),
    "mkdir": lambda case, e: (case.base / e["path"]).mkdir(),
    "symlink": _symlink,
    "hardlink": _hardlink,
    "truncate_file": _truncate,
    "flip_byte": _flip,
    "sparse_file": _sparse,
    "move_out": _move_out,
    "symlink_root": _symlink_root,
}
