"""Names of accounts, people and hosts in what commands print and take, each by its own form.

Each line of the table is an anchor and a bounded pattern that begins there; the groups of the
pattern say what was found. A name that tells nothing about a person stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sesskit.artifacts.identities_in_text import is_generic, named, person, personal
from sesskit.artifacts.span import Span

__all__ = ["PEOPLE", "PERMISSIONS", "people_at"]

_U: Final = r"(?P<user>[A-Za-z_][\w.-]{1,31})"
_FIRST: Final = r"(?P<first>[A-Za-z_][\w.-]{1,31})"
_PERSON: Final = r"(?P<name>[^\W\d_][\w'.-]{1,30}(?: [^\W\d_][\w'.-]{0,30}){1,3})"
_HOST: Final = (
    r"(?P<host>(?=[\w.-]{0,60}(?i:mbp|macbook|imac|mac-?mini|laptop|thinkpad|desktop|notebook|-pc\b|xps"
    r"|workstation|-ws\b|[a-z]{3}s-(?:mac|pc|air|box)))[A-Za-z0-9][\w.-]{2,62})"
)
"""The name of somebody's own machine; those of containers and servers say nothing."""
_END: Final = r"(?![\w.-])"
_LINE: Final = r"(?=[ \t\r]*(?:\n|\Z))"


def _row(pattern: str, left: str = "") -> tuple[re.Pattern[str], re.Pattern[str] | None]:
    return re.compile(pattern), re.compile(rf"(?:{left})\Z") if left else None


_TERMINAL: Final = _row(
    r" (?:pts/[0-9]{1,4}|tty[0-9S]{1,4}|console)(?=[ \t]+\S)",
    left=rf"(?:\A|\n){_FIRST} {{0,20}}",
)
_NAMED_HOST: Final = _row(rf"(?:HOSTNAME|COMPUTERNAME|USERDOMAIN)={_HOST}(?=[\s\"']|\Z)")

PERMISSIONS: Final = tuple(f"rw{sign}" for sign in "xsStT-")
"""How the permissions of an owner begin in a long listing."""

PEOPLE: Final = {
    " pts/": _TERMINAL,
    " tty": _TERMINAL,
    ":x:": _row(
        r":x:[0-9]{1,10}:[0-9]{1,10}:(?:" + _PERSON + r")?[,:][^\n]{0,120}?:/",
        left=rf"(?:\A|\n){_FIRST}",
    ),
    "/run/media/": _row(rf"/run/media/{_U}(?=/)"),
    "/media/": _row(rf"/media/{_U}(?=/[A-Z])", left=r"(?:\A|[\s\"'=:])"),
    "/var/mail/": _row(rf"/var/mail/{_U}{_END}"),
    "/spool/mail/": _row(rf"/spool/mail/{_U}{_END}"),
    "/spool/cron/": _row(rf"/spool/cron/(?:crontabs/|tabs/)?{_U}{_END}"),
    "pytest-of-": _row(rf"pytest-of-{_U}(?=/|\s|\"|'|\Z)"),
    " ~": _row(rf" ~{_U}(?=/)"),
    "\n~": _row(rf"\n~{_U}(?=/)"),
    "=~": _row(rf"=~{_U}(?=/)"),
    "getent passwd ": _row(rf"getent passwd {_U}{_END}"),
    "chown ": _row(rf"chown (?:-[A-Za-z]{{1,4}} )?{_U}(?=:[\w.-]{{0,32}} )"),
    "exec -": _row(
        rf"exec (?:-[a-z]{{1,3}} ){{0,3}}(?:-u|--user)[ =]{_U}{_END}",
        left=r"(?:docker|podman|compose|nerdctl) (?:container )?",
    ),
    "crontab -": _row(rf"crontab (?:-[lre] )?-u {_U}{_END}"),
    "su - ": _row(rf"su - {_U}{_LINE}", left=r"(?:\A|[\s;&|])"),
    "sudo -u ": _row(rf"sudo -u {_U}{_END}"),
    ":(F)": _row(r":\(F\)", left=r"[A-Za-z0-9][\w.-]{0,40}\\(?P<first>[A-Za-z_][\w.-]{1,31})"),
    ":(I)": _row(r":\(I\)", left=r"[A-Za-z0-9][\w.-]{0,40}\\(?P<first>[A-Za-z_][\w.-]{1,31})"),
    "$ hostname\n": _row(rf"\$ hostname\r?\n{_HOST}{_LINE}"),
    "Linux ": _row(rf"Linux {_HOST} [0-9]{{1,2}}\.[0-9]{{1,2}}\.[0-9]"),
    "Darwin ": _row(rf"Darwin {_HOST} [0-9]{{1,2}}\.[0-9]{{1,2}}\.[0-9]"),
    "HOSTNAME=": _NAMED_HOST,
    "COMPUTERNAME=": _NAMED_HOST,
    "USERDOMAIN=": _NAMED_HOST,
    "b.com account ": _row(rf"b\.com account {_U}(?= \((?:keyring|GH_TOKEN|GITHUB_TOKEN|/|oauth))"),
    '"login"': _row(
        r"\"login\"\s{0,4}:\s{0,4}\"(?P<user>[A-Za-z][\w-]{2,38})\"(?=,\s{0,40}\"(?:id|node_id)\")"
    ),
    "uthors = [": _row(rf"uthors = \[\s{{0,8}}\{{\s{{0,4}}name\s{{0,4}}=\s{{0,4}}\"{_PERSON}\""),
    "aintainers = [": _row(
        rf"aintainers = \[\s{{0,8}}\{{\s{{0,4}}name\s{{0,4}}=\s{{0,4}}\"{_PERSON}\""
    ),
    "ealName: ": _row(rf"ealName: {{1,4}}{_PERSON}{_LINE}"),
    "ull Name: ": _row(rf"ull Name: {{1,4}}{_PERSON}{_LINE}"),
    "ssignee: ": _row(rf"ssignee: {{1,4}}{_PERSON}{_LINE}"),
    "eporter: ": _row(rf"eporter: {{1,4}}{_PERSON}{_LINE}"),
    "Login: ": _row(
        rf"Login: {{1,4}}{_U}(?:[ \t]{{1,40}}Name: {{1,4}}{_PERSON})?{_LINE}", left=r"(?:\A|\n)"
    ),
    " | 20": _row(
        r" \| 20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9:]{8} [+-][0-9]{4}",
        left=r"(?:\A|\n)r[0-9]{1,9} \| (?P<first>[A-Za-z_][\w.-]{1,31})",
    ),
    "Uid: (": _row(rf"Uid: \( *[0-9]{{1,10}}/ *{_U}\)"),
    **dict.fromkeys(
        PERMISSIONS,
        _row(
            r"rw[xsStT-](?:[r-][w-][xsStT-]){2}[.+@]?[ \t]+(?P<user>[A-Za-z_][\w.-]{1,31})"
            r"/[\w.-]{1,32}[ \t]+[0-9]{1,15} "
        ),
    ),
    "COMMAND": _row(
        r"COMMAND +PID +(?:TID +)?(?:TASKCMD +)?USER +FD[^\n]{0,120}\n"
        r"[^\s]{1,30} +[0-9]{1,8} +(?P<user>[A-Za-z_][\w.-]{1,31}) "
    ),
    " [at] ": _row(
        r" \[at\] (?:[a-z0-9-]{1,40}(?:\.| \[dot\] )){1,3}[a-z]{2,12}(?![\w.-])",
        left=r"(?<![\w.-])[\w.+-]{2,40}(?P<mail>)",
    ),
    ") 555-": _row(r"\) 555-[0-9]{4}(?![0-9])", left=r"(?<![\w)])\([2-9][0-9]{2}(?P<phone>)"),
}
"""By anchor: what follows, and what has to stand before it."""

_LEFT_WINDOW: Final = 90


def people_at(text: str, at: int, anchor: str) -> Iterator[Span]:
    """Whom the form of the anchor at ``at`` names."""
    pattern, left = PEOPLE[anchor]
    found = pattern.match(text, at)
    before = left.search(text, max(at - _LEFT_WINDOW, 0), at) if found and left else None
    if not found or (left and not before):
        return
    groups = found.groupdict()
    if groups.get("user"):
        yield from named(found, "login", "user")
    if groups.get("name"):
        yield from person(found)
    if groups.get("host") and not is_generic(found["host"]) and found["host"] != "localhost":
        yield personal(*found.span("host"), "host-name", found["host"], "host")
    if before:
        yield from _before(text, found, before)


def _before(text: str, found: re.Match[str], before: re.Match[str]) -> Iterator[Span]:
    groups = before.groupdict()
    if groups.get("first"):
        yield from named(before, "login", "first")
    for group, rule, stem in (("mail", "mail-address", "email"), ("phone", "telephone", "phone")):
        if group in groups:
            value = text[before.start() : found.end()]
            yield personal(before.start(), found.end(), rule, value, stem)
