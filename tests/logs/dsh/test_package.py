"""The names of the package, imported when they are first used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import sesskit
from sesskit.logs import dsh

PROGRAM = """
import sys
from sesskit.logs.dsh.recognition import recognize, recognize_store
heavy = [name for name in sys.modules if name.startswith(("backports", "sqlite3", "hashlib._"))]
decoders = [name for name in sys.modules if name.startswith("sesskit.logs.dsh.")]
print(sorted(decoders), heavy)
"""


@pytest.mark.parametrize("name", dsh.__all__)
def test_every_name_is_there(name: str) -> None:
    assert getattr(dsh, name) is not None
    assert getattr(dsh, name).__doc__


def test_no_name_hides_a_module() -> None:
    modules = {path.stem for path in Path(dsh.__file__).parent.glob("*.py")}
    assert not modules & set(dsh.__all__)


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="no attribute"):
        _ = dsh.nothing


def test_recognition_imports_no_decoder() -> None:
    source = str(Path(sesskit.__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        check=True,
        text=True,
        env={"PYTHONPATH": source},
    )
    assert done.stdout == "['sesskit.logs.dsh.paths', 'sesskit.logs.dsh.recognition'] []\n"
