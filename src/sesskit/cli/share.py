"""`sesskit share`: a session without its secrets, proven, or a refusal."""

from __future__ import annotations

import os
import platform
from typing import Annotated

import typer

from sesskit.artifacts.share import Wishes
from sesskit.cli import options as o
from sesskit.cli.checking import check, gather
from sesskit.cli.output import MAX_ISSUES, show
from sesskit.cli.redactions import denied, known_here, list_of
from sesskit.cli.report import Entry, Rules
from sesskit.cli.scrub import Allow, Deny
from sesskit.cli.share_pages import Html
from sesskit.cli.sharing import work_of
from sesskit.cli.usage import BadUsage
from sesskit.cli.verifying import verified

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

    A session of several files, a log with sidecars and subagents, is shared as one: --out NAME
    makes a folder of it, --out NAME.jsonl a log with its folders beside it.
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
    wishes = Wishes(keys_only, images, here, denied(deny), frozenset(list_of(allow, "--allow")))
    rules = Rules()
    if verify_only:
        entries = verified(wanted, wishes, rules, display.screen)
        report = check([], o.reading_of(), rules)._replace(entries=tuple(entries), hint="")
    else:
        report = check(
            wanted, o.reading_of(format, rules, zone=zone, store=store), rules, quiet=quiet
        )
        work = work_of(wanted, report.entries, out, html, force=force)
        entries = work.entries(report.entries, wishes, rules, display.screen)
        report = report._replace(entries=tuple(entries), hint="")
    refused = any(((entry.members or {}).get("share") or {}).get("refused") for entry in entries)
    code = show(report, display)
    undone = not verify_only and not all(map(_is_written, entries))
    raise typer.Exit(REFUSED if refused else code or int(undone))


def _is_written(entry: Entry) -> bool:
    members = entry.members or {}
    return any((members.get(name) or {}).get("path") for name in ("share", "page"))
