"""Sidecars: what the original answers, the hostile ones, and the limits."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from robota_log_cases import prepare, rows
from sesskit.logs import sidecar_files
from sesskit.logs.sidecar_files import PayloadBytes, PayloadDirectory, PayloadSource
from sesskit.logs.sidecar_listing import list_sidecars
from sesskit.logs.sidecar_references import (
    ISSUE_CODES,
    PayloadFault,
    may_hold_reference,
    path_segments,
    read_reference,
)
from sesskit.logs.sidecars import MAX_REFERENCE_DEPTH, MAX_TOTAL_BYTES, Resolver
from sesskit.schemas.damaged import DAMAGED
from sesskit.schemas.limits import MAX_DEPTH

DEFAULTS: tuple[float, float] = (MAX_REFERENCE_DEPTH, MAX_TOTAL_BYTES)
ROWS = [
    row
    for row in rows("damaged.jsonl")
    if row["mode"] == "load" and row["expect"]["load"].get("error") in (None, "payload")
]


def resolve(log: Path, limits: tuple[float, float] = DEFAULTS) -> tuple[Any, list[PayloadFault]]:
    """All lines of a log at once, as one value."""
    lines = log.read_text().split("\n") if log.exists() else []
    values = [json.loads(line) for line in lines if line.strip("\ufeff\u00a0 \t\r\v\f")]
    with PayloadDirectory(log.parent) as source:
        resolver = Resolver(source, *limits)
        value, faults = resolver.resolve(values)
        return value, [*resolver.limit_faults(), *faults]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_answers_of_the_original(row: dict[str, Any], tmp_path: Path) -> None:
    log = prepare(tmp_path, row)
    options = row.get("options", {})
    depth, size = DEFAULTS
    _, faults = resolve(log, (options.get("maxDepth", depth), options.get("maxTotalBytes", size)))
    expect = row["expect"]["load"]
    if expect["outcome"] == "ok":
        assert not faults
    else:
        first = {"code": faults[0].code, "metadata": faults[0].metadata}
        assert first == {"code": expect["code"], "metadata": expect.get("metadata", {})}


def put(folder: Path, name: str, data: bytes) -> dict[str, Any]:
    """A sidecar and the reference to it."""
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return refer(name, data)


def refer(name: str, data: bytes) -> dict[str, Any]:
    return {
        "kind": "external-payload",
        "encoding": "json",
        "sha256": hashlib.sha256(data).hexdigest(),
        "byteLength": len(data),
        "relativePath": name,
    }


def codes(folder: Path, value: Any, max_total_bytes: float = MAX_TOTAL_BYTES) -> list[str]:
    with PayloadDirectory(folder) as source:
        resolver = Resolver(source, max_total_bytes=max_total_bytes)
        return [fault.code for fault in resolver.resolve(value)[1]]


def test_every_fault_is_found_at_its_place(tmp_path: Path) -> None:
    inner = put(tmp_path, "p/inner.json", b'[1, {"kind": "external-payload"}]')
    outer = put(tmp_path, "p/outer.json", json.dumps({"a": inner, "b": 2}).encode())
    value = {"x": [outer, refer("p/none.json", b"")], "y": 1e999, "z": "kept"}
    with PayloadDirectory(tmp_path) as source:
        resolver = Resolver(source)
        resolved, faults = resolver.resolve(value)
    assert [(f.code, f.keys) for f in faults] == [
        ("INVALID_REFERENCE", ("x", 0, "a", 1)),
        ("PAYLOAD_NOT_FOUND", ("x", 1)),
        ("INVALID_JSON", ("y",)),
    ]
    assert resolved["x"] == [{"a": [1, DAMAGED], "b": 2}, DAMAGED]
    assert resolver.used == {"p/inner.json", "p/outer.json", "p/none.json"}
    issue = faults[1].issue(7)
    assert (issue.code, issue.line, issue.path) == ("payload-missing", 7, "x[1]")
    assert issue.sidecar == "p/none.json"


def test_a_value_that_is_a_reference_to_a_reference(tmp_path: Path) -> None:
    leaf = put(tmp_path, "leaf.json", b'"leaf"')
    middle = put(tmp_path, "middle.json", json.dumps(leaf).encode())
    with PayloadDirectory(tmp_path) as source:
        assert Resolver(source).resolve(middle) == ("leaf", [])


def test_cycles(tmp_path: Path) -> None:
    """A true cycle cannot be written, a digest would have to hold itself: the path decides."""
    back = refer("a.json", b"")
    first = put(tmp_path, "a.json", json.dumps([back]).encode())
    assert codes(tmp_path, first) == ["CIRCULAR_REFERENCE"]
    assert codes(tmp_path, [first, first]) == ["CIRCULAR_REFERENCE"] * 2


def test_no_source_resolves_nothing() -> None:
    _, faults = Resolver(None).resolve(refer("a.json", b""))
    assert [fault.code for fault in faults] == ["UNRESOLVED_REFERENCE"]


@pytest.mark.parametrize(
    "path",
    [
        "../x.json", "a/../../x.json", "a/..", "..", ".", "./x.json", "a/./x.json", "/etc/passwd",
        "\\x.json", "\\\\host\\x.json", "//host/x.json", "C:\\x.json", "c:/x.json", "x.json/",
        "x.json\\", "a\0b", "a\\..\\x.json", "..\\x.json", "a/.. ", ". ", "a//../x.json",
    ],
)  # fmt: skip
def test_nothing_leaves_the_base(tmp_path: Path, path: str) -> None:
    base = tmp_path / "base"
    base.mkdir()
    (tmp_path / "x.json").write_bytes(b"1")
    (base / "a").mkdir()
    found = codes(base, refer(path, b"1"))
    assert found in (["OUTSIDE_ROOT"], ["PAYLOAD_NOT_FOUND"])
    assert (path_segments(path) is None) == (found == ["OUTSIDE_ROOT"])


@pytest.mark.parametrize("path", [" x.json", "x\ud800.json", "C:x.json", "x" * 300, "...", "a.b"])
def test_odd_names_are_names(tmp_path: Path, path: str) -> None:
    found = codes(tmp_path, refer(path, b"1"))
    assert found in (["PAYLOAD_NOT_FOUND"], ["PAYLOAD_UNREADABLE"])


@pytest.mark.parametrize("kind", ["fifo", "socket", "device", "directory", "link", "linked-folder"])
def test_special_files_are_refused_at_once(tmp_path: Path, kind: str) -> None:
    base = tmp_path / "base"
    (base / "p").mkdir(parents=True)
    target = base / "p" / "x.json"
    match kind:
        case "fifo":
            os.mkfifo(target)
        case "socket":
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(os.path.relpath(target))
        case "device":
            try:
                os.mknod(target, 0o20600, os.makedev(1, 3))
            except PermissionError:
                pytest.skip("needs root")
        case "directory":
            target.mkdir()
        case "link":
            target.symlink_to("/etc/hostname")
        case "linked-folder":
            (base / "real").mkdir()
            (base / "real" / "x.json").write_bytes(b"1")
            (base / "p").rmdir()
            (base / "p").symlink_to("real")
    assert codes(base, refer("p/x.json", b"1")) == ["OUTSIDE_ROOT"]


def test_a_hard_link_is_a_regular_file(tmp_path: Path) -> None:
    base = tmp_path / "base"
    base.mkdir()
    (tmp_path / "elsewhere.json").write_bytes(b"1")
    os.link(tmp_path / "elsewhere.json", base / "x.json")
    assert codes(base, refer("x.json", b"1")) == []
    assert codes(base, refer("x.json", b"2")) == ["SHA256_MISMATCH"]


def test_folders_below_folders(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    reference = put(tmp_path, "a/b/x.json", b"1")
    assert codes(tmp_path, reference) == []


def test_a_base_reached_through_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    reference = put(tmp_path / "real", "x.json", b"1")
    (tmp_path / "alias").symlink_to("real")
    assert codes(tmp_path / "alias", reference) == ["OUTSIDE_ROOT"]
    assert codes(tmp_path / "real", reference) == []
    assert codes(tmp_path / "none", reference) == ["PAYLOAD_NOT_FOUND"]


def test_no_permission_is_unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reference = put(tmp_path, "x.json", b"1")

    def refuse(*_: object, **__: object) -> int:
        raise PermissionError(errno.EACCES, "no")

    with PayloadDirectory(tmp_path) as source:
        source.read("x.json", 10)
        monkeypatch.setattr(os, "open", refuse)
        assert source.read("x.json", 10) == PayloadFault("PAYLOAD_UNREADABLE")
    monkeypatch.setattr(sidecar_files, "_STABLE", False)
    assert codes(tmp_path, reference) == ["STABLE_PAYLOAD_READ_UNAVAILABLE"]


def test_the_budget_is_one_for_all(tmp_path: Path) -> None:
    reference = put(tmp_path, "x.json", b"12345")
    assert codes(tmp_path, [reference] * 3, max_total_bytes=15) == []
    assert codes(tmp_path, [reference] * 3, max_total_bytes=14) == ["MAX_TOTAL_BYTES_EXCEEDED"]


def test_a_huge_declared_length_costs_nothing(tmp_path: Path) -> None:
    reference = put(tmp_path, "x.json", b"1") | {"byteLength": 2**53 - 1}
    assert codes(tmp_path, reference) == ["BYTE_LENGTH_MISMATCH"]


@pytest.mark.parametrize(
    ("data", "fine"),
    [
        pytest.param(b"", False, id="empty"),
        pytest.param(b"\xef\xbb\xbf1", False, id="bom"),
        pytest.param(b"NaN", False, id="nan"),
        pytest.param(b"{} {}", False, id="two"),
        pytest.param(b'"\\ud83d"', True, id="lone surrogate"),
        pytest.param(b'"\xff"', True, id="not utf-8 in a string"),
        pytest.param(b'{"a":1,"a":2}', True, id="doubled name"),
        pytest.param(b"[" * 100_000, False, id="deep"),
        pytest.param(b"123456789012345678901234567890", True, id="long number"),
    ],
)
def test_what_a_sidecar_may_hold(tmp_path: Path, data: bytes, fine: bool) -> None:
    assert codes(tmp_path, put(tmp_path, "x.json", data)) == ([] if fine else ["INVALID_JSON"])


def test_depth_counts_through_sidecars(tmp_path: Path) -> None:
    half = MAX_DEPTH // 2 + 10
    inner = put(tmp_path, "i.json", b"[" * half + b"]" * half)
    outer = put(tmp_path, "o.json", b"[" * half + json.dumps(inner).encode() + b"]" * half)
    assert codes(tmp_path, inner) == []
    assert codes(tmp_path, outer) == ["MAX_DEPTH_EXCEEDED"]


@pytest.mark.parametrize("levels", [10, 60, 70, MAX_DEPTH - 1, MAX_DEPTH, MAX_DEPTH + 1])
def test_depth_of_one_sidecar(tmp_path: Path, levels: int) -> None:
    """Values that nest a little are not walked; deep ones are, whatever they hold."""
    reference = put(tmp_path, "i.json", b'{"a":[1,{}]}'.join([b"[" * levels, b"]" * levels]))
    assert codes(tmp_path, reference) == ["MAX_DEPTH_EXCEEDED"] * (levels + 3 > MAX_DEPTH)


GOOD = refer("a.json", b"1")


@pytest.mark.parametrize(
    "change",
    [
        {"sha256": "0" * 63}, {"sha256": "g" * 64}, {"sha256": "0" * 64 + "\n"}, {"sha256": 1},
        {"sha256": "\u0661" * 64}, {"byteLength": -1}, {"byteLength": 1.5}, {"byteLength": True},
        {"byteLength": 2**53}, {"byteLength": float("nan")}, {"byteLength": float("inf")},
        {"byteLength": "1"}, {"relativePath": ""}, {"relativePath": "\ufeff \u2003"},
        {"relativePath": None}, {"encoding": "utf-8"}, {"more": 1},
    ],
)  # fmt: skip
def test_references_that_are_none(change: dict[str, Any]) -> None:
    assert read_reference(GOOD | change) is None
    assert read_reference(GOOD | {"byteLength": 1.0}) is not None


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (b'{"kind":"external-payload"}', True),
        (b'{"\\u006bind":"external-payload"}', True),
        (b'{"kind":"external\\u002Dpayload"}', True),
        (b'{"kind":"\\u0065xternal-payload"}', True),
        (b'{"kind":"external","x":"\\u00e9\\n"}', False),
    ],
)
def test_the_cheap_look_is_never_a_false_no(text: bytes, answer: bool) -> None:
    assert may_hold_reference(text) is answer


def test_every_code_has_its_issue() -> None:
    for code in ISSUE_CODES:
        issue = PayloadFault(code).issue(1)
        assert issue.message
        assert issue.code.startswith("payload-")


def test_listing(tmp_path: Path) -> None:
    log = tmp_path / "s.jsonl"
    log.write_bytes(b"")
    folder = tmp_path / "s.payloads"
    put(tmp_path, "s.payloads/used.json", b"1")
    put(tmp_path, "s.payloads/orphan.json", b"1")
    (folder / "link").symlink_to("used.json")
    tmp_path.chmod(0o700)
    folder.chmod(0o700)
    for path in (log, folder / "used.json"):
        path.chmod(0o600)
    (folder / "orphan.json").chmod(0o640)
    listing = list_sidecars(log, {"s.payloads\\used.json"})
    assert listing.files == ("s.payloads/orphan.json", "s.payloads/used.json")
    assert listing.orphans == ("s.payloads/orphan.json",)
    assert listing.strange == ("s.payloads/link",)
    assert [(i.code, i.severity, i.sidecar) for i in listing.issues] == [
        ("payload-strange", "warning", "s.payloads/link"),
        ("mode-open", "warning", "s.payloads/orphan.json"),
        ("payload-orphan", "info", "s.payloads/orphan.json"),
    ]
    assert list_sidecars(tmp_path / "none.jsonl", set()).files == ()


class Counting:
    """A source that counts what is read from it."""

    def __init__(self, source: PayloadSource) -> None:
        self.source, self.reads = source, 0

    def read(self, relative_path: str, budget: int) -> PayloadBytes | PayloadFault:
        self.reads += 1
        return self.source.read(relative_path, budget)


@pytest.mark.parametrize(("budget", "faults"), [(MAX_TOTAL_BYTES, 0), (5_000, 1)])
def test_a_small_sidecar_is_read_once_for_a_value(tmp_path: Path, budget: int, faults: int) -> None:
    """What many references of one value share counts each time, and costs one read."""
    shared = put(tmp_path, "x.json", b'"x"')
    for level in range(10):
        shared = put(tmp_path, f"{level}.json", json.dumps([shared, shared]).encode())
    with PayloadDirectory(tmp_path) as directory:
        source = Counting(directory)
        resolver = Resolver(source, MAX_REFERENCE_DEPTH, budget)
        _, found = resolver.resolve([dict(shared)])
        assert bool(found) == bool(faults)
        assert {fault.code for fault in found} <= {"MAX_TOTAL_BYTES_EXCEEDED"}
        assert resolver.spent <= budget
        read = source.reads
        assert read == 11 if not faults else read >= 11
        resolver.resolve([dict(shared)])
        assert source.reads > read, "another value may find another file"
