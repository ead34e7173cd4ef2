"""The work of `sesskit scrub`: each file, or all files of a session together; where they go."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from sesskit.artifacts.documents import As, form_of, found_in
from sesskit.artifacts.redaction import Policy, Redactor
from sesskit.artifacts.scrub_families import families
from sesskit.artifacts.scrub_files import (
    BROKEN,
    Scrubbed,
    document_of,
    is_lines,
    redactor_of,
    scrub_data,
    streamed,
)
from sesskit.artifacts.scrub_keys import KeyScrubber
from sesskit.artifacts.scrub_lines import FileChanged, LineScrubber, Rereadable
from sesskit.artifacts.share_formats import as_text, share_format
from sesskit.artifacts.span import Span
from sesskit.cli.checking import Wanted
from sesskit.cli.output import Display
from sesskit.cli.progress import Progress
from sesskit.cli.redactions import counted, rows_of_found
from sesskit.cli.report import Entry, Report, Rules, entry_of
from sesskit.cli.screen import Screen
from sesskit.cli.scrub_inputs import (
    Job,
    broken,
    head_of,
    hints,
    is_long,
    kept_of,
    lines_of,
    session_of,
    whole_of,
)
from sesskit.cli.scrub_sessions import member_of, refused, session_of_files
from sesskit.cli.targets import make_folder, targets_of
from sesskit.cli.usage import BadUsage
from sesskit.cli.writes import told, writing
from sesskit.logs.formats import STDIN, Finding
from sesskit.logs.walking import NO_FILE, Source
from sesskit.records.files import replace_in_place, write_atomic
from sesskit.records.heads import read_head
from sesskit.schemas.outcomes import Corrupt, Missing, Outcome, Unreadable, Valid

NAMES: Final = (".json", ".jsonl", ".ndjson")


def replaced(count: int) -> str:
    """``12 values replaced``."""
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
        entries: dict[str, Entry] = {}
        with Progress(len(every), "scrubbing", quiet=display.quiet or to_screen) as progress:
            for group in self.sessions(every):
                entries |= self.together(group, targets, rules, display.screen)
                redactor = self.shared(group) if len(group) > 1 else None
                for source in group:
                    if source.path not in entries:
                        target = targets.get(source.path)
                        entries[source.path] = self.entry(
                            source, target, rules, display.screen, redactor
                        )
                    progress.step(1)
        empty = tuple(one.path for one, kept in taken if one.folder and not kept)
        return Report(tuple(entries[path] for path in paths), rules, skipped, empty, "")

    def takes(self, source: Source) -> bool:
        """Whether a walked file is one to scrub, and no link to another; a named one always is."""
        if source.walked and Path(source.path).is_symlink():
            return False
        if not source.walked or source.trouble is not None:
            return source.trouble != NO_FILE or not source.walked
        if self.form is not None or source.path.endswith(NAMES):
            return True
        head = read_head(Path(source.path))
        return isinstance(head, bytes) and form_of(head.partition(b"\n")[0]) != "text"

    def sessions(self, every: Sequence[Source]) -> list[list[Source]]:
        """The files by session, where what one gives away is to go from the others."""
        if not self.policy.values:
            return [[source] for source in every]
        sources = {source.path: source for source in every}

        def format_of(path: str) -> str | None:
            head = read_head(path) if path != STDIN and not sources[path].trouble else b""
            return session_of(head, path) if isinstance(head, bytes) and head else None

        return [[sources[path] for path in group] for group in families(sources, format_of)]

    def together(
        self, group: Sequence[Source], targets: dict[str, str], rules: Rules, screen: Screen
    ) -> dict[str, Entry]:
        """The entries of a session whose files refer to each other by what they hold, if any."""
        path = group[0].path
        target = targets.get(path)
        there = target or (path if self.in_place else None)
        if not self.policy.values or there is None or path == STDIN:
            return {}
        job = self.job(group[0])
        if not isinstance(job, Job):
            return {}
        redactor = redactor_of(self.policy, self.known)
        found = session_of_files(job, Path(there).name, redactor, in_place=self.in_place)
        if found is None:
            return {}
        for name, data in found.written():
            main = name == found.main
            self.write(
                str(Path(job.path).parent / name) if not main else job.path,
                None if target is None else target if main else str(Path(target).parent / name),
                data,
            )
        return found.entries([s.path for s in group], there, rules, screen)

    def shared(self, group: Sequence[Source]) -> Redactor:
        """A redactor that knows what the files of a session give away."""
        redactor = redactor_of(self.policy, self.known)
        jobs = [job for job in map(self.job, group) if isinstance(job, Job)]
        for keep in (True, False):
            for job in jobs:
                if self.in_lines(job):
                    scrubber = lines_of(job.path, job.session, redactor)
                    scrubber.reserve() if keep else scrubber.find()
                    continue
                data = whole_of(job.path, job.head)
                if not isinstance(data, bytes):
                    continue
                document = document_of(Path(job.path).name, data, self.form, job.session)
                if document and keep:
                    redactor.placeholders.reserve(document.text)
                elif document:
                    found_in(document, redactor)
        return redactor

    def job(self, source: Source) -> Job | Missing | Unreadable:
        """The beginning of a file, and what it is."""
        if source.trouble is not None:
            return Unreadable(source.trouble)
        head = head_of(source.path)
        if isinstance(head, (Missing, Unreadable)):
            return head
        return Job(source.path, head, None if self.form else session_of(head, source.path))

    def entry(
        self,
        source: Source,
        target: str | None,
        rules: Rules,
        screen: Screen,
        redactor: Redactor | None = None,
    ) -> Entry:
        """Scrub one file and write the result."""
        job = self.job(source)
        if not isinstance(job, Job):
            return entry_of(Finding(source.path, job), rules)
        if self.streams(job):
            return self.stream(job, target, rules, screen)
        if self.in_lines(job):
            return self.lines(job, target, rules, screen, redactor)
        document = whole_of(job.path, job.head)
        if isinstance(document, (Missing, Unreadable)):
            return entry_of(Finding(job.path, document), rules)
        name = "" if job.path == STDIN else Path(job.path).name
        done = scrub_data(
            name,
            document,
            self.policy,
            form=self.form,
            session=job.session,
            redactor=redactor or redactor_of(self.policy, self.known),
        )
        entry = entry_of(Finding(job.path, done.outcome, job.session), rules)
        if done.data is None:
            rows = [("refused", done.why)] if done.outcome.status != "unreadable" else []
            return told(entry, rows, member_of(None, 0, done), screen)
        place = self.write(job.path, target, done.data)
        rows = [("scrubbed", counted(done.found) + (f"; to {place}" if place else ""))]
        rows += hints(self.policy, self.form, name, document)
        rows += rows_of_found(done.found, "replaced")
        return told(entry, rows, member_of(place, len(done.found), done), screen)

    def streams(self, job: Job) -> bool:
        """Whether a file is too big to hold for the exact rule."""
        policy = self.policy
        exact = not (policy.extended or policy.values or policy.deny or self.form == "text")
        return exact and is_long(job) and share_format(job.session) is None

    def in_lines(self, job: Job) -> bool:
        """Whether a file of lines is too big to hold for what is asked."""
        lines = self.form == "jsonl" or (self.form is None and is_lines(job.head, job.path))
        adapter = share_format(job.session)
        plain = adapter is None or (adapter.form == "jsonl" and adapter.opened is as_text)
        return lines and plain and is_long(job)

    def stream(self, job: Job, target: str | None, rules: Rules, screen: Screen) -> Entry:
        """Scrub a big file as it is read; nothing is said about whether it is sound."""
        lines = self.form == "jsonl" or (self.form is None and is_lines(job.head, job.path))
        scrubber = KeyScrubber(self.policy.fill, lines=lines)
        rest = sys.stdin.buffer if job.path == STDIN else None
        data = streamed(job.path, scrubber, head=job.head, stream=rest)
        place = self.write(job.path, target, data)
        entry = entry_of(Finding(job.path, Valid(None)), rules)
        words = replaced(scrubber.count) + (f"; to {place}" if place else "")
        member = member_of(place, scrubber.count, Scrubbed(Valid(None)))
        return told(entry, [("scrubbed", words)], member, screen)

    def lines(
        self,
        job: Job,
        target: str | None,
        rules: Rules,
        screen: Screen,
        redactor: Redactor | None,
    ) -> Entry:
        """Scrub a big file of lines in passes; standard input is kept in a file meanwhile."""
        beside = Path(target or job.path).parent if target or job.path != STDIN else None
        near = beside if beside is not None and beside.is_dir() else None
        with tempfile.TemporaryDirectory(prefix=".sesskit-", dir=near) as folder:
            path = job.path if job.path != STDIN else kept_of(Path(folder, "input"), job.head)
            scrubber = lines_of(path, job.session, redactor or redactor_of(self.policy, self.known))
            with writing(target or job.path):
                if redactor is None:
                    scrubber.reserve()
                scrubber.find()
            data: Iterable[bytes] = scrubber.scrub()
            if job.session:
                result = Path(folder, "result.jsonl")
                with writing(target or job.path):
                    write_atomic(result, data)
                outcome = broken(job.session, path, result)
                if outcome is not None:
                    done = Scrubbed(outcome, why=BROKEN)
                    return refused(job.path, done, job.session, rules, screen)
                data = Rereadable(result).chunks()
            place = self.write(job.path, target, data)
        return _told_lines(job, scrubber, place, rules, screen)

    def write(self, path: str, target: str | None, data: bytes | Iterable[bytes]) -> str | None:
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
        try:
            for block in (data,) if isinstance(data, bytes) else data:
                sys.stdout.buffer.write(block)
        except FileChanged as error:
            raise BadUsage(f"{path}: {error.strerror}") from error
        sys.stdout.buffer.flush()
        return None


def _told_lines(
    job: Job, scrubber: LineScrubber, place: str | None, rules: Rules, screen: Screen
) -> Entry:
    """The entry of a file that was scrubbed in passes."""
    issues = () if job.session else tuple(scrubber.issues)
    wrong = any(issue.severity == "error" for issue in issues)
    outcome: Outcome = Corrupt(issues) if wrong else Valid(None, issues)
    every = scrubber.count == len(scrubber.found)
    words = counted(scrubber.found) if every else replaced(scrubber.count)
    rows = [("scrubbed", words + (f"; to {place}" if place else ""))]
    rows += rows_of_found(scrubber.found, "replaced")
    done = Scrubbed(outcome, found=tuple(scrubber.found))
    entry = entry_of(Finding(job.path, outcome, job.session), rules)
    return told(entry, rows, member_of(place, scrubber.count, done), screen)
