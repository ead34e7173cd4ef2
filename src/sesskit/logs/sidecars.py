"""Sidecars resolved: every reference in a value replaced by what its file holds.

Depth first, in member and array order, with an explicit stack; limits hold over a whole load. A
reference that fails is reported and `DAMAGED` takes its place; the others are resolved all the
same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec.structs import replace

from sesskit.logs.plain_values import is_plain
from sesskit.logs.sidecar_files import PayloadBytes, PayloadSource
from sesskit.logs.sidecar_references import (
    NOT_FINITE,
    PayloadFault,
    Reference,
    is_reference_like,
    limit_fault,
    read_reference,
)
from sesskit.schemas.damaged import DAMAGED
from sesskit.schemas.issues import Issue, Key, Keys
from sesskit.schemas.limits import MAX_DEPTH

_DOUBLE_LIMIT = 2**1024 - 2**970
"""From here on a number reads as infinity."""

_SHALLOW = 64
"""Levels above a plain value; with its own they are still far from the limit."""

_SMALL_BYTES = 4096
_MOST_SMALL = 256

MAX_REFERENCE_DEPTH = 32
"""How many references may be nested in one another, as in the original."""

MAX_TOTAL_BYTES = 64 * 1024 * 1024
"""How many bytes of sidecars one load may read, as in the original; a second read counts again."""


@dataclass(slots=True)
class _Frame:
    """A container on the way down: what is left of it, and the reference it came from."""

    container: Any
    items: Iterator[tuple[Key, Any]]
    opened: int = 0
    key: Key = 0


@dataclass(slots=True)
class Resolver:
    """Resolves references for one load; the budget is spent over all its calls.

    ``max_depth`` and ``max_total_bytes`` are checked by the first call even where there is no
    reference. ``used`` collects the paths that were read, well or not. Without ``look`` nothing is
    read: well-formed references become `DAMAGED` without a fault, and are counted as ``skipped``.
    """

    source: PayloadSource | None
    max_depth: float = MAX_REFERENCE_DEPTH
    max_total_bytes: float = MAX_TOTAL_BYTES
    look: bool = True
    thorough: bool = False
    """Whether doubled member names are looked for in sidecars."""
    spent: int = field(default=0, init=False)
    used: set[str] = field(default_factory=set, init=False)
    skipped: int = field(default=0, init=False)
    opened: list[tuple[Keys, str]] = field(default_factory=list, init=False)
    """Where the last value held references that were resolved, and the paths of their sidecars."""
    warnings: list[Issue] = field(default_factory=list, init=False)
    """What the texts of the last value's sidecars are warned about, by their keys in the value."""

    _small: dict[str, PayloadBytes] = field(default_factory=dict, init=False)
    """Small sidecars of the last value: many references to one read it once."""

    def limit_faults(self) -> list[PayloadFault]:
        """What is wrong with the limits themselves."""
        faults = (limit_fault(self.max_depth), limit_fault(self.max_total_bytes))
        return [fault for fault in faults if fault is not None]

    def resolve(self, value: Any) -> tuple[Any, list[PayloadFault]]:
        """The value with its references replaced, and the faults in the order of the walk.

        The value is changed in place. Numbers that are not finite are faults too: the original
        meets them here.
        """
        holder = [value]
        self.opened, self.warnings = [], []
        self._small.clear()
        faults: list[PayloadFault] = []
        chain: list[str] = []
        stack = [_Frame(holder, iter([(0, value)]))]
        while stack:
            frame = stack[-1]
            step = next(frame.items, None)
            if step is None:
                stack.pop()
                del chain[len(chain) - frame.opened :]
                continue
            frame.key, child = step
            self._enter(child, stack, chain, faults)
        return holder[0], faults

    def _enter(
        self, child: Any, stack: list[_Frame], chain: list[str], faults: list[PayloadFault]
    ) -> None:
        frame = stack[-1]
        opened = 0
        while is_reference_like(child):
            answer = self._open(child, chain)
            if answer is None:
                frame.container[frame.key] = DAMAGED
                break
            if isinstance(answer, PayloadFault):
                faults.append(answer.inside(*_keys(stack)))
                frame.container[frame.key] = DAMAGED
                break
            frame.container[frame.key] = child = answer.value
            chain.append(answer.reference.relative_path)
            keys = _keys(stack)
            self.opened.append((keys, chain[-1]))
            self.warnings += [_in_sidecar(w, keys, chain[-1]) for w in answer.warnings]
            opened += 1
            if answer.calm and len(stack) < _SHALLOW:
                break
        else:
            if isinstance(child, int | float) and not -_DOUBLE_LIMIT < child < _DOUBLE_LIMIT:
                faults.append(PayloadFault("INVALID_JSON", {}, _keys(stack), NOT_FINITE))
            elif isinstance(child, dict | list):
                if len(stack) <= MAX_DEPTH:
                    items = child.items() if isinstance(child, dict) else enumerate(child)
                    stack.append(_Frame(child, iter(items), opened))
                    return
                message = f"nested deeper than {MAX_DEPTH} levels, sidecars included"
                code = "MAX_DEPTH_EXCEEDED"
                faults.append(PayloadFault(code, {}, _keys(stack), message, is_our_limit=True))
        del chain[len(chain) - opened :]

    def _open(self, value: dict[str, Any], chain: list[str]) -> _Opened | PayloadFault | None:
        reference = read_reference(value)
        if reference is None:
            return PayloadFault("INVALID_REFERENCE")
        if not self.look:
            self.skipped += 1
            return None
        path = reference.relative_path
        if len(chain) >= self.max_depth:
            metadata: dict[str, str | int] = {"relativePath": path, "depth": len(chain)}
            return PayloadFault("MAX_DEPTH_EXCEEDED", metadata)
        if self.source is None:
            return PayloadFault("UNRESOLVED_REFERENCE", {"relativePath": path})
        if path in chain:
            return PayloadFault("CIRCULAR_REFERENCE", {"relativePath": path})
        return self._read(self.source, reference)

    def _read(self, source: PayloadSource, reference: Reference) -> _Opened | PayloadFault:
        path = reference.relative_path
        self.used.add(path)
        budget = int(self.max_total_bytes) - self.spent
        known = self._small.get(path)
        if known is not None and len(known.data) <= budget:
            read: PayloadBytes | PayloadFault = known
        else:
            read = source.read(path, budget)
        if isinstance(read, PayloadFault):
            return PayloadFault(read.code, {"relativePath": path, **read.metadata})
        self.spent += len(read.data)
        if len(read.data) <= _SMALL_BYTES and len(self._small) < _MOST_SMALL:
            self._small[path] = read
        checks: tuple[tuple[str, str | int, str | int], ...] = (
            ("BYTE_LENGTH_MISMATCH", reference.byte_length, len(read.data)),
            ("SHA256_MISMATCH", reference.sha256, read.sha256),
        )
        for code, expected, actual in checks:
            if expected != actual:
                metadata = {"relativePath": path, "expected": expected, "actual": actual}
                return PayloadFault(code, metadata)
        return _parse(read.data, reference, thorough=self.thorough)


@dataclass(frozen=True, slots=True)
class _Opened:
    reference: Reference
    value: Any
    calm: bool = False
    """No reference is in it, no number beyond the limits, and only a few dozen levels."""
    warnings: tuple[Issue, ...] = ()


def _parse(data: bytes, reference: Reference, *, thorough: bool) -> _Opened | PayloadFault:
    from sesskit.schemas.json_text import read_json, repeats_names

    try:
        value = msgspec.json.decode(data)
        if not (thorough and repeats_names(data)):
            return _Opened(reference, value, is_plain(value))
    except (msgspec.MsgspecError, RecursionError):
        pass
    text = read_json(data, thorough=thorough)
    # numbers that overflow are met on the walk
    told = [issue for issue in text.issues if issue.code != "number-overflow"]
    graver = next((issue for issue in told if issue.severity == "error"), None)
    if graver is not None:
        metadata: dict[str, str | int] = {"relativePath": reference.relative_path}
        if graver.code == "json-depth":
            message = f"the sidecar is nested deeper than {MAX_DEPTH} levels"
            return PayloadFault("INVALID_JSON", metadata, (), message, is_our_limit=True)
        return PayloadFault("INVALID_JSON", metadata)
    return _Opened(reference, text.value, warnings=tuple(told))


def _in_sidecar(warning: Issue, keys: Keys, path: str) -> Issue:
    """A warning about a sidecar's text, where its reference stands: it has no place of its own."""
    return replace(
        warning, keys=keys + warning.keys, sidecar=path, offset=None, line=None, column=None
    )


def _keys(stack: list[_Frame]) -> Keys:
    """The keys from the value that was given to where the walk stands."""
    return tuple(frame.key for frame in stack[1:])
