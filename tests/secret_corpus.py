"""Labelled texts with secrets of many kinds in many places, drawn from a seed.

The kinds are written from what vendors publish, and by hand: they are not made from the rules.
Templates and places are lines of ``data/secrets/corpus``; its README says how they read.
"""

from __future__ import annotations

import json
import random
import re
import string
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

DATA: Final = Path(__file__).parent / "data" / "secrets" / "corpus"
_LETTERS: Final = {
    "a": string.ascii_letters + string.digits,
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "l": string.ascii_lowercase + string.digits,
    "u": string.ascii_uppercase + string.digits,
    "b": string.ascii_letters + string.digits + "-_",
    "s": string.ascii_letters + string.digits + "+/",
    "d": string.digits,
    "c": string.ascii_uppercase,
    "w": string.ascii_lowercase,
    "2": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
}
_DRAWN: Final = re.compile(r"\{(?:([a-zA-Z2])([0-9]+)|(U)|(t))\}")
_NOISE: Final = (
    "ok   render/batch  {d1}.{d3}s  coverage: 95.3% of statements",
    "commit {h40}",
    "2026-03-01T10:00:00.{d3}Z INFO  [query] request {U} done in {d2} ms status=200",
    "    {d3} worker_config = panel(saddle, ripple={d2})",
    "trace 00-{h32}-{h16}-01 span=vendor.robot",
    "Filter lagoon batch ripple domain archive prism static.",
)


class Labelled(NamedTuple):
    """A text, what has to go from it (kind, start, end), and what has to stay."""

    text: str
    labels: list[tuple[str, int, int]]
    stays: list[tuple[int, int]]


def rows(name: str) -> list[Any]:
    """The lines of a file of the corpus."""
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text().splitlines()]


def drawn(template: str, rng: random.Random) -> str:
    """A value of a template. Ends are letters or digits, as those of most real tokens."""

    def draw(found: re.Match[str]) -> str:
        if found[4]:
            return "~"
        if found[3]:
            return str(uuid.UUID(int=rng.getrandbits(128), version=4))
        letters, count = _LETTERS[found[1]], int(found[2])
        plain = letters.translate(str.maketrans("", "", "-_+/"))
        made = [rng.choice(letters) for _ in range(count)]
        made[0], made[-1] = rng.choice(plain), rng.choice(plain)
        if found[1] in "alub" and count >= 10:  # no draw of letters alone
            made[count // 2], made[count // 3] = rng.choice("23456789"), rng.choice("4679")
        return "".join(made)

    return _DRAWN.sub(draw, template)


def placed(place: str, name: str) -> str:
    """The place with a name in it, in all the ways that names are written."""
    words = name.lower().split("_")
    ways = {
        "{N}": name,
        "{n}": name.lower(),
        "{k}": "-".join(words),
        "{j}": words[0] + "".join(map(str.capitalize, words[1:])),
    }
    for mark, way in ways.items():
        place = place.replace(mark, way)
    return place


def cases(seed: int) -> Iterator[tuple[str, str, str]]:
    """Kind, value and place of all that is labelled: each kind in some places, each place once."""
    rng = random.Random(seed)
    anywhere, by_name = rows("anywhere"), rows("by-name")
    for name, template in rows("tokens"):
        for place in rng.sample(anywhere, 5):
            yield f"token {name}", drawn(template, rng), place
    for name, template in rows("named"):
        for place in rng.sample(by_name, 4):
            yield f"named {name}", drawn(template, rng), placed(place, name)
    for template, place in rows("places"):
        yield f"place {place}", drawn(template, rng), place
    for template, place in rows("personal"):
        yield f"personal {place}", drawn(template, rng), place
    for template, place in rows("lookalikes"):
        yield "", drawn(template, rng), place


def texts(seed: int, of_each: int = 6) -> Iterator[Labelled]:
    """Texts of a few cases each, in any order, with lines of all kinds between them."""
    rng = random.Random(seed)
    every = list(cases(seed))
    rng.shuffle(every)
    for first in range(0, len(every), of_each):
        yield _text(every[first : first + of_each], rng)


def _text(some: list[tuple[str, str, str]], rng: random.Random) -> Labelled:
    text, labels, stays = "", [], []
    for kind, value, place in some:
        text += drawn(rng.choice(_NOISE), rng) + "\n"
        before, *rest = place.split("{v}")
        text += before
        for piece in rest:
            if kind:
                labels.append((kind, len(text), len(text) + len(value)))
            else:
                stays.append((len(text), len(text) + len(value)))
            text += value + piece
        text += "\n"
    return Labelled(text, labels, stays)
