"""Whether a log lies where its header says: dsh checks that before it reads any further."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sesskit.logs.dsh.generations import Generation
from sesskit.logs.dsh.paths import Place, encoded_id, project_folder, seed_project_folder
from sesskit.schemas.issues import Issue


def identity_faults(
    place: Place, header: dict[str, Any], generation: Generation
) -> Iterator[Issue]:
    """Where the folders of a log differ from those that its header names; none outside a layout."""
    if place.layout != ("seed" if generation.seed else "session"):
        return
    cwd, session = header.get("cwd"), header.get("id")
    if not isinstance(session, str) or not session:
        message = "the header names no folder that a log could lie in"
        yield Issue("header-path", message, keys=("id",), expected="id that is not empty")
    elif encoded_id(session) != place.session:
        message = "the log lies in the folder of another session"
        yield Issue("header-path", message, keys=("id",))
    folder = seed_project_folder if generation.seed else project_folder
    if "cwd" in header and (not isinstance(cwd, str) or not cwd):
        message = "the header names no folder that a log could lie in"
        yield Issue("header-path", message, keys=("cwd",), expected="absolute path")
    elif folder(cwd) != place.project:
        message = "the log lies in the folder of another project"
        yield Issue("header-path", message, keys=("cwd",))
