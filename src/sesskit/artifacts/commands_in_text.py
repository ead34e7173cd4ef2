"""Secrets on command lines: ``--api-key VALUE``, ``curl -u user:VALUE``, ``mysql -pVALUE``.

Each function looks at one place of a text, with a bounded piece of text around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from sesskit.artifacts.key_names import is_secret_name, stem_of
from sesskit.artifacts.names_in_text import Value, judged, value_at
from sesskit.artifacts.span import Span

__all__ = ["flag_at", "flags_of"]

_FLAG: Final = re.compile(
    r"--?(?P<name>[A-Za-z][\w-]{1,60})(?:\\{0,16}[\"']\s{0,4},)?[ \t]{1,8}(?=[^\s-])"
    r"|--?(?P<listed>[A-Za-z][\w-]{1,60})\\{0,16}[\"'],\s{0,80}(?=\\{0,16}[\"'][^-\"'])"
)
_SHORT: Final = re.compile(r"--?(?P<name>[A-Za-z][A-Za-z-]{0,20}|p(?=\S))")
_LINE_WINDOW: Final = 400
_GAP: Final = r"(?:[ \t=]|\\{0,16}[\"'],\s{0,4}\\{0,16}[\"']){0,3}"
_PLAIN: Final = r"\\{0,16}[\"']?(?P<value>[^\s\"'`\\|;&<>$][^\s\"'`\\|;&<>]{2,200})"
_SEPARATE: Final = re.compile(
    r"[ \t]" + _GAP + _PLAIN + r"|\\{0,16}[\"'],\s{0,4}" + _PLAIN.replace("value", "listed")
)
_ATTACHED: Final = re.compile(_PLAIN)
_USER: Final = re.compile(
    _GAP
    + r"\\{0,16}[\"']?(?P<user>[^\s:\"'\\$@/{}]{1,100}):(?P<value>[^\s\"'`\\$][^\s\"'`\\]{3,200})"
)
_SHARE: Final = re.compile(r"[ \t]\\{0,16}[\"']?[^\s%\"'\\]{1,80}%(?P<value>[^\s\"'`\\$]{3,200})")
_OPENSSL: Final = re.compile(r"[ \t](?:pass:)?(?P<value>[^\s\"'`\\$|;:]{3,200})(?![^\s]*:)")
_BATCH: Final = re.compile(
    r"[ \t]\S{1,80}[ \t]\S{1,80}[ \t]\\{0,16}[\"']?(?P<value>[^\s\"'`\\|;&<>$]{3,200})"
)
_PIPED: Final = re.compile(
    r"(?:echo|printf)[ \t]+(?P<q>[\"']?)(?P<value>[^\s\"'|$`]{4,200})(?P=q)"
    r"[ \t]*\|[ \t]*sudo[ \t]+\Z"
)


class _Use(NamedTuple):
    """A command whose flag takes a password: the command, and how the password follows the flag."""

    command: re.Pattern[str]
    value: re.Pattern[str]


def _use(commands: str, value: re.Pattern[str]) -> _Use:
    return _Use(re.compile(rf"(?:(?<![\w.-])|(?<=\\[nrt]))(?:{commands})(?=[\s\"'])"), value)


_CURL: Final = _use("curl|wget|https?|xh|aria2c|lftp|ab|hey|svn|ncftp|restic|rclone", _USER)
_LOGIN: Final = (
    "(?:docker|podman|nerdctl|skopeo|crane|oras|oc|az|npm|cf|ibmcloud|helm registry) login|mongosh?"
    "|mongodump|mongorestore|mongoexport|mongoimport|cqlsh|snowsql|rpcclient|winrs|sshpass"
)
_USES: Final[dict[str, tuple[_Use, ...]]] = {
    "u": (_CURL,),
    "U": (_CURL, _use("smbclient|smbmap|rpcclient|mount.cifs", _SHARE)),
    "user": (_CURL,),
    "proxy-user": (_CURL,),
    "auth": (_CURL,),
    "basic-auth": (_use(r"[\w./-]{1,60}", _USER),),
    "http-auth": (_use(r"[\w./-]{1,60}", _USER),),
    "creds": (_use(r"[\w./-]{1,60}", _USER),),
    "a": (_CURL, _use("redis-cli", _SEPARATE)),
    "p": (
        _use(
            r"mysql(?:dump|admin|import|sh|pump)?|mariadb(?:-dump|-admin)?|7z|7za|rar|unrar|sshpass",
            _ATTACHED,
        ),
        _use(_LOGIN, _SEPARATE),
    ),
    "P": (_use(f"zip|unzip|sqlcmd|bcp|isql|mosquitto_(?:pub|sub)|{_LOGIN}", _SEPARATE),),
    "w": (_use("ldap(?:search|modify|add|passwd|delete|whoami)", _SEPARATE),),
    "pass": (_use("openssl|storescp|ffmpeg", _OPENSSL),),
    "passin": (_use("openssl", _OPENSSL),),
    "passout": (_use("openssl", _OPENSSL),),
    "k": (_use("openssl", _OPENSSL),),
    **dict.fromkeys(
        ("storepass", "keypass", "srcstorepass", "deststorepass", "new"),
        (_use("keytool|jarsigner|apksigner", _SEPARATE),),
    ),
    **dict.fromkeys(("b", "bc", "cb", "nb", "bn", "bB", "Bb"), (_use("htpasswd", _BATCH),)),
}
"""By the name of the flag. A new command is a line."""


def flag_at(text: str, at: int) -> Iterator[Span]:
    """What follows the flag that begins at ``at``, a dash behind a blank or a quote."""
    long = _FLAG.match(text, at)
    if long:
        name = long["name"] or long["listed"]
        if is_secret_name(name):
            value = value_at(text, long.end())
            span = judged(text, value, stem_of(name)) if value else None
            if span:
                yield span._replace(rule="command-flag")
            return
    short = _SHORT.match(text, at)
    if not short:
        return
    name, end = short["name"], short.end("name")
    if name not in _USES and name[0] == "p" and text[at + 1] == "p":
        name, end = "p", at + 2  # -pVALUE
    uses = _USES.get(name)
    if uses:
        yield from _used(text, at, end, uses)
    elif name == "S":
        piped = _PIPED.search(text, max(at - _LINE_WINDOW, 0), at)
        if piped:
            yield from _password(text, piped, "value")


def _used(text: str, at: int, end: int, uses: tuple[_Use, ...]) -> Iterator[Span]:
    line = None
    for use in uses:
        found = use.value.match(text, end)
        if not found or (found.groupdict().get("user") or "x").isdigit():
            continue
        group = "value" if found["value"] is not None else "listed"
        span = judged(text, Value(*found.span(group), quoted=True), "password")
        if span is None:
            continue
        if line is None:
            line = text[
                max(text.rfind("\n", max(at - _LINE_WINDOW, 0), at) + 1, at - _LINE_WINDOW, 0) : at
            ]
        if use.command.search(line):
            yield span._replace(rule="command-password")


def _password(text: str, found: re.Match[str], group: str) -> Iterator[Span]:
    span = judged(text, Value(*found.span(group), quoted=True), "password")
    if span:
        yield span._replace(rule="command-password")


def flags_of(text: str) -> Iterator[Span]:
    """The same of all flags of a text that is one command line."""
    at = text.find("-")
    while at >= 0:
        if at == 0 or text[at - 1] in " \t\n\"'":
            yield from flag_at(text, at)
        at = text.find("-", at + 1)
