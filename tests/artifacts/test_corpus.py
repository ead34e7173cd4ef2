"""Detection measured on texts drawn from kinds and places that the rules were not made from."""

from __future__ import annotations

import json
from collections import Counter
from typing import NamedTuple

import pytest

from secret_corpus import Labelled, texts
from sesskit.artifacts.documents import Document, redact
from sesskit.artifacts.redaction import Policy, Redactor

SEEDS = (11, 12)


class Score(NamedTuple):
    precision: float
    secrets: float
    personal: float
    missed: Counter[str]
    false: list[str]
    lost: list[str]
    stays: int

    @property
    def f1(self) -> float:
        return 2 * self.precision * self.secrets / (self.precision + self.secrets)


def score(seed: int) -> Score:
    total: Counter[bool] = Counter()
    found: Counter[bool] = Counter()
    missed: Counter[str] = Counter()
    false: list[str] = []
    lost: list[str] = []
    right = stays = 0
    for one in texts(seed):
        document = Document.of("", one.text.encode(), "text")
        redact([document], Redactor(Policy(values=True)))
        spans = [(edit.start, edit.end) for edit in document.edits]
        for kind, start, end in one.labels:
            is_personal = kind.startswith("personal")
            done = covered(spans, start, end)
            total[is_personal] += 1
            found[is_personal] += done
            missed[kind] += not done
        for edit in document.edits:
            touched = any(a < edit.end and edit.start < b for _, a, b in one.labels)
            right += touched
            if not touched and edit.span.kind == "secret":
                line = one.text[one.text.rfind("\n", 0, edit.start) + 1 : edit.end]
                false.append(f"{edit.span.rule}: {line}")
        for start, end in one.stays:
            stays += 1
            if any(a < end and start < b for a, b in spans):
                lost.append(one.text[max(start - 30, 0) : end])
    return Score(
        right / (right + len(false)),
        found[False] / total[False],
        found[True] / total[True],
        +missed,
        false,
        lost,
        stays,
    )


def covered(spans: list[tuple[int, int]], start: int, end: int) -> bool:
    """Whether spans, one after another, leave nothing of the place uncovered."""
    for first, last in spans:
        if first <= start < last:
            start = last
    return start >= end


@pytest.fixture(scope="module", params=SEEDS)
def measured(request: pytest.FixtureRequest) -> Score:
    return score(request.param)


def test_secrets_of_other_kinds_go(measured: Score) -> None:
    assert measured.precision >= 0.99, measured.false
    assert measured.f1 >= 0.98, measured.missed
    assert [kind for kind in measured.missed if kind.startswith("token")] == []


def test_personal_data_goes(measured: Score) -> None:
    assert measured.personal >= 0.95, measured.missed


def test_what_looks_like_a_secret_stays(measured: Score) -> None:
    assert len(measured.lost) * 1000 <= measured.stays, measured.lost


def as_json(one: Labelled) -> str:
    return json.dumps({"n": 1, "output": json.dumps({"text": one.text})})


def test_the_same_goes_from_json_in_json() -> None:
    leaks: Counter[str] = Counter()
    total = 0
    for one in list(texts(13))[::4]:
        document = Document.of("x.jsonl", as_json(one).encode())
        redact([document], Redactor(Policy(values=True)))
        result = json.loads(json.loads(document.result())["output"])["text"]
        for kind, start, end in one.labels:
            total += 1
            leaks[kind] += one.text[start:end] in result
    assert sum(leaks.values()) <= 0.03 * total, +leaks
