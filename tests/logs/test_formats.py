"""The registry of formats, and examining one path with it. The formats here are made up."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sesskit.logs import format_entry, formats
from sesskit.logs.format_entry import Entry
from sesskit.logs.formats import UnknownFormat, by_name, examine, recognize
from sesskit.records.format import Format, Options, Recognition, Recognizer, Sure
from sesskit.schemas.issues import Issue
from sesskit.schemas.limits import RECOGNITION_BYTES
from sesskit.schemas.outcomes import Corrupt, Decoded, Original, Unrecognized, Unsupported, Valid

SEEN: list[tuple[str, object]] = []


def says(sure: Sure) -> Recognizer:
    word = sure.encode()

    def recognizer(head: bytes, name: str) -> Recognition | None:
        SEEN.append((sure, name))
        return Recognition(sure, f"it says {sure}") if word in head else None

    return recognizer


certain, likely, also_likely, guess = says("certain"), says("likely"), says("likely"), says("guess")


def decode(data: bytes, options: Options) -> Decoded:
    SEEN.append(("decode", len(data)))
    if b"bad" in data:
        return Corrupt((Issue("type", "wrong"),), 3, original=Original("reject", "BAD"))
    return Valid(data, version=3)


def read(path: Path, options: Options) -> Decoded:
    SEEN.append(("read", path.name))
    return Unsupported(9, (1, 2))


WHOLE = Format("whole", "Whole", (3,), certain, decode)
STREAM = Format("stream", "Stream", (1, 2), likely, decode, read)


MADE_UP = (
    Entry("maybe", "here:guess", "here:WHOLE"),
    Entry("stream", "here:likely", "here:STREAM"),
    Entry("other", "here:also_likely", "here:WHOLE"),
    Entry("whole", "here:certain", "here:WHOLE"),
    Entry("broken", "here:certain", "here:SEEN"),
)


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    here = SimpleNamespace(**globals())
    monkeypatch.setattr(formats, "FORMATS", MADE_UP)
    monkeypatch.setattr(format_entry, "import_module", {"here": here}.__getitem__)
    SEEN.clear()


@pytest.mark.parametrize(
    ("head", "name", "others"),
    [
        (b"guess", "maybe", ()),
        (b"guess likely", "stream", ("other",)),
        (b"likely certain", "whole", ()),
    ],
)
def test_the_surest_answer_wins(head: bytes, name: str, others: tuple[str, ...]) -> None:
    found = recognize(head, "/a/b")
    assert found is not None
    assert (found.entry.name, found.others) == (name, others)
    assert ("guess", "/a/b") in SEEN


def test_once_certain_nobody_else_is_asked() -> None:
    recognize(b"certain")
    assert [who for who, _ in SEEN] == ["guess", "likely", "likely", "certain"]


def test_nothing_known() -> None:
    assert recognize(b"x") is None


@pytest.mark.parametrize(
    ("name", "meant"),
    [("wole", "did you mean whole?"), ("xyz", "there are maybe, stream, other, whole, broken")],
)
def test_an_unknown_name_says_which_there_are(name: str, meant: str) -> None:
    with pytest.raises(UnknownFormat, match=meant.replace("?", r"\?")):
        by_name(name)


def test_a_line_that_leads_to_no_format_is_a_bug() -> None:
    with pytest.raises(TypeError, match="SEEN is not a Format"):
        by_name("broken").load()


def test_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.json").write_bytes(b"certain, bad")
    monkeypatch.chdir(tmp_path)
    found = examine("a.json")
    assert (found.path, found.format, found.status, found.version) == (
        "a.json",
        "whole",
        "corrupt",
        3,
    )
    assert found.original == Original("reject", "BAD")
    assert [issue.code for issue in found.issues] == ["type"]
    assert found.recognition == Recognition("certain", "it says certain")
    assert found.source is None
    assert ("certain", str(tmp_path / "a.json")) in SEEN
    assert pickle.loads(pickle.dumps(found)) == found


def test_standard_input_keeps_its_bytes() -> None:
    found = examine(b"certain")
    assert (found.path, found.status, found.source) == ("-", "valid", b"certain")
    assert (found.original, examine(b"x").status, examine(b"x").source) == (
        None,
        "unrecognized",
        b"x",
    )


@pytest.mark.parametrize("source", [b"anything", "file"])
def test_a_given_format_is_not_recognised(source: str | bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"anything")
    found = examine(source if isinstance(source, bytes) else tmp_path / source, format="whole")
    assert (found.format, found.status) == ("whole", "valid")
    assert [who for who, _ in SEEN] == ["decode"]


def test_a_given_format_that_does_not_exist() -> None:
    with pytest.raises(UnknownFormat):
        examine(b"", format="nope")


def test_a_format_read_as_a_stream(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"likely")
    found = examine(tmp_path / "a.jsonl")
    assert (found.status, found.version, SEEN[-1]) == ("unsupported", 9, ("read", "a.jsonl"))
    assert found.others == ("other",)
    assert examine(b"likely").status == "valid"


def test_of_a_big_file_that_is_none_only_the_beginning_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"x" * RECOGNITION_BYTES * 20)
    monkeypatch.setattr(formats, "read_document", None)
    found = examine(tmp_path / "a")
    assert found.outcome == Unrecognized("plain text")


def test_a_big_file_is_read_whole(tmp_path: Path) -> None:
    data = b"certain" + b"x" * RECOGNITION_BYTES * 20
    (tmp_path / "a").write_bytes(data)
    assert examine(tmp_path / "a").status == "valid"
    assert SEEN[-1] == ("decode", len(data))


def test_a_hole_is_not_held_in_memory(tmp_path: Path) -> None:
    with (tmp_path / "hole").open("wb") as opened:
        opened.truncate(64 << 20)
    assert examine(tmp_path / "hole", format="whole").status == "valid"
    assert SEEN[-1] == ("decode", 1024)
    assert examine(tmp_path / "hole").status == "unrecognized"


def test_a_big_file_that_vanishes_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"certain" + b"x" * RECOGNITION_BYTES * 20)
    real = formats.recognize

    def vanish(head: bytes, name: str = "") -> object:
        (tmp_path / "a").unlink()
        return real(head, name)

    monkeypatch.setattr(formats, "recognize", vanish)
    assert examine(tmp_path / "a").status == "missing"


@pytest.mark.parametrize(
    ("make", "status", "reason"),
    [
        pytest.param(lambda p: None, "missing", "", id="absent"),
        pytest.param(lambda p: p.symlink_to("nowhere"), "missing", "", id="dangling"),
        pytest.param(os.mkfifo, "unreadable", "a named pipe", id="pipe"),
        pytest.param(lambda p: p.mkdir(), "unreadable", "a folder", id="folder"),
        pytest.param(lambda p: p.symlink_to(p.name), "unreadable", "in a circle", id="circle"),
        pytest.param(lambda p: p.symlink_to("/dev/zero"), "unreadable", "a device", id="device"),
    ],
)
@pytest.mark.parametrize("name", [None, "whole", "stream"])
def test_what_cannot_be_read(
    make: Callable[[Path], Any], status: str, reason: str, name: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "a.json"
    make(path)
    found = examine(path, format=name)
    assert found.status == status
    assert reason in getattr(found.outcome, "reason", "")


def test_a_name_that_cannot_be_one() -> None:
    assert examine("a\0b").status == "unreadable"
