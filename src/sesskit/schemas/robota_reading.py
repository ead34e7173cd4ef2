"""A Robota session record being read (robota-record sections 1 to 4): `Reading`, member by member.

What no parser takes as a whole is left to the tolerant reader (`robota_tolerant`).
"""

from __future__ import annotations

from datetime import tzinfo
from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET, Raw
from msgspec.structs import astuple

from sesskit.schemas.damaged import DAMAGED
from sesskit.schemas.issues import Issue, Keys
from sesskit.schemas.items import REFUSALS, REFUSED, parse
from sesskit.schemas.kinds import kind_word
from sesskit.schemas.limits import MAX_ISSUES
from sesskit.schemas.outcomes import Corrupt, Decoded, Original, Unsupported, Valid, Verdict
from sesskit.schemas.robota_members import MEMBERS, EnvelopeSkeleton, RecordMember, RecordSkeleton
from sesskit.schemas.robota_record import Record

SUPPORTED: Final = (1,)
"""The envelope's number has never been another one."""

OUR_LIMITS: Final = frozenset({"json-depth", "size-limit"})
"""Refused by a limit of ours: what the owner would do is not known."""

_ENVELOPE: Final = msgspec.json.Decoder(EnvelopeSkeleton)
_RECORD: Final = msgspec.json.Decoder(RecordSkeleton)
_PIECES: Final = msgspec.json.Decoder(dict[str, Raw])
_ELEMENTS: Final = msgspec.json.Decoder(list[Raw])

Piece = Raw | bytes | memoryview
Pieces = dict[str, "Piece | list[Piece]"]
T = TypeVar("T")


class Reading:
    """One document being read: its issues so far, and the pieces it was cut into."""

    def __init__(self, data: bytes, *, thorough: bool, keep: bool, zone: tzinfo) -> None:
        self.data = data
        self.thorough = thorough
        self.keep = keep
        self.zone = zone
        self.enveloped = True
        self.version: int | float | None = None
        self.issues: list[Issue] = []
        self.inner: list[tuple[Keys, Issue]] = []
        """Faults of the text of one element; their offsets count from its start."""
        self.pieces: Pieces | None = None
        self.unlisted = 0
        """Further members and elements with faults, which are only counted."""
        self.stopped = False
        """Whether an element stopped making sense, so that its neighbours may be no elements."""

    @property
    def prefix(self) -> Keys:
        return ("record",) if self.enveloped else ()

    def envelope(self) -> Decoded | None:
        """The answer for a record in its envelope; None where the text is not JSON as a whole."""
        skeleton = attempt(_ENVELOPE, self.data)
        if skeleton is None:
            outer = attempt(_PIECES, self.data)
            return None if outer is None else self.outer(dict(outer))
        self.version = version_of(skeleton.schemaVersion)
        if self.version != 1:
            return unsupported(self.version)
        return self.record(_pieces_of(skeleton.record))

    def bare(self) -> Decoded | None:
        """The same for a record without an envelope."""
        self.enveloped = False
        skeleton = attempt(_RECORD, self.data)
        if skeleton is not None:
            return self.record(_pieces_of(skeleton))
        pieces = attempt(_PIECES, self.data)
        return None if pieces is None else self.record(dict(pieces))

    def outer(self, outer: dict[str, Piece]) -> Decoded:
        """JSON, but not of the outer form: no version, unknown members, no record."""
        self.version = version_of(outer["schemaVersion"]) if "schemaVersion" in outer else None
        if self.version != 1:
            return unsupported(self.version)
        for name, piece in outer.items():
            if name not in ("schemaVersion", "record"):
                self.unknown((name,), piece)
        if "record" not in outer:
            self.missing(("record",), "object")
            return self.finish(None)
        pieces = attempt(_PIECES, outer["record"])
        if pieces is not None:
            return self.record(dict(pieces))
        self.wrong_kind(("record",), "object", outer["record"])
        return self.finish(None)

    def record(self, pieces: Pieces) -> Decoded:
        """The record itself, cut into its members."""
        self.pieces = pieces
        values: dict[str, Any] = {}
        prefix = self.prefix
        for name, piece in list(pieces.items()):
            member = MEMBERS.get(name)
            if member is None:
                self.unknown((*self.prefix, name), piece)
            elif isinstance(piece, list) or member.is_list:
                values[member.attribute] = self._list(member, piece, pieces)
            else:
                keys = (*prefix, name)
                value, issues = member.item.read(
                    piece, keys, thorough=self.thorough, zone=self.zone
                )
                if issues or value is DAMAGED:
                    self.collect(keys, value, issues)
                values[member.attribute] = value
        for member in MEMBERS.values():
            if member.required and member.name not in pieces:
                self.missing((*self.prefix, member.name), member.kind)
        if not self.keep or any(i.severity == "error" for i in self.issues) or self.inner:
            return self.finish(None)
        return self.finish(Record(**values))

    def _list(self, member: RecordMember, piece: Piece | list[Piece], pieces: Pieces) -> list[Any]:
        keys = (*self.prefix, member.name)
        if not isinstance(piece, list):
            elements = attempt(_ELEMENTS, piece)
            if elements is None:
                self.wrong_kind(keys, "array", piece)
                return []
            piece = list(elements)
            pieces[member.name] = piece
        if self.thorough or member.item.open_depth:
            return self._careful(member, piece, keys)
        values: list[Any] = []
        append = values.append if self.keep else _drop
        decode = member.item.decode
        for n, element in enumerate(piece):
            try:
                append(decode(element))
            except REFUSALS:
                if self.is_full:
                    self.unlisted += 1
                    continue
                at = (*keys, n)
                value, issues = member.item.collect(bytes(element), at, zone=self.zone)
                self.collect(at, value, issues)
                append(value)
        return values

    def _careful(self, member: RecordMember, elements: list[Piece], keys: Keys) -> list[Any]:
        values = []
        read = member.item.read
        for n, element in enumerate(elements):
            if self.is_full:
                self.unlisted += member.item.fast(element) is REFUSED
                continue
            at = (*keys, n)
            value, issues = read(element, at, thorough=self.thorough, zone=self.zone)
            if issues:
                self.collect(at, value, issues)
            if self.keep:
                values.append(value)
        return values

    def collect(self, keys: Keys, value: Any, issues: list[Issue]) -> None:
        """Take over the issues of one item."""
        self.stopped = self.stopped or value is DAMAGED
        self.inner.extend((keys, issue) for issue in issues if not issue.keys)
        self.issues.extend(issue for issue in issues if issue.keys)

    @property
    def is_full(self) -> bool:
        """Whether there are issues enough, so that more of them are only counted."""
        return len(self.issues) + len(self.inner) >= MAX_ISSUES

    def unknown(self, keys: Keys, piece: Piece | list[Piece]) -> None:
        if self.is_full:
            self.unlisted += 1
            return
        found = "array" if isinstance(piece, list) else _kind_of(piece)
        self.issues.append(
            Issue("member-unknown", "no such member", "error", keys, None, found, at_key=True)
        )

    def missing(self, keys: Keys, kind: str) -> None:
        message = f"missing; expected {kind}"
        self.issues.append(Issue("member-missing", message, "error", keys, kind, "nothing"))

    def wrong_kind(self, keys: Keys, expected: str, piece: Piece) -> None:
        found = _kind_of(piece)
        message = f"expected {expected}, found {found}"
        self.issues.append(Issue("type", message, "error", keys, expected, found))

    def finish(self, record: Record | None) -> Decoded:
        """The answer: issues with their places, in the order of the text."""
        issues: tuple[Issue, ...] = ()
        if self.issues or self.inner or self.thorough:
            from sesskit.schemas.check_walk import unlisted
            from sesskit.schemas.robota_placing import doubled, placed

            if self.unlisted:
                words = f"{self.unlisted:,} further members or elements have faults, not listed"
                self.issues.append(unlisted(words, self.prefix))
            if self.thorough and self.pieces is not None:
                self.issues.extend(doubled(self.data, self.enveloped))
            issues = placed(
                self.data, self.pieces, self.issues, self.inner, enveloped=self.enveloped
            )
        errors = any(issue.severity == "error" for issue in issues)
        original = self._original(issues, errors)
        if errors:
            return Corrupt(issues, self.version, original=original)
        return Valid(record if self.keep else None, issues, self.version, original=original)

    def _original(self, issues: tuple[Issue, ...], errors: bool) -> Original | None:
        if errors and all(i.code in OUR_LIMITS for i in issues if i.severity == "error"):
            return None
        verdict: Verdict = "reject" if errors else "accept"
        if not self.enveloped and not any(i.severity == "error" and not i.keys for i in issues):
            verdict = "unsupported"
        return Original(verdict)


def _drop(value: Any) -> None:
    """Where only the check counts, values are not kept."""


def attempt(decoder: msgspec.json.Decoder[T], data: Piece) -> T | None:
    """What the decoder makes of it, or None."""
    try:
        return decoder.decode(data)
    except (msgspec.MsgspecError, RecursionError):
        return None


def _pieces_of(skeleton: Any) -> Pieces:
    # The skeleton's members stand in the order of `MEMBERS`.
    pairs = zip(MEMBERS, astuple(skeleton), strict=True)
    return {name: piece for name, piece in pairs if piece is not UNSET}


def _kind_of(piece: Piece) -> str:
    return kind_word(parse(bytes(piece))[0])


def version_of(piece: Piece) -> int | float | None:
    """The version that a piece of text says; None where it says none."""
    return number(parse(bytes(piece))[0])


def number(value: Any) -> int | float | None:
    """A version as the owner reads it: a finite number; None for anything else."""
    if type(value) is not int and type(value) is not float:
        return None
    try:
        double = float(value)
    except OverflowError:
        return None
    if double in (float("inf"), float("-inf")):
        return None
    return int(double) if double.is_integer() else double


def unsupported(version: int | float | None) -> Unsupported:
    return Unsupported(version, SUPPORTED, original=Original("unsupported"))
