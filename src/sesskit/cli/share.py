"""`sesskit share`: a session without its secrets, proven, or a refusal."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from sesskit.artifacts.share import Share, Shared, Wishes, share_data, verify_data
from sesskit.artifacts.share_formats import share_format
from sesskit.cli import options as o
from sesskit.cli.checking import check, data_of, gather, read_stdin
from sesskit.cli.output import MAX_ISSUES, show
from sesskit.cli.redactions import counted, findings, known_here, list_of, rows_of_found
from sesskit.cli.report import Entry, Rules, entry_of
from sesskit.cli.rows import Row
from sesskit.cli.screen import Screen
from sesskit.cli.scrub import Allow, Deny
from sesskit.cli.share_pages import Asked, Html, Pages, asked
from sesskit.cli.targets import make_folder, targets_of
from sesskit.cli.usage import BadUsage
from sesskit.cli.writes import told, writing
from sesskit.logs.formats import STDIN, Finding
from sesskit.records.files import write_atomic
from sesskit.records.reading import ZeroFilled, read_document
from sesskit.schemas.outcomes import Missing, Unreadable

REFUSED = 3

Out = Annotated[
    str | None,
    typer.Option("--out", metavar="FILE|DIR", help="Where to write. Existing files are refused."),
]
Replace = Annotated[bool, typer.Option("--force", help="Let --out replace existing files.")]
KeysOnly = Annotated[
    bool, typer.Option("--keys-only", help="Scrub sensitive members only; nothing is proven.")
]
VerifyOnly = Annotated[
    bool, typer.Option("--verify-only", help="Look for secrets in files made elsewhere.")
]
Images = Annotated[bool, typer.Option("--images", help="Let images stay.")]
NoLocal = Annotated[
    bool,
    typer.Option("--no-local", help="Do not look for this machine's user, host and environment."),
]


def share(
    paths: o.Paths = None,
    out: Out = None,
    html: Html = None,
    force: Replace = False,
    keys_only: KeysOnly = False,
    verify_only: VerifyOnly = False,
    images: Images = False,
    allow: Allow = None,
    deny: Deny = None,
    no_local: NoLocal = False,
    format: o.FormatName = None,
    output: o.Output = None,
    max_issues: o.MaxIssues = MAX_ISSUES,
    quiet: o.Quiet = False,
    no_color: o.NoColor = False,
    zone: o.Zone = "UTC",
    store: o.Store = None,
) -> None:
    """Write a session without its secrets and personal data, as an artifact; or refuse.

    Everything that was found is looked for everywhere, the result is decoded and scanned again,
    and if a secret is left nothing is written: exit 3. Exits 1 if a session is not valid. --html
    writes pages to read of the same result, which are scanned as well.
    """
    display = o.display_of(output, quiet=quiet, max_issues=max_issues, no_color=no_color)
    if verify_only == (out is not None or html is not None):
        raise BadUsage(
            "say where to: --out FILE|DIR, --html FILE|DIR; or --verify-only, which writes nothing"
        )
    if keys_only and html is not None:
        raise BadUsage("--html is for a whole share, which proves something; not for --keys-only")
    wanted = gather(paths, store)
    sources = [source.path for one in wanted for source in one.sources]
    here = () if no_local else known_here(sources, dict(os.environ), platform.node())
    wishes = Wishes(
        keys_only, images, here, list_of(deny, "--deny"), frozenset(list_of(allow, "--allow"))
    )
    rules = Rules()
    if verify_only:
        entries = [_verified(path, wishes, rules, display.screen) for path in sources]
        report = check([], o.reading_of(), rules)._replace(entries=tuple(entries), hint="")
    else:
        report = check(
            wanted, o.reading_of(format, rules, zone=zone, store=store), rules, quiet=quiet
        )
        found = [entry.finding.path for entry in report.entries]
        targets = {} if out is None else targets_of(wanted, found, out, force=force)
        taken = [*sources, *targets.values()]
        pages = None if html is None else asked(html, wanted, found, taken, force=force)
        work = Work(targets, force, wishes, display.screen, pages)
        entries = [work.shared(entry, rules) for entry in report.entries]
        report = report._replace(entries=tuple(entries), hint="")
    refused = any(((entry.members or {}).get("share") or {}).get("refused") for entry in entries)
    code = show(report, display)
    undone = not verify_only and not all(map(_is_written, entries))
    raise typer.Exit(REFUSED if refused else code or int(undone))


def _is_written(entry: Entry) -> bool:
    members = entry.members or {}
    return any((members.get(name) or {}).get("path") for name in ("share", "page"))


def _verified(path: str, wishes: Wishes, rules: Rules, screen: Screen) -> Entry:
    """What is left in a file of any kind."""
    document = read_stdin() if path == STDIN else read_document(path)
    if isinstance(document, (Missing, Unreadable)):
        return entry_of(Finding(path, document), rules)
    data = document.sample() if isinstance(document, ZeroFilled) else document
    result = verify_data("" if path == STDIN else Path(path).name, data, wishes)
    entry = entry_of(Finding(path, result.outcome), rules)
    return told(entry, list(_rows_left(result)), _member(result, None), screen)


class Work(NamedTuple):
    """Where the results go, and how they are made."""

    targets: dict[str, str]
    force: bool
    wishes: Wishes
    screen: Screen
    html: Asked | None = None

    def shared(self, entry: Entry, rules: Rules) -> Entry:
        """Share one session; the entry says what was done, or why nothing."""
        finding = entry.finding
        if finding.status != "valid" or finding.format is None:
            row = ("not shared", "only a valid session is shared")
            return told(entry, [row], {"share": None}, self.screen)
        name = "" if finding.path == STDIN else Path(finding.path).name
        others = _family(finding.path, finding.format)
        result = share_data(name, data_of(finding), finding.format, self.wishes, others)
        if not result.files:
            done = entry_of(finding._replace(outcome=result.outcome), rules)
            rows = [("not shared", result.why), *_rows_left(result)]
            return told(done, rows, _member(result, None), self.screen)
        left, pages = (), None
        if self.html is not None:
            left, pages = self.html.of(finding.path, result, finding.format, self.wishes)
        if left:
            refused = replace(result, files=(), left=tuple(left), refused=True)
            rows = [("not shared", "something secret is in its pages"), *_rows_left(refused)]
            return told(entry, rows, _member(refused, None), self.screen)
        target = self.targets.get(finding.path)
        self.publish(target, result.files, pages)
        found = [one for file in result.files for one in file.found]
        size = sum(len(file.data) for file in result.files)
        where = "in pages" if target is None else f"to {target} ({size:,} bytes)"
        rows = [("shared", f"{where}: {counted(found)}")]
        rows += [pages.row()] if pages else []
        rows += rows_of_found(found, "replaced")
        rows += _rows_left(result)
        members = _member(result, target) | (pages.member() if pages else {})
        return told(entry, rows, members, self.screen)

    def publish(self, target: str | None, files: Sequence[Shared], pages: Pages | None) -> None:
        """Write the session and its pages: both, or neither of them."""
        if pages is None:
            if target is not None:
                self.write(target, files)
            return
        with pages.staged(force=self.force) as put:
            made = [] if target is None else self.write(target, files)
            try:
                put()
            except BaseException:
                for place in made:
                    Path(place).unlink(missing_ok=True)
                raise

    def write(self, target: str, files: Sequence[Shared]) -> list[str]:
        """Write the files of a session: the main one last, so that it never stands alone.

        Gives those that were not there before.
        """
        main, *others = files
        places = [str(Path(target).parent / file.name) for file in others]
        made: list[str] = []
        try:
            for place, file in (*zip(places, others, strict=True), (target, main)):
                new = not os.path.lexists(place)
                with writing(place):
                    make_folder(place)
                    write_atomic(place, file.data, overwrite=self.force)
                made += [place] if new else []
        except BaseException:
            for place in made:  # no half of a session stays behind
                Path(place).unlink(missing_ok=True)
            raise
        return made


def _family(path: str, session: str) -> list[tuple[str, bytes]]:
    """The names, from the folder of the session on, and the bytes of its other files."""
    adapter = share_format(session)
    if adapter is None or path == STDIN:
        return []
    found = []
    for other in adapter.family(Path(path)):
        data = read_document(other)
        if isinstance(data, bytes):
            found.append((os.path.relpath(other, Path(path).parent), data))
    return found


def _rows_left(result: Share) -> list[Row]:
    left = [found for _, found in result.left]
    if not left:
        return []
    sure = [found for found in left if found.confidence == "high" and found.kind == "secret"]
    unsure = [found for found in left if found not in sure]
    return [*rows_of_found(sure, "still there"), *rows_of_found(unsure, "perhaps")]


def _member(result: Share, target: str | None) -> dict[str, Any]:
    found = [one for file in result.files for one in file.found]
    return {
        "share": {
            "path": target,
            "count": len(found),
            "findings": findings(found),
            "left": findings(one for _, one in result.left),
            "refused": result.refused,
            "placeholdersBefore": result.kept,
        }
    }
