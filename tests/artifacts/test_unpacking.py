"""Looking into files made elsewhere: nothing is passed by, and what stays shut is said."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sqlite3
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from contextlib import closing
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


@pytest.mark.parametrize("data", [gzip.compress(b"0" * 5000, mtime=0), write_frame(b"0" * 5000),
                                  archive(("a", b"0" * 5000))],
                         ids=["gzip", "zstd", "zip"])  # fmt: skip
@pytest.mark.parametrize("most", ["_MOST_BYTES", "_MOST_UNPACKED"])
def test_bombs(data: bytes, most: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, most, 2000)
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


def gap(between_files: bytes) -> bytes:
    """An archive of two files with something between them that belongs to neither."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as target:
        target.writestr("a", "x")
        assert target.fp is not None
        target.fp.write(between_files)
        target.start_dir = target.fp.tell()
        target.writestr("b", "y")
    return made.getvalue()


def unlisted() -> bytes:
    """An archive whose directory leaves out a file that is there, and packed."""
    whole, without = archive(("a", b"x " * 40 + TEXT), ("b", b"y")), archive(("b", b"y"))
    first = whole[: whole.index(b"PK\x03\x04", 4)]
    return first + without


def tarred(name: str, data: bytes, comment: str = "") -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as target:
        entry = tarfile.TarInfo(name)
        entry.size = len(data)
        entry.pax_headers = {"comment": comment} if comment else {}
        target.addfile(entry, io.BytesIO(data))
    return made.getvalue()


def database(value: object, *, encoding: str = "UTF-8") -> bytes:
    with closing(sqlite3.connect(":memory:")) as made:
        made.execute(f"PRAGMA encoding = '{encoding}'")
        made.execute('CREATE TABLE "t ""1" (a, b GENERATED ALWAYS AS (length(a)) VIRTUAL)')
        made.execute('INSERT INTO "t ""1" VALUES (?)', (value,))
        made.commit()
        return made.serialize()


NOISE = bytes(range(256))
ANYWHERE = {
    "behind an archive": archive(("a", b"x")) + b"\n" + TEXT,
    "before an archive": b"\x7fELF " + TEXT + archive(("a", b"x")),
    "gzip before an archive": gzip.compress(TEXT) + archive(("a", b"x")),
    "between the files of an archive": gap(TEXT),
    "a packed file that no directory lists": unlisted(),
    "bzip2": bz2.compress(TEXT),
    "two of bzip2": bz2.compress(b"clean") + bz2.compress(TEXT),
    "xz": lzma.compress(TEXT),
    "zlib": zlib.compress(TEXT),
    "behind zlib": zlib.compress(b"clean text") + TEXT,
    "tar": tarred("a.txt", TEXT),
    "gzip in tar": tarred("a.gz", gzip.compress(TEXT)),
    "zip in tar": tarred("a.zip", archive(("a", TEXT)) + bytes(100)),
    "a comment in tar": tarred("a.txt", b"x", TOKEN),
    "tar in bzip2": bz2.compress(tarred("a.txt", TEXT)),
    "zlib in a database": database(zlib.compress(TEXT)),
    "gzip in a database": database(gzip.compress(NOISE * 40 + TEXT)),
    "over pages of a database": database("q " * 2010 + TEXT.decode() + "y " * 5000),
    "wide text of a database": database(TEXT.decode(), encoding="UTF-16le"),
    "a stream of a PDF": b"%PDF-1.4\n\xb5\xb5\nstream\n" + zlib.compress(TEXT) + b"\nendstream",
    "bzip2 in something": NOISE + bz2.compress(TEXT) + NOISE,
    "xz in something": NOISE + lzma.compress(TEXT) + NOISE,
    "zstd in something": NOISE + write_frame(TEXT) + NOISE,
    "a cut zlib in something": NOISE + zlib.compress(TEXT + NOISE * 9, 0)[:-60],
}


@pytest.mark.parametrize("name", ANYWHERE)
def test_nothing_is_passed_by(name: str) -> None:
    assert verify_data("x", ANYWHERE[name], Wishes()).refused


CLOSED = {
    "cut bzip2": ("x", bz2.compress(TEXT * 99)[:-9]),
    "bzip2 and more": ("x", bz2.compress(TEXT) + b"more"),
    "cut xz": ("x", lzma.compress(TEXT * 99)[:-9]),
    "broken xz": ("x", lzma.compress(TEXT * 99)[:-9] + b"xxxxxxxxx"),
    "7z": ("x", b"7z\xbc\xaf\x27\x1c\0\4"),
    "encrypted": ("x", b"Salted__" + NOISE),
    "called so": ("x.br", NOISE),
    "a broken tar": ("x", tarred("a", TEXT)[:700]),
    "an encrypted file that no directory lists": (
        "x",
        NOISE + b"PK\x03\x04\x14\0\x01\0\x08\0" + bytes(20) + NOISE,
    ),
}


@pytest.mark.parametrize("name", CLOSED)
def test_what_nobody_opens_is_said(name: str) -> None:
    assert verify_data(*CLOSED[name], Wishes()).outcome.status == "unreadable"


PLAIN = {
    "letters as zlib begins": b"x^2 + y^2, x\x01",
    "a picture": b"\x89PNG\r\n\x1a\n\0\0\0\1IDAT" + zlib.compress(TEXT),
    "an archive of nothing": archive(),
    "files of an archive": archive(("a", b"x"), ("b", b"y")),
    "a database": database(NOISE),
    "a damaged database": database(NOISE)[:300],
    "beginnings alone": b"a PK\x03\x04 \x1f\x8b\x08\x00 \x78\x9c BZh91AY&SY \xfd7zXZ\0 \0\xff",
    "about a tool": b"LZIP and x.br",
    "empty": b"",
}


@pytest.mark.parametrize("name", PLAIN)
def test_what_holds_nothing_is_valid(name: str) -> None:
    found = verify_data("x.txt", PLAIN[name], Wishes())
    assert (found.outcome.status, found.refused, found.left) == ("valid", False, ())


def test_what_is_packed_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "_MOST_BYTES", 4_000)
    bomb = bytes(100_000)
    for data in (bz2.compress(bomb), lzma.compress(bomb), zlib.compress(bomb), tarred("a", bomb)):
        assert verify_data("x", data, Wishes()).outcome.status == "unreadable"
        assert verify_data("x", NOISE + data, Wishes()).outcome.status == "unreadable"
    assert verify_data("x", database(bomb[:3_000]), Wishes()).outcome.status == "unreadable"


HEAD, CUT = TOKEN[:12], TOKEN[12:]
PAGES = {
    "bold": f"<!doctype html><html><body><p>{HEAD}<b>{CUT[:9]}</b>{CUT[9:]}</p></body></html>",
    "coloured code": "<pre><code>"
    + "".join(f'<span class="c">{TOKEN[n : n + 4]}</span>' for n in range(0, len(TOKEN), 4))
    + "</code></pre>",
    "where a word may break": f"<p>{HEAD}<wbr>{CUT[:9]}&shy;{CUT[9:]}</p>",
    "a comment": f"<p>{HEAD}<!-- x\ny -->{CUT}</p>".replace("\n", " "),
    "a named sign": f"<p>{TOKEN.replace('_', '&lowbar;')}</p>",
    "a number without its end": f"<p>{TOKEN.replace('_', '&#95')}</p>".replace("&#95", "&#x5f;"),
    "office": f"<w:p><w:r><w:t>see {HEAD}</w:t></w:r><w:r><w:t>{CUT}</w:t></w:r></w:p>",
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_read_as_one_sees_it(name: str) -> None:
    assert verify_data("x.html", PAGES[name].encode(), Wishes()).refused


@pytest.mark.parametrize(
    "between", ["</p><p>", "</td><td>", "<br>", "<br/>", "</li><li>", "</w:t></w:r></w:p><w:p>"]
)
def test_parts_of_a_page_stay_apart(between: str) -> None:
    page = f"<body>{HEAD}{between}{CUT}</body>"
    assert not verify_data("x.html", page.encode(), Wishes()).refused


def test_places_in_a_page_are_its_own() -> None:
    page = f"<p\nclass='x'>\n<b>\n{HEAD}<i>{CUT}</i></p>"
    (found,) = {one for _, one in verify_data("x.html", page.encode(), Wishes()).left}
    assert found.line == 4
