"""Codes of values that are JSON but not what their format says."""

from __future__ import annotations

from typing import Final

from sesskit.schemas.code import Code

RECORD: Final = (
    Code(
        "type",
        "error",
        "A value is of another kind than the format says: null where text is expected, and so on.",
        "The program that owns the format refuses the whole file over one such value.",
        "Put in a value of the expected kind. An optional member that is null is best removed.",
        '{"role": "user", "content": null}',
    ),
    Code(
        "member-missing",
        "error",
        "A member that must be there is not.",
        "The value cannot be understood without it; an empty default would be a guess.",
        "Add the member. If many are missing, the file may be of another version or format:"
        " sesskit inspect shows what it looks like.",
        '{"branchId": "b-1"}',
    ),
    Code(
        "member-unknown",
        "error",
        "A member that the format does not know.",
        "Unknown members are refused, so that none passes unchecked and none is lost on the next"
        " save. A misspelt name, or a newer program, is the usual cause.",
        "Correct the name or remove the member.",
        '{"branchId": "b-1", "checkpointId": "c-1", "owner": "me"}',
    ),
    Code(
        "member-foreign",
        "error",
        "A known member that belongs to another kind of value.",
        "It would be dropped or misread: an exit code, say, belongs to a process only.",
        "Remove the member, or correct the kind.",
        '{"taskId": "t-1", "kind": "agent", "output": "", "exitCode": 0}',
    ),
    Code(
        "choice",
        "error",
        "A word that is not in the list of allowed words.",
        "Words are compared exactly, letter case included; another word has no meaning to the"
        " reader.",
        "Use one of the words the issue lists.",
        '{"state": "Complete"}',
    ),
    Code(
        "tag",
        "error",
        "The member that decides what a value is (role, type) is missing or unknown.",
        "Without it nothing else in the value can be checked, so nothing else is reported.",
        "Set it to one of the words the issue lists, then check again.",
        '{"role": "robot", "content": "hi"}',
    ),
    Code(
        "instant",
        "error",
        "A text that is no date-time.",
        "Times decide the order of sessions and messages; an unreadable one makes the file fail to"
        " load.",
        "Write the time like 2026-03-04T09:00:00.000Z. Where the true time is unknown use a real"
        " one, such as 1970-01-01T00:00:00.000Z, not an empty text.",
        '{"timestamp": "yesterday"}',
    ),
    Code(
        "instant-zoneless",
        "warning",
        "A date-time without Z and without an offset.",
        "It means another moment in every time zone. It is read as UTC unless --zone says"
        " otherwise.",
        "Add Z or an offset such as +02:00.",
        '{"timestamp": "2026-03-04T09:00:00"}',
    ),
    Code(
        "integer",
        "error",
        "A number with a fraction where a whole number is expected.",
        "Counters, byte lengths and exit codes are whole; a fraction shows that something else was"
        " written there.",
        "Write a whole number; 3.0 is one.",
        '{"promptTokens": 1.5}',
    ),
    Code(
        "range",
        "error",
        "A number that is too small or too large.",
        "The reader refuses values outside the range the issue names.",
        "Bring the number into the range.",
        '{"delaySeconds": 5}',
    ),
    Code(
        "blank",
        "error",
        "A text that is empty or only white space where there must be some.",
        "An instruction or an identifier without characters cannot be used.",
        "Put the text in.",
        '{"instruction": " "}',
    ),
    Code(
        "number-overflow",
        "warning",
        "A number too large for a double, such as 1e400.",
        "It reads as infinity and is written back as null. Where the format declares a number this"
        " is an error; in open maps, which the original accepts, it is a warning.",
        "Write a number below 1.8e308, or keep the digits as text.",
        '{"metadata": {"score": 1e400}}',
    ),
    Code(
        "mismatch",
        "error",
        "Two members that must agree do not.",
        "One of the two is wrong, and the reader cannot know which.",
        "Find out which one is right and correct the other.",
        '{"id": "t-1", "kind": "agent", "result": {"taskId": "t-2", "kind": "agent"}}',
    ),
    Code(
        "open-map-value",
        "error",
        "A value of a kind that this open map does not take.",
        "The names in such a map are free, the values are not: null, nested or mixed values are"
        " refused by the reader.",
        "Remove the entry, or write its value as text.",
        '{"metadata": {"tags": ["a", 1]}}',
    ),
    Code(
        "schema",
        "error",
        "A value breaks a rule of a JSON Schema.",
        "The rule is the schema's own; the issue names its keyword.",
        "Look the keyword up in the schema at that place and correct the value or the schema.",
    ),
)
