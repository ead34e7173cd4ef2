"""Redaction of documents and strings: decode first, then detect, then say what to replace.

A `Redactor` gives edits; it changes nothing itself. Names of members decide where they are secret,
text is scanned, strings that hold JSON are entered. What was found is remembered, so that it can
be looked for elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Final

from sesskit.artifacts.call_results import HEARD, Calls
from sesskit.artifacts.edits import Edit, combined, lifted
from sesskit.artifacts.json_frames import in_event
from sesskit.artifacts.json_leaves import Leaf, is_json, json_lines, leaves, text_of
from sesskit.artifacts.key_names import is_secret_name, stem_of
from sesskit.artifacts.longer_texts import Events, Pieces, over_pieces, pieces_in_lines
from sesskit.artifacts.names_in_text import WEAK
from sesskit.artifacts.pair_labels import named_by, says_value
from sesskit.artifacts.pairs import (
    TELLING,
    is_own,
    listed_spans,
    named_spans,
    queries_in,
    tells,
)
from sesskit.artifacts.placeholders import PLACEHOLDER
from sesskit.artifacts.plausible import is_drawn
from sesskit.artifacts.replacing import SHORTEST_NAME, Policy, Replacing, under
from sesskit.artifacts.samples_in_text import samples_in
from sesskit.artifacts.secret_scan import scan
from sesskit.artifacts.span import Span, merged
from sesskit.artifacts.treatments import TEXT, Treatment
from sesskit.artifacts.views import decoded
from sesskit.artifacts.whole_objects import WHOLE
from sesskit.schemas.issues import pointer
from sesskit.schemas.sensitive import is_sensitive_key

__all__ = ["Policy", "Redactor"]

_DEEPEST: Final = 8
_CONTAINER: Final = re.compile(r"\s{0,80}[\"\\]{0,15}[\[{]")
_LINE_ENDS: Final = tuple(
    re.compile(sign + r"(?=[ \t\r]{0,80},?(?:\n|\Z))") for sign in (r"\}", r"\]")
)
_LONGEST_TOLD: Final = 4096
_OF_STRUCTURE, _OF_NAME = 3, 2
_CALLED: Final = {"blank": "blanked", "drop": "sealed"}


class Redactor(Replacing):
    """Finds what has to go. One redactor serves all files of one share, so that numbers agree."""

    def __init__(self, policy: Policy) -> None:
        super().__init__(policy)
        self.is_secret = is_secret_name if policy.extended or policy.values else is_sensitive_key
        """Which names make their value secret."""
        self.base = 0
        """Where in its file the document begins that is being looked at."""
        self.top = 0  # how deep documents begin: in a proof names decide for less
        self.streams: Pieces = {}
        """The places of the pieces of longer texts in that file."""
        self._events = Events()
        self._calls = Calls()

    def document(self, text: str, place: Treatment = TEXT, *, depth: int = 0) -> list[Edit]:
        """The edits of one JSON text."""
        found: list[Edit] = []
        as_a_whole = self._as_a_whole(depth)
        for leaf in leaves(text, place, self.is_secret, as_a_whole, least_name=SHORTEST_NAME):
            found += _ROLES[leaf.role](self, text, leaf, depth)
        if depth == self.top:
            self._events.settle(self.streams)
        if self.policy.values:
            for finder in (finder for hint, finder in WHOLE if hint in text):
                found += self.edits(finder(text))
        return combined(found)

    def _as_a_whole(self, depth: int) -> Callable[[str], bool]:
        """Of which names objects and lists go as a whole."""
        if self.policy.extended:
            return is_secret_name
        return _never if depth and self.policy.values else is_sensitive_key

    def string(self, text: str, *, depth: int = 0) -> list[Edit]:
        """The edits of a text, such as the content of a string; one that is JSON is entered."""
        if not self.wide:
            return []  # the exact rule never looks inside of text
        if depth < _DEEPEST and _CONTAINER.match(text) and is_json(text):
            return [under("#", edit) for edit in self.document(text, depth=depth + 1)]
        found: list[Edit] = []
        if self.policy.values:
            found += self.edits(scan(text))
            if self.policy.samples:
                found += self.edits(samples_in(text))
            if depth < _DEEPEST and ("{" in text or "[" in text):
                found += self._lines(text, depth)
                pieces = pieces_in_lines(text) if '"delta"' in text else {}
                found += over_pieces(text, (), pieces, lambda t: self.edits(scan(t)), self.where)
        elif self.policy.extended and "=" in text:
            found += self.edits(queries_in(text))
        return combined(found)

    def _lines(self, text: str, depth: int) -> Iterator[Edit]:
        """The edits of lines that are JSON, behind whatever a tool put before them."""
        for begin, line in json_lines(text):
            if tells(line) and is_json(line):
                for edit in self.document(line, depth=depth + 1):
                    moved = edit._replace(start=begin + edit.start, end=begin + edit.end)
                    yield under("#", moved)

    # What to do at each kind of leaf.

    def _text(self, text: str, leaf: Leaf, depth: int) -> list[Edit]:
        raw = text[leaf.start : leaf.end]
        content = text_of(raw) if "\\" in raw else raw
        found = self.string(content, depth=depth)
        if leaf.frame.key in HEARD and self.policy.values:
            printed = self._calls.spans(leaf.frame.key, content)
            found += self.edits(printed) if printed else ()
        if "\\" in raw:
            view = decoded(raw) if found else None
            return self.placed(lifted(combined(found), view, leaf.start), leaf) if view else []
        found += self._telling(raw, leaf)
        by = leaf.start
        return self.placed((e._replace(start=by + e.start, end=by + e.end) for e in found), leaf)

    def _telling(self, content: str, leaf: Leaf) -> list[Edit]:
        """What a short value says together with its name."""
        key = str(leaf.frame.key)
        if not self.policy.values or key.lower() not in TELLING or len(content) > _LONGEST_TOLD:
            return []
        shift = len(key) + 1
        spans = [span for span in scan(f"{key}={content}") if span.start >= shift]
        moved = [span._replace(start=span.start - shift, end=span.end - shift) for span in spans]
        return list(self.edits(moved))

    def _name(self, text: str, leaf: Leaf, depth: int) -> list[Edit]:
        raw = text[leaf.start : leaf.end]
        if not self.policy.values or len(raw) < SHORTEST_NAME or raw.isalpha():
            return []
        spans = self.in_name(text_of(raw))
        if not spans:
            return []
        return self.placed(lifted(self.edits(spans), decoded(raw), leaf.start), leaf)

    def _secret(self, text: str, leaf: Leaf, depth: int) -> list[Edit]:
        """A value with a secret name, or inside of one."""
        frame, raw = leaf.frame, text[leaf.start : leaf.end]
        name = frame.own_secret_name()
        ruled = frame.place_of_value().way == "secret"
        decides = frame.secret or frame.typed
        exact = decides and is_sensitive_key(name) and self._decides(raw, depth)
        sure = exact or ruled or (self.policy.extended and decides)
        if not raw.startswith('"'):
            return self._unquoted(raw, leaf, exact=exact, sure=sure, ruled=ruled)
        inside = raw[1:-1] if raw.endswith('"') and len(raw) > 1 else raw[1:]
        content = text_of(inside)
        if sure:
            done = content == self.policy.fill or PLACEHOLDER.fullmatch(content)
            if done or not (content or exact):
                return []
            return [self._replaced(leaf, self._named(name, content))]
        spans = named_spans(name, content)
        if frame.secret and not _CONTAINER.match(content):
            spans = merged([*spans, *scan(content)])
        found = self.placed(lifted(self.edits(spans), decoded(inside), leaf.start + 1), leaf)
        if frame.secret and _CONTAINER.match(content):  # else it was scanned as a text already
            end = leaf.start + 1 + len(inside)
            found += self._text(text, leaf._replace(start=leaf.start + 1, end=end), depth)
        return found

    def _decides(self, raw: str, depth: int) -> bool:
        """Whether an exact name decides alone: in JSON inside of text a reference stays."""
        if depth == 0 or not self.policy.values:
            return depth == 0
        return raw.startswith('"') and is_own(text_of(raw[1:-1]))

    def _named(self, name: str, content: str) -> Span:
        """The span of a value that goes as a whole; a token is called what it is."""
        if self.policy.values:
            for span in scan(content):
                if (span.start, span.end) == (0, len(content)) and span.kind == "secret":
                    return span
        return next(iter(named_spans(name, content, sure=True)), _whole(name, content))

    def _unquoted(
        self, raw: str, leaf: Leaf, *, exact: bool, sure: bool, ruled: bool
    ) -> list[Edit]:
        """A number, a literal, or a whole container."""
        name = leaf.frame.own_secret_name()
        is_tree = raw[:1] in ("{", "[")
        is_number = raw.isdigit() and len(raw) >= 4 and raw.strip("0")
        numeric = bool(is_number) and (ruled or stem_of(name) in WEAK)
        if exact or (sure and is_tree) or numeric:
            if is_tree and self.policy.values:
                self._remember(raw, name)
            return [self._replaced(leaf, _whole(name, raw), plain=True)]
        return []

    def _remember(self, raw: str, name: str) -> None:
        """The strings inside of a container that goes as a whole."""
        for leaf in leaves(raw, TEXT, is_sensitive_key, lambda _: False):
            if leaf.role == "text":
                self.known.add(named_spans(name, text_of(raw[leaf.start : leaf.end])))

    def _replaced(self, leaf: Leaf, span: Span, *, plain: bool = False) -> Edit:
        """The edit that replaces a whole JSON value."""
        fill = leaf.frame.place_of_value().instead or leaf.frame.place.fill
        if fill is None:
            said = self.policy.fill if plain else self.replacement(span)
            fill = json.dumps(said, ensure_ascii=False)
        if not plain:
            self.known.add([span])
        where = self.where(leaf.frame.keys())
        return Edit(leaf.start, leaf.end, fill, span, where, (_OF_NAME, *span.rank))

    def _pair(self, text: str, leaf: Leaf, depth: int) -> list[Edit]:
        frame, inside = leaf.frame, text[leaf.start : leaf.end]
        plain = says_value(frame.labelled, frame.valued)
        label = frame.label if plain and "/" not in frame.label else named_by(frame.label)
        if not label or not self.is_secret(label) or is_sensitive_key(label) > self.wide:
            return []
        spans = named_spans(label, text_of(inside), sure=self.policy.extended and plain)
        if not plain:
            spans = [span for span in spans if self.policy.values and is_drawn(span.value)]
        found = self.edits(spans)
        return self.placed(lifted(found, decoded(inside), leaf.start), leaf)

    def _list(self, text: str, leaf: Leaf, depth: int) -> list[Edit]:
        if not self.wide:
            return []
        places = leaf.frame.listed
        raws = [text[start:end] for start, end in places]
        found: list[Edit] = []
        for number, span in listed_spans([text_of(raw) for raw in raws]):
            where = self.where((*leaf.frame.keys()[:-1], number))
            edits = self.edits([span])
            lifts = lifted(edits, decoded(raws[number]), places[number][0])
            found += (under(where, edit) for edit in lifts)
        return found

    def _structure(self, text: str, leaf: Leaf, depth: int) -> list[Edit]:
        """What a format says about a place: blanked, replaced by something neutral, or left out."""
        frame, called = leaf.frame, leaf.frame.place_of_value().called
        fill = ""
        if leaf.role == "blank":
            fill = frame.place_of_value().fill or '""'
        elif leaf.role == "neutral":
            told = frame.place.tagged.get(str(frame.key), "")
            fill = frame.place.neutral.get(frame.tag, told)
            called = "image" if "image" in (frame.tag + str(frame.key)).lower() else "sealed"
        if text[leaf.start : leaf.end] == fill:
            return []
        rule = called or _CALLED[leaf.role]
        span = Span(leaf.start, leaf.end, rule, "", kind="removed", spread=False)
        keys = frame.keys()[:-1] if leaf.role == "neutral" else frame.keys()
        rank = (_OF_STRUCTURE, *span.rank)
        return [Edit(leaf.start, leaf.end, fill, span, self.where(keys), rank)]

    def _stream(self, text: str, leaf: Leaf, depth: int) -> list[Edit]:
        """A piece of a longer text: what is split over pieces is looked for at the end."""
        if self.policy.values and depth == self.top:
            frame = leaf.frame
            if in_event(frame):
                self._events.add(text, leaf, self.base)
                return []
            stream = frame.stream() if frame.place.pieces else pointer(frame.keys())
            pieces = self.streams.setdefault(stream, [])
            pieces.append((self.base + leaf.start, self.base + leaf.end))
        return []


_ROLES: Final = {
    "text": Redactor._text,
    "name": Redactor._name,
    "secret": Redactor._secret,
    "pair": Redactor._pair,
    "list": Redactor._list,
    "stream": Redactor._stream,
    "blank": Redactor._structure,
    "neutral": Redactor._structure,
    "drop": Redactor._structure,
}


def _never(_: str) -> bool:
    return False


def _whole(name: str, content: str) -> Span:
    return Span(0, len(content), "named-secret", content, stem_of(name), spread=False)
