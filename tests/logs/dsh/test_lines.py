"""Lines and their container: numbers, offsets, frames, what the original refuses."""

import gzip
import io
from pathlib import PurePath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logs.dsh.vectors import Case, cases
from sesskit.logs.dsh import lines as module
from sesskit.logs.dsh import splitting
from sesskit.logs.dsh.decode import decode
from sesskit.logs.dsh.frames import write_frame
from sesskit.logs.dsh.lines import Line, LogText
from sesskit.logs.dsh.repair import plan_repair
from sesskit.schemas.issues import Issue
from sesskit.schemas.outcomes import Original

HEADER = b'{"type":"session"}\n'
FRAME = write_frame(HEADER)


def read(data: bytes, *, compressed: bool = True) -> tuple[LogText, list[Line], list[Issue]]:
    text = LogText(io.BytesIO(data), compressed)
    found = list(text)
    return (
        text,
        [f for f in found if isinstance(f, Line)],
        [f for f in found if isinstance(f, Issue)],
    )


def test_plain_lines() -> None:
    _, lines, issues = read(b"one\r\n\ntwo\nthree", compressed=False)
    assert [(x.number, x.offset, x.data, x.ended) for x in lines] == [
        (1, 0, b"one\r", True),
        (2, 5, b"", True),
        (3, 6, b"two", True),
        (4, 10, b"three", False),
    ]
    assert issues == []


@pytest.mark.parametrize("data", [b"", b"\n", b"a\n\n"])
def test_nothing_is_invented_at_the_end(data: bytes) -> None:
    _, lines, _ = read(data, compressed=False)
    assert len(lines) == data.count(b"\n")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(max_size=6).map(lambda b: b.replace(b"\n", b"")), max_size=8), st.data())
def test_the_same_lines_however_they_are_framed(texts: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(t + b"\n" for t in texts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=4)))
    parts = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    _, plain, _ = read(HEADER + whole, compressed=False)
    text, framed, issues = read(FRAME + b"".join(map(write_frame, parts)))
    assert [x[:4] for x in framed] == [x[:4] for x in plain]
    assert (issues, text.refused, text.cut_at) == ([], False, None)
    assert text.frames == len(parts) + 1


def test_lines_know_the_frame_they_begin_in() -> None:
    data = FRAME + write_frame(b"one\ntw") + write_frame(b"o\nthree\n")
    _, lines, _ = read(data)
    assert [(x.data, x.frame) for x in lines[1:]] == [(b"one", 2), (b"two", 2), (b"three", 3)]


@pytest.mark.parametrize(
    ("data", "codes", "refused", "cut"),
    [
        (FRAME + b"xyz", ["zstd-torn"], False, len(FRAME)),
        (FRAME + FRAME[:20], ["zstd-torn"], False, len(FRAME)),
        (FRAME[:20], ["zstd-torn"], True, 0),
        (b"xyz", ["zstd-stray"], True, None),
        (FRAME + b"stray" + FRAME, ["zstd-stray"], True, None),
        (FRAME + FRAME[:-1] + b"?", ["zstd-damaged"], True, None),
        (FRAME + write_frame(b"half"), ["zstd-unended"], True, None),
        (write_frame(HEADER + b"two\n"), ["zstd-header-frame"], True, None),
        (write_frame(b"half") + write_frame(b"\n"), ["zstd-header-frame"], True, None),
        (write_frame(b""), ["zstd-header-frame"], True, None),
        (FRAME + write_frame(b""), [], False, None),
    ],
)
def test_container_faults(data: bytes, codes: list[str], refused: bool, cut: int | None) -> None:
    text, _, issues = read(data)
    assert [i.code for i in issues] == codes
    assert (text.refused, text.cut_at) == (refused, cut)


def test_a_damaged_frame_does_not_glue_its_neighbours() -> None:
    broken = bytearray(write_frame(b"first\nhalf of a li"))
    broken[-1] ^= 1
    _, lines, issues = read(FRAME + bytes(broken) + write_frame(b"next\n"))
    assert [(x.data, x.ended, x.sound) for x in lines[1:]] == [
        (b"first", True, False),
        (b"half of a li", False, False),
        (b"next", True, True),
    ]
    assert [(i.code, i.frame, i.line, i.offset) for i in issues] == [
        ("zstd-damaged", 2, 3, len(HEADER) + 6)
    ]


def test_lines_of_the_torn_frame_are_marked() -> None:
    _, lines, _ = read(FRAME + write_frame(b"one\ntwo\n")[:-2])
    assert [(x.data, x.torn) for x in lines[1:]] == [(b"one", True), (b"two", True)]


@pytest.mark.parametrize("long", [1, 4, 1000])
def test_long_lines_are_cut_and_stepped_over(long: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("MAX_LOG_LINE_BYTES", 24), ("SURE_LINE_BYTES", 8), ("LONG_BYTES", long)):
        monkeypatch.setattr(splitting, name, value)
    monkeypatch.setattr(module, "READ_BYTES", 3)
    held = b"{" + b"x" * 23
    texts = (
        b"short",
        b"x" * 20,
        b"{" + b"\0" * 20,
        held,
        held + b"y",
        b"{123456789\0\0\0",
        b"last",
    )
    _, lines, _ = read(b"\n".join(texts) + b"\n", compressed=False)
    assert [x.whole for x in lines] == [True, False, False, True, False, False, True]
    assert [len(x.data) for x in lines] == [5, 8, 8, 24, 24, 8, 4]
    assert all(text.startswith(x.data) for text, x in zip(texts, lines, strict=True))
    assert [x.offset for x in lines] == [b"\n".join(texts).index(text) for text in texts[:3]] + [
        lines[2].offset + 22,
        lines[2].offset + 47,
        lines[2].offset + 73,
        lines[2].offset + 87,
    ]


def compressed_cases() -> list[Case]:
    return [c for c in cases() if c.expected["files"][0].get("frames")]


@pytest.mark.parametrize("case", compressed_cases(), ids=lambda c: c.name)
def test_recorded_containers(case: Case) -> None:
    text, _, _ = read(case.file.read_bytes())
    reason = case.expected.get("error", {}).get("reason", "")
    assert text.refused == reason.startswith("zstd-")
    whole = [f for f in case.expected["files"][0]["frames"] if "lines" in f and "torn" not in f]
    if not text.refused:
        assert text.frames - (text.cut_at is not None) <= len(whole)


@pytest.mark.parametrize("at", range(4, len(FRAME)))
@pytest.mark.parametrize("flip", [0x01, 0x10, 0x80])
def test_a_header_that_was_lost_with_its_frame_is_not_missed(at: int, flip: int) -> None:
    header = b'{"type":"session","version":0,"id":"x","createdAt":1,"delegationDepth":0}\n'
    event = b'{"type":"session/end-seed","seq":0,"time":1,"data":{}}\n'
    frame = bytearray(write_frame(header))
    frame[at % len(frame)] ^= flip
    answer = decode(bytes(frame) + write_frame(event))
    errors = [issue.code for issue in answer.issues if issue.severity == "error"]
    assert len(errors) <= 1
    assert not errors or errors[0].startswith("zstd-") or at % len(frame) < 4


def test_bits_that_dsh_refuses_in_a_header_do_not_cost_the_text() -> None:
    header = b'{"type":"session","version":0,"id":"x","createdAt":1,"delegationDepth":0}\n'
    event = b'{"type":"session/end-seed","seq":0,"time":1,"data":{}}\n'
    broken = bytearray(write_frame(event))
    broken[4] |= 0x10
    data = write_frame(header) + bytes(broken)
    answer = decode(data)
    assert (answer.status, [i.code for i in answer.issues]) == ("corrupt", ["zstd-damaged"])
    assert answer.original == Original("reject", "Error")
    (repaired,) = plan_repair(data).logs
    assert repaired.events == 1
    assert repaired.outcome.original == Original("accept")


PLACE = PurePath("/r/_no-cwd/x/session.jsonl.zstd")


def test_a_frame_whose_first_byte_is_wrong_is_one_fault() -> None:
    header = b'{"type":"session","version":0,"id":"x","createdAt":1,"delegationDepth":0}\n'
    event = b'{"type":"session/end-seed","seq":0,"time":1,"data":{}}\n'
    first = write_frame(header)
    data = bytes([first[0] ^ 4]) + first[1:] + write_frame(event)
    answer = decode(data, PLACE)
    assert [issue.code for issue in answer.issues] == ["zstd-stray"]
    assert answer.original == Original("reject", "Error")


def test_another_compression_is_named() -> None:
    answer = decode(gzip.compress(b"x" * 99), PLACE)
    (issue,) = answer.issues
    assert (issue.code, issue.found) == ("encoding-mismatch", "gzip data")
    assert answer.original == Original("reject", "Error")


@pytest.mark.parametrize("begin", [b"{", b" {", b"\xef\xbb\xbf{", b"\n"])
def test_text_under_the_name_of_frames_is_text(begin: bytes) -> None:
    codes = [issue.code for issue in decode(begin + b'"type":1}\n', PLACE).issues]
    assert "encoding-mismatch" in codes
    assert not any(code.startswith("zstd-") for code in codes)
