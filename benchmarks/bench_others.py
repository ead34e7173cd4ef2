"""Against other checkers, with the schemas that sesskit publishes: check-jsonschema, ajv, jsonvet.

Not part of a plain run, it needs a network: ``python benchmarks/run.py --only others`` sets them up
(``tools/others.sh``). They say only what a schema can say, and without lines but for jsonvet.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from generate import record, write_files
from generate_log import write_log
from measure import Ratio, commands
from run import ROOT, Figure

HOME = Path(os.environ.get("SESSKIT_OTHERS", ROOT / ".others"))
AJV = "validate --spec=draft2020 --strict=false -c ajv-formats --all-errors"
KINDS = (("text-heavy", False), ("dense", True))
FEW = 3
"""Pairs with a command that takes many seconds."""


def measure(folder: Path) -> Iterator[Figure]:
    environment = {**os.environ, "PYTHON": sys.executable}
    subprocess.run([ROOT / "tools" / "others.sh"], env=environment, check=True)
    yield from _records(folder)
    yield from _many(folder)
    yield from _logs(folder)


def _ours(path: Path) -> list[str]:
    return [sys.executable, "-m", "sesskit", "validate", str(path)]


def _schema(folder: Path, name: str) -> str:
    command = [sys.executable, "-m", "sesskit", "schema", "show", name]
    path = folder / f"{name}.schema.json"
    path.write_bytes(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return str(path)


def _check_jsonschema(schema: str, paths: list[Path]) -> list[str]:
    return [str(HOME / "bin" / "check-jsonschema"), "--schemafile", schema, *map(str, paths)]


def _jsonvet(schema: str, paths: list[Path]) -> list[str]:
    return [str(HOME / "bin" / "jsonvet"), "--schema", schema, *map(str, paths)]


def _ajv(schema: str, paths: list[Path]) -> list[str]:
    program = HOME / "node_modules" / "ajv-cli" / "dist" / "index.js"
    given = [word for path in paths for word in ("-d", str(path))]
    return [str(HOME / "bin" / "node"), str(program), *AJV.split(), "-s", schema, *given]


def _faster(ratio: Ratio) -> str:
    return f"{ratio.theirs.seconds / ratio.ours.seconds:.1f}x its speed"


def _records(folder: Path) -> Iterator[Figure]:
    schema, path = _schema(folder, "robota-record"), folder / "record.json"
    for kind, dense in KINDS:
        for faults in (0, 1_000):
            path.write_bytes(record(20, dense=dense, faults=faults))
            what = f"`validate` of a 20 MB {kind} record"
            if faults:
                what += f" with {faults:,} faults, ours located"
            else:
                slow = commands(_ours(path), _check_jsonschema(schema, [path]), FEW)
                yield Figure(">= 40x", what, "check-jsonschema", _faster(slow))
            ratio = commands(_ours(path), _ajv(schema, [path]))
            yield Figure(">= 15x" if faults else ">= 5x", what, "ajv-cli", _faster(ratio))
            ratio = commands(_ours(path), _jsonvet(schema, [path]))
            told = ", which tells 100" if faults else ""
            goal = "-" if faults else ">= 2x"
            yield Figure(goal, what, f"jsonvet{told}", _faster(ratio))


def _many(folder: Path) -> Iterator[Figure]:
    many, schema = folder / "others", _schema(folder, "robota-record")
    write_files(many, 5_000)
    paths, what = sorted(many.iterdir()), "`validate` of 5,000 files of 8 KB"
    slow = commands(_ours(many), _check_jsonschema(schema, paths), FEW)
    yield Figure(">= 50x", what, "check-jsonschema", _faster(slow))
    ratio = commands(_ours(many), _ajv(schema, paths))
    yield Figure(">= 5x", what, "ajv-cli", _faster(ratio))
    ratio = commands(_ours(many), _jsonvet(schema, paths))
    yield Figure(">= 1.3x", what, "jsonvet", _faster(ratio))


def _logs(folder: Path) -> Iterator[Figure]:
    path, schema = folder / "others.jsonl", _schema(folder, "robota-log")
    for kind, dense in KINDS:
        write_log(path, 200, dense=dense)
        ratio = commands(_ours(path), _jsonvet(schema, [path]))
        what = f"`validate` of a 200 MB {kind} Robota log"
        yield Figure(">= 4x", what, "jsonvet", _faster(ratio))
        memory = ratio.theirs.peak / ratio.ours.peak
        yield Figure("< 1/40", f"peak memory of the same ({kind})", "jsonvet", f"1/{memory:.0f}")
