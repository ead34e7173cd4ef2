"""`sesskit store tasks`: the tasks of an ochat session in a store, listed, added and moved on."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from shlex import quote
from typing import Annotated, Any

import typer

from sesskit.cli import options as o
from sesskit.cli.output import Display, show
from sesskit.cli.report import Entry, Report, entry_of
from sesskit.cli.report import Rules as ReportRules
from sesskit.cli.rows import Row, safe
from sesskit.cli.stores import store_kind
from sesskit.cli.usage import BadUsage
from sesskit.cli.writes import StoreDir, told, writing
from sesskit.logs.formats import Finding
from sesskit.records.ochat_snapshot import Snapshot
from sesskit.records.ochat_store import OchatStore
from sesskit.records.ochat_tasks import NoSingleMatch, TaskState, with_task, with_task_state
from sesskit.records.session_ids import safe_segment, why_unsafe
from sesskit.schemas.masking import mask_text
from sesskit.schemas.ochat_sessions import SessionV5, Task
from sesskit.schemas.outcomes import Outcome, Valid

FORMAT = "ochat-record"
_TITLE = 44

Id = Annotated[str, typer.Argument(metavar="ID", help="A session id.")]
Title = Annotated[str, typer.Argument(metavar="TITLE", help="What is to be done.")]
TaskId = Annotated[str, typer.Argument(metavar="TASK", help="The id of a task.")]
NewTaskId = Annotated[
    str | None, typer.Option("--task-id", metavar="TASK", help="Its id; a new one by default.")
]

tasks = o.family("List, add, start and finish the tasks of an ochat session.")


@tasks.command("list")
def list_(id: Id, store: StoreDir, output: o.Output = None, no_color: o.NoColor = False) -> None:
    """List the tasks of a session in their order. Exits 1 if it cannot be read."""
    display = o.display_of(output, no_color=no_color)
    home = _opened(store, id)
    outcome = home.load(id).outcome
    entry = _entry(home, id, outcome)
    snapshot = outcome.value if isinstance(outcome, Valid) else None
    if isinstance(snapshot, Snapshot):
        entry = told(entry, _rows(snapshot.session.tasks), _members(snapshot), display.screen)
    raise typer.Exit(show(Report((entry,), hint=""), display))


@tasks.command("add")
def add(
    id: Id,
    title: Title,
    store: StoreDir,
    task_id: NewTaskId = None,
    output: o.Output = None,
    no_color: o.NoColor = False,
) -> None:
    """Add a task to a session; it is pending. Exits 1 if it cannot be added."""
    display = o.display_of(output, no_color=no_color)
    made: list[Task] = []

    def change(session: SessionV5) -> SessionV5:
        session, task = with_task(session, title, task_id=task_id)
        made[:] = [task]
        return session

    raise typer.Exit(_changed(store, id, change, "added", made, display))


@tasks.command("start")
def start(
    id: Id, task: TaskId, store: StoreDir, output: o.Output = None, no_color: o.NoColor = False
) -> None:
    """Say that a task is being worked on. Exits 1 if there is no single such task."""
    raise typer.Exit(
        _moved(store, id, task, "In_progress", o.display_of(output, no_color=no_color))
    )


@tasks.command("done")
def done(
    id: Id, task: TaskId, store: StoreDir, output: o.Output = None, no_color: o.NoColor = False
) -> None:
    """Say that a task is done. Exits 1 if there is no single such task."""
    display = o.display_of(output, no_color=no_color)
    raise typer.Exit(_moved(store, id, task, "Done", display))


def _opened(folder: str, session_id: str) -> OchatStore:
    if not safe_segment(session_id):
        raise BadUsage(f"not a session id: {why_unsafe(session_id)}")
    kind = store_kind(folder, usual=FORMAT)
    if kind.format != FORMAT:
        raise BadUsage(f"--store {folder} holds {kind.format}; tasks are of {FORMAT} only")
    return OchatStore(folder)


def _moved(folder: str, session_id: str, task_id: str, state: TaskState, display: Display) -> int:
    made: list[Task] = []

    def change(session: SessionV5) -> SessionV5:
        session = with_task_state(session, task_id, state)
        made[:] = [task for task in session.tasks if task.id == task_id]
        return session

    return _changed(folder, session_id, change, "now", made, display)


def _changed(
    folder: str,
    session_id: str,
    change: Callable[[SessionV5], SessionV5],
    word: str,
    made: list[Task],
    display: Display,
) -> int:
    """Change a session under its lock and show what became of it; the exit code."""
    home = _opened(folder, session_id)
    path = os.fspath(home.path(session_id))
    try:
        with writing(path):
            saved = home.update(session_id, change)
    except NoSingleMatch as error:
        entry = _entry(home, session_id, home.load(session_id).outcome)
        refused = told(entry, [("refused", str(error))], {"task": None}, display.screen)
        hint = f"sesskit store tasks list {quote(session_id)} --store {quote(folder)}"
        show(Report((refused,), hint=hint), display)
        return 1
    except ValueError as error:
        raise BadUsage(f"this cannot be a task: {error}") from error
    entry = _entry(home, session_id, saved.outcome)
    if not saved.written:
        rows: list[Row] = [("refused", "nothing was written")]
        show(Report((told(entry, rows, {"task": None}, display.screen),)), display)
        return 1
    rows = [(word, _words(task)) for task in made]
    if saved.archived is not None:
        rows.append(("archived", f"the old version is {saved.archived}"))
    member = {"task": _member(made[0])}
    return show(Report((told(entry, rows, member, display.screen),), hint=""), display)


def _entry(home: OchatStore, session_id: str, outcome: Outcome) -> Entry:
    return entry_of(Finding(os.fspath(home.path(session_id)), outcome, FORMAT), ReportRules())


def _rows(listed: list[Task]) -> list[Row]:
    counts = Counter(task.state for task in listed)
    words = ", ".join(f"{count:,} {state}" for state, count in counts.items())
    rows = [("tasks", f"{len(listed):,}" + (f": {words}" if words else ""))]
    return [*rows, *(("", _words(task)) for task in listed)]


def _words(task: Task) -> str:
    return f"{task.state:<11}  {_shown(task.id, 32)}  {_shown(task.title, _TITLE)}"


def _shown(value: str | bytes, width: int) -> str:
    return safe(_text(value), width)


def _text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("utf-8", errors="replace")


def _members(snapshot: Snapshot) -> dict[str, Any]:
    return {"tasks": [_member(task) for task in snapshot.session.tasks]}


def _member(task: Task) -> dict[str, Any]:
    return {
        "id": mask_text(_text(task.id)),
        "title": mask_text(_text(task.title)),
        "state": task.state,
    }
