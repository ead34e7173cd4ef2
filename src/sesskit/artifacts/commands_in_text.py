"""Secrets on command lines: ``--api-key VALUE``, ``curl -u user:VALUE``, ``mysql -pVALUE``.

Each function looks at one place of a text, with a bounded piece of text around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from sesskit.artifacts.headers_in_text import cookies
from sesskit.artifacts.key_names import is_secret_name, stem_of
from sesskit.artifacts.names_in_text import Value, judged, value_at
from sesskit.artifacts.plausible import is_mixed
from sesskit.artifacts.span import Span

__all__ = ["flag_at", "flags_of"]

_FLAG: Final = re.compile(
    r"--?(?P<name>[A-Za-z][\w-]{1,60})[ \t]{1,8}(?=[^\s-])"
    r"|--?(?P<listed>[A-Za-z][\w-]{1,60})\\{0,16}[\"'],\s{0,80}(?=\\{0,16}[\"'][^-\"'])"
)
_SHORT: Final = re.compile(r"--?(?P<name>[A-Za-z][A-Za-z-]{0,20}|p(?=\S))")
_LINE_WINDOW: Final = 400
_GAP: Final = r"(?:[ \t=]|\\{0,16}[\"'],\s{0,4}\\{0,16}[\"']){0,3}"
_PLAIN: Final = r"\\{0,16}[\"']?(?P<value>[^\s\"'`\\|;&<>$][^\s\"'`\\|;&<>]{2,200})"
_SEPARATE: Final = re.compile(
    r"[ \t]" + _GAP + _PLAIN + r"|\\{0,16}[\"'],\s{0,4}" + _PLAIN.replace("value", "listed")
)
_ATTACHED: Final = re.compile(r"(?P<q>[\"'])(?P<listed>[^\"'\\\n]{4,200})(?P=q)|" + _PLAIN)
_USER: Final = re.compile(
    _GAP + r"\\{0,16}[\"']?(?P<user>[^\s:,\"'\\$@/{}]{1,100})[:,](?P<value>[^\s\"'`\\$]"
    r"[^\s\"'`\\]{3,200})"
)
_COOKIES: Final = re.compile(
    _GAP + r"\\{0,16}[\"']?(?:[\w-]{1,60}=[^\s;\"'\\]{0,400}; ?){0,8}?"
    r"(?:[\w.-]{0,60}(?i:sess|sid|auth|token|jwt|login)[\w.-]{0,40})=(?P<value>[^\s;\"'\\]{8,2000})"
)
_SHARE: Final = re.compile(
    r"[ \t]\\{0,16}[\"']?[^\s%\"'\\]{1,80}%(?P<value>[^\s\"'`\\$][^\s\"'`\\]{2,199})"
)
_OPENSSL: Final = re.compile(
    r"[ \t](?:pass:)?(?P<value>[^\s\"'`\\$|;:][^\s\"'`\\|;:]{2,199})(?![^\s]*:)"
)
_BATCH: Final = re.compile(
    r"(?:[ \t]-\w{1,8}){0,3}[ \t]\S{1,80}[ \t]\S{1,80}[ \t]\\{0,16}[\"']?"
    r"(?P<value>[^\s\"'`\\|;&<>$][^\s\"'`\\|;&<>]{2,199})"
)
_PIPED: Final = re.compile(
    r"(?:echo|printf)[ \t]+(?P<q>[\"']?)(?P<value>[^\s\"'|$`][^\s\"'|`]{3,199})(?P=q)"
    r"[ \t]*\|[ \t]*sudo[ \t]+\Z"
)


class _Use(NamedTuple):
    """A command whose flag takes a password: the command, and how the password follows the flag."""

    command: re.Pattern[str]
    value: re.Pattern[str]


def _use(commands: str, value: re.Pattern[str]) -> _Use:
    return _Use(re.compile(rf"(?:(?<![\w.-])|(?<=\\[nrt])|\A-)(?:{commands})(?=[\s\"'])"), value)


_CURL: Final = _use("curl|wget|https?|xh|aria2c|lftp|ab|hey|svn|ncftp|restic|rclone|etcdctl", _USER)
_LOGIN: Final = (
    "(?:docker|podman|nerdctl|skopeo|crane|oras|oc|az|npm|cf|ibmcloud|helm registry) login|mongosh?"
    "|mongodump|mongorestore|mongoexport|mongoimport|cqlsh|snowsql|rpcclient|winrs|sshpass"
    "|crane auth login|twine|az|rdesktop|psexec(?:64)?(?:\\.exe)?|evil-winrm"
    "|crackmapexec|netexec|nxc"
    "|mssql-cli|sqlcl|impala-shell|beeline|cypher-shell|arangosh|influx|clickhouse-client|kcadm.sh"
    "|wmic|schtasks|mosh-pass|ipmitool|snmpwalk|rabbitmqadmin|vncdo|nomachine|pgcli|mycli|vault|argocd"
    "|gitlab-runner|glab|pulumi|zabbix_sender|ncrack|mailx|swaks|sendemail"
)
_USES: Final[dict[str, tuple[_Use, ...]]] = {
    "u": (_CURL, _use("lftp|ncftp", _USER)),
    "U": (_CURL, _use("smbclient|smbmap|rpcclient|mount.cifs|winexe|wmic|net|nmblookup", _SHARE)),
    "t": (_use("doctl|vercel|now|netlify|surge|fly|flyctl|snyk|glab|gh|hcloud", _SEPARATE),),
    "pw": (_use("plink|pscp|psftp|putty|kitty", _SEPARATE),),
    "N": (_use("ssh-keygen", _SEPARATE),),
    "K": (_use("openssl", _SEPARATE),),
    "key": (_use("gem|composer|nuget|algolia", _SEPARATE),),
    "b": (
        _use("gh secret|gh variable|glab variable", _SEPARATE),
        _use("curl|http|xh", _COOKIES),
        _use("htpasswd", _BATCH),
    ),
    "cookie": (_use("curl|http|xh|wget|httpie", _COOKIES),),
    "body": (_use("gh secret", _SEPARATE),),
    "value": (_use("(?:az keyvault secret|aws ssm|gh secret|wrangler secret)", _SEPARATE),),
    "secret-string": (_use("aws secretsmanager", _SEPARATE),),
    "user": (_CURL,),
    "proxy-user": (_CURL,),
    "auth": (_CURL, _use("netlify|ntl", _SEPARATE)),
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
        _use("useradd|usermod|adduser", _SEPARATE),
        _use("security (?:unlock|create|set)-keychain(?:-password)?", _SEPARATE),
    ),
    "P": (_use(f"zip|unzip|sqlcmd|bcp|isql|mosquitto_(?:pub|sub)|{_LOGIN}", _SEPARATE),),
    "w": (
        _use("ldap(?:search|modify|add|passwd|delete|whoami)", _SEPARATE),
        _use("security add-(?:generic|internet)-password", _SEPARATE),
    ),
    "c": (_use("snmp(?:walk|get|getnext|set|bulkwalk|bulkget|table|trap|inform)", _SEPARATE),),
    "pass": (_use("openssl|storescp|ffmpeg", _OPENSSL),),
    "passin": (_use("openssl", _OPENSSL),),
    "passout": (_use("openssl", _OPENSSL),),
    "k": (_use("openssl", _OPENSSL),),
    **dict.fromkeys(
        ("storepass", "keypass", "srcstorepass", "deststorepass", "new"),
        (_use("keytool|jarsigner|apksigner", _SEPARATE),),
    ),
    **dict.fromkeys(("bc", "cb", "nb", "bn", "bB", "Bb"), (_use("htpasswd", _BATCH),)),
}
"""By the name of the flag. A new command is a line."""


def flag_at(text: str, at: int) -> Iterator[Span]:
    """What follows the flag that begins at ``at``, a dash behind a blank or a quote."""
    if text.startswith(_FED, at):
        yield from _piped(text, at, _FED_BY)
        return
    long = _FLAG.match(text, at)
    if long:
        name = long["name"] or long["listed"]
        attached = text[at + 1] == "p" and is_mixed(name)  # -pVALUE
        if is_secret_name(name) and not attached:
            value = value_at(text, long.end())
            yield from _flagged(text, name, value)
            return
    short = _SHORT.match(text, at)
    if not short:
        return
    name, end = short["name"], short.end("name")
    if name not in _USES and text[at + 1] in ("p", "u"):
        name, end = text[at + 1], at + 2  # -pVALUE, -uUSER:VALUE
    elif name not in _USES and text[at + 1] != "-" and name[-1] == "u":
        name = "u"  # -sSfu
    uses = _USES.get(name)
    if uses:
        yield from _used(text, at, end, uses)
    elif name == "S":
        yield from _piped(text, at, _PIPED)


_FED: Final = ("--password-stdin", "--with-token", "--token-stdin", "--stdin", "--passphrase-fd")
_FED_BY: Final = re.compile(
    r"(?:echo|printf)[ \t]+(?:-[neE]{1,3}[ \t]+)?(?P<q>[\"']?)"
    r"(?P<value>[^\s\"'|$`][^\s\"'|`]{3,399})(?P=q)[ \t]*\|[^|\n]{1,200}\Z"
)


def _flagged(text: str, name: str, value: Value | None) -> Iterator[Span]:
    """The value of a flag with a secret's name; of ``user:password`` only the password."""
    if value is None:
        return
    stem = stem_of(name)
    content = text[value.start : value.end]
    if stem in ("cookie", "cookies") and "=" in content:
        spans = list(cookies(text, value))
    else:
        user, colon, _ = content.partition(":")
        if stem == "creds" and colon and user.isalnum():
            value = value._replace(start=value.start + len(user) + 1)
            stem = "password"
        span = judged(text, value, stem)
        spans = [span] if span else []
    yield from (span._replace(rule="command-flag") for span in spans)


def _piped(text: str, at: int, pattern: re.Pattern[str]) -> Iterator[Span]:
    """The word that is echoed into the command with a flag at ``at``."""
    found = pattern.search(text, max(at - _LINE_WINDOW, 0), at)
    if found:
        yield from _password(text, found, "value")


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
