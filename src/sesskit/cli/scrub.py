"""`sesskit scrub`: JSON, lines of JSON and text without the values of sensitive members."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_args

import typer

from sesskit.artifacts.documents import As, form_of
from sesskit.artifacts.redaction import Policy
from sesskit.artifacts.scrub_files import (
    STREAMED_BYTES,
    Scrubbed,
    is_lines,
    scrub_data,
    streamed,
)
from sesskit.artifacts.scrub_keys import FILL, KeyScrubber
from sesskit.artifacts.share_formats import share_format
from sesskit.artifacts.span import Span
from sesskit.cli import options as o
from sesskit.cli.checking import Wanted, gather
from sesskit.cli.output import MAX_ISSUES, Display, show
from sesskit.cli.progress import Progress
from sesskit.cli.redactions import counted, findings, known_here, list_of, rows_of_found
from sesskit.cli.report import Entry, Report, Rules, entry_of
from sesskit.cli.screen import Screen, note
from sesskit.cli.targets import make_folder, targets_of
from sesskit.cli.usage import BadUsage, one_of, suggestion
from sesskit.cli.writes import told, writing
from sesskit.logs.formats import STDIN, Finding, recognize
from sesskit.logs.walking import NO_FILE, Source
from sesskit.records.files import replace_in_place, write_atomic
from sesskit.records.heads import read_head
from sesskit.records.reading import ZeroFilled, read_document, read_stream, reason_for
from sesskit.schemas.limits import RECOGNITION_BYTES
from sesskit.schemas.outcomes import Missing, Unreadable, Valid

FORMS: tuple[As, ...] = get_args(As)
CLOSED = "it is closed"
NAMES = (".json", ".jsonl", ".ndjson")

Out = Annotated[
    str | None,
    typer.Option(
        "--out", metavar="FILE|DIR", help="Where to write; one file goes to standard output."
    ),
]
Replace = Annotated[bool, typer.Option("--force", help="Let --out replace existing files.")]
InPlace = Annotated[
    bool, typer.Option("--in-place", help="Replace the files themselves; each leaves a .bak.")
]
AsForm = Annotated[
    str | None,
    typer.Option("--as", metavar="|".join(FORMS), help="Read every file as this."),
]
Extended = Annotated[
    bool,
    typer.Option("--extended", help="By the wider rule for names, also in JSON in strings."),
]
Values = Annotated[
    bool, typer.Option("--values", help="Find secrets and personal data in all text as well.")
]
Fill = Annotated[str, typer.Option("--fill", metavar="TEXT", help="What stands for a value.")]
Allow = Annotated[
    str | None, typer.Option("--allow", metavar="FILE", help="Values that stay, one a line.")
]
Deny = Annotated[
    str | None, typer.Option("--deny", metavar="FILE", help="Values that must go, one a line.")
]


def scrub(
    paths: o.Paths = None,
    out: Out = None,
    in_place: InPlace = False,
    force: Replace = False,
    as_: AsForm = None,
    extended: Extended = False,
    values: Values = False,
    fill: Fill = FILL,
    allow: Allow = None,
    deny: Deny = None,
    output: o.Output = None,
    max_issues: o.MaxIssues = MAX_ISSUES,
    quiet: o.Quiet = False,
    no_color: o.NoColor = False,
    exit_zero: o.ExitZero = False,
) -> None:
    """Replace the values of sensitive members; leave every other byte as it is.

    Takes any JSON, lines of JSON, or (with --as text) any text. By default the exact names count:
    apiKey, authorization, accessToken, refreshToken, secret, password, xApiKey. In a session of a
    known format parameters that only have such a name stay. Exits 1 if a file could not be read or
    is not sound.
    """
    display = o.display_of(output, quiet=quiet, max_issues=max_issues, no_color=no_color)
    wanted = gather(paths)
    form = _form(as_)
    policy = Policy(
        extended, values, fill, list_of(deny, "--deny"), frozenset(list_of(allow, "--allow"))
    )
    known: tuple[Span, ...] = ()
    if values:
        sources = [source.path for one in wanted for source in one.sources]
        known = known_here(sources, dict(os.environ), platform.node())
    work = Work(wanted, form, policy, known, force, in_place)
    to_screen = _to_standard_output(wanted, out, display, in_place=in_place, output=output)
    report = work.report(out, Rules(exit_zero=exit_zero), display, to_screen=to_screen)
    if to_screen:
        code = report.exit_code
        if not quiet:
            note("; ".join(_summary(entry) for entry in report.entries))
        raise typer.Exit(code)
    raise typer.Exit(show(report, display))


def _form(word: str | None) -> As | None:
    form = next((known for known in FORMS if known == word), None)
    if word is not None and form is None:
        raise BadUsage(f"--as takes {one_of(FORMS)}{suggestion(word, FORMS)}")
    return form


def _to_standard_output(
    wanted: list[Wanted], out: str | None, display: Display, *, in_place: bool, output: str | None
) -> bool:
    """Whether the result itself is what is shown; raises `BadUsage` where that cannot be."""
    if out is not None and in_place:
        raise BadUsage("give --out or --in-place, not both")
    if in_place and any(one.path == STDIN for one in wanted):
        raise BadUsage("standard input cannot be replaced in place; use --out FILE")
    if out is not None or in_place:
        return False
    if len(wanted) > 1 or wanted[0].folder:
        raise BadUsage("say where to: --out DIR or --in-place")
    if output is not None:
        raise BadUsage("the result goes to standard output, where no report fits; give --out FILE")
    return True


def _summary(entry: Entry) -> str:
    done = (entry.members or {}).get("redaction")
    if done is None:
        return f"{entry.finding.path}: {entry.issues[0].message}"
    if done["refused"]:
        return f"{entry.finding.path}: {done['refused']}"
    return f"{_replaced(done['count'])}{'' if not entry.issues else '; its text is not sound'}"


def _replaced(count: int) -> str:
    return f"{count:,} value{'' if count == 1 else 's'} replaced"


class Work(NamedTuple):
    """What is to be done with the files of one run."""

    wanted: list[Wanted]
    form: As | None
    policy: Policy
    known: tuple[Span, ...]
    force: bool
    in_place: bool

    def report(self, out: str | None, rules: Rules, display: Display, *, to_screen: bool) -> Report:
        """Scrub all files, in order, and write the results; what cannot be done is told."""
        taken: list[tuple[Wanted, list[Source]]] = [
            (one, [s for s in one.sources if self.takes(s)]) for one in self.wanted
        ]
        skipped = sum(len(one.sources) - len(kept) for one, kept in taken)
        every = [source for _, kept in taken for source in kept]
        paths = [source.path for source in every]
        targets = {} if out is None else targets_of(self.wanted, paths, out, force=self.force)
        entries = []
        with Progress(len(every), "scrubbing", quiet=display.quiet or to_screen) as progress:
            for source in every:
                target = targets.get(source.path)
                entries.append(self.entry(source, target, rules, display.screen))
                progress.step(1)
        empty = tuple(one.path for one, kept in taken if one.folder and not kept)
        return Report(tuple(entries), rules, skipped, empty, "")

    def takes(self, source: Source) -> bool:
        """Whether a walked file is one to scrub; a named one always is."""
        if not source.walked or source.trouble is not None:
            return source.trouble != NO_FILE or not source.walked
        if self.form is not None or source.path.endswith(NAMES):
            return True
        head = read_head(Path(source.path))
        return isinstance(head, bytes) and form_of(head.partition(b"\n")[0]) != "text"

    def entry(self, source: Source, target: str | None, rules: Rules, screen: Screen) -> Entry:
        """Scrub one file and write the result."""
        if source.trouble is not None:
            return entry_of(Finding(source.path, Unreadable(source.trouble)), rules)
        head = _head(source.path)
        if isinstance(head, (Missing, Unreadable)):
            return entry_of(Finding(source.path, head), rules)
        session = None if self.form else _session_of(head, source.path)
        if self.streams(head, session):
            return self.stream(source.path, target, head, rules, screen)
        document = _whole(source.path, head)
        if isinstance(document, (Missing, Unreadable)):
            return entry_of(Finding(source.path, document), rules)
        name = "" if source.path == STDIN else Path(source.path).name
        done = scrub_data(
            name, document, self.policy, form=self.form, session=session, known=self.known
        )
        entry = entry_of(Finding(source.path, done.outcome, session), rules)
        if done.data is None:
            rows = [("refused", done.why)] if done.outcome.status != "unreadable" else []
            return told(entry, rows, _member(None, 0, done), screen)
        place = self.write(source.path, target, done.data)
        rows = [("scrubbed", counted(done.found) + (f"; to {place}" if place else ""))]
        rows += rows_of_found(done.found, "replaced")
        return told(entry, rows, _member(place, len(done.found), done), screen)

    def streams(self, head: bytes, session: str | None) -> bool:
        """Whether a file that begins so is too big to hold for what is asked."""
        policy = self.policy
        exact = not (policy.extended or policy.values or policy.deny or self.form == "text")
        return exact and len(head) > STREAMED_BYTES and share_format(session) is None

    def stream(
        self, path: str, target: str | None, head: bytes, rules: Rules, screen: Screen
    ) -> Entry:
        """Scrub a big file as it is read; nothing is said about whether it is sound."""
        lines = self.form == "jsonl" or (self.form is None and is_lines(head, path))
        scrubber = KeyScrubber(self.policy.fill, lines=lines)
        rest = sys.stdin.buffer if path == STDIN else None
        place = self.write(path, target, streamed(path, scrubber, head=head, stream=rest))
        entry = entry_of(Finding(path, Valid(None)), rules)
        words = _replaced(scrubber.count) + (f"; to {place}" if place else "")
        member = _member(place, scrubber.count, Scrubbed(Valid(None)))
        return told(entry, [("scrubbed", words)], member, screen)

    def write(self, path: str, target: str | None, data: Any) -> str | None:
        """Write a result to its file, in place of the old one, or to standard output."""
        if self.in_place:
            with writing(path):
                replace_in_place(path, data)
            return path
        if target is not None:
            with writing(target):
                make_folder(target)
                write_atomic(target, data, overwrite=self.force)
            return target
        for block in (data,) if isinstance(data, bytes) else data:
            sys.stdout.buffer.write(block)
        sys.stdout.buffer.flush()
        return None


def _head(path: str) -> bytes | Missing | Unreadable:
    """The beginning of a file, one byte more than what need not be streamed."""
    if path != STDIN:
        return read_head(path, STREAMED_BYTES + 1)
    try:
        return sys.stdin.buffer.read(STREAMED_BYTES + 1) if sys.stdin else Unreadable(CLOSED)
    except OSError as error:
        return Unreadable(reason_for(error))


def _whole(path: str, head: bytes) -> bytes | Missing | Unreadable:
    """All bytes of a file that begins with ``head``."""
    if len(head) <= STREAMED_BYTES and path == STDIN:
        return head
    document = read_stream(sys.stdin.buffer) if path == STDIN else read_document(path)
    if isinstance(document, ZeroFilled) or (document == b"" and head and not head.strip(b"\0")):
        return Unreadable("it is filled with NUL bytes")
    return head + document if path == STDIN and isinstance(document, bytes) else document


def _session_of(data: bytes, path: str) -> str | None:
    name = "" if path == STDIN else os.fspath(Path(path).absolute())
    known = recognize(data[:RECOGNITION_BYTES], name)
    return known.entry.name if known and known.recognition.sure != "guess" else None


def _member(place: str | None, count: int, done: Scrubbed) -> dict[str, Any]:
    return {
        "redaction": {
            "path": place,
            "count": count,
            "findings": findings(done.found),
            "refused": done.why or None,
        }
    }
