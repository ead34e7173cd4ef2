"""Work over processes: the same answers in the same order, whatever happens to a worker."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
from pathlib import Path

import pytest

from robota_vectors import VALID
from sesskit.cli import checking, looking, processes
from sesskit.cli.checking import Wanted, check, gather
from sesskit.cli.looking import Reading, look
from sesskit.cli.progress import Progress
from sesskit.logs.formats import Finding
from sesskit.logs.walking import Source
from sesskit.schemas.outcomes import Unreadable

RECORD = json.loads(VALID[0].read_bytes())


@pytest.fixture
def many(tmp_path: Path) -> list[Source]:
    """Files of which every fifth is no session file."""
    for number in range(60):
        value = {"schemaVersion": 1, "record": RECORD} if number % 5 else {"other": number}
        (tmp_path / f"{number:02}.json").write_text(json.dumps(value))
    return [Source(str(path)) for path in sorted(tmp_path.iterdir())]


@pytest.mark.parametrize("count", [1, 2, 5])
def test_same_answers_in_the_same_order(many: list[Source], count: int) -> None:
    steps: list[int] = []
    found = list(processes.spread(many, Reading(), count, steps.append))
    assert found == [look(source, Reading()) for source in many]
    assert sum(steps) == len(many)


def test_standard_input_is_read_by_the_owner(
    many: list[Source], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def seen(source: Source, reading: Reading) -> Finding:
        asked.append(source.path)
        return Finding(source.path, Unreadable("no"))

    monkeypatch.setattr(processes, "look", seen)
    found = list(processes.spread([many[0], Source("-")], Reading(), 2, lambda count: None))
    assert [one.path for one in found] == [many[0].path, "-"]
    assert asked == ["-"]


def test_a_worker_that_is_ended_takes_no_other_file_with_it(
    many: list[Source], monkeypatch: pytest.MonkeyPatch
) -> None:
    killers = {many[7].path, many[41].path}

    def deadly(source: Source, reading: Reading) -> Finding:
        if source.path in killers:
            os.kill(os.getpid(), signal.SIGKILL)
        return look(source, reading)

    monkeypatch.setattr(processes, "look", deadly)
    steps: list[int] = []
    found = list(processes.spread(many, Reading(), 2, steps.append))
    for source, one in zip(many, found, strict=True):
        if source.path in killers:
            assert one.outcome == Unreadable(processes.ENDED)
        else:
            assert one == look(source, Reading())
    assert sum(steps) == len(many)


def test_an_interruption_ends_the_workers(
    many: list[Source], monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(source: Source, reading: Reading) -> Finding:
        signal.pause()
        raise AssertionError

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(processes, "look", endless)
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 3)
    try:
        with pytest.raises(KeyboardInterrupt):
            list(processes.spread(many, Reading(), 2, lambda count: None))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert not multiprocessing.active_children()


@pytest.mark.parametrize(
    ("files", "size", "expected"),
    [(1, 1 << 40, 1), (3, 10, 1), (500, 10, None), (2, 1 << 40, None)],
)
def test_processes_fit_the_work(
    files: int, size: int, expected: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "_size", lambda source: size)
    chosen = checking.fitting([Source("x")] * files)
    assert chosen == (expected or len(os.sched_getaffinity(0)))


def test_what_has_no_size_weighs_nothing(many: list[Source]) -> None:
    assert checking.fitting([Source("nowhere"), Source("a\0b")]) == 1


@pytest.mark.parametrize("workers", [True, False])
def test_no_more_processes_than_are_of_use(
    many: list[Source], workers: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def spread(every: list[Source], reading: Reading, count: int, step: object) -> list[Finding]:
        asked.append(count)
        return [look(source, reading) for source in every]

    def seen(source: Source, reading: Reading) -> Finding:
        asked.append(reading.options.workers)
        return look(source, reading)

    monkeypatch.setattr(checking, "_processors", lambda: 3)
    monkeypatch.setattr(processes, "spread", spread)
    if workers:
        monkeypatch.setattr(checking, "look", seen)
    check(gather([source.path for source in (many[:1] if workers else many)]), Reading(), jobs=9999)
    assert asked == [6]


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("fault", [MemoryError, SystemError])
def test_a_file_that_takes_too_much_memory_is_unreadable(
    many: list[Source], fault: type[Exception], jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def large(source: Source, reading: Reading) -> Finding:
        if source.path == many[3].path:
            raise fault
        return look(source, reading)

    monkeypatch.setattr(processes, "look", large)
    monkeypatch.setattr(checking, "look", large)
    found = check([Wanted("x", tuple(many[1:5]))], Reading(), jobs=jobs)
    assert found.exit_code == 1
    assert [entry.finding.status for entry in found.entries] == [
        "valid",
        "valid",
        "unreadable",
        "valid",
    ]
    assert found.entries[2].finding.outcome == Unreadable(looking.NO_MEMORY)


@pytest.mark.parametrize("jobs", [0, 1, 3])
def test_a_report_does_not_depend_on_jobs(many: list[Source], jobs: int) -> None:
    folder = str(Path(many[0].path).parent)
    report = check(gather([folder]), Reading(), jobs=jobs)
    assert (len(report.entries), report.skipped) == (48, 12)
    assert [entry.finding.path for entry in report.entries] == [
        source.path for number, source in enumerate(many) if number % 5
    ]


class Terminal:
    def __init__(self) -> None:
        self.text = ""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None:
        """Nothing is held back."""


@pytest.mark.parametrize(
    ("total", "quiet", "patience", "shown"),
    [(5, False, 0.0, True), (5, False, 99.0, False), (5, True, 0.0, False), (1, False, 0.0, False)],
)
def test_progress_shows_only_when_it_is_long(
    total: int, quiet: bool, patience: float, shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("sesskit.cli.progress.PATIENCE", patience)
    monkeypatch.setenv("TERM", "xterm")
    with Progress(total, "checking", quiet=quiet) as progress:
        for _ in range(total):
            progress.step(1)
    assert ("checking" in terminal.text) is shown


def test_no_progress_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sesskit.cli.progress.PATIENCE", 0.0)
    with Progress(9, "checking") as progress:
        progress.step(9)
    assert capsys.readouterr() == ("", "")
