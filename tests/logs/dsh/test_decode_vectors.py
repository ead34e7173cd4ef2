"""Every recorded log: what it is, what the original does with it, and what it holds."""

import hashlib
import io
from pathlib import PurePath
from typing import Any

import pytest

from logs.dsh.vectors import Case, cases, rows
from sesskit.logs.dsh.decode import Log, decode, examine, log_of, open_log
from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.outcomes import Corrupt, Original, Unsupported, Valid, Verdict

ROOT = PurePath("/root")
VERDICTS: dict[str, Verdict] = {
    "accept": "accept",
    "accept-but-relational-violation": "accept",
    "accept-with-repair": "accept-with-repair",
    "reject-corrupt": "reject",
    "refuse-unsupported": "unsupported",
}


def single_files() -> list[Case]:
    """Cases that are about one log, not about the folders round it."""
    return [
        c
        for c in cases()
        if c.expected.get("outcome") in VERDICTS and not c.name.startswith("layout-")
    ]


def read(case: Case) -> Any:
    return decode(case.file.read_bytes(), ROOT / case.expected["files"][0]["path"])


@pytest.mark.parametrize("case", single_files(), ids=lambda c: c.name)
def test_verdict(case: Case) -> None:
    expected = case.expected
    answer = read(case)
    error = expected.get("error")
    assert answer.original == Original(
        VERDICTS[expected["outcome"]], error["class"] if error else None
    ), answer.issues
    if answer.original.verdict == "unsupported":
        assert isinstance(answer, Unsupported)
    elif answer.original.verdict == "reject":
        assert isinstance(answer, Corrupt)
    elif answer.original.verdict == "accept":
        assert isinstance(answer, Valid)
    else:
        cut = not case.name.startswith(("crash-", "seed-era-crash", "zstd-cut"))
        assert isinstance(answer, Corrupt if cut else Valid)


@pytest.mark.parametrize(
    "case", [c for c in single_files() if c.expected.get("relational")], ids=lambda c: c.name
)
def test_relational_rules(case: Case) -> None:
    relational = case.expected["relational"]
    codes = {issue.code for issue in read(case).issues}
    if not relational["ok"]:
        assert relational["error"]["reason"] in codes


def accepted() -> list[Case]:
    return [c for c in single_files() if c.expected["outcome"].startswith("accept")]


def load(case: Case) -> Log:
    """The log as the original has it in memory, also where bytes are cut."""
    path = ROOT / case.expected["files"][0]["path"]
    reader = open_log(io.BytesIO(case.file.read_bytes()), path)
    list(reader)
    log = log_of(reader)
    assert log is not None
    return log


@pytest.mark.parametrize("case", accepted(), ids=lambda c: c.name)
def test_contents(case: Case) -> None:
    expected, log = case.expected, load(case)
    assert len(log.events) == expected["storedEventCount"]
    assert len(log.all_events) == expected["eventCount"]
    assert list(log.closers) == expected["closers"]
    assert [list(c) for c in log.closers] == [list(c) for c in expected["closers"]]
    assert log.messages() == expected["derivedMessages"]
    if "logicalSha256" in expected:
        text = b"\n".join(dumps(event) for event in log.all_events)
        assert hashlib.sha256(text).hexdigest() == expected["logicalSha256"]
    if "surfaceNodes" in expected:
        closed = [c["seq"] for c in log.closers if "surfaceOp" in c]
        assert [*log.surface.nodes(), *closed] == expected["surfaceNodes"]
        assert [
            {"seq": r.seq, "start": r.start, "end": r.end, "shadowedSeqs": list(r.shadowed)}
            for r in log.surface.replacements
        ] == expected["replacements"]


NATIVE = [
    (row, recovery) for row in rows("native-formats") for recovery in ("strict", "recoverable")
]


@pytest.mark.parametrize(
    ("row", "recovery"), NATIVE, ids=lambda r: r if isinstance(r, str) else r["label"]
)
def test_native_formats(row: dict[str, Any], recovery: str) -> None:
    answer = decode(row["text"].encode(), None)
    expected = row[recovery]
    assert answer.original is not None
    if recovery == "strict":
        assert isinstance(answer, Valid) == expected["ok"]
    else:
        assert (answer.original.verdict in ("accept", "accept-with-repair")) == expected["ok"]
    if not expected["ok"] and recovery == "recoverable":
        assert answer.original.code == expected["error"]["class"]
    if isinstance(answer, Valid):
        assert len(answer.value.events) == expected["eventCount"]
        assert answer.value.inherited == expected["inheritedEventCount"]


def test_without_keeping_the_answers_are_the_same() -> None:
    for case in single_files():
        path = ROOT / case.expected["files"][0]["path"]
        with case.file.open("rb") as source:
            answer = examine(source, path, keep=False)
        kept = read(case)
        assert (answer.status, answer.original) == (kept.status, kept.original)
        assert answer.issues == kept.issues
