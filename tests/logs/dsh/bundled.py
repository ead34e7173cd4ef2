"""A root of dsh with a session, its helpers, a fork and an attachment, for the tests of exports."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from backports.zstd import compress

PICTURE = b"not really a picture"
DIGITS = hashlib.sha256(PICTURE).hexdigest()
ABSENT = "0" * 64


def header(session: str, **members: object) -> bytes:
    line = {"type": "session", "version": 0, "id": session, "createdAt": 1, **members}
    return json.dumps({**line, "delegationDepth": 0}).encode() + b"\n"


def picture(digits: str, seq: int) -> bytes:
    attachment = {
        "attachmentId": f"sha256:{digits}", "mediaType": "image/png", "bytes": 20,
        "width": 1, "height": 1,
    }  # fmt: skip
    content = [{"type": "image", "attachment": attachment}]
    data = {"id": f"m{seq}", "role": "user", "content": content, "source": {"kind": "user"}}
    event = {"type": "user/message", "seq": seq, "time": 1, "data": data, "surfaceOp": "append"}
    return json.dumps(event).encode() + b"\n"


def put(root: Path, session: str, text: bytes, *, zstd: bool = True) -> Path:
    path = root / "_no-cwd" / session / ("session.jsonl.zstd" if zstd else "session.jsonl")
    path.parent.mkdir(parents=True)
    first, _, rest = text.partition(b"\n")
    frames = compress(first + b"\n") + (compress(rest) if rest else b"")
    path.write_bytes(frames if zstd else text)
    return path


def make_home(folder: Path) -> Path:
    """A root with a session, its helper, the helper's helper, a fork, and one attachment."""
    root = folder / "sessions"
    put(root, "a", header("a") + picture(DIGITS, 0) + picture(ABSENT, 1))
    put(root, "b", header("b", parentSession="a", origin="subagent"))
    put(root, "c", header("c", parentSession="b", origin="subagent"))
    put(root, "fork", header("fork", parentSession="a"))
    store = folder / "attachments" / "v1" / "objects" / DIGITS[:2]
    store.mkdir(parents=True)
    (store / DIGITS).write_bytes(PICTURE)
    return root
