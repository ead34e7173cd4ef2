"""Codes of dsh session logs: shapes of other versions, and what migrations refuse."""

from __future__ import annotations

from typing import Final

from sesskit.schemas.code import Code

_WRITER = (
    "sesskit repair takes the event out, numbers the others anew and keeps it apart. Programs of"
    " dsh do not write such an event: report it to whoever wrote the log."
)
_CLOSED = "Programs with closed shapes refuse it."
_STAYS = (
    "The log can stay as it is where its own program loads it. To migrate it, correct a copy:"
    " --tolerant changes shapes, and never what was said or in which order."
)

DSH_SHAPES: Final = (
    Code(
        "retired-vocabulary",
        "error",
        "An event type or reason that was retired before the version was released.",
        "No program knows how it was meant.",
        "The program that wrote the log can still read it.",
    ),
    Code(
        "legacy-malformed",
        "error",
        "An event of an older shape cannot be brought into today's.",
        "Old shapes are upgraded on every read; one that cannot be makes dsh refuse the log.",
        _WRITER,
    ),
    Code(
        "seed-length",
        "error",
        "The header says that more events were inherited than the log has.",
        "dsh loads such a log, but cannot migrate it.",
        "Correct seedLength to the number of inherited events.",
    ),
    Code(
        "seed-marker-missing",
        "error",
        "The log says that it was seeded, and no event marks where the seed ends.",
        "From version 2 on the mark says what was inherited; without it the log is refused.",
        _WRITER,
    ),
    Code(
        "seed-marker-unexpected",
        "error",
        "An event marks the end of a seed in a log that says that it has none.",
        "From version 2 on such a log is refused.",
        _WRITER,
    ),
    Code(
        "unclassified-source",
        "error",
        "A message came from a kind of source that no released program knows.",
        "The migration to version 3 refuses, because it would not know how to show it.",
        "sesskit migrate --tolerant keeps it and says so.",
    ),
    Code(
        "unclassified-content",
        "error",
        "A block of content of a kind that no released program knows.",
        "The migration to version 3 refuses, because it would not know how to show it.",
        "sesskit migrate --tolerant keeps it and says so.",
    ),
    Code(
        "not-one",
        "error",
        "A list does not hold exactly one element.",
        _CLOSED,
        "Keep one element.",
    ),
    Code(
        "count-differs",
        "error",
        "A count is not that of what it counts.",
        _CLOSED,
        "Correct the count.",
    ),
    Code(
        "range-of-list",
        "error",
        "A range does not fit the list that it sums up.",
        _CLOSED,
        "Correct the range.",
    ),
    Code(
        "generation-seed",
        "error",
        "The log is of the builds of June 2026, from before the first release.",
        "No released program takes such a log any further.",
        "sesskit migrate --tolerant makes a log of version 0 or later of it.",
    ),
    Code(
        "seed-cut",
        "error",
        "The end of a seed lies inside a stream of the model.",
        "The migration to version 2 refuses, because the stream becomes one event.",
        _STAYS,
    ),
    Code(
        "stream-sources",
        "error",
        "A message of the assistant does not cite exactly the pieces it was streamed in.",
        "The migration to version 2 puts the pieces into the message and cannot tell which are its"
        " own.",
        _STAYS,
    ),
    Code(
        "surface-before-step",
        "error",
        "The model is shown something before the first step.",
        "The migration to version 3 puts the system head first and refuses such a log.",
        _STAYS,
    ),
    Code(
        "result-not-an-error",
        "error",
        "A tool result says what went wrong and is not marked as an error.",
        "The migration to version 3 refuses it.",
        _STAYS,
    ),
    Code(
        "message-id-taken",
        "error",
        "A message has the id that the migration gives to a system message.",
        "The migration to version 3 refuses it.",
        "Change the id of the message.",
    ),
    Code(
        "prompt-outside-step",
        "error",
        "A system prompt changes where no step is open.",
        "The migration to version 3 needs a step to put the system message into.",
        _STAYS,
    ),
)
