"""Which files are taken for logs and databases of dsh, and how surely."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from backports.zstd import compress

from logs.dsh.vectors import VECTORS, Case, cases, rows
from sesskit.logs.dsh.format import LOG, STORE
from sesskit.logs.dsh.recognition import recognize, recognize_store
from sesskit.records.format import Options
from sesskit.schemas.limits import RECOGNITION_BYTES
from sesskit.schemas.outcomes import Corrupt, Missing, Unreadable, Unsupported, Valid

HEADER = b'{"type":"session","version":0,"id":"s","createdAt":1,"delegationDepth":0}\n'
EVENT = b'{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}\n'
PLACE = "/r/--p--/s/session.jsonl"
ZSTD = compress(b"")[:4]


def _sure(head: bytes, name: str) -> str | None:
    found = recognize(head, name)
    return None if found is None else found.sure


@pytest.mark.parametrize(
    ("head", "name", "sure"),
    [
        pytest.param(HEADER, "", "certain", id="as written"),
        pytest.param(compress(HEADER), "", "certain", id="compressed"),
        pytest.param(compress(b"") * 9 + compress(HEADER), "", "certain", id="empty frames"),
        pytest.param(compress(b"") * 99, "", None, id="too many empty frames"),
        pytest.param(
            b'{"createdAt":1, "id":"s", "version":9, "type": "session"}', "", "certain", id="order"
        ),
        pytest.param(b"\0\0" + HEADER, "", "likely", id="something before"),
        pytest.param(HEADER.replace(b'"id":"s",', b""), "", "likely", id="no id"),
        pytest.param(EVENT * 2, "", "likely", id="no header"),
        pytest.param(b'{"dup":\n' + EVENT, "", "likely", id="a broken header"),
        pytest.param(
            b'{"type":"assistant/chunk","seq0":0,"time0":1,"data":{}}\n', "", "likely", id="a row"
        ),
        pytest.param(b"", PLACE, "likely", id="empty, in its place"),
        pytest.param(b"\0" * 50, "/r/_no-cwd/s/session.v2.jsonl.zstd", "likely", id="zeros"),
        pytest.param(b"", "/r/cwd-0123456789ab/s.jsonl", "likely", id="the old place"),
        pytest.param(b"", "session.jsonl", "likely", id="empty, by name"),
        pytest.param(HEADER[:20], "session.v3.jsonl", "likely", id="cut early, by name"),
        pytest.param(ZSTD[:2], "session.jsonl.zstd", "guess", id="cut in a magic"),
        pytest.param(ZSTD + b"\xff" * 9, "session.jsonl.zstd", "guess", id="no frame"),
        pytest.param(ZSTD + b"\xff" * 9, "a.zstd", None, id="any other zstd"),
        pytest.param(b"", "a.jsonl", None, id="empty"),
        pytest.param(b'{"a":1}\n', "session.jsonl", None, id="other lines of that name"),
        pytest.param(
            b'{"type":"session","version":3,"id":"a","timestamp":"x","cwd":"/"}\n',
            "",
            None,
            id="another program",
        ),
        pytest.param(b'{"type":"session"', "", None, id="next to nothing"),
        pytest.param(b"", PLACE + ".0123456789ab.tmp", None, id="a leftover"),
    ],
)
def test_recognition(head: bytes, name: str, sure: str | None) -> None:
    assert _sure(head, name) == sure


@pytest.mark.parametrize("case", cases(), ids=lambda c: c.name)
def test_every_recorded_file(case: Case) -> None:
    for entry in case.expected["files"]:
        head = (case.folder / entry["file"]).read_bytes()[:RECOGNITION_BYTES]
        if entry["file"].endswith(".db"):
            assert recognize_store(head, "") is not None
        elif not entry["path"].endswith(".tmp"):
            assert _sure(head, f"/r/{entry['path']}") in ("certain", "likely"), entry["path"]


@pytest.mark.parametrize("row", rows("native-formats"), ids=lambda r: r["label"])
def test_every_generation(row: dict[str, str]) -> None:
    assert _sure(row["text"].encode()[:RECOGNITION_BYTES], "") in ("certain", "likely")


def test_reading_a_log(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(HEADER + EVENT)
    for outcome in (LOG.decode(HEADER + EVENT, Options()), LOG.read and LOG.read(path, Options())):
        assert isinstance(outcome, Valid)
        assert outcome.original is not None
        assert outcome.original.verdict == "accept-with-repair"
        assert outcome.version == 0
    assert isinstance(LOG.decode(HEADER, Options(keep=False)), Valid)
    assert LOG.read is not None
    assert isinstance(LOG.read(tmp_path, Options()), Unreadable)
    assert isinstance(LOG.read(tmp_path / "none", Options()), Missing)
    assert isinstance(LOG.read(Path("a\0b"), Options()), Unreadable)


def test_a_wrong_place_is_found(tmp_path: Path) -> None:
    path = tmp_path / "--p--" / "other" / "session.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(HEADER)
    assert LOG.read is not None
    outcome = LOG.read(path, Options())
    assert isinstance(outcome, Corrupt)
    assert "header-path" in {i.code for i in outcome.issues}


def test_reading_a_database(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    path.write_bytes((VECTORS / "valid" / "sqlite-v17" / "sessions.db").read_bytes())
    assert STORE.read is not None
    before = sorted(tmp_path.iterdir())
    outcome = STORE.read(path, Options())
    assert isinstance(outcome, Valid)
    assert sorted(tmp_path.iterdir()) == before, "nothing is left beside it"
    light = STORE.decode(path.read_bytes(), Options(keep=False))
    assert isinstance(light, Valid)
    assert light.value is None
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA user_version = 99")
        assert isinstance(STORE.read(path, Options()), Unsupported), "it is still in the log"
    assert isinstance(STORE.read(path, Options()), Unsupported)
    assert sorted(tmp_path.iterdir()) == before
    assert isinstance(STORE.read(tmp_path / "none", Options()), Missing)
    assert isinstance(STORE.read(tmp_path, Options()), Unreadable)
