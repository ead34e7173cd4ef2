"""Secrets that follow a command, a statement, a call or a phrase directly: what stands where.

Each line of the table is an anchor and a bounded pattern that begins there.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from sesskit.artifacts.line_prefixes import ANY_PREFIX
from sesskit.artifacts.secret_rule import UUID

__all__ = ["POSITIONAL", "Row"]

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


class Row(NamedTuple):
    """What may follow an anchor. ``stem`` says what the value is; ``long`` asks for a long one.

    ``left`` has to end where the anchor begins; if it names the value, that stands there.
    """

    pattern: re.Pattern[str]
    stem: str = "password"
    long: bool = False
    left: re.Pattern[str] | None = None


def _row(pattern: str, stem: str = "password", *, long: bool = False, left: str = "") -> Row:
    return Row(re.compile(pattern), stem, long, re.compile(left + r"\Z") if left else None)


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
_FED: Final = rf"{_ECHO}(?P<value>[^\s\"'|$`]{{4,400}})(?P=q)[ \t]*"
_FORM: Final = _row(
    rf"form-data; name={_Q}(?P<name>[\w.-]{{2,60}}){_Q}"
    rf"(?:(?:\r?\n|\\r\\n|\\n)(?:{ANY_PREFIX}[ \t]{{0,4}})?){{2}}"
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
_SLUG: Final = r"(?P<value>[\w-]{20,400})(?![\w.-])"
_ARROW: Final = _row(rf"(?:assword|oken) (?:->|=>|\u2192) [\"'`]?{_MIXED}")
_BESIDE: Final = _row(
    rf"(?:reds:|redentials(?: are|:)|ogin:)[ \t]+[\w.@-]{{2,40}}[ \t]?/[ \t]?{_MIXED}"
    r"(?=[\s\"'.,]|\Z)"
)
_USER_ADDED: Final = _row(rf"(?:add_user|change_password)[ \t]+[\w.@-]{{1,60}}[ \t]+{_BARE}")

_ASSIGNED: Final = _row(
    rf"(?:setenv|setx|-gx|ENV)[ \t]+(?P<name>[A-Za-z_]\w{{2,60}})[ \t]+{_BARE}(?=[\s\"']|\Z)"
)

POSITIONAL: Final[dict[str, Row]] = {
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
    **dict.fromkeys(
        ("| wrangler secret put", "| gh secret set", "| docker secret create"),
        _row(r"\|", left=_FED),
    ),
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
    '{ send "': _row(
        r"\{ send \"(?P<value>[^\s\"'\\$]{4,100})\\{1,16}[rn]\\{0,16}\"",
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
    "/magic/": _row(rf"/magic/{_SLUG}", "token", long=True),
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
    **dict.fromkeys(
        ("assword -> ", "assword \u2192 ", "oken -> ", "oken \u2192 ", "assword => "), _ARROW
    ),
    **dict.fromkeys(("assword ist ", "asswort ist "), _row(rf"asswor[dt] ist {_MIXED}")),
    **dict.fromkeys(("reds: ", "redentials are ", "redentials: ", "ogin: "), _BESIDE),
    ", pass ": _row(rf", pass {_MIXED}"),
    "ASSWORD to ": _row(rf"ASSWORD to {_MIXED}"),
    "assword (which is ": _row(rf"assword \(which is {_MIXED}"),
    "assword generated: ": _row(rf"assword generated: {_BARE}"),
    "assword is generated for ": _row(rf"assword is generated for [\w.@'%-]{{1,60}}: {_BARE}"),
    "assword to proceed": _row(r"assword to proceed:?\s{1,12}(?P<value>[0-9a-f]{32})(?=\s|\Z)"),
    "assword \xe8 ": _row(rf"assword \xe8 {_MIXED}"),
    "et-password": _row(rf"et-password[ \t]+(?!-)[\w.@-]{{1,60}}[ \t]+(?!-){_BARE}"),
}
"""By anchor: what follows. A new command is a line, and a row in the test of places."""
