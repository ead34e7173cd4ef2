"""Where a log is: its open turn and step, and what may come next there. No event is judged here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sesskit.logs.dsh.calls import Calls
from sesskit.logs.dsh.compactions import Compactions


@dataclass(slots=True)
class Places:
    """The open turn and step, None where none is open, with the calls that wait in the step."""

    turn: Any = field(default=None, init=False)
    step: Any = field(default=None, init=False)
    _next_turn: int = field(default=1, init=False)
    _next_step: int = field(default=1, init=False)
    calls: Calls = field(init=False)
    _compactions: Compactions = field(init=False)

    # What sound events do, one by one: whether one fits, and what becomes of it.

    @property
    def next_turn(self) -> int:
        """The number of the turn that may start next."""
        return self._next_turn

    @property
    def next_step(self) -> int:
        """The number of the step that may start next in the open turn."""
        return self._next_step

    def opens_turn(self, turn: int) -> bool:
        """Whether this turn may start."""
        fits = self.turn is None and turn == self._next_turn
        return fits and not self._compactions.is_open

    def begin_turn(self, turn: int) -> None:
        """A turn starts."""
        self.turn, self.step, self._next_step = turn, None, 1
        self.calls.clear()

    def closes_turn(self, turn: int) -> bool:
        """Whether this turn may end."""
        quiet = self.step is None and not self.calls.waiting and not self._compactions.is_open
        return quiet and self.turn is not None and turn == self.turn

    def end_turn(self) -> None:
        """The turn ends."""
        self.turn = self.step = None
        self._next_turn += 1

    def opens_step(self, turn: int, step: int) -> bool:
        """Whether this step may start."""
        here = self.step is None and self.turn is not None and turn == self.turn
        return here and step == self._next_step

    def closes_step(self, turn: int, step: int) -> bool:
        """Whether this step may end."""
        return self.is_at(turn, step) and not self.calls.waiting

    def end_step(self) -> None:
        """The step ends."""
        self.step = None
        self._next_step += 1

    def is_at(self, turn: int, step: int) -> bool:
        """Whether this step is open."""
        return self.step is not None and step == self.step and turn == self.turn

    # What is believed where damage hides the truth.

    def expect_turn(self, turn: int) -> None:
        """No turn is open, and this one comes next."""
        self._next_turn, self.turn, self.step = turn, None, None
        self.calls.clear()

    def expect_step(self, turn: int, step: int) -> None:
        """This turn is open, and this step comes next."""
        self.turn = self._next_turn = turn
        self._next_step, self.step = step, None
        self.calls.clear()

    def enter(self, turn: int, step: int) -> None:
        """This step is open."""
        self.turn = self._next_turn = turn
        self._next_step = self.step = step
