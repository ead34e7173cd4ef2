"""Codes of ochat snapshots: the binary text, the record, and its neutral JSON."""

from __future__ import annotations

from typing import Final

from sesskit.schemas.binprot import MAX_BINARY_FAULTS
from sesskit.schemas.code import Code
from sesskit.schemas.limits import MAX_DEPTH

_LENGTHS_MISLEAD = (
    "Nothing after this place can be told for sure: a binary snapshot has no marks to go on from."
)
_FROM_ARCHIVE = (
    "Look for a copy in the session's archive folder or in a backup; what lies before the place is"
    " intact and can be inspected."
)

OCHAT: Final = (
    Code(
        "frame-cut",
        "error",
        "The file ends before the record that its first eight bytes announce.",
        "The writer was stopped, or a copy was not finished. ochat does not load such a file.",
        _FROM_ARCHIVE,
    ),
    Code(
        "frame-length",
        "error",
        "The length in the first eight bytes is not the length of the record.",
        "ochat checks it and refuses the file. The record behind it may be whole.",
        "If the issue says that the record is whole, correct the header in a copy; otherwise look"
        " for another copy of the file.",
    ),
    Code(
        "frame-missing",
        "error",
        "The record is whole, but the eight bytes that say its length are not before it.",
        "Something stored the payload without its frame. ochat refuses the file.",
        "Put the length of the record, eight bytes with the lowest first, before a copy of it.",
    ),
    Code(
        "frame-trailing",
        "warning",
        "More bytes follow the record.",
        "ochat ignores them without a word. They are lost when the session is saved next; an older,"
        " longer snapshot may have been overwritten in place.",
        "Nothing, if the record is what you expect; else keep a copy before ochat saves it.",
    ),
    Code(
        "data-short",
        "error",
        "The data ends inside a value.",
        "A length before it is wrong, or bytes are missing. " + _LENGTHS_MISLEAD,
        _FROM_ARCHIVE,
    ),
    Code(
        "length-code",
        "error",
        "A byte that starts no length stands where a length should be.",
        "The bytes before it were read with a wrong length, or are damaged. " + _LENGTHS_MISLEAD,
        _FROM_ARCHIVE,
    ),
    Code(
        "length-range",
        "error",
        "A length is larger than any text or list can be.",
        "Only damage gives such a number. " + _LENGTHS_MISLEAD,
        _FROM_ARCHIVE,
    ),
    Code(
        "number-code",
        "error",
        "Bytes that are no integer stand where an integer should be.",
        "The bytes are damaged or belong to another value. " + _LENGTHS_MISLEAD,
        _FROM_ARCHIVE,
    ),
    Code(
        "number-range",
        "error",
        "An integer is outside the 63 bits of its type.",
        "No ochat writes such a number, and none reads it.",
        _FROM_ARCHIVE,
    ),
    Code(
        "number-overlong",
        "warning",
        "A number or a length is written in a longer form than it needs.",
        "ochat reads it, but does not write it so: another program made the file or changed it.",
        "Nothing. Saving or migrating the session writes the short form.",
    ),
    Code(
        "option-tag",
        "error",
        "A byte other than 0 and 1 says whether a value is there.",
        "The bytes are damaged or belong to another layout. " + _LENGTHS_MISLEAD,
        _FROM_ARCHIVE,
    ),
    Code(
        "bool-tag",
        "error",
        "A byte other than 0 and 1 stands for true or false.",
        "The bytes are damaged or belong to another layout. " + _LENGTHS_MISLEAD,
        _FROM_ARCHIVE,
    ),
    Code(
        "variant-tag",
        "error",
        "A tag names a kind of item or value that there is not.",
        "The bytes are damaged, or a newer ochat wrote a kind that is not known yet. "
        + _LENGTHS_MISLEAD,
        _FROM_ARCHIVE,
    ),
    Code(
        "value-depth",
        "error",
        f"A script value is nested more than {MAX_DEPTH} levels deep.",
        "No real session nests like this, and many programs crash on it.",
        "Find out what wrote the file.",
    ),
    Code(
        "faults-unlisted",
        "info",
        f"There are more than {MAX_BINARY_FAULTS:,} issues of one kind.",
        "A list without end helps nobody; the first ones tell the cause.",
        "Correct the faults that are listed, then check again.",
    ),
    Code(
        "version-mismatch",
        "error",
        "The record is laid out as one version and says that it is another.",
        "ochat tries the layout that belongs to the number, and refuses the file.",
        "If a program other than ochat wrote the file, correct it there; the issue names both"
        " versions.",
    ),
    Code(
        "version-ambiguous",
        "warning",
        "The bytes are a well-formed record of two versions.",
        "Version 0 has no number, so a very short id can look like one. ochat takes the higher"
        " version that it can load.",
        "Inspect the session; name the other version if the id looks wrong.",
    ),
    Code(
        "layout-old",
        "info",
        "The record is in a layout that ochat wrote until 2026 and cannot read today.",
        "The version number stayed the same when the layout changed. Today's ochat refuses such a"
        " file, or reads tool outputs as something else without noticing.",
        "Run sesskit migrate --to 5 to have a file that today's ochat reads.",
    ),
    Code(
        "item-type",
        "warning",
        "An item says a type that is not that of its kind.",
        "ochat does not look at it, but the model that gets the history may; it can also mean that"
        " the layout was not recognised.",
        "Inspect the item.",
    ),
    Code(
        "upgrade-refused",
        "warning",
        "The record can be read, but not upgraded to the latest version.",
        "ochat upgrades what it loads, so it does not load this session. The reason is in the"
        " message: an empty id, or a moderator's change to an item that cannot be told.",
        "Export the session to keep what is in it. No migration can decide what it leaves open.",
    ),
    Code(
        "session-id-empty",
        "error",
        "The session has no id.",
        "Ids of history entries are made from it, so ochat refuses the session.",
        "Export it, give it an id, and import it.",
    ),
    Code(
        "high-water-negative",
        "error",
        "The number of the next history entry is below zero.",
        "No id can be made from it, so ochat refuses the session.",
        "Export it, set next_history_sequence above every number in its history, and import it.",
    ),
    Code(
        "history-id",
        "error",
        "The id of a history entry is not in its one form, LENGTH:NAMESPACE:NUMBER.",
        "ochat refuses the whole file for one such id.",
        "Export the session, correct the id, and import it.",
    ),
    Code(
        "history-id-duplicate",
        "error",
        "Two history entries have the same id.",
        "What the moderator says of that id cannot be told to belong to one of them, so ochat"
        " refuses the session.",
        "Two programs may have added to the history at once. Export the session, give one of the"
        " entries a new id, and import it.",
    ),
    Code(
        "history-id-high-water",
        "error",
        "A history entry has a number that this session has not given out yet.",
        "The next entries would get the same number again, so ochat refuses the session.",
        "Export the session, set next_history_sequence above the number, and import it.",
    ),
    Code(
        "constructor",
        "error",
        "Neutral JSON does not name one of the kinds that may stand here.",
        "A kind is its name alone, or an object with the name as its only member.",
        "Compare the place with the published schema: sesskit schema show ochat-record.",
        '{"Text": {"text": "hi", "_type": "input_text"}, "Image": null}',
    ),
    Code(
        "double-bits",
        "error",
        "The bits of a float are not 16 hexadecimal digits.",
        "Only the bits keep every float exactly, so there is nothing to fall back on.",
        "Write the bits of the double, the highest first, in lower case.",
        '{"f64": 1.5, "bits": "3ff8"}',
    ),
    Code(
        "double-differs",
        "warning",
        "The number beside the bits of a float is another one.",
        "The bits decide; the number may be an edit that has no effect.",
        "Change the bits if the number is what you mean.",
        '{"f64": 2.5, "bits": "3ff8000000000000"}',
    ),
    Code(
        "base64",
        "error",
        "The text of $bytes_b64 is no base64.",
        "The bytes of the string cannot be known.",
        "Write the bytes in base64, with padding.",
        '{"$bytes_b64": "not base64!"}',
    ),
    Code(
        "string-surrogate",
        "error",
        "A string holds half of a character, which no snapshot can hold.",
        "Snapshots keep strings as bytes, and half of a character has none in UTF-8.",
        r"Write the whole character, or \ufffd in its place.",
        r'"cut \ud83d"',
    ),
    Code(
        "pair-length",
        "error",
        "A pair does not have two elements.",
        "Nothing says what a missing or further element would mean.",
        "Write an array of two.",
        '["key", "value", "more"]',
    ),
)

CODES_OCHAT: Final[dict[str, Code]] = {code.code: code for code in OCHAT}
"""The same by name."""
