"""Looking into files made elsewhere: nothing is passed by, and what stays shut is said."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from fake_secrets import Fake
from sesskit.artifacts import unpacking
from sesskit.artifacts.share import Wishes, verify_data
from sesskit.artifacts.unpacking import Sealed, documents_in
from sesskit.logs.dsh.frames import write_frame

TOKEN = Fake(91).github()
TEXT = f"see {TOKEN}\n".encode()


def archive(*files: tuple[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target:
        for name, data in files:
            target.writestr(name, data)
    return made.getvalue()


def nested(levels: int) -> bytes:
    data = TEXT
    for _ in range(levels):
        data = archive(("a", data))
    return data


OPENED = {
    "gzip": gzip.compress(TEXT),
    "zstd": write_frame(TEXT),
    "zip": archive(("a.txt", TEXT)),
    "zip behind something": b"#!/bin/sh\n" * 20 + archive(("a.txt", TEXT)),
    "zip in gzip": gzip.compress(archive(("a.txt", TEXT))),
    "a zip of a log": archive(("s.jsonl.zstd", write_frame(TEXT))),
    "UTF-16": TEXT.decode().encode("utf-16"),
    "UTF-16 without a mark": TEXT.decode().encode("utf-16-le"),
    "UTF-32": TEXT.decode().encode("utf-32"),
    "a picture with a comment": b"\x89PNG\r\n\x1a\n\0\0\0\0tEXt" + TEXT,
    "no UTF-8": b"\xff\xfe\xfd" + b"\x80" + TEXT,
}


@pytest.mark.parametrize("name", OPENED)
def test_what_is_in_it_is_found(name: str) -> None:
    assert verify_data("x", OPENED[name], Wishes()).refused


def _encrypted() -> bytes:
    """An archive that says that its file is encrypted."""
    data = bytearray(archive(("a.txt", TEXT)))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


SHUT: dict[str, Callable[[], bytes]] = {
    "a cut gzip": lambda: gzip.compress(TEXT * 100)[:-9],
    "a cut frame": lambda: write_frame(TEXT)[:-6],
    "bytes behind a frame": lambda: write_frame(TEXT) + b"more bytes",
    "a cut zip": lambda: archive(("a.txt", TEXT))[:60],
    "nested too deep": lambda: nested(6),
    "a password": _encrypted,
}


@pytest.mark.parametrize("name", SHUT)
def test_what_stays_shut_is_said(name: str) -> None:
    found = verify_data("x", SHUT[name](), Wishes())
    assert found.outcome.status == "unreadable"
    assert not found.refused
    assert found.why


@pytest.mark.parametrize("data", [gzip.compress(b"0" * 5000), write_frame(b"0" * 5000),
                                  archive(("a", b"0" * 5000))],
                         ids=["gzip", "zstd", "zip"])  # fmt: skip
def test_bombs(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "_MOST_BYTES", 2000)
    with pytest.raises(Sealed):
        list(documents_in("x", data))


def test_too_many_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "_MOST_FILES", 3)
    with pytest.raises(Sealed):
        list(documents_in("x", archive(*((str(n), b"x") for n in range(5)))))


def test_names_of_what_is_inside() -> None:
    names = {d.name for d in documents_in("a.zip", archive(("b/c.gz", gzip.compress(b"x"))))}
    assert {"a.zip!b/c", "a.zip!comment", "a.zip!b/c.gz!comment"} <= names


DATA = Path(__file__).parents[1] / "data"


def test_binary_sessions_inside() -> None:
    case = DATA / "dsh-log" / "vectors" / "valid" / "sqlite-v17"
    store = (case / "sessions.db").read_bytes()
    snapshot = (DATA / "ochat-record" / "vectors" / "v5" / "everything.bin").read_bytes()
    found = list(documents_in("a.zip", archive(("a.db", store), ("snapshot.bin", snapshot))))
    forms = {document.name: document.form for document in found}
    assert forms["a.zip!a.db!session-1.jsonl"] == "jsonl"
    assert forms["a.zip!snapshot.bin"] == "json"
    (cut,) = (d for d in documents_in("snapshot.bin", snapshot[:-40]) if d.name == "snapshot.bin")
    assert cut.form == "text"
