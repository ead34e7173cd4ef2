"""What a file looks like that is no session file: a phrase for people, from its beginning."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder

from sesskit.schemas.masking import mask_text, shorten
from sesskit.schemas.sketch import Sketch, sketch

_MAGIC = (
    (b"\x1f\x8b", "gzip-compressed data"),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed data"),
    (b"\xfd7zXZ\0", "xz-compressed data"),
    (b"BZh", "bzip2-compressed data"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"%PDF-", "a PDF document"),
    (b"\x7fELF", "an ELF program or library"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\xff\xfe\0\0", "text in UTF-32"),
    (b"\0\0\xfe\xff", "text in UTF-32"),
    (b"\xff\xfe", "text in UTF-16"),
    (b"\xfe\xff", "text in UTF-16"),
    (b"#!", "a script"),
)
_TAR_MARK, _TAR_AT = b"ustar", 257
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_UTF16 = re.compile(rb"(?:[\t\n\r -~]\0){4}|(?:\0[\t\n\r -~]){4}")
_JSON = re.compile(rb'\s*(?:\{\s*(?:["}]|\Z)|\[\s*(?:[\]\[{"\d-]|true|false|null|\Z)|[^{\[])')
_MARKUP = re.compile(rb"\s*<[!?a-zA-Z]")
_SHOWN, _NAME_WIDTH = 5, 24


def looks_like(head: bytes) -> str:
    """What the beginning of a file looks like, to be put after "it looks like". Total."""
    if not head:
        return "an empty file"
    if not head.strip(b"\0"):
        return "a file filled with NUL bytes"
    for magic, phrase in _MAGIC:
        if head.startswith(magic):
            return phrase
    if head.startswith(_TAR_MARK, _TAR_AT):
        return "a tar archive"
    if _UTF16.match(head):
        return "text in UTF-16"
    return _json(head, sketch(head)) or _text(head)


def _json(head: bytes, drawn: Sketch) -> str | None:
    if drawn.before or not drawn.kind or not _JSON.match(head):
        return None
    if drawn.kind == "object":
        return _object(drawn)
    if drawn.kind == "array":
        return "a JSON array"
    if not drawn.ended:
        return None
    return "a JSON string" if drawn.kind == "string" else "a single JSON value"


def _object(drawn: Sketch) -> str:
    what = "JSON lines, the first an object" if drawn.more else "a JSON object"
    if not drawn.members:
        return f"{what} without members" if drawn.ended else "the beginning of a JSON object"
    names = [shorten(mask_text(name), _NAME_WIDTH) for name in drawn.members[:_SHOWN]]
    rest = " ..." if len(drawn.members) > _SHOWN or not drawn.ended else ""
    word = "member" if len(names) == 1 and not rest else "members"
    return f"{what} with the {word} {', '.join(names)}{rest}"


def _text(head: bytes) -> str:
    if _MARKUP.match(head):
        return "XML or HTML"
    if _CONTROL.search(head):
        return "binary data"
    if not head.strip():
        return "nothing but blanks"
    try:
        getincrementaldecoder("utf-8")().decode(head)  # the last character may be cut
    except UnicodeDecodeError:
        return "text that is not UTF-8, or binary data"
    return "plain text"
