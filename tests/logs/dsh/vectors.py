"""The recorded cases and tables of dsh logs, read from the test data."""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).parents[2] / "data" / "dsh-log" / "vectors"


def table(name: str) -> dict[str, Any]:
    """One table of small rows."""
    read: dict[str, Any] = json.loads((VECTORS / "tables" / f"{name}.json").read_text("utf-8"))
    return read


def rows(name: str) -> list[Any]:
    read: list[Any] = table(name)["rows"]
    return read


@dataclass(frozen=True)
class Case:
    """One recorded file with the answers of the real program."""

    folder: Path

    @cached_property
    def expected(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads((self.folder / "expected.json").read_text("utf-8"))
        return read

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def file(self) -> Path:
        return self.folder / str(self.expected["files"][0]["file"])


def cases(group: str = "*", name: str = "*") -> list[Case]:
    return [Case(f.parent) for f in sorted(VECTORS.glob(f"{group}/{name}/expected.json"))]
