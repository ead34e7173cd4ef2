"""ochat: sessions made and reset, in memory. Files are the store's business.

A reset takes away what a session did and was trusted with, and keeps what it is: its id, tasks,
key/value data and the high-water mark of its history numbers.
"""

from __future__ import annotations

import hashlib
import random
import time

from msgspec.structs import replace

from sesskit.schemas.ochat_moderator import NO_MODERATOR
from sesskit.schemas.ochat_sessions import LATEST, SessionV5
from sesskit.schemas.ochat_shell import NO_SHELL

VFS_ROOT = "vfs"


def create(
    prompt_file: str | bytes,
    *,
    session_id: str | bytes | None = None,
    local_prompt_copy: str | bytes | None = None,
) -> SessionV5:
    """A new session without history, tasks or trust. Touches no file.

    Without ``session_id`` it gets a `new_id`, so two calls differ.
    """
    return SessionV5(
        LATEST,
        new_id() if session_id is None else session_id,
        prompt_file,
        local_prompt_copy,
        [],
        0,
        [],
        NO_MODERATOR,
        NO_SHELL,
        [],
        VFS_ROOT,
    )


def new_id() -> str:
    """An id as the original makes them: 32 hexadecimal digits. It identifies, it is no secret."""
    # Not for keeping secrets: the original hashes the clock and a pseudo-random number.
    text = f"{time.time_ns()}{random.getrandbits(30)}"
    return _md5(text.encode())


def store_id_for(prompt_file: str | bytes) -> str:
    """The id under which the original keeps the session of a prompt, from its path as typed."""
    raw = prompt_file.encode() if isinstance(prompt_file, str) else prompt_file
    return _md5(raw)


def _md5(raw: bytes) -> str:
    return hashlib.md5(raw, usedforsecurity=False).hexdigest()


def reset(
    session: SessionV5, *, keep_history: bool = False, prompt_file: str | bytes | None = None
) -> SessionV5:
    """The session at its beginning: no history (unless kept), no moderator, no trust in commands.

    The high-water mark stays, so no history id is ever given out twice. With ``prompt_file``
    another prompt is recorded; nothing is read or copied.
    """
    return replace(
        session,
        prompt_file=session.prompt_file if prompt_file is None else prompt_file,
        history=session.history if keep_history else [],
        moderator_state=NO_MODERATOR,
        shell_state=NO_SHELL,
    )
