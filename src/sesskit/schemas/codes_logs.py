"""Codes of logs: lines, sidecars, and what a replay misses."""

from __future__ import annotations

from typing import Final

from sesskit.schemas.code import Code

LOGS: Final = (
    Code(
        "line-unended",
        "warning",
        "The last line of a log is whole and has no line end.",
        "Its writer may be at work, or was stopped right there; a writer that appends without"
        " looking would glue the next line to it.",
        "Nothing, if the session still runs. Otherwise add a line feed; the logger of sesskit does"
        " so by itself.",
    ),
    Code(
        "line-cut",
        "error",
        "The last line of a log stops before its value ends.",
        "The process was killed, the disk was full, or the line is still being written; the loader"
        " of the original refuses the whole log.",
        "If no process writes to it, take the line away from a copy; every other line is whole.",
        '{"content": "Read the fer',
    ),
    Code(
        "event-unknown",
        "error",
        "A line without an event, or with one that is not known.",
        "Nothing else of the line can be checked, and the loader refuses the whole log.",
        "Look for a misspelt name, a line of another program, or a log of a newer build.",
        '{"schemaVersion": 1, "event": "usr"}',
    ),
    Code(
        "line-version",
        "error",
        "A line of a version that this build does not read.",
        "Its members may mean something else there; they are checked as version 1 all the same.",
        "Use a newer sesskit, or find out what wrote the line.",
        '{"schemaVersion": 2, "event": "user"}',
    ),
    Code(
        "empty",
        "error",
        "A text that must not be empty is empty.",
        "A line without a session id belongs to no session.",
        "Put the text in.",
        '{"sessionId": ""}',
    ),
)

SIDECARS: Final = (
    Code(
        "payload-reference",
        "error",
        "A value of kind external-payload is no well-formed reference to a sidecar.",
        "Whatever carries this kind is taken for a reference, user data too, and a reference has"
        " exactly five members.",
        "Restore the line. Data of a tool that happens to carry this kind cannot stand in a log.",
        '{"kind": "external-payload", "sha256": "short"}',
    ),
    Code(
        "payload-missing",
        "error",
        "A sidecar is missing.",
        "A part of the session is lost, and the loader refuses the whole log.",
        "Copy the .payloads folder along with its log, or restore the file from a backup.",
    ),
    Code(
        "payload-digest",
        "error",
        "A sidecar has another SHA-256 than its reference says.",
        "The file was changed, damaged or replaced after it was written.",
        "Do not trust its content; restore the file from a backup.",
    ),
    Code(
        "payload-length",
        "error",
        "A sidecar has another length than its reference says.",
        "The file was cut, or something was added to it.",
        "Restore the file from a backup.",
    ),
    Code(
        "payload-outside",
        "error",
        "A sidecar is not a plain file below the directory of its log.",
        "Absolute paths, climbing paths, links and special files could make a reader open files it"
        " should not, so they are refused wherever they lead.",
        "Put real files in place of links, and open the log by its real directory.",
    ),
    Code(
        "payload-unreadable",
        "error",
        "A sidecar cannot be read, or changed while it was read.",
        "Half of two versions is neither of them.",
        "Check the permissions; if something is writing to the folder, wait until it has ended.",
    ),
    Code(
        "payload-json",
        "error",
        "A sidecar is not JSON.",
        "The value it should hold cannot be put back into its line.",
        "Restore the file from a backup.",
    ),
    Code(
        "payload-budget",
        "error",
        "The sidecars of a log are larger than what is read for one log.",
        "The limit keeps a log from filling the memory; a sidecar that is referred to twice counts"
        " twice. The original has the same limit and refuses the log.",
        "Raise the limit if the log is yours and you want to see all of it.",
    ),
    Code(
        "payload-depth",
        "error",
        "Sidecars refer to sidecars deeper than the limit, or values nest too deeply through them.",
        "No logger writes such chains; they can only be made to exhaust a reader.",
        "Find out what wrote the files.",
    ),
    Code(
        "payload-cycle",
        "error",
        "A sidecar refers to itself, directly or through others.",
        "It could never be put together.",
        "Find out what wrote the files; no logger can.",
    ),
    Code(
        "payload-limit",
        "error",
        "A limit for sidecars is not a whole number, or is negative.",
        "It would be no limit.",
        "Give a whole number, 0 or more.",
    ),
    Code(
        "payload-unresolved",
        "error",
        "A reference to a sidecar, and no folder to read sidecars from.",
        "The value is not in the text itself.",
        "Check the log by its path; of standard input say with --base where its sidecars lie.",
    ),
    Code(
        "payload-unread",
        "info",
        "The lines are sound, but sidecars that they refer to were not looked at.",
        "What lies in them is neither checked nor at hand: the value of such an answer is None.",
        "Check the log by its path, with its sidecars; sesskit verify --base DIR - reads those of "
        "a log on standard input.",
    ),
    Code(
        "payload-platform",
        "error",
        "This system cannot open files relative to a directory without following links.",
        "Without that nobody can promise that a sidecar is what its reference says.",
        "Check the log on a POSIX system.",
    ),
    Code(
        "payload-orphan",
        "info",
        "No line of the log refers to this sidecar.",
        "It may be left over from lines that were lost, or from a writer that was stopped.",
        "Nothing; or delete it once the log is known to be whole.",
    ),
    Code(
        "payload-strange",
        "warning",
        "Something that is no regular file lies in a payload folder.",
        "No logger makes links, folders or devices there.",
        "Find out who put it there.",
    ),
    Code(
        "mode-open",
        "warning",
        "Others than its owner have rights to a log, its sidecars or their folder.",
        "A session log holds prompts, file contents and the output of commands.",
        "Take the rights away: chmod 600 for files, chmod 700 for folders.",
    ),
)

REPLAY: Final = (
    Code(
        "replay-no-native",
        "error",
        "No native payload of the provider answers a request.",
        "The exchange with the provider cannot be reconstructed.",
        "The call may have been cut off; see what follows the request in the log.",
    ),
    Code(
        "replay-no-raw",
        "error",
        "No raw response answers a request.",
        "The exchange with the provider cannot be reconstructed.",
        "The call may have been cut off; see what follows the request in the log.",
    ),
    Code(
        "replay-no-normalized",
        "error",
        "No normalized response answers a request.",
        "A replaying provider has no answer to give here.",
        "The call may have been cut off; see what follows the request in the log.",
    ),
    Code(
        "replay-no-result",
        "error",
        "No result answers a tool request.",
        "The model asked for a tool and the log does not say what came of it.",
        "The turn may have been aborted, or lines were lost.",
    ),
    Code(
        "replay-reference",
        "error",
        "A value of kind external-payload in an entry is no reference.",
        "A replay would hand it on as if it were content.",
        "Resolve the sidecars of the log before it is replayed.",
    ),
    Code(
        "replay-unresolved",
        "error",
        "A message or response still holds a reference to a sidecar.",
        "A replay would hand on the reference instead of the content.",
        "Resolve the sidecars of the log before it is replayed.",
    ),
)
