"""Secrets that follow a command, a statement or a call directly, without a flag or a name.

``wandb login VALUE``, ``IDENTIFIED BY 'VALUE'``, ``auth=("user", "VALUE")``, lines of ``.pgpass``.
Each line of the table is an anchor and a bounded pattern that begins there.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from sesskit.artifacts.key_names import is_secret_name, stem_of
from sesskit.artifacts.names_in_text import Value, judged
from sesskit.artifacts.plausible import is_mixed, weigh
from sesskit.artifacts.secret_rule import UUID
from sesskit.artifacts.span import Span

__all__ = ["POSITIONAL", "codes_at", "decoded_at", "phrase_at", "positional_at"]

_Q: Final = r"\\{0,16}[\"']"
_WORD: Final = r"(?P<value>[^\s\"'`\\|;&<>$(){},]{4,200})"
_BARE: Final = rf"(?:{_Q})?{_WORD}"
_QUOTED: Final = rf"(?P<q>{_Q})(?P<value>[^\s\"'`\\<>$]{{4,200}})(?P=q)"
_OPTIONS: Final = r"(?:[ \t]+--?[\w-]{1,30}){0,3}[ \t]+"
_PAIR: Final = (
    rf"[ \t]{{0,4}}(?P<o>{_Q})[^\"'\\\s]{{1,100}}(?P=o)[ \t]{{0,4}},"
    rf"[ \t]{{0,4}}(?:\w{{1,20}}=)?{_QUOTED}"
)


_MIXED: Final = (
    r"(?P<value>(?=[^\s\"'`]{0,60}[0-9])(?=[^\s\"'`]{0,60}[A-Za-z])[^\s\"'`\\|;&<>$(){},]{6,200})"
)
"""What nobody would take for a word."""


class _Row(NamedTuple):
    """What may follow an anchor. ``stem`` says what the value is; ``long`` asks for a long one.

    ``left`` has to end where the anchor begins; if it names the value, that stands there.
    """

    pattern: re.Pattern[str]
    stem: str = "password"
    long: bool = False
    left: re.Pattern[str] | None = None


def _row(pattern: str, stem: str = "password", *, long: bool = False, left: str = "") -> _Row:
    return _Row(re.compile(pattern), stem, long, re.compile(left + r"\Z") if left else None)


_LOGIN: Final = _row(rf"login{_OPTIONS}{_BARE}(?=[\s\"'\\]|\Z)", "token", long=True)
_SQL_BY: Final = _row(
    rf"(?i:dentified)(?i:[ \t]+with[ \t]+[\w'\"]{{1,40}})?[ \t]+(?i:by)[ \t]+"
    rf"(?i:password[ \t]+)?{_QUOTED}"
)
_SQL_WORD: Final = _row(rf"(?i:assword)[ \t]{{0,4}}(?:=[ \t]{{0,4}}|\([ \t]{{0,4}})?N?{_QUOTED}")
_CALL: Final = _row(rf"(?:uth(?:entication)?|ogin|redentials?)(?:=[\w.]{{0,30}})?\({_PAIR}")
_ORACLE: Final = _row(
    r"[^\n]{0,120}?(?<![\w/])[A-Za-z][\w$#]{0,40}/(?P<value>[^\s/@\"'\\]{4,100})@(?=[\w/(\"])"
)
_TOOL: Final = _row(
    r"\w{4,7}(?:[ \t]+-[\w]{1,8})*[ \t]+[\"']?(?:userid=)?[A-Za-z][\w$#]{0,40}/"
    r"(?P<value>[^\s/@\"'\\]{4,100})(?=[@\s\"'])"
)
_PGPASS: Final = _row(
    r":(?:[0-9]{4,5}|\*):[\w*.-]{1,80}:[\w*.@-]{1,80}:(?P<value>[^\s:\"'\\]{4,200})"
)

_ECHO: Final = r"(?:echo|printf)[ \t]+(?:-[neE]{1,3}[ \t]+)?(?P<q>[\"']?)"
_PIPED: Final = (
    rf"{_ECHO}[\w.@-]{{1,60}}:(?P<value>[^\s\"'|$`]{{4,200}})(?P=q)[ \t]*\|[ \t]*(?:sudo[ \t]+)?"
)
_FED: Final = rf"{_ECHO}(?P<value>[^\s\"'|$`]{{4,400}})(?P=q)[ \t]*\|[^|\n]{{1,40}}"
_FORM: Final = _row(
    rf"form-data; name={_Q}(?P<name>[\w.-]{{2,60}}){_Q}(?:\r?\n|\\r\\n|\\n){{2}}"
    r"(?P<value>[^\s\"'\\]{4,400})"
)
_FIELD: Final = _row(
    rf"ype=(?:{_Q})?password[^<>]{{0,200}}?[ \t]"
    rf"value=(?P<q>{_Q})(?P<value>[^\s\"'<>]{{4,200}})(?P=q)"
)
_COOKIE: Final = _row(
    r"(?:TRUE|FALSE)\t/[^\t\n]{0,200}\t(?:TRUE|FALSE)\t[0-9]{1,20}\t[\w.-]{0,60}"
    r"(?i:sess|sid|auth|token|jwt|login)[\w.-]{0,40}\t(?P<value>[^\s\"'\\]{8,4096})",
    "cookie",
)
_WITH: Final = _row(rf"og ?in with[ \t]+[\w.@-]{{2,60}}[ \t]?/[ \t]?{_MIXED}(?=[\s\"'.,]|\Z)")
_LONG_RUN: Final = r"(?P<value>[\w-]{20,400})(?![\w.-])"
_USER_ADDED: Final = _row(rf"(?:add_user|change_password)[ \t]+[\w.@-]{{1,60}}[ \t]+{_BARE}")

_ASSIGNED: Final = _row(
    rf"(?:setenv|setx|-gx|ENV)[ \t]+(?P<name>[A-Za-z_]\w{{2,60}})[ \t]+{_BARE}(?=[\s\"']|\Z)"
)

POSITIONAL: Final[dict[str, _Row]] = {
    "login ": _LOGIN,
    "setenv ": _ASSIGNED,
    "setx ": _ASSIGNED,
    "-gx ": _ASSIGNED,
    "ENV ": _ASSIGNED,
    "equirepass": _row(rf"equirepass[ \t]+{_BARE}"),
    "masterauth": _row(rf"masterauth[ \t]+{_BARE}"),
    "AUTH ": _row(rf"AUTH[ \t]+(?:[\w.-]{{1,40}}[ \t]+)?{_BARE}(?=[\"'\\]|[ \t]*(?:\n|\Z))"),
    "dentified": _SQL_BY,
    "DENTIFIED": _SQL_BY,
    "assword '": _SQL_WORD,
    "ASSWORD '": _SQL_WORD,
    "ASSWORD = ": _SQL_WORD,
    "ASSWORD(": _SQL_WORD,
    "uth=(": _CALL,
    "uth(": _CALL,
    "ogin(": _CALL,
    "redential(": _row(rf"redential\({_PAIR}"),
    "ureString": _row(rf"ureString(?:[ \t]+-String)?[ \t]+{_QUOTED}"),
    "oracle:": _ORACLE,
    "sqlplus ": _TOOL,
    "expdp ": _TOOL,
    "impdp ": _TOOL,
    "sqlldr ": _TOOL,
    ":5432:": _PGPASS,
    ":5433:": _PGPASS,
    ":6432:": _PGPASS,
    ":*:": _PGPASS,
    "http-basic.": _row(rf"http-basic\.[\w.-]{{1,60}}[ \t]+[^\s]{{1,100}}[ \t]+{_BARE}"),
    "pypi-token.": _row(rf"pypi-token\.[\w.-]{{1,60}}[ \t]+{_BARE}", "token"),
    "net use": _row(
        rf"net use[ \t]+(?:[A-Za-z*]:?[ \t]+)?\\{{2,8}}[^\s\"]{{1,200}}[ \t]+"
        rf"(?:/user:[^\s]{{1,80}}[ \t]+)?"
        rf"(?!/){_BARE}"
    ),
    "net user": _row(rf"net user[ \t]+[\w.$-]{{1,60}}[ \t]+(?!/){_BARE}(?=[ \t\"'])"),
    " /p:": _row(rf"[ \t]/p:{_BARE}"),
    "chpasswd": _row(r"chpasswd", left=_PIPED),
    **dict.fromkeys((" secret put ", " secret set ", " secret create "), _row(" ", left=_FED)),
    "service install ": _row(rf"service install[ \t]+{_BARE}", "token", long=True),
    "wpa_passphrase": _row(rf"wpa_passphrase[ \t]+{_Q}?[^\s\"']{{1,40}}{_Q}?[ \t]+{_BARE}"),
    "wifi connect": _row(rf"wifi connect[ \t]+[^\n]{{1,60}}?[ \t]password[ \t]+{_BARE}"),
    "rclone ": _row(rf"rclone[ \t][^\n|]{{1,160}}?[ \t]pass(?:word)?[ \t=]{_BARE}"),
    "rootpw": _row(rf"rootpw[ \t]+(?:--plaintext[ \t]+)?(?!--){_BARE}"),
    "insecure-password": _row(rf"insecure-password[ \t]+{_BARE}"),
    "nseal Key ": _row(rf"nseal Key [0-9]{{1,2}}:[ \t]{{0,4}}{_BARE}", "key", long=True),
    "AdminPassword": _row(
        r"AdminPassword[ \t]{0,4}(?:\r?\n|\\n)[ \t]{0,4}(?P<value>[0-9a-f]{32})(?=\s|\Z|\\)"
    ),
    **dict.fromkeys(("ype=password", 'ype="password', "ype='password", 'ype=\\"password'), _FIELD),
    "form-data; name=": _FORM,
    "TRUE\t/": _COOKIE,
    "FALSE\t/": _COOKIE,
    "og in with": _WITH,
    "ogin with": _WITH,
    "add_user ": _USER_ADDED,
    "change_password ": _USER_ADDED,
    "WIFI:": _row(r"WIFI:(?:[TSHR]:[^;\n]{0,64};){0,4}P:(?P<value>[^\s;\"'\\]{4,63});"),
    " LOGIN ": _row(
        rf"(?<=[0-9]) LOGIN [\"]?[^\s\"]{{1,100}}[\"]? [\"]?{_MIXED}[\"]?(?=[\s\\]|\Z)",
        left=r"(?:(?<![^\s])|(?<=[:>]))[A-Za-z]{0,4}[0-9]{1,6}",
    ),
    "PASS ": _row(
        rf"PASS {_MIXED}(?=[\s\\]|\Z)",
        left=r"(?:USER[ \t][^\n]{1,100}\n(?:[^\n]{0,120}\n){0,3}[^\n]{0,12}|[A-Z>]: |--> )",
    ),
    'send "': _row(
        r"send \"(?P<value>[^\s\"'\\$]{4,100})\\{1,16}[rn]\\{0,16}\"",
        left=r"ass(?:word|phrase)[^\n]{0,20}[\s\S]{0,20}",
    ),
    "alias set ": _row(
        rf"alias set[ \t]+[\w.-]{{1,40}}[ \t]+https?://\S{{1,200}}[ \t]+"
        rf"\S{{1,80}}[ \t]+{_BARE}"
    ),
    "password-command": _row(rf"password-command[ \t=](?:{_Q})?(?:echo|printf)[ \t]+{_BARE}"),
    "ecret access key": _row(
        r"ecret access key[^\n]{0,80}\n(?:[^,\n]{0,80},){0,4}?"
        r"(?P<value>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])",
        "key",
        long=True,
    ),
    "rivate key": _row(
        r"rivate key[ \t]{0,2}(?:[:=]|is)[ \t\"'`]{0,4}(?P<value>(?:0x)?[0-9a-f]{64})"
        r"(?![0-9A-Za-z])",
        "key",
        long=True,
    ),
    "openweathermap.org": _row(
        r"openweathermap\.org[^\s\"'<>]{0,200}?[?&](?:appid|APPID)=(?P<value>[0-9a-f]{32})",
        "api-key",
        long=True,
    ),
    "/magic/": _row(rf"/magic/{_LONG_RUN}", "token", long=True),
    "GenieKey ": _row(rf"GenieKey (?P<value>{UUID})", "api-key", long=True),
    **dict.fromkeys(
        (
            "ontrase\u00f1a",
            "mot de passe",
            "\u5bc6\u7801",
            "\u30d1\u30b9\u30ef\u30fc\u30c9",
            "\u043f\u0430\u0440\u043e\u043b\u044c",
            "has\u0142o",
            "\ube44\ubc00\ubc88\ud638",
        ),
        _row(rf"[^\s:=]{{2,12}}(?: de passe)?[ \t]{{0,3}}[:\uff1a=][ \t]{{0,3}}{_BARE}"),
    ),
    "assword \xe8 ": _row(rf"assword \xe8 {_MIXED}"),
    "et-password": _row(rf"et-password[ \t]+(?!-)[\w.@-]{{1,60}}[ \t]+(?!-){_BARE}"),
}
"""By anchor: what follows. A new command is a line, and a row in the test of places."""

_ECHOED: Final = re.compile(
    r"(?:echo|printf)[ \t]+(?:-n[ \t]+)?[\"']?(?P<value>[A-Za-z0-9+/_=-]{8,2000})"
    r"[\"']?[ \t]*\|[ \t]*\Z"
)
_GOES_TO: Final = re.compile(
    r"(?P<name>[\w.-]{2,60})(?:=|[ \t]{1,4}|[ \t]{0,4}:[ \t]{0,4})[\"']?(?:\$\(|`|<\()[ \t]{0,4}\Z"
)
_LEFT_WINDOW: Final = 500
_LINE_WINDOW: Final = 2400
_LONG: Final = 20
_SEED: Final = re.compile(
    r"(?i:(?:[dy] phrase|nemonic)s?(?:[ \t]+(?:is|was))?)[\"'\\ \t]{0,6}[:=]?[\s\"'\\]{0,6}"
    r"(?P<value>[a-z]{3,8}(?:[ ,]{1,2}[a-z]{3,8}){11,23})(?![ ,]{1,2}[a-z])"
)
_CODES: Final = re.compile(
    r"(?:overy|ackup) codes[^\n:]{0,60}:?[ \t]*(?:\r?\n[ \t]*){1,2}"
    r"(?P<lines>(?:[ \t]*(?:[-*\u2022]|[0-9]{1,2}[.)])?[ \t]*[A-Za-z0-9]{4,12}(?:"
    r"[- ][A-Za-z0-9]{4,12}){0,3}[ \t]*(?:\r?\n|\Z)){1,20})"
)
_CODE: Final = re.compile(r"[A-Za-z0-9]{4,12}(?:[- ][A-Za-z0-9]{4,12}){0,3}(?=[ \t\r]*(?:\n|\Z))")


def positional_at(text: str, at: int, anchor: str) -> Iterator[Span]:
    """The secret that follows the anchor at ``at``."""
    row = POSITIONAL[anchor]
    found = row.pattern.match(text, at)
    if found and row.left:
        before = row.left.search(text, max(at - _LEFT_WINDOW, 0), at)
        found = before and (before if "value" in row.left.groupindex else found)
    if not found:
        return
    name = found.groupdict().get("name")
    if name is not None and not is_secret_name(name):
        return
    start, end = found.span("value")
    end -= len(found["value"]) - len(found["value"].rstrip(".,;:!?"))
    content = text[start:end]
    if row.long:
        if len(content) >= _LONG and weigh(content, quoted=True) in ("high", "medium"):
            yield Span(start, end, "command-token", content, row.stem, confidence="medium")
        return
    stem = row.stem if name is None else stem_of(name)
    span = judged(text, Value(start, end, quoted=True), stem, plain=True)
    if span and (name is not None or is_mixed(content) or not content.islower()):
        yield span._replace(rule="command-password")


def decoded_at(text: str, at: int) -> Iterator[Span]:
    """``$(echo VALUE | base64 -d)`` behind a secret's name; ``base64`` is at ``at``."""
    lowest = max(at - _LINE_WINDOW, 0)
    start = max(text.rfind("echo", lowest, at), text.rfind("printf", lowest, at))
    found = _ECHOED.match(text, start, at) if start >= 0 else None
    goes_to = _GOES_TO.search(text, max(start - 80, 0), start) if found else None
    if not found or not goes_to or not is_secret_name(goes_to["name"].lstrip("-")):
        return
    try:
        plain = base64.b64decode(found["value"] + "=" * (-len(found["value"]) % 4)).decode()
    except (ValueError, binascii.Error):
        return
    if len(plain.strip()) >= 6 and plain.strip().isprintable():
        yield Span(*found.span("value"), "encoded-secret", found["value"], "encoded-text")


def phrase_at(text: str, at: int) -> Iterator[Span]:
    """The words of a wallet's seed phrase."""
    found = _SEED.match(text, at)
    if found and len(set(found["value"].split())) >= 6:
        yield Span(*found.span("value"), "seed-phrase", found["value"], spread=True)


def codes_at(text: str, at: int) -> Iterator[Span]:
    """The codes below a line that announces recovery or backup codes."""
    found = _CODES.match(text, at)
    if not found:
        return
    for code in _CODE.finditer(text, *found.span("lines")):
        plain = code[0].replace("-", "").replace(" ", "")
        if len(plain) >= 8 and any(map(str.isdigit, plain)):
            yield Span(*code.span(), "recovery-code", code[0], confidence="medium")
