"""ochat: the tasks and the key/value data of a session.

Both are lists in which the format allows a name twice. What has a name that is not there, or
there more than once, is not changed: `NoSingleMatch`.
"""

from __future__ import annotations

from typing import Literal

from msgspec.structs import replace

from sesskit.records.ochat_session import new_id
from sesskit.schemas.ochat_sessions import SessionV5, Task

TaskState = Literal["Pending", "In_progress", "Done"]


class NoSingleMatch(LookupError):
    """A name that stands for nothing, or for several things. The message does not repeat it."""


def with_task(
    session: SessionV5, title: str, *, task_id: str | None = None
) -> tuple[SessionV5, Task]:
    """The session with one more task, which is pending; and that task.

    Raises `NoSingleMatch` if a task with this id is there already.
    """
    task = Task(new_id() if task_id is None else task_id, title, "Pending")
    if any(known.id == task.id for known in session.tasks):
        raise NoSingleMatch("there is a task with this id already")
    return replace(session, tasks=[*session.tasks, task]), task


def with_task_state(session: SessionV5, task_id: str, state: TaskState) -> SessionV5:
    """The session with a task in another state. Raises `NoSingleMatch`."""
    place = _place([task.id for task in session.tasks], task_id, "task")
    tasks = list(session.tasks)
    tasks[place] = replace(tasks[place], state=state)
    return replace(session, tasks=tasks)


def value_of(session: SessionV5, key: str) -> str | bytes:
    """The value of a key. Raises `NoSingleMatch`."""
    return session.kv_store[_place([name for name, _ in session.kv_store], key, "key")][1]


def with_value(session: SessionV5, key: str, value: str) -> SessionV5:
    """The session with a value for a key, new or changed in its place. Raises `NoSingleMatch`."""
    pairs = list(session.kv_store)
    if all(name != key for name, _ in pairs):
        return replace(session, kv_store=[*pairs, (key, value)])
    pairs[_place([name for name, _ in pairs], key, "key")] = (key, value)
    return replace(session, kv_store=pairs)


def without_key(session: SessionV5, key: str) -> SessionV5:
    """The session without a key and its value. Raises `NoSingleMatch`."""
    pairs = list(session.kv_store)
    del pairs[_place([name for name, _ in pairs], key, "key")]
    return replace(session, kv_store=pairs)


def _place(names: list[str | bytes], wanted: str, kind: str) -> int:
    places = [place for place, name in enumerate(names) if name == wanted]
    if len(places) != 1:
        many = f"more than one {kind} has this name" if places else f"there is no such {kind}"
        raise NoSingleMatch(many)
    return places[0]
