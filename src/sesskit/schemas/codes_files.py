"""Codes of whole files: what cannot be read, and what is read by other rules than expected."""

from __future__ import annotations

from typing import Final

from sesskit.schemas.code import Code

FILES: Final = (
    Code(
        "missing",
        "error",
        "There is no such file.",
        "A name that was typed, or a link, leads nowhere. Nothing else is ever called missing.",
        "Check the name. A link may point to a file that was moved.",
    ),
    Code(
        "unreadable",
        "error",
        "There is something of that name, but it cannot be read.",
        "It may be a folder, a device, or a file you have no permission for. It is not missing, and"
        " nothing says it is damaged.",
        "Check the permissions and what kind of thing it is.",
    ),
    Code(
        "unrecognized",
        "error",
        "The file can be read but is no session file of any known format.",
        "Nothing in its content or its name says which rules to check it by, and guessing would"
        " give false answers.",
        "If you know the format, name it with --format.",
        '{"name": "demo", "version": "1.0.0"}',
    ),
    Code(
        "version-unsupported",
        "info",
        "The file is of a version that this build does not read.",
        "A newer program wrote it, or the version is missing. It may be perfectly whole, and it is"
        " not called corrupt.",
        "Update sesskit, or read the file with the program that wrote it.",
        '{"schemaVersion": 2, "record": {}}',
    ),
    Code(
        "bare-record",
        "info",
        "The record stands alone, without the envelope that names its version.",
        "Early programs wrote records this way; those of today answer that the version is not"
        " supported.",
        "Run sesskit migrate to put the record into an envelope.",
        '{"id": "s-1", "cwd": "/srv", "messages": []}',
    ),
)
