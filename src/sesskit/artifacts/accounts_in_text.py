"""Names of accounts in what systems print: lists of processes, logs of logins, git blame.

Each function looks at one place of a text, with a bounded piece of text around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sesskit.artifacts.identities_in_text import named, person
from sesskit.artifacts.span import Span

__all__ = ["author_member_at", "blamed_at", "git_section_at", "processes_at", "session_at"]

_ACCOUNT: Final = r"(?P<name>[A-Za-z_][\w.-]{1,31})"
_PROCESS_HEAD: Final = re.compile(r"USER +PID +(?:PPID +)?[%A-Z][^\n]{0,200}\n")
_PROCESS: Final = re.compile(rf"{_ACCOUNT}\+? +[0-9]+ +[0-9.]+ [^\n]*(?:\n|\Z)")
_MOST_PROCESSES: Final = 4000
_SESSION: Final = re.compile(
    rf"(?:ublickey|assword|nteractive(?:/pam)?) for (?:invalid user )?{_ACCOUNT} from "
    rf"|session (?:opened|closed) for user {_ACCOUNT.replace('name', 'user')}(?=[( .\n]|\Z)"
    rf"|udo: +{_ACCOUNT.replace('name', 'admin')} : "
)
_BLAME_LEFT: Final = re.compile(
    r"\((?P<name>[^\W\d_][^()<>\n]{1,60}?) +[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}\Z"
)
_BLAME_RIGHT: Final = re.compile(r" [+-][0-9]{4} +[0-9]{1,6}\)")
_SECTION: Final = re.compile(
    r"\[user\](?:\r?\n|\\n)(?:[ \t]*[a-z]{1,20} = "
    r"[^\n\\]{1,80}(?:\n|\\n)){0,3}?[ \t]*(?:\\t)?name = "
    r"(?P<name>[^\W\d_][^<>\n\\\"'@:;{}()=$]{1,60})"
)
_MEMBER: Final = re.compile(
    r"(?:uthor|ommitter|aintainer)s?\\{0,16}\"\s{0,4}:\s{0,4}(?:\[\s{0,12})?"
    r"(?:\{[^{}]{0,80}?\\{0,16}\"name\\{0,16}\"\s{0,4}:\s{0,4})?\\{0,16}\""
    r"(?P<name>[^\W\d_][\w'.-]{1,30}(?: [^\W\d_][\w'.-]{0,30}){1,3})(?=[\\\" ])"
)


def processes_at(text: str, at: int) -> Iterator[Span]:
    """The first column of a list of processes whose head is at ``at``."""
    head = _PROCESS_HEAD.match(text, at)
    place = head.end() if head else 0
    for _ in range(_MOST_PROCESSES if head else 0):
        line = _PROCESS.match(text, place)
        if not line:
            return
        yield from named(line, "login")
        place = line.end()


def session_at(text: str, at: int) -> Iterator[Span]:
    """Who logged in or used sudo, in a log of the system."""
    found = _SESSION.match(text, at)
    if found:
        yield from named(found, "login", found.lastgroup or "name")


def blamed_at(text: str, at: int) -> Iterator[Span]:
    """The author of a line of ``git blame``; its time zone is at ``at``."""
    if _BLAME_RIGHT.match(text, at):
        found = _BLAME_LEFT.search(text, max(at - 100, 0), at)
        if found:
            yield from person(found)


def git_section_at(text: str, at: int) -> Iterator[Span]:
    """The name in the section ``[user]`` of a configuration of git."""
    found = _SECTION.match(text, at)
    if found:
        yield from person(found)


def author_member_at(text: str, at: int) -> Iterator[Span]:
    """``"author": "First Last"``, or an object with that ``name``."""
    found = _MEMBER.match(text, at)
    if found and all(part[:1].isupper() for part in found["name"].split()):
        yield from person(found)
