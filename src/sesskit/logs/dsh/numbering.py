"""The numbers of events in a log: each is one more than that before."""

from __future__ import annotations

from msgspec import Struct

from sesskit.logs.dsh.stored import Stored
from sesskit.schemas.issues import Issue, Keys


class Numbers(Struct):
    """Which number comes next.

    ``uncertain`` says that lines before may be lost, and ``stray`` that the number of the line
    taken last is smaller than it should be.
    """

    expected: int = 0
    uncertain: bool = False
    stray: bool = False
    _instead: tuple[int, ...] = ()
    """The next number if that of the line before is wrong alone, or that line one too many."""

    def take(self, stored: Stored, keys: Keys) -> bool:
        """Whether a line has the wrong number; its issues then say so."""
        expected, found = self.expected, stored.seq
        instead, self._instead = self._instead, ()
        if found is not None and found in instead:
            self.expected = found + stored.events
            return False
        if found == expected:
            self.expected += stored.events
            self.uncertain = False
            return False
        if found is None:
            said = (i for i in stored.issues if i.severity == "error")
            if not any(issue.keys[:1] == keys for issue in said):
                message = f"expected the number {expected}"
                stored.add([Issue("seq-missing", message, keys=keys, expected=str(expected))])
            self.expected += 1
            return True
        # Behind damage a jump ahead is what the damage took; a number again is its own fault.
        if not (self.uncertain and found > expected):
            self.stray = found < expected
            code = "seq-gap" if found > expected else "seq-repeated"
            message = f"expected event {expected}, found event {found}"
            stored.add([Issue(code, message, keys=keys, expected=str(expected), found=str(found))])
            self._instead = (expected, expected + stored.events)
        self.expected = found + stored.events
        self.uncertain = False
        return True
