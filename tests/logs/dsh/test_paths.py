"""Folder and file names of dsh logs."""

from pathlib import PurePath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logs.dsh.vectors import Case, cases, rows
from sesskit.logs.dsh.paths import (
    Place,
    encoded_id,
    generation_name,
    log_path,
    place_of,
    project_folder,
    seed_project_folder,
)


@pytest.mark.parametrize("row", rows("paths"), ids=lambda r: f"{r['id'][:9]!a}-{r['cwd'][:20]!a}")
def test_table(row: dict[str, Any]) -> None:
    if "error" in row:
        with pytest.raises(ValueError, match="names no"):
            log_path(row["id"], row["cwd"])
    else:
        assert str(log_path(row["id"], row["cwd"])) == row["path"]


def placed() -> list[Case]:
    return [c for c in cases() if "header" in c.expected and "sqlite" not in c.name]


@pytest.mark.parametrize("case", placed(), ids=lambda c: c.name)
def test_recorded_paths_follow_from_the_header(case: Case) -> None:
    header, path = case.expected["header"], PurePath(case.expected["files"][0]["path"])
    place = place_of(path)
    if case.expected["format"] == "seed-v1":
        assert place.layout == "seed"
        assert place.project == seed_project_folder(header.get("cwd"))
        assert place.session == encoded_id(header["id"])
    else:
        compressed = case.expected["compression"] == "zstd"
        assert log_path(header["id"], header.get("cwd"), compressed=compressed) == path
        assert (place.layout, place.generation, place.compressed) == ("session", 0, compressed)


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("session.jsonl", Place(0, False)),
        ("x/session.v3.jsonl.zstd", Place(3, True)),
        ("--a--/s/session.v12.jsonl", Place(12, False, "session", "--a--", "s")),
        ("_no-cwd/s/session.jsonl", Place(0, False, "session", "_no-cwd", "s")),
        ("other/s/session.jsonl", Place(0, False)),
        ("----/s/session.jsonl", Place(0, False)),
        ("--a--/s/session.v0.jsonl", Place(None, False)),
        ("--a--/s/session.v03.jsonl", Place(None, False)),
        ("--a--/s/session.V3.jsonl", Place(None, False)),
        ("--a--/s/session.jsonl.a1b2c3d4e5f6.tmp", Place(None, False)),
        ("--a--/s/other.jsonl.zstd", Place(None, True)),
        ("cwd-0123456789ab/s.jsonl", Place(None, False, "seed", "cwd-0123456789ab", "s")),
        ("_no-cwd/s.jsonl", Place(None, False, "seed", "_no-cwd", "s")),
        ("cwd-0123456789ab/s.jsonl.zstd", Place(None, True)),
        ("cwd-xyz/s.jsonl", Place(None, False)),
        ("s.jsonl", Place(None, False)),
        ("", Place(None, False)),
    ],
)
def test_what_a_path_says(path: str, place: Place) -> None:
    assert place_of(PurePath(path)) == place


def test_no_cwd() -> None:
    assert (
        seed_project_folder("/\ud800")
        == seed_project_folder("/\ufffd")
        != seed_project_folder("/?")
    )
    assert project_folder(None) == seed_project_folder(None) == "_no-cwd"


def test_generation_names() -> None:
    names = [generation_name(n, compressed=n == 3) for n in (0, 1, 3)]
    assert names == ["session.jsonl", "session.v1.jsonl", "session.v3.jsonl.zstd"]


@given(st.text(st.characters(), min_size=1), st.text(st.characters(), min_size=1))
def test_ids_are_one_safe_segment_each(one: str, other: str) -> None:
    name = encoded_id(one)
    assert name not in (".", "..")
    assert name.isascii()
    assert not set(name) & set('/\\:\0*?"<>| ')
    assert (name == encoded_id(other)) == (one == other)


def test_a_number_of_any_length_in_a_name_is_an_answer() -> None:
    place = place_of(PurePath(f"/r/_no-cwd/x/session.v{'9' * 5000}.jsonl"))
    assert place.generation is None
