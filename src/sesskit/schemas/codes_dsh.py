"""Codes of dsh session logs: their files, frames, lines and headers."""

from __future__ import annotations

from typing import Final

from sesskit.schemas.code import Code

DSH_FILES: Final = (
    Code(
        "header-missing",
        "error",
        "The first line is no header of a session log, or there is no line at all.",
        "Without a header nothing says which version and which session the log is of; dsh does not"
        " even list it.",
        "If the file was only just created it may hold nothing yet. Otherwise look for the header"
        " in a copy: sesskit shows what the events behind it are.",
        '{"type": "turn/start", "seq": 0}',
    ),
    Code(
        "header-field",
        "error",
        "A member of the header holds what it must not.",
        "dsh checks the header before anything else and passes the log by, or refuses it.",
        "Correct the member to what the issue expects; all else of the header can stay.",
        '{"type": "session", "version": 0, "createdAt": -1}',
    ),
    Code(
        "header-path",
        "error",
        "The log lies in the folder of another session or another project.",
        "dsh works out the folder from the header, and one log in a wrong place makes it list"
        " nothing of the whole root.",
        "Move the file to the folder that its header names; sesskit repair moves no files.",
    ),
    Code(
        "retired-field",
        "error",
        "The header holds a member that was retired.",
        "Programs refuse logs that hold it, because they no longer know what it permits.",
        "Remove the member if the session needs no such mode.",
        '{"sandboxMode": "off"}',
    ),
    Code(
        "encoding-mismatch",
        "error",
        "The name says compressed and the bytes are plain, or the other way round.",
        "dsh goes by the name and cannot read the file.",
        "Rename the file: .jsonl for plain text, .jsonl.zstd for zstd frames.",
    ),
    Code(
        "version-other",
        "error",
        "The name of the file selects one version and the header says another.",
        "The program that the name selects refuses the file.",
        "Rename the file to the generation that its header names, such as session.v3.jsonl.",
    ),
    Code(
        "layout-other-encoding",
        "error",
        "A root holds compressed and plain logs side by side.",
        "Any file of the other encoding makes every operation on the root fail.",
        "Move the files of one encoding to a root of their own.",
    ),
    Code(
        "layout-flat-file",
        "error",
        "A log lies right in a project folder, where folders of sessions should be.",
        "It makes every operation on the root fail.",
        "Move it into a folder named after its session.",
    ),
    Code(
        "layout-duplicate-id",
        "error",
        "Two project folders hold a session of the same id.",
        "dsh cannot say which is meant and refuses both.",
        "Move one of them to another root.",
    ),
    Code(
        "layout-name",
        "warning",
        "A log lies beside those of a session under a name that no program of dsh reads.",
        "dsh knows session.jsonl and session.vN.jsonl, N without leading zeros and not 0, in lower"
        " case. It passes others by without a word.",
        "Give the file the name of its version, where there is none yet, or move it elsewhere.",
    ),
    Code(
        "layout-elsewhere",
        "warning",
        "Another log of the same root lies in a way that keeps dsh from loading any.",
        "dsh looks at the names of all logs of a root before it loads one. The log itself may be"
        " sound.",
        "Run sesskit validate on the root: it names the log, which is to be moved elsewhere.",
    ),
    Code(
        "tail-cut",
        "error",
        "The last line has no line feed.",
        "The write of it was cut off, or is still going on. dsh drops the line unread and goes on.",
        "sesskit repair cuts it as dsh would, and keeps the bytes.",
        '{"type": "turn/start", "seq": 3, "ti',
    ),
    Code(
        "line-no-event",
        "error",
        "A line holds a value that is no object.",
        "The log breaks there: a turn that ends behind it makes dsh refuse the whole log.",
        "sesskit repair takes the line out and keeps it apart.",
        "null",
    ),
    Code(
        "seq-missing",
        "error",
        "An event has no number, or one that is none.",
        "Events are counted without a gap; the log breaks at the first that is not the next.",
        "sesskit repair takes the event out and keeps it apart.",
        '{"type": "turn/start", "time": 1, "data": {"turn": 1}}',
    ),
    Code(
        "seq-gap",
        "error",
        "Events are missing: a number is higher than the next one.",
        "What the missing events said is lost, and dsh refuses the log if a turn ends behind the"
        " gap.",
        "sesskit repair keeps what is there and says what is not.",
    ),
    Code(
        "seq-repeated",
        "error",
        "A number that was used already comes again.",
        "Two writers had the log open and both went on from the same place. dsh refuses such a log"
        " if a turn ends behind it.",
        "sesskit repair makes two logs: the branch that dsh would have gone on with, and the"
        " other.",
    ),
    Code(
        "row-malformed",
        "error",
        "A row of packed chunks does not hold what such a row must hold.",
        "One row stands for many events; none of them can be told from a broken one.",
        "sesskit repair takes out the row and keeps it apart.",
        '{"type": "text-chunks", "seq0": 4, "texts": []}',
    ),
    Code(
        "envelope",
        "error",
        "A member of an event beside its data is of the wrong kind.",
        "From version 1 on a line with a wrong envelope is no event at all, and the log breaks"
        " there.",
        "Correct the member to what the issue expects.",
        '{"type": 7, "seq": 0, "time": 1, "data": {}}',
    ),
    Code(
        "zstd-torn",
        "error",
        "The last frame is not whole.",
        "The write of it was cut off. dsh cuts the frame away and goes on, but loses what of it"
        " could be read.",
        "sesskit repair keeps every event of the torn frame that can be read.",
    ),
    Code(
        "zstd-damaged",
        "error",
        "A frame does not decompress, or its checksum differs.",
        "Bytes of it were changed. dsh refuses the whole file, even for the last frame.",
        "sesskit repair keeps what of the frame still decompresses, and all other frames.",
    ),
    Code(
        "zstd-bomb",
        "error",
        "A frame expands far beyond what a session log could.",
        "It would fill the memory of whoever reads it.",
        "Do not read it with other tools before you know where it is from.",
    ),
    Code(
        "zstd-stray",
        "error",
        "Bytes stand where a frame should begin.",
        "dsh refuses the whole file for four or more such bytes, skippable frames included.",
        "sesskit repair takes them out and keeps them apart.",
    ),
    Code(
        "zstd-header-frame",
        "error",
        "The first frame holds more or less than the header line.",
        "dsh reads the header alone from it; a log compressed anew as one frame cannot be read.",
        "sesskit repair writes the same lines in the frames that dsh expects.",
    ),
    Code(
        "zstd-unended",
        "error",
        "The text of the last frame does not end with a line feed.",
        "A whole frame was committed, so dsh does not cut it: it refuses the file.",
        "sesskit repair cuts or completes the line.",
    ),
    Code(
        "database-damaged",
        "error",
        "The file is no database that can be read, lacks a table, or one cannot be read through.",
        "What stands in the damaged part cannot be read; where a path is given, the rest was.",
        "Restore the file, with the -wal file beside it, from a backup.",
    ),
    Code(
        "events-orphaned",
        "warning",
        "A database holds events of a session that its table of sessions does not hold.",
        "No program lists or loads such a session, though its events are still there.",
        "Restore the row of the session from a backup; its id stands beside the events.",
    ),
    Code(
        "bundle-damaged",
        "error",
        "An entry of an archive cannot be unpacked, expands too far, or leads out of the archive.",
        "An import takes in all of a session or nothing.",
        "Export the session again.",
    ),
    Code(
        "bundle-entry",
        "warning",
        "An entry of an archive that no export has, or in the folder of another session.",
        "It is left out, so that an archive puts nothing where it does not belong.",
        "Look what it is; the session itself is taken in.",
    ),
    Code(
        "bundle-media",
        "error",
        "An attachment of an archive has not the digest that its name says.",
        "It is another picture or file than the one the log names.",
        "Export the session again, or remove the entry.",
    ),
    Code(
        "type-unknown",
        "error",
        "An event of a type that the version does not know, and that is not marked as ignorable.",
        "It may change what the rest means, so programs refuse the log; most often a newer program"
        " wrote it.",
        "Use the program that wrote the log. sesskit migrate --tolerant takes out such events that"
        " are marked as ones to ignore, and keeps them.",
        '{"type": "ours/note", "seq": 4, "time": 1, "data": {}}',
    ),
    Code(
        "type-unknown-ignorable",
        "info",
        "An event of an unknown type that says of itself that it may be ignored.",
        "Programs pass it by.",
        "Nothing.",
        '{"type": "ours/note", "seq": 4, "time": 1, "data": {}, "ignorable": true}',
    ),
)
