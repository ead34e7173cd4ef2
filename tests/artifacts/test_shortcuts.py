"""What is left out for speed changes no answer: the same texts, looked at with and without it."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator

import pytest

from secret_corpus import cases, texts
from sesskit.artifacts import direct_scan, line_views, names_in_text
from sesskit.artifacts.direct_scan import direct, runs_of
from sesskit.artifacts.guards import GUARDS
from sesskit.artifacts.line_views import first_lines, unwrapped, without_prefixes
from sesskit.artifacts.span import Span
from sesskit.artifacts.tables_in_text import COLUMN_WORDS
from sesskit.artifacts.tokens_in_text import RULES, tokens_in
from sesskit.artifacts.views import Cut

_SIGNS = (
    *("=", ":", '"', "'", " ", "\n", "\\n", "+", "-", "--", "/", "@", "$", "{", "}", "(", ")", ","),
    *("rw-r--r--", " 1 ikeda staff 12 ", "root", "password", "Token", "API_KEY", "1", "4930901820"),
    *(
        "example.org",
        "Zx9Qw7Lm2Kp4Rt8V",
        "\t",
        "\r\n",
        "\u00e9",
        "\u2192",
        "|",
        "<",
        ">",
        ".",
        "true",
    ),
)


def _soup(rng: random.Random, pieces: int) -> str:
    anchors = sorted(GUARDS)
    values = [value for _, value, _ in cases(rng.randrange(5))]
    made = ""
    for _ in range(pieces):
        chance = rng.random()
        if chance < 0.4:
            made += rng.choice(anchors)
        else:
            made += rng.choice(_SIGNS) if chance < 0.9 else rng.choice(values)[:60]
    return made


def _wrapped(text: str, width: int, end: str) -> str:
    lines = text.split("\n")
    return end.join(
        line[at : at + width] for line in lines for at in range(0, len(line) or 1, width)
    )


def _samples() -> Iterator[str]:
    rng = random.Random(8)
    ends = ("\n", "\r\n", "\n    ", "\n\t")
    for one in list(texts(21))[::3]:
        yield one.text
        yield json.dumps(one.text)
        yield _wrapped(one.text, rng.choice((40, 64, 80, 100)), rng.choice(ends))
        numbered = (f"{n:6}\u2192{line}" for n, line in enumerate(one.text.split("\n")))
        yield _wrapped("\n".join(numbered), 72, rng.choice(ends))
        yield "\n".join(f"{rng.choice('+- ')}{line}" for line in one.text.split("\n"))
    for _ in range(300):
        soup = _soup(rng, rng.randrange(2, 50))
        yield soup
        yield _wrapped(soup, rng.choice((40, 64)), rng.choice(ends))


SAMPLES = list(_samples())


def _found(text: str) -> list[Span]:
    return direct(text, runs_of(text))


def test_a_guard_holds_nothing_back(monkeypatch: pytest.MonkeyPatch) -> None:
    guarded = [_found(text) for text in SAMPLES]
    assert sum(map(len, guarded)) > 500
    open_ways = {
        root: [(anchor, None, finder) for anchor, _, finder in ways]
        for root, ways in direct_scan._WAYS.items()
    }
    monkeypatch.setattr(direct_scan, "_WAYS", open_ways)
    for text, spans in zip(SAMPLES, guarded, strict=True):
        assert _found(text) == spans, text


@pytest.mark.parametrize("anchor", sorted(GUARDS))
def test_a_guard_begins_where_its_anchor_does(anchor: str) -> None:
    assert anchor in direct_scan._AT or anchor in COLUMN_WORDS
    assert anchor not in direct_scan._ONCE or anchor in COLUMN_WORDS


def test_a_name_that_says_nothing_names_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = [names_in_text.named_in(text) for text in SAMPLES]
    assert sum(map(len, quick)) > 300
    monkeypatch.setattr(names_in_text, "_says_something", lambda beside: True)
    names_in_text._may_be_named.cache_clear()
    for text, spans in zip(SAMPLES, quick, strict=True):
        assert names_in_text.named_in(text) == spans, text
    names_in_text._may_be_named.cache_clear()


def test_tokens_begin_where_a_rule_does() -> None:
    """Asking every rule at every word of a run finds no token that ends further."""
    rules = [rule for rule in RULES if rule.starts]
    for text in SAMPLES[::7]:
        runs = runs_of(text)
        spans = tokens_in(text, runs)
        for start, end in runs:
            for word in re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]").finditer(text, start, end):
                at = word.start()
                hits = [rule for rule in rules if rule.pattern.match(text, at)]
                inside = any(span.start <= at < span.end for span in spans)
                assert inside or not any(tokens_in(text, [(at, end)]) for rule in hits[:1]), text


_WIDTH_OF_BREAK = re.compile(
    r"\r?\n(?:(?:(?<=[A-Za-z0-9+/_.=-]\n)|(?<=[A-Za-z0-9+/_.=-]\r\n))"
    r"(?:[ ]{2,8}|\t)(?=[A-Za-z0-9+/_]))?"
)


def test_lines_are_joined_where_the_line_before_is_full() -> None:
    joined = 0
    for text in SAMPLES:
        lines = first_lines(text)
        widest = max(map(len, lines))
        for at, part, view in unwrapped(text, lines):
            joined += 1
            assert text.startswith(part, at)

            def kept(found: re.Match[str], part: str = part, widest: int = widest) -> str:
                start = part.rfind("\n", 0, found.start()) + 1
                return "" if found.start() - start >= widest else found[0]

            assert view.text == _WIDTH_OF_BREAK.sub(kept, part)
            _leads_back(view, part)
    assert joined > 100


def test_prefixes_go_from_the_start_of_each_line() -> None:
    seen = 0
    for text in SAMPLES:
        views = list(without_prefixes(text, first_lines(text)))
        ways = [
            re.sub(f"^(?:{prefix.pattern})", "", text, flags=re.MULTILINE)
            for prefix in line_views.PREFIXES
        ]
        for view in views:
            seen += 1
            assert view.text in ways
            _leads_back(view, text)
    assert seen > 100


def _leads_back(view: Cut, text: str) -> None:
    for place in range(0, len(view.text), 5):
        start, end = view.back(place, place + 1)
        assert text[start:end] == view.text[place]
