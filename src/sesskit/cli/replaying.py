"""What `sesskit replay` has of a file, and the forms that `--as` gives it: `FORMS`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, tzinfo
from importlib import import_module
from typing import NamedTuple

from sesskit.cli.looking import data_of
from sesskit.cli.rows import safe
from sesskit.cli.usage import BadUsage, one_of, suggestion
from sesskit.logs.formats import Finding, by_name
from sesskit.records.overview import dotted_of
from sesskit.records.refs import Read, reader
from sesskit.records.view import Loss, Session
from sesskit.schemas.masking import mask_payload, mask_text, shorten


class Wishes(NamedTuple):
    """How it is to be shown: ``full`` shortens nothing, ``unmasked`` leaves secrets as they are,
    ``fill_results`` makes up results of calls that have none."""

    full: bool = False
    unmasked: bool = False
    fill_results: bool = False

    def text(self, text: str) -> str:
        """A text of the session as it may be given out."""
        return text if self.unmasked else mask_payload(text)

    def word(self, text: str) -> str:
        """A name, an id or a path of the session as it may be given out, on one line."""
        return text if self.unmasked else mask_text(text)

    def short(self, text: str, width: int) -> str:
        """A word in at most so many columns, harmless."""
        return shorten(text, width) if self.unmasked else safe(text, width)


class Seen(NamedTuple):
    """A file, the session in it, and how the bytes behind its refs are read."""

    finding: Finding
    session: Session
    read: Read


class Made(NamedTuple):
    """A session in another form, and what that form has no place for."""

    text: str
    losses: tuple[Loss, ...] = ()


class Form(NamedTuple):
    """``make`` is ``module:function``, from `Seen` and `Wishes` to `Made`; ``formats`` are those
    that have this form, none for all that have a session view. Those of a log are made elsewhere:
    it is not read into memory."""

    make: str
    formats: tuple[str, ...] = ()


LOG = "robota-log"
FORMS = {
    "messages": Form("sesskit.cli.replay_messages:messages"),
    "transcript": Form("", (LOG,)),
}
"""By the word of ``--as``."""


def form_of(word: str) -> Form:
    """The form of that name. Raises `BadUsage` if there is none."""
    if word not in FORMS:
        raise BadUsage(f"--as takes {one_of(FORMS)}{suggestion(word, FORMS)}")
    return FORMS[word]


def made_in(word: str, seen: Seen, wishes: Wishes) -> Made:
    """A session in a form. Raises `BadUsage` where its format does not have that form."""
    form = form_of(word)
    if form.formats and seen.session.format not in form.formats:
        raise BadUsage(f"--as {word} is of {one_of(form.formats)}, not of {seen.session.format}")
    module, _, name = form.make.partition(":")
    make: Callable[[Seen, Wishes], Made] = getattr(import_module(module), name)
    return make(seen, wishes)


def seen_in(finding: Finding, zone: tzinfo = UTC) -> Seen | None:
    """What a file holds; None where it has no session view, or nothing can be read."""
    if finding.format is None or finding.status in ("missing", "unreadable"):
        return None
    data = data_of(finding)
    session = by_name(finding.format).view(data, zone) if data.strip(b"\0") else None
    if session is None:
        return None
    return Seen(finding, session, reader(by_name(finding.format).text_of(data)))


def loss_words(losses: tuple[Loss, ...]) -> str:
    """``3 losses in 2 kinds: reasoning 2 (first at byte 130), picture 1 (first at line 14)``."""
    total = sum(loss.count for loss in losses)
    kinds = ", ".join(f"{loss.kind} {loss.count:,}{_first(loss)}" for loss in losses)
    unit = "loss" if total == 1 else "losses"
    return f"{total:,} {unit} in {len(losses)} {'kind' if len(losses) == 1 else 'kinds'}: {kinds}"


def _first(loss: Loss) -> str:
    ref = loss.first
    if ref is None:
        return ""
    where = f"byte {ref.offset:,}" if ref.line is None else f"line {ref.line:,}"
    path = "" if ref.pointer is None else f", {mask_text(dotted_of(ref.pointer))}"
    return f" (first at {where}{path})"
