"""Secrets that follow a command, a statement, a call or a phrase directly: what stands where.

Each line of the table is an anchor and a bounded pattern that begins there.
"""

from __future__ import annotations

from typing import Final

from sesskit.artifacts.line_prefixes import ANY_PREFIX
from sesskit.artifacts.positional_forms import (
    BARE,
    FED,
    MIXED,
    OPTIONS,
    PAIR,
    PIPED,
    QUOTED,
    Q,
    Row,
    row,
)
from sesskit.artifacts.positional_tools import TOOLS
from sesskit.artifacts.secret_rule import UUID

__all__ = ["POSITIONAL"]

_LOGIN: Final = row(rf"login{OPTIONS}(?!-){BARE}(?=[\s\"'\\]|\Z)", "token", long=True)
_SQL_BY: Final = row(
    rf"(?i:dentified)(?i:[ \t]+with[ \t]+[\w'\"]{{1,40}})?[ \t]+(?i:by)[ \t]+"
    rf"(?i:password[ \t]+)?{QUOTED}"
)
_SQL_WORD: Final = row(rf"(?i:assword)[ \t]{{0,4}}(?:=[ \t]{{0,4}}|\([ \t]{{0,4}})?N?{QUOTED}")
_THREE: Final = row(
    rf"\w{{2,12}}\(\s{{0,40}}(?P<o>{Q})[^\"'\\\n]{{1,200}}(?P=o)\s{{0,8}},\s{{0,40}}"
    rf"(?P<u>{Q})[^\"'\\\n]{{1,100}}(?P=u)\s{{0,8}},\s{{0,40}}{QUOTED}"
)
_CALL: Final = row(rf"(?:uth(?:entication)?|ogin|redentials?)(?:=[\w.]{{0,30}})?\({PAIR}")
_ORACLE: Final = row(
    r"[^\n]{0,120}?(?<![\w/])[A-Za-z][\w$#]{0,40}/(?P<value>[^\s/@\"'\\]{4,100})@(?=[\w/(\"])"
)
_TOOL: Final = row(
    r"\w{4,7}(?:[ \t]+-[\w]{1,8})*[ \t]+[\"']?(?:userid=)?[A-Za-z][\w$#]{0,40}/"
    r"(?P<value>[^\s/@\"'\\]{4,100})(?=[@\s\"'])"
)
_PGPASS: Final = row(
    r":(?:[0-9]{4,5}|\*):[\w*.-]{1,80}:[\w*.@-]{1,80}:(?P<value>[^\s:\"'\\]{4,200})"
)

_FORM: Final = row(
    rf"form-data; name={Q}(?P<name>[\w.-]{{2,60}}){Q}"
    rf"(?:(?:\r?\n|\\r\\n|\\n)(?:{ANY_PREFIX}[ \t]{{0,4}})?){{2}}"
    r"(?P<value>[^\s\"'\\]{4,400})"
)
_FIELD: Final = row(
    rf"ype=(?:{Q})?password[^<>]{{0,200}}?[ \t]"
    rf"value=(?P<q>{Q})(?P<value>[^\s\"'<>]{{4,200}})(?P=q)"
)
_COOKIE: Final = row(
    r"(?:TRUE|FALSE)\t/[^\t\n]{0,200}\t(?:TRUE|FALSE)\t[0-9]{1,20}\t[\w.-]{0,60}"
    r"(?i:sess|sid|auth|token|jwt|login)[\w.-]{0,40}\t(?P<value>[^\s\"'\\]{8,4096})",
    "cookie",
)
_WITH: Final = row(rf"og ?in with[ \t]+[\w.@-]{{2,60}}[ \t]?/[ \t]?{MIXED}(?=[\s\"'.,]|\Z)")
_SLUG: Final = r"(?P<value>[\w-]{20,400})(?![\w.-])"
_ARROW: Final = row(rf"(?:assword|oken) (?:->|=>|\u2192) [\"'`]?{MIXED}")
_BESIDE: Final = row(
    rf"(?:reds:|redentials(?: are|:)|ogin:)[ \t]+[\w.@-]{{2,40}}[ \t]?/[ \t]?{MIXED}"
    r"(?=[\s\"'.,]|\Z)"
)
_USER_ADDED: Final = row(rf"(?:add_user|change_password)[ \t]+[\w.@-]{{1,60}}[ \t]+{BARE}")

_ASSIGNED: Final = row(
    rf"(?:setenv|setx|-gx|ENV)[ \t]+(?P<name>[A-Za-z_]\w{{2,60}})[ \t]+{BARE}(?=[\s\"']|\Z)"
)

POSITIONAL: Final[dict[str, Row]] = {
    **TOOLS,
    "login ": _LOGIN,
    "setenv ": _ASSIGNED,
    "setx ": _ASSIGNED,
    "-gx ": _ASSIGNED,
    "ENV ": _ASSIGNED,
    "equirepass": row(rf"equirepass[ \t]+{BARE}"),
    "masterauth": row(rf"masterauth[ \t]+{BARE}"),
    "AUTH ": row(rf"AUTH[ \t]+(?:[\w.-]{{1,40}}[ \t]+)?{BARE}(?=[\"'\\]|[ \t]*(?:\n|\Z))"),
    "dentified": _SQL_BY,
    "DENTIFIED": _SQL_BY,
    "assword '": _SQL_WORD,
    "ASSWORD '": _SQL_WORD,
    "ASSWORD = ": _SQL_WORD,
    "ASSWORD(": _SQL_WORD,
    "uth=(": _CALL,
    "uth(": _CALL,
    "ogin(": _CALL,
    "redential(": row(rf"redential\({PAIR}"),
    **dict.fromkeys(("PDO(", "onnect(", "ysqli(", "onnection("), _THREE),
    "iFi.begin(": row(rf"iFi\.begin\({PAIR}"),
    **dict.fromkeys(
        tuple(f"{word}, {quote}" for word in ("assword", "ecret", "oken") for quote in ('"', "<<")),
        row(rf"\w{{4,8}}, (?:<<)?{QUOTED}", left=r"\{:?\w{0,40}"),
    ),
    "ureString": row(rf"ureString(?:[ \t]+-String)?[ \t]+{QUOTED}"),
    "oracle:": _ORACLE,
    "sqlplus ": _TOOL,
    "expdp ": _TOOL,
    "impdp ": _TOOL,
    "sqlldr ": _TOOL,
    ":5432:": _PGPASS,
    ":5433:": _PGPASS,
    ":6432:": _PGPASS,
    ":*:": _PGPASS,
    "http-basic.": row(rf"http-basic\.[\w.-]{{1,60}}[ \t]+[^\s]{{1,100}}[ \t]+{BARE}"),
    "pypi-token.": row(rf"pypi-token\.[\w.-]{{1,60}}[ \t]+{BARE}", "token"),
    "net use": row(
        rf"net use[ \t]+(?:[A-Za-z*]:?[ \t]+)?\\{{2,8}}[^\s\"]{{1,200}}[ \t]+"
        rf"(?:/user:[^\s]{{1,80}}[ \t]+)?"
        rf"(?!/){BARE}"
    ),
    "net user": row(rf"net user[ \t]+[\w.$-]{{1,60}}[ \t]+(?!/){BARE}(?=[ \t\"'])"),
    " /p:": row(rf"[ \t]/p:{BARE}"),
    "chpasswd": row(r"chpasswd", left=PIPED),
    **dict.fromkeys(
        ("| wrangler secret put", "| gh secret set", "| docker secret create"),
        row(r"\|", left=FED),
    ),
    "service install ": row(rf"service install[ \t]+{BARE}", "token", long=True),
    "wpa_passphrase": row(rf"wpa_passphrase[ \t]+{Q}?[^\s\"']{{1,40}}{Q}?[ \t]+{BARE}"),
    "wifi connect": row(rf"wifi connect[ \t]+[^\n]{{1,60}}?[ \t]password[ \t]+{BARE}"),
    "rclone ": row(rf"rclone[ \t][^\n|]{{1,160}}?[ \t]pass(?:word)?[ \t=]{BARE}"),
    "rootpw": row(rf"rootpw[ \t]+(?:--plaintext[ \t]+)?(?!--){BARE}"),
    "insecure-password": row(rf"insecure-password[ \t]+{BARE}"),
    "nseal Key ": row(rf"nseal Key [0-9]{{1,2}}:[ \t]{{0,4}}{BARE}", "key", long=True),
    "AdminPassword": row(
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
    "WIFI:": row(r"WIFI:(?:[TSHR]:[^;\n]{0,64};){0,4}P:(?P<value>[^\s;\"'\\]{4,63});"),
    " LOGIN ": row(
        rf"(?<=[0-9]) LOGIN [\"]?[^\s\"]{{1,100}}[\"]? [\"]?{MIXED}[\"]?(?=[\s\\]|\Z)",
        left=r"(?:(?<![^\s])|(?<=[:>]))[A-Za-z]{0,4}[0-9]{1,6}",
    ),
    "PASS ": row(
        rf"PASS {MIXED}(?=[\s\\]|\Z)",
        left=r"(?:USER[ \t][^\n]{1,100}\n(?:[^\n]{0,120}\n){0,3}[^\n]{0,12}|[A-Z>]: |--> )",
    ),
    '{ send "': row(
        r"\{ send \"(?P<value>[^\s\"'\\$]{4,100})\\{1,16}[rn]\\{0,16}\"",
        left=r"ass(?:word|phrase)[^\n]{0,20}[\s\S]{0,20}",
    ),
    "alias set ": row(
        rf"alias set[ \t]+[\w.-]{{1,40}}[ \t]+https?://\S{{1,200}}[ \t]+"
        rf"\S{{1,80}}[ \t]+{BARE}"
    ),
    "password-command": row(rf"password-command[ \t=](?:{Q})?(?:echo|printf)[ \t]+{BARE}"),
    "ecret access key": row(
        r"ecret access key[^\n]{0,80}\n(?:[^,\n]{0,80},){0,4}?"
        r"(?P<value>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])",
        "key",
        long=True,
    ),
    "rivate key": row(
        r"rivate key[ \t]{0,2}(?:[:=]|is)[ \t\"'`]{0,4}(?P<value>(?:0x)?[0-9a-f]{64})"
        r"(?![0-9A-Za-z])",
        "key",
        long=True,
    ),
    "openweathermap.org": row(
        r"openweathermap\.org[^\s\"'<>]{0,200}?[?&](?:appid|APPID)=(?P<value>[0-9a-f]{32})",
        "api-key",
        long=True,
    ),
    "/magic/": row(rf"/magic/{_SLUG}", "token", long=True),
    "GenieKey ": row(rf"GenieKey (?P<value>{UUID})", "api-key", long=True),
    **dict.fromkeys(
        ("assword -> ", "assword \u2192 ", "oken -> ", "oken \u2192 ", "assword => "), _ARROW
    ),
    **dict.fromkeys(("reds: ", "redentials are ", "redentials: ", "ogin: "), _BESIDE),
    ", pass ": row(rf", pass {MIXED}"),
    "ASSWORD to ": row(rf"ASSWORD to {MIXED}"),
    "assword (which is ": row(rf"assword \(which is {MIXED}"),
    "assword generated: ": row(rf"assword generated: {BARE}"),
    "assword is generated for ": row(rf"assword is generated for [\w.@'%-]{{1,60}}: {BARE}"),
    "assword to proceed": row(r"assword to proceed:?\s{1,12}(?P<value>[0-9a-f]{32})(?=\s|\Z)"),
    "assword \xe8 ": row(rf"assword \xe8 {MIXED}"),
    "et-password": row(rf"et-password[ \t]+(?!-)[\w.@-]{{1,60}}[ \t]+(?!-){BARE}"),
}
"""By anchor: what follows. A new command is a line, and a row in the test of places."""
