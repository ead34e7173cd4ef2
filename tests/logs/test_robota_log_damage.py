"""Damaged Robota logs: what kind of damage, where, and that the rest is read all the same."""

from __future__ import annotations

import json
import os
from datetime import UTC, timedelta, timezone
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robota_log_cases import VECTORS
from sesskit.logs import line_blocks as framing
from sesskit.logs import robota_parallel
from sesskit.logs.robota_log import LogReading, SidecarOptions, decode_log, examine_log
from sesskit.logs.robota_parallel import check_log
from sesskit.records.format import Options
from sesskit.schemas.issues import Issue
from sesskit.schemas.outcomes import Corrupt, Unreadable, Valid

CHECK = Options(keep=False)


def line(content: str = "x", **more: Any) -> bytes:
    value = {
        "content": content,
        "schemaVersion": 1,
        "timestamp": "2026-10-04T09:15:00.000Z",
        "sessionId": "s",
        "event": "user",
        **more,
    }
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )


GOOD = line()


def found(data: bytes, options: Options = CHECK) -> list[tuple[str, int | None, int | None]]:
    return [(i.code, i.line, i.column) for i in decode_log(data, options).issues]


@pytest.mark.parametrize(
    ("bad", "code", "column"),
    [
        pytest.param(GOOD[:40], "json-cut", 41, id="cut"),
        pytest.param(GOOD + GOOD, "json-two-documents", len(GOOD) + 1, id="glued"),
        pytest.param(b"\0" * 50, "json-nul-run", 1, id="zero-filled"),
        pytest.param(GOOD[:20] + b"\0" * 9, "json-nul-run", 21, id="zero tail"),
        pytest.param("\ufeff".encode() + GOOD, "json-bom", 1, id="bom"),
        pytest.param(GOOD.decode().encode("utf-16-le")[:-1], "json-encoding", 1, id="utf-16"),
        pytest.param(b"not json", "json-syntax", 1, id="text"),
        pytest.param(b"\xff\xfe\xfd" * 9, "json-encoding", 1, id="binary"),
        pytest.param(b"[" * 100_000, "json-depth", 769, id="deep"),
        pytest.param(GOOD.replace(b'"x"', b'"\t"'), "json-control-character", 13, id="control"),
    ],
)
def test_damage_is_told_apart_and_reading_goes_on(bad: bytes, code: str, column: int) -> None:
    data = GOOD + b"\n" + bad + b"\n" + line(content="after", extra=1) + b"\n"
    issues = found(data)
    assert issues[0] == (code, 2, column)
    assert issues[-1][:2] == ("member-unknown", 3)
    outcome = decode_log(data)
    assert isinstance(outcome, Corrupt)
    assert outcome.original is None or outcome.original.code == "INVALID_JSON"


@pytest.mark.parametrize(
    ("tail", "issues", "status"),
    [
        pytest.param(b"", [], "valid", id="nothing"),
        pytest.param(b"  ", [], "valid", id="blanks"),
        pytest.param(GOOD, [("line-unended", 2, 1)], "valid", id="whole"),
        pytest.param(GOOD[:40], [("line-cut", 2, 41)], "corrupt", id="cut"),
        pytest.param(b"{", [("line-cut", 2, 2)], "corrupt", id="one byte"),
        pytest.param(b"\0\0\0", [("line-cut", 2, 1)], "corrupt", id="zeros"),
        pytest.param(
            line(content=None),  # type: ignore[arg-type]
            [("type", 2, 12), ("line-unended", 2, 1)],
            "corrupt",
            id="whole and wrong",
        ),
    ],
)
def test_the_last_line(tail: bytes, issues: list[Any], status: str) -> None:
    for options in (CHECK, Options(), Options(thorough=True)):
        outcome = decode_log(GOOD + b"\n" + tail, options)
        assert outcome.status == status
        assert [(i.code, i.line, i.column) for i in outcome.issues] == issues
        if issues and issues[-1][0].startswith("line-"):
            assert "still be being written" in outcome.issues[-1].message


def test_places() -> None:
    data = GOOD + b"\n" + line(content="\u00e9\N{COMPASS}", sessionId=5) + b"\n"
    (issue,) = decode_log(data).issues
    assert (issue.path, issue.pointer) == ("sessionId", "/sessionId")
    assert issue.offset == data.index(b'"sessionId":5') + len(b'"sessionId":')
    text = data[len(GOOD) + 1 : issue.offset].decode()
    assert issue.column == len(text) + 1


def test_the_same_answers_by_every_way() -> None:
    """Checking, keeping, thorough: the same issues, in the same order."""
    bad = [GOOD[:30], b"{}", line(content="\ud800"), line(timestamp="2026-10-04T09:15:00"), b"\r"]
    data = b"\n".join([GOOD, *bad, GOOD, b""])
    first = decode_log(data, CHECK)
    assert first.issues
    for options in (Options(), Options(thorough=True)):
        assert decode_log(data, options).issues == first.issues


def test_only_thorough_reading_promises_doubled_names() -> None:
    data = GOOD.replace(b'"content"', b'"content":"y","content"') + b"\n"
    assert found(data) == []
    assert found(data, Options(thorough=True)) == [("duplicate-member", 1, 16)]


def test_the_zone_of_times_without_one() -> None:
    data = line(timestamp="2026-10-04T09:15:00") + b"\n"
    for zone in (UTC, timezone(timedelta(hours=2))):
        assert found(data, Options(zone=zone)) == [("instant-zoneless", 1, 46)]


def test_a_misspelt_event_gets_a_hint() -> None:
    (issue,) = decode_log(line(event="usr") + b"\n").issues
    assert (issue.code, issue.path) == ("event-unknown", "event")
    assert "did you mean user" in issue.message


def test_no_value_of_the_input_is_in_a_message() -> None:
    secret = "fake-secret-value"
    data = b"\n".join(
        [line(event=secret), line(sessionId=[secret]), line(more={secret: 1}), secret.encode(), b""]
    )
    for issue in decode_log(data).issues:
        assert secret not in issue.message
        assert secret not in f"{issue.expected}{issue.found}"


def test_a_line_that_is_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(framing, "MAX_LINE_BYTES", 2 * framing.LONG_BYTES)
    data = GOOD + b"\n" + b"[" * (4 * framing.LONG_BYTES) + b"\n" + GOOD + b"\n"
    (tmp_path / "s.jsonl").write_bytes(data)
    for options in (CHECK, Options()):
        outcome = examine_log(tmp_path / "s.jsonl", options)
        assert [(i.code, i.line) for i in outcome.issues] == [("size-limit", 2)]
        assert isinstance(outcome, Corrupt)
        assert outcome.original is None, "the limit is ours"


def test_a_hole_in_a_log(tmp_path: Path) -> None:
    log = tmp_path / "s.jsonl"
    log.write_bytes(GOOD + b"\n")
    os.truncate(log, 200 * 1024 * 1024)
    outcome = examine_log(log, CHECK)
    assert [(i.code, i.line) for i in outcome.issues] == [("line-cut", 2)]


REFERENCE = {
    "kind": "external-payload",
    "encoding": "json",
    "sha256": "0" * 64,
    "byteLength": 1,
    "relativePath": "s.payloads/x.json",
}


def test_sidecars_that_are_not_looked_at(tmp_path: Path) -> None:
    log = tmp_path / "s.jsonl"
    log.write_bytes(GOOD + b"\n" + line(content=REFERENCE) + b"\n")  # type: ignore[arg-type]
    assert [i.code for i in examine_log(log).issues] == ["payload-missing"]
    for outcome in (
        examine_log(log, sidecars=SidecarOptions(look=False)),
        decode_log(log.read_bytes()),
    ):
        assert isinstance(outcome, Valid)
        assert [(i.code, i.severity) for i in outcome.issues] == [("payload-unread", "info")]
        assert outcome.value is None, "not the whole log"
        assert outcome.original is None
    broken = line(content={**REFERENCE, "more": 1}) + b"\n"  # type: ignore[arg-type]
    assert found(broken) == [("payload-reference", 1, 12)]


def test_a_fault_inside_a_sidecar(tmp_path: Path) -> None:
    from sesskit.logs.robota_payloads import reference_text

    text = json.dumps({"role": "user", "id": "m", "content": 5, "state": "complete"}).encode()
    digest, reference = reference_text("s", text)
    (tmp_path / "s.payloads").mkdir()
    (tmp_path / "s.payloads" / f"{digest}.json").write_bytes(text)
    value = line(
        event="history_mutation", mutation="append_message", index=0, message=json.loads(reference)
    )
    log = tmp_path / "s.jsonl"
    log.write_bytes(value.replace(b'"content":"x",', b"") + b"\n")
    outcome = examine_log(log)
    assert {(i.path, i.line, i.sidecar) for i in outcome.issues} == {
        ("message.content", 1, f"s.payloads/{digest}.json"),
        ("message.timestamp", 1, f"s.payloads/{digest}.json"),
    }
    assert {i.column for i in outcome.issues} == {log.read_text().index('{"kind"') + 1}


def spilled(tmp_path: Path, text: bytes, **more: Any) -> Path:
    """A log whose second member is a reference to a sidecar of that text."""
    from sesskit.logs.robota_payloads import reference_text

    digest, reference = reference_text("s", text)
    (tmp_path / "s.payloads").mkdir()
    (tmp_path / "s.payloads" / f"{digest}.json").write_bytes(text)
    value = line(event="tool_call", tool="x", args={"a": json.loads(reference)}, **more)
    log = tmp_path / "s.jsonl"
    log.write_bytes(value.replace(b'"content":"x",', b"") + b"\n")
    return log


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (b"1e400", "args.a"),
        (b"[0,-1e999]", "args.a[1]"),
        (b'{"b":[1e400]}', "args.a.b[0]"),
        (b"1" + b"0" * 400, "args.a"),
    ],
)
def test_a_number_without_end_in_a_sidecar(tmp_path: Path, text: bytes, path: str) -> None:
    log = spilled(tmp_path, text)
    for options in (CHECK, Options(), Options(thorough=True)):
        outcome = examine_log(log, options)
        assert isinstance(outcome, Corrupt)
        [issue] = outcome.issues
        assert (issue.code, issue.path, issue.line) == ("number-overflow", path, 1)
        assert issue.sidecar
        assert issue.column == log.read_text().index('{"kind"') + 1
        assert outcome.original is not None
        assert outcome.original.code == "INVALID_JSON"


@pytest.mark.parametrize(
    ("text", "thorough", "code", "path"),
    [
        (b'{"b":1,"b":2}', True, "duplicate-member", "args.a.b"),
        (b'{"b":1,"b":2}', False, None, ""),
        (b'["\xff"]', False, "utf8-in-string", "args.a[0]"),
        (rb'["\ud83d"]', False, "lone-surrogate", "args.a[0]"),
    ],
)
def test_what_a_sidecar_is_warned_about(
    tmp_path: Path, text: bytes, thorough: bool, code: str | None, path: str
) -> None:
    log = spilled(tmp_path, text)
    outcome = examine_log(log, Options(thorough=thorough))
    assert isinstance(outcome, Valid)
    assert len(outcome.value) == 1
    expected = [] if code is None else [(code, path, 1, "warning")]
    assert [(i.code, i.path, i.line, i.severity) for i in outcome.issues] == expected


@pytest.mark.parametrize("levels", [700, 100_000])
def test_nesting_beyond_ours_is_not_said_of_the_original(tmp_path: Path, levels: int) -> None:
    text = b"[" * levels + b"]" * levels
    log = spilled(tmp_path, text)
    deeper = log.read_bytes().replace(b'"a":{', b'"a":' + b"[" * 100 + b"{")
    log.write_bytes(deeper.replace(b"}}", b"}" + b"]" * 100 + b"}"))
    outcome = examine_log(log, CHECK)
    assert isinstance(outcome, Corrupt)
    assert [issue.code for issue in outcome.issues] == ["json-depth"]
    assert outcome.original is None


def test_a_broken_reference_is_one_fault(tmp_path: Path) -> None:
    log = spilled(tmp_path, b"1")
    log.write_bytes(log.read_bytes().replace(b'"byteLength":1,', b'"byteLength":1e400,'))
    assert [i.code for i in examine_log(log, CHECK).issues] == ["payload-reference"]


@pytest.mark.parametrize("kind", ["fifo", "folder", "no permission", "circle", "name"])
def test_what_cannot_be_read(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "s.jsonl"
    match kind:
        case "fifo":
            os.mkfifo(log)
        case "folder":
            log.mkdir()
        case "circle":
            log.symlink_to("s.jsonl")
        case "name":
            log = tmp_path / "a\0b"
        case _:
            log.write_bytes(GOOD)
            monkeypatch.setattr(os, "open", _refuse)
    outcome = examine_log(log)
    assert isinstance(outcome, Unreadable)
    assert str(tmp_path) not in outcome.reason


def _refuse(*_: object, **__: object) -> int:
    raise PermissionError(13, "no")


def test_a_disk_that_fails_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "s.jsonl"
    log.write_bytes(GOOD)

    def fail(_: LogReading) -> None:
        raise OSError(5, "I/O error")

    monkeypatch.setattr(LogReading, "check", fail)
    assert isinstance(examine_log(log, CHECK), Unreadable)


def test_several_processes_give_one_answer(tmp_path: Path) -> None:
    (sound,) = (VECTORS / "audit" / "logs" / "compactions").glob("*.jsonl")
    data = sound.read_bytes()
    log = tmp_path / "s.jsonl"
    with log.open("wb") as stream:
        for part in range(40 * 1024 * 1024 // len(data)):
            stream.write(data)
            if part % 200 == 7:
                stream.write(b"{broken\n" + line(schemaVersion=3) + b"\n")
        stream.write(GOOD)
    plain = examine_log(log, CHECK)
    assert len(plain.issues) > 4
    for workers in (1, 2, 3):
        assert check_log(log, workers=workers) == plain
    assert check_log(tmp_path / "none.jsonl", workers=2).status == "missing"


def test_a_part_that_gets_no_answer_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "s.jsonl"
    log.write_bytes((GOOD + b"\n") * (33 * 1024 * 1024 // len(GOOD)) + b"{\n")
    plain = examine_log(log, CHECK)
    whole = robota_parallel._check

    def lost(path: Path, bounds: tuple[int, int], *more: Any) -> Any:
        return None if bounds[0] else whole(path, bounds, *more)

    monkeypatch.setattr(robota_parallel, "_check", lost)
    assert check_log(log, workers=2) == plain


def test_what_is_not_worth_several_processes(tmp_path: Path) -> None:
    log = tmp_path / "s.jsonl"
    log.write_bytes(b"")
    os.truncate(log, 100 * 1024 * 1024)
    outcome = check_log(log, workers=2)
    assert [issue.code for issue in outcome.issues] == ["line-cut"]


@given(data=st.binary(max_size=300))
@settings(max_examples=150, deadline=None)
def test_any_bytes_get_an_answer(data: bytes) -> None:
    for options in (CHECK, Options(thorough=True)):
        outcome = decode_log(data, options)
        assert all(isinstance(issue, Issue) for issue in outcome.issues)


@given(
    places=st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 255)), min_size=1, max_size=4)
)
@settings(max_examples=150, deadline=None)
def test_flipped_bytes_get_the_same_answer_by_every_way(places: list[tuple[int, int]]) -> None:
    (log,) = (VECTORS / "valid" / "every-event" / "log").glob("*.jsonl")
    data = bytearray(log.read_bytes())
    for place, byte in places:
        data[place % len(data)] = byte
    plain = decode_log(bytes(data), CHECK)
    kept = decode_log(bytes(data))
    assert (plain.status, plain.issues) == (kept.status, kept.issues)


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [
        pytest.param(b'"content"', b'"con\0\0nt"', {"json-nul-run"}, id="nuls in a name"),
        pytest.param(b'"content"', b'"con\tnt"', {"json-control-character"}, id="tab in a name"),
        pytest.param(b'"content"', rb'"con\qnt"', {"json-escape"}, id="escape in a name"),
        pytest.param(b'"user"', b'"us\0r"', {"json-nul-run"}, id="nul in the event"),
        pytest.param(b"10-04T", b"10\0\0\0T", {"json-nul-run"}, id="nuls in an instant"),
        pytest.param(b'"event"', b'"ev\0nt"', {"json-nul-run"}, id="nul in the event's name"),
        pytest.param(b'x","schemaVersion":1', b"\0" * 20, {"json-nul-run"}, id="members lost"),
    ],
)
def test_what_the_text_lost_is_not_missed(old: bytes, new: bytes, codes: set[str]) -> None:
    assert old in GOOD
    assert {code for code, _, _ in found(GOOD.replace(old, new) + b"\n")} == codes


def test_what_is_wrong_beside_a_broken_text_is_told() -> None:
    bad = line(content="a\tb", more=1).replace(b"\\t", b"\t").replace(b'"s"', b"5")
    assert {code for code, _, _ in found(bad + b"\n")} == {
        "json-control-character",
        "member-unknown",
        "type",
    }


@pytest.mark.parametrize(
    "bad",
    [
        b"\x1c",
        b"\x1b[31m{}",
        b"hello, world: 1 2 3",
        b'"tail"]}},{"name":"x"}',
        b"Traceback (most recent call last):",
        b"[1,,2,]",
    ],
)
def test_what_is_no_record_at_all_is_one_fault(bad: bytes) -> None:
    (issue,) = check_log_bytes(GOOD + b"\n" + bad + b"\n" + GOOD + b"\n")
    assert (issue.line, issue.severity) == (2, "error")


def test_a_record_with_two_faults_keeps_both() -> None:
    bad = GOOD.replace(b'"x"', b'"x\ty"').replace(b'":1', b'":01')
    assert len(check_log_bytes(bad + b"\n")) == 2


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([b"x", b"{}", b"  x", GOOD, b"", b"nul", b'{"a":1e400}', b"\0"])))
def test_lines_that_repeat_are_told_like_new_ones(lines: list[bytes]) -> None:
    data = b"".join(line + b"\n" for line in lines)
    expected, offset = [], 0
    for number, text in enumerate(lines, 1):
        alone = [i for i in check_log_bytes(text + b"\n") if i.offset is not None]
        expected += [
            msgspec.structs.replace(i, line=number, offset=(i.offset or 0) + offset) for i in alone
        ]
        offset += len(text) + 1
    assert check_log_bytes(data) == expected


def test_many_different_lines_of_garbage() -> None:
    lines = [b"%d x" % number for number in range(600)] * 2
    found = check_log_bytes(b"".join(line + b"\n" for line in lines))
    assert [issue.line for issue in found] == list(range(1, 1201))
    assert [issue.column for issue in found[600:]] == [issue.column for issue in found[:600]]


def check_log_bytes(data: bytes) -> list[Any]:
    return list(decode_log(data, CHECK).issues)
