"""The documentation is true: commands print what it says, Python runs, nothing is left out."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sesskit.cli.app import COMMANDS
from sesskit.logs.formats import FORMATS
from sesskit.schemas.codes import CODES, codes_markdown

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
VERBS = {
    "validate",
    "inspect",
    "explain",
    "repair",
    "migrate",
    "reset",
    "store",
    "export",
    "import",
    "share",
    "scrub",
    "replay",
    "verify",
    "history",
    "diff",
    "schema",
    "convert",
}
TEXTS = {".py", ".md", ".toml", ".json", ".jsonl", ".ambr", ""}
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WORDS_OF_ELSEWHERE = re.compile(
    r"/work/|/root/|/farm/|\.library|https?://(registry|files|deb|pypi)[.a-z]*\.(org|com)"
)


def blocks(kind: str) -> Iterator[tuple[Path, str]]:
    for page in PAGES:
        for found in FENCE.finditer(page.read_text()):
            if found[1] == kind:
                yield page, found[2]


def console() -> list[tuple[Path, str, str]]:
    """(page, command, the output that the page shows) of every sesskit command that is shown."""
    shown = []
    for page, block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            shown.append((page, command, output))
    return shown


def run(command: str) -> str:
    words = command.split()
    assert words[0] == "sesskit"
    environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize(("page", "command", "output"), console(), ids=lambda v: str(v)[-40:])
def test_commands_print_what_the_page_shows(page: Path, command: str, output: str) -> None:
    assert run(command).strip() == output.strip(), f"{page.name}: run `make generate`"


@pytest.mark.parametrize(
    "page", sorted({page for page, _ in blocks("python")}), ids=lambda p: p.stem
)
def test_python_samples_run(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    for at, block in blocks("python"):
        if at == page:
            exec(compile(block, str(page), "exec"), names)


def test_codes_page_is_generated() -> None:
    assert (ROOT / "docs" / "codes.md").read_text() == codes_markdown(), "run `make generate`"


def test_every_code_that_is_raised_is_documented() -> None:
    raised = set()
    for path in (ROOT / "src").rglob("*.py"):
        raised |= set(re.findall(r'(?:Issue|fault)\(\s*"([a-z0-9-]+)"', path.read_text()))
    assert raised
    assert raised <= set(CODES)


def test_advice_names_only_commands_that_exist() -> None:
    told = " ".join(f"{code.why} {code.next_step}" for code in CODES.values())
    named = set(re.findall(r"sesskit ([a-z]+)", told)) & VERBS
    for page in PAGES:
        named |= set(re.findall(r"`sesskit ([a-z]+)", page.read_text()))
    assert {"validate", "explain"} <= named
    assert named <= set(COMMANDS)


def test_every_format_has_a_page_and_a_line_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    pages = " ".join(page.read_text() for page in (ROOT / "docs" / "formats").glob("*.md"))
    for entry in FORMATS:
        assert f"`{entry.name}`" in readme
        assert f"`{entry.name}`" in pages


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_the_project_speaks_of_itself_alone() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True
    )
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path.suffix in TEXTS and path.is_file() and path != Path(__file__):
            found = WORDS_OF_ELSEWHERE.search(path.read_text(errors="replace"))
            assert found is None, f"{name}: {found and found[0]}"
