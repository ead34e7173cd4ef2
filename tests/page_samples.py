"""Pages for a browser to look at: of a sample, a long talk, all kinds of text, hostile texts."""

from __future__ import annotations

from functools import cache

from hostile_texts import PAYLOADS
from page_sessions import ROOT, called, everywhere, record, said, source
from sesskit.artifacts.page import Page, pages

LOG = ROOT / "examples/logs/healthy/tide-table.jsonl"
WORDS = "the index of terms was read again and sorted by letter before anything else " * 12


@cache
def tides() -> list[Page]:
    return pages(source(LOG.read_bytes(), "robota-log"))


@cache
def long_talk(count: int = 1_500) -> list[Page]:
    """Three pages and their index; number 7 says heron, the last but one says egret."""
    messages = [said("user" if n % 3 == 0 else "assistant", WORDS, n) for n in range(count)]
    messages[7]["content"] = "a grey Heron stood there"
    messages[-2]["content"] = "and a white egret, far from the <heron>"
    return pages(source(record(messages)))


@cache
def mixed() -> list[Page]:
    """Everything that a page can show, in its usual and in its unusual form."""
    table = "| a | b |\n|---|---|\n" + "| " + "wide " * 40 + " | x |\n"
    told = [
        said("system", "be brief", 0),
        said(
            "user", "# One\n\n- a *list*\n\n> quoted\n\n1. `code`\n\n```py\nx = 1\n```\n" + table, 1
        ),
        *called(2, "Bash", '{"command": "ls"}', "total 0\n" + "x" * 400),
        said(
            "assistant", "done " + "unbroken" * 60 + " [x](https://a.example/" + "y" * 300 + ")", 3
        ),
        *called(4, "Read", '{"path": "' + "deep/" * 60 + '"}', "word " * 2_000),
        said("assistant", "long " * 2_000, 6, state="interrupted"),
    ]
    return pages(source(record(told, systemPrompt="You are brief. " * 40)))


@cache
def hostile() -> list[Page]:
    """All payloads in one session."""
    return pages(source(everywhere("\n\n".join(PAYLOADS.values()))))


def made_of(kind: str) -> list[Page]:
    """Pages by the word for them."""
    if kind == "index":
        return long_talk()
    if kind == "second":
        return long_talk(600)
    return {"mixed": mixed, "tides": tides, "hostile": hostile}[kind]()
