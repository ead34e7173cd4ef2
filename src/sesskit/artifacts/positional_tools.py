"""More of what follows a command, a statement, a call or a phrase: tools, devices, languages."""

from __future__ import annotations

from typing import Final

from sesskit.artifacts.line_prefixes import ANY_PREFIX
from sesskit.artifacts.positional_forms import BARE, ECHO, MIXED, QUOTED, Q, Row, row

__all__ = ["TOOLS"]

_END: Final = r"(?=[\s\"']|\Z)"
_CALLED: Final = row(
    r"[^\s:=\uff1a]{2,12}(?: de passe)?(?:[ \t]{0,3}[:\uff1a=][ \t]{0,3}"
    r"|[ \t]+(?:est|es|ist|lautet|war|era|jest|\xe9|\xe8)(?:[ \t]{0,3}:)?[ \t]+"
    rf"|(?:\u306f|\u662f)[ \t]?){BARE}"
)
_DEVICE: Final = row(rf"[ ]\w{{3,8}}[ ][07][ \t]{BARE}{_END}")
_HASHED: Final = row(rf"rypt\.hash\w{{0,6}}\([ \t]{{0,4}}{QUOTED}")
_SIGNED: Final = row(rf"jwt\.\w{{4,8}}\([^()\"'\n]{{1,80}},[ \t]{{0,4}}{QUOTED}", "secret")
_FED_TO: Final = (
    r"(?:--password-stdin|--with-token|--token-stdin|luksOpen|luksFormat|cryptsetup|chpasswd"
    r"|env add|secret put|secret set|secret create|sudo -S|passwd)[^\n]{0,120}"
)

TOOLS: Final[dict[str, Row]] = {
    "<<< ": row(rf"<<<[ \t]+{BARE}{_END}", left=_FED_TO),
    "bundle config": row(
        rf"bundle config(?:[ \t]+(?:set|--?\w{{1,10}})){{0,3}}[ \t]+[\w.:/-]{{1,100}}[ \t]+"
        rf"[\w.@-]{{1,60}}:{BARE}"
    ),
    "Key Content": row(rf"Key Content[ \t]{{0,40}}:[ \t]{{1,4}}{BARE}"),
    "<keyMaterial>": row(r"<keyMaterial>(?P<value>[^<>\s]{8,64})(?=<)"),
    "nmp-server community": row(rf"nmp-server community[ \t]{BARE}[ \t](?:RO|RW|ro|rw)\b"),
    **dict.fromkeys(
        (" password 0 ", " password 7 "),
        row(rf" \w{{3,8}}{' '}(?:0|7)[ \t]{BARE}{_END}"),
    ),
    **dict.fromkeys(
        ("enable password ", "enable secret "),
        row(rf"enable \w{{6,8}}[ \t](?:[07][ \t])?{MIXED}{_END}"),
    ),
    "<auth-user-pass>": row(
        rf"<auth-user-pass>[ \t]*\r?\n(?:{ANY_PREFIX}[ \t]?)?[^\n]{{1,80}}\n(?:{ANY_PREFIX}[ \t]?)?"
        r"(?P<value>[^\s<>]{4,200})(?=[ \t\r]*\n)"
    ),
    **dict.fromkeys(
        ('assword:"', 'assword: "', 'assword?"'),
        row(
            r"assword[:?] ?\"[^\n]{0,20}\n[ \t]{0,20}send (?:-- )?\""
            r"(?P<value>[^\s\"'\\]{4,100})\\{1,16}[rn]\\{0,16}\""
        ),
    ),
    **dict.fromkeys(
        ('ASSWORD "', '_PASS "', '_KEY "', 'OKEN "', 'ECRET "'),
        row(rf"\w{{4,7}}[ \t]{QUOTED}", left=r"#[ \t]{0,8}define[ \t]{1,8}\w{0,50}"),
    ),
    "crypt('": row(rf"crypt\({QUOTED}[ \t]{{0,4}},[ \t]{{0,4}}gen_salt"),
    "UGFzc3dvcmQ6": row(
        rf"UGFzc3dvcmQ6[ \t\r]{{0,4}}\n(?:{ANY_PREFIX}[ \t]{{0,4}})?(?:C: |[<>~=-]{{1,4}} )?"
        r"(?P<value>[A-Za-z0-9+/]{8,200}={0,2})(?=\s|\Z)"
    ),
    "mysqladmin ": row(rf"mysqladmin[ \t][^\n|]{{0,80}}?password[ \t]+(?!-){BARE}{_END}"),
    **dict.fromkeys(("rypt.hash(", "rypt.hashSync("), _HASHED),
    **dict.fromkeys(("jwt.sign(", "jwt.verify(", "jwt.decode(", "jwt.encode("), _SIGNED),
    "btoa(": row(rf"btoa\({Q}[\w.@-]{{1,60}}:(?P<value>[^\s\"'`\\$][^\s\"'`\\]{{3,199}})(?={Q})"),
    "| base64": row(
        r"\| base64",
        left=rf"{ECHO}[\w.@-]{{1,60}}:(?P<value>[^\s\"'|$`][^\s\"'|`]{{3,199}})(?P=q)[ \t]*",
    ),
    "ASSWORD FOR ": row(rf"ASSWORD FOR [^\n=]{{1,80}}=[ \t]{{0,4}}(?:PASSWORD\()?{QUOTED}"),
    **dict.fromkeys(
        ("| cryptsetup", "| sudo cryptsetup"),
        row(r"\|", left=rf"{ECHO}(?P<value>[^\s\"'|$`][^\s\"'|`]{{3,399}})(?P=q)[ \t]*"),
    ),
    "env:set ": row(rf"env:set[ \t]+(?P<name>[A-Za-z_]\w{{2,60}})[ \t]+{BARE}{_END}"),
    ".psk ": row(rf"\.psk[ \t]+{BARE}{_END}"),
    "indpw ": row(rf"indpw[ \t]+{BARE}{_END}"),
    **dict.fromkeys(
        ("]:587 ", "]:465 ", "]:25 "), row(rf"\]:[0-9]{{2,3}}[ \t]+[^\s:]{{1,80}}:{BARE}{_END}")
    ),
    **dict.fromkeys(
        (
            "ontrase\u00f1a",
            "mot de passe",
            "\u5bc6\u7801",
            "\u30d1\u30b9\u30ef\u30fc\u30c9",
            "\u0430\u0440\u043e\u043b\u044c",
            "has\u0142o",
            "\ube44\ubc00\ubc88\ud638",
            "asswort ",
            "ennwort ",
            "assword ist ",
        ),
        _CALLED,
    ),
}
"""By anchor: what follows."""
