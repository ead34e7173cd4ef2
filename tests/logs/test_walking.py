"""Walking folders: what is listed, what is taken, what is counted; links, pipes, sidecars."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from sesskit.logs.formats import Finding
from sesskit.logs.walking import (
    COPY,
    NO_FILE,
    Source,
    Taken,
    is_folder,
    mode_of,
    sources,
    taken,
)
from sesskit.records.format import Recognition, Sure
from sesskit.records.robota_recognition import MENTIONED
from sesskit.schemas.outcomes import Corrupt, Missing, Outcome, Unreadable, Unrecognized, Valid


def listed(path: Path) -> list[str]:
    return [os.path.relpath(source.path, path) for source in sources(str(path))]


def test_a_file_and_standard_input_stand_for_themselves(tmp_path: Path) -> None:
    path = str(tmp_path / "nothing-there")
    assert list(sources(path)) == [Source(path)]
    assert list(sources("-")) == [Source("-")]


def test_a_folder_stands_for_its_files_sorted(tmp_path: Path) -> None:
    for name in ("b.json", "a/z.json", "a/y.json", "c/d/e.txt", "a.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert listed(tmp_path) == ["a/y.json", "a/z.json", "a.json", "b.json", "c/d/e.txt"]
    assert all(source.walked for source in sources(str(tmp_path)))


def test_sidecars_are_never_walked(tmp_path: Path) -> None:
    for folder in ("s1.payloads", "deep/.payloads", "payloads"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "x.json").touch()
    assert listed(tmp_path) == ["payloads/x.json"]


def test_links_are_safe(tmp_path: Path) -> None:
    (tmp_path / "real.json").touch()
    (tmp_path / "link.json").symlink_to("real.json")
    (tmp_path / "dangling.json").symlink_to("nowhere")
    (tmp_path / "circle.json").symlink_to("circle.json")
    (tmp_path / "up").symlink_to(tmp_path, target_is_directory=True)
    troubles = {Path(s.path).name: s.trouble for s in sources(str(tmp_path))}
    assert troubles == {
        "circle.json": NO_FILE,
        "dangling.json": NO_FILE,
        "link.json": None,
        "real.json": None,
        "up": NO_FILE,
    }


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    with socket.socket(socket.AF_UNIX) as opened:
        place = Path.cwd()
        os.chdir(tmp_path)  # the path of a socket must be short
        try:
            opened.bind("socket.json")
        finally:
            os.chdir(place)
        assert [s.trouble for s in sources(str(tmp_path))] == [NO_FILE, NO_FILE]


def test_a_folder_that_cannot_be_listed_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shut").mkdir()
    (tmp_path / "z.json").touch()
    real = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("shut"):
            raise PermissionError(13, "no")
        return real(path)

    monkeypatch.setattr(os, "scandir", refuse)
    shut, other = sources(str(tmp_path))
    assert shut.trouble == "there is no permission to use it"
    assert other.trouble is None


def finding(path: str, outcome: Outcome, sure: Sure = "certain") -> Finding:
    if isinstance(outcome, (Missing, Unreadable, Unrecognized)):
        return Finding(path, outcome)
    return Finding(path, outcome, "robota-record", Recognition(sure, "why"))


def take(
    *found: Finding, forced: bool = False, trouble: str | None = None, walked: bool = True
) -> Taken:
    pairs = [(Source(one.path, walked, trouble), one) for one in found]
    return taken(pairs, forced=forced, again=_again)


def _again(one: Finding, name: str) -> Finding:
    return Finding(one.path, Corrupt(()), name)


GOOD = finding("d/good.json", Valid(None))
GUESS = finding("d/empty.json", Corrupt(()), "guess")
OTHER = finding("d/readme.md", Unrecognized("plain text"))
GONE = finding("d/gone.json", Missing())
SHUT = finding("d/shut.json", Unreadable("no permission"))
SHUT_OTHER = finding("d/shut.txt", Unreadable("no permission"))


@pytest.mark.parametrize(
    ("found", "kept"),
    [
        pytest.param([GOOD, OTHER], [GOOD], id="recognised"),
        pytest.param([GUESS, GOOD], [GUESS, GOOD], id="guess-beside-recognised"),
        pytest.param([GUESS, OTHER], [], id="guess-alone"),
        pytest.param(
            [GUESS, finding("e/x.json", Valid(None))],
            [finding("e/x.json", Valid(None))],
            id="elsewhere",
        ),
        pytest.param([GONE], [], id="gone-meanwhile"),
        pytest.param([SHUT, SHUT_OTHER], [SHUT], id="unreadable"),
    ],
)
def test_what_is_taken(found: list[Finding], kept: list[Finding]) -> None:
    assert take(*found) == Taken(tuple(kept), len(found) - len(kept))


@pytest.mark.parametrize(
    ("name", "plausible"),
    [
        *((f"a{suffix}", True) for suffix in (".json", ".bin", ".jsonl", ".zstd", ".JSON", "")),
        *((f"a{suffix}", False) for suffix in (".md", ".py", ".json.txt")),
    ],
)
def test_a_damaged_record_is_called_like_one(name: str, plausible: bool) -> None:
    for sure in ("likely", "guess"):
        one = finding(f"d/{name}", Corrupt(()), sure)
        assert (one in take(one, GOOD).findings) is plausible
        assert take(one, walked=False).findings == (one,)
    assert take(finding(f"d/{name}", Corrupt(()), "certain")).skipped == 0
    assert take(finding(f"d/{name}", Valid(None), "likely")).skipped == 0


def test_a_text_that_speaks_of_records_is_never_taken() -> None:
    one = Finding("d/README", Corrupt(()), "robota-record", MENTIONED)
    assert take(one, GOOD).findings == (GOOD,)
    assert take(one, walked=False).findings == (one,)


@pytest.mark.parametrize("name", ["a.json.bak", "a.json.bak.12", "a.json.4.ab.tmp", "A.BAK"])
def test_copies_are_not_taken_when_walking(name: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()
    (walked,) = sources(str(tmp_path))
    assert walked.trouble == COPY
    assert take(GOOD, trouble=COPY, forced=True).skipped == 1
    assert [one.trouble for one in sources(str(tmp_path / name))] == [None]


@pytest.mark.parametrize("one", [GOOD, GUESS, OTHER, GONE, SHUT])
def test_what_was_named_is_never_skipped(one: Finding) -> None:
    assert take(one, walked=False) == Taken((one,))


def test_with_a_format_every_regular_file_counts() -> None:
    assert take(OTHER, GUESS, SHUT_OTHER, forced=True).skipped == 0
    assert take(OTHER, forced=True, trouble=NO_FILE).skipped == 1


def test_a_folder_that_cannot_be_listed_counts() -> None:
    assert take(SHUT_OTHER, trouble="no permission").findings == (SHUT_OTHER,)


def test_a_guess_takes_the_format_of_what_is_beside_it() -> None:
    guess = Finding(
        "d/a.jsonl", Corrupt(()), "first", Recognition("guess", ""), ("second", "third")
    )
    beside = Finding("d/b.jsonl", Valid(None), "third", Recognition("certain", ""))
    assert take(guess, beside).findings[0].format == "third"
    assert take(guess, GOOD).findings[0].format == "first"
    assert take(guess, beside, walked=False).findings[0].format == "first"


def test_total_order_is_kept(tmp_path: Path) -> None:
    found = [finding(f"d/{i}.json", Valid(None) if i % 3 else Unrecognized("x")) for i in range(30)]
    assert [one.path for one in take(*found).findings] == [
        f"d/{i}.json" for i in range(30) if i % 3
    ]


@pytest.mark.parametrize("name", ["n" * 300, "a\0b", "nothing-there"])
def test_what_cannot_be_a_file_stands_for_itself(tmp_path: Path, name: str) -> None:
    path = f"{tmp_path}/{name}"
    assert not is_folder(path)
    assert mode_of(path) == 0
    assert list(sources(path)) == [Source(path)]


def test_no_permission_to_ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "stat", refused)
    assert not is_folder(str(tmp_path))
