"""Redaction measured on the labelled sample, by the rules of its README."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sesskit.artifacts.documents import As, Document, redact
from sesskit.artifacts.edits import applied
from sesskit.artifacts.key_names import is_secret_name
from sesskit.artifacts.redaction import Policy, Redactor

DATA = Path(__file__).parents[1] / "data" / "secrets"
TIERS = {kind: v["tier"] for kind, v in json.loads((DATA / "kinds.json").read_bytes()).items()}
KEY_BODIES = {"private_key_pem", "pem_truncated"}


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress((DATA / name).read_bytes()).splitlines()]


SAMPLE = rows("dev.jsonl.gz")
RECORDS = rows("records.jsonl.gz")
KEYS = [json.loads(line) for line in (DATA / "keys.jsonl").read_bytes().splitlines()]


class Score(NamedTuple):
    precision: float
    recall: float
    missed: Counter[str]
    false: list[str]
    personal: float
    lost: int
    looked_like: int

    @property
    def f1(self) -> float:
        return 2 * self.precision * self.recall / (self.precision + self.recall)


def redacted(text: str, form: As | None) -> Document:
    document = Document.of("", text.encode(), form)
    redact([document], Redactor(Policy(values=True)))
    return document


def covered(text: str, spans: list[tuple[int, int]], start: int, end: int) -> float:
    wanted = [i for i in range(start, end) if not text[i].isspace()]
    return sum(any(a <= i < b for a, b in spans) for i in wanted) / len(wanted)


def score(form: As | None) -> Score:
    total: Counter[str] = Counter()
    found: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    false: list[str] = []
    right = lost = looked_like = 0
    for row in SAMPLE:
        text = row["text"]
        document = redacted(text, form)
        spans = [(edit.start, edit.end) for edit in document.edits]
        result = document.result().decode()
        for kind, start, end in row["labels"]:
            total[TIERS[kind]] += 1
            done = covered(text, spans, start, end) >= (0.9 if kind in KEY_BODIES else 1)
            found[TIERS[kind]] += done
            missed[kind] += not done
        for edit in document.edits:
            touched = [k for k, a, b in row["labels"] if a < edit.end and edit.start < b]
            free = any(a < edit.end and edit.start < b for _, a, b in row["ignore"])
            right += any(not kind.startswith("pii.") for kind in touched)
            if not touched and not free:
                false.append(f"{row['id']} {edit.span.rule}")
        for _, start, end in row["negatives"]:
            looked_like += 1
            lost += text[start:end] not in result
    secrets = total["A"] + total["B"]
    return Score(
        right / (right + len(false)),
        (found["A"] + found["B"]) / secrets,
        +missed,
        false,
        found["P"] / total["P"],
        lost,
        looked_like,
    )


@pytest.fixture(scope="module", params=["text", None], ids=["as text", "as found"])
def measured(request: pytest.FixtureRequest) -> Score:
    return score(request.param)


def test_secrets_go(measured: Score) -> None:
    assert measured.precision >= 0.99, measured.false
    assert measured.f1 >= 0.96, measured.missed
    assert [k for k in measured.missed if TIERS[k] == "A"] == []


def test_personal_data_goes(measured: Score) -> None:
    assert measured.personal >= 0.95, measured.missed


def test_what_looks_like_a_secret_stays(measured: Score) -> None:
    assert measured.lost * 1000 <= measured.looked_like


@pytest.mark.parametrize("form", ["text", None])
def test_a_second_run_changes_nothing(form: As | None) -> None:
    for row in SAMPLE:
        once = redacted(row["text"], form).result().decode()
        assert redacted(once, form).edits == [], row["id"]


def test_wider_rule_for_names() -> None:
    marks: Counter[tuple[bool, bool]] = Counter()
    for row in KEYS:
        if "extended" in row:
            marks[row["extended"], is_secret_name(row["key"])] += 1
        elif row["exact"]:
            assert is_secret_name(row["key"])
    right = marks[True, True]
    assert 2 * right / (2 * right + marks[True, False] + marks[False, True]) >= 0.95


@pytest.mark.parametrize("rule", ["exact", "extended"])
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("row", RECORDS, ids=lambda row: row["id"])
def test_pointers(row: dict[str, Any], indent: int | None, rule: str) -> None:
    text = json.dumps(row["record"], indent=indent)
    document = Document.of("a.json", text.encode())
    redact([document], Redactor(Policy(extended=rule == "extended")))
    wanted = {pointer.partition("?")[0] for pointer in row[rule]}
    assert {edit.pointer for edit in document.edits} == wanted
    # Nothing else changed: between two edits all text is that of the original.
    assert applied(text, document.edits) == document.result().decode()
    for edit in document.edits:
        assert "[REDACTED]" in edit.text
    json.loads(document.result())
