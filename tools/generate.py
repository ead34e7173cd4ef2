"""Rewrites everything that is generated from the code: schemas and generated pages."""

from __future__ import annotations

import json
from pathlib import Path

from sesskit.schemas.catalogue import SCHEMAS, file_name, generated

ROOT = Path(__file__).parent.parent


def schemas() -> None:
    folder = ROOT / "src" / "sesskit" / "schemas" / "json"
    for name in SCHEMAS:
        text = json.dumps(generated(name), indent=2, ensure_ascii=True)
        (folder / file_name(name)).write_text(text + "\n")


if __name__ == "__main__":
    schemas()
