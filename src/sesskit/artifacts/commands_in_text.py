"""Secrets on command lines, and in files that are lists of words: flags, ``curl -u``, ``.netrc``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sesskit.artifacts.key_names import is_secret_name, stem_of
from sesskit.artifacts.names_in_text import Value, judged, value_at
from sesskit.artifacts.plausible import weigh
from sesskit.artifacts.span import Span

__all__ = ["commands_in", "flags_in", "prose_in", "words_in"]

_FLAG: Final = re.compile(
    r"(?<![\w-])--?(?P<name>[A-Za-z][\w-]{1,60})(?:\\{0,16}[\"']\s{0,4},)?[ \t]{1,8}(?=[^\s-])"
    r"|(?<![\w-])--?(?P<listed>[A-Za-z][\w-]{1,60})\\{0,16}[\"'],\s{0,80}(?=\\{0,16}[\"'][^-\"'])"
)
_LINE_WINDOW: Final = 400
_VALUE: Final = (
    r"[ \t]{0,4}(?P<q>\\{0,16}[\"']?)(?P<value>[^\s\"'`\\|;&<>$][^\s\"'`\\|;&<>]{2,200})"
)


def _command(names: str, flags: str) -> re.Pattern[str]:
    """A command, anything on its line, and a flag whose value is a password."""
    return re.compile(
        rf"(?<![\w./-])(?:[\w./-]{{0,60}}/)?(?:{names})(?=[ \t\"'])(?:[^\n|;]|\\[nt]){{0,{_LINE_WINDOW}}}?"
        rf"(?<![\w-])(?:{flags}){_VALUE}"
    )


_COMMANDS: Final = (
    (
        ("curl", "wget", "http", "xh", "svn", "aria2c", "mosquitto", "lftp"),
        re.compile(
            r"(?<![\w./-])(?:curl|wget|https?|xh|aria2c|lftp|ab|hey)(?=[ \t\"'])"
            rf"[^\n|;]{{0,{_LINE_WINDOW}}}?(?<![\w-])(?:-u|--user|--proxy-user|-U|-a|--auth)"
            r"(?:[ \t=]|\\{0,16}[\"'],\s{0,4}){0,4}\\{0,16}[\"']?(?P<user>[^\s:\"'\\$@/{}]{1,100}):"
            r"(?P<value>[^\s\"'`\\$][^\s\"'`\\]{3,200})"
        ),
    ),
    (
        ("mysql", "mariadb"),
        _command("mysql(?:dump|admin|import|sh)?|mariadb(?:-dump)?", "-p(?![ \t])"),
    ),
    (("sshpass",), _command("sshpass", "-p")),
    (("redis-cli",), _command("redis-cli", "-a")),
    (
        ("login", "mongo", "cqlsh", "rar", "7z", "snowsql"),
        _command(
            "(?:docker|podman|helm registry|oc|az|nerdctl|skopeo|npm|gh|cf|ibmcloud) login"
            "|mongosh?|mongodump|mongorestore|cqlsh|mosquitto_pub|mosquitto_sub|rar|unrar|7z|snowsql",
            "-p|-P",
        ),
    ),
    (("zip", "sqlcmd", "bcp"), _command("zip|unzip|sqlcmd|bcp", "-P")),
    (("ldap", "smbclient"), _command("ldap(?:search|modify|add|passwd)", "-w")),
    (("htpasswd",), _command(r"htpasswd(?=[^\n]{0,40} -\w*b)", r"-\w*b\w* \S{1,80} \S{1,80}")),
    (("openssl", "pass:"), _command("openssl", "(?:-pass|-passin|-passout|-k) (?:pass:)?")),
    (
        ("keytool", "jarsigner"),
        _command("keytool|jarsigner", "-storepass|-keypass|-srcstorepass|-deststorepass"),
    ),
    (("net use",), _command("net use", r"/user:\S{1,80}")),
)
"""Hints, one of which is there whenever the pattern matches, and the pattern."""

_NETRC: Final = re.compile(
    r"(?<![\w-])login[ \t]+\S{1,200}[\s\S]{1,80}?(?<![\w-])password[ \t]+(?P<value>[^\s\"'\\]{3,200})"
)
_PROSE: Final = re.compile(
    r"(?<![\w-])(?:passwords?|passphrase|passwd|passcode|pwd|secret|token|api[ _-]?key|credentials?)"
    r"(?:[ \t]+(?:for|of|to|on|here|there|now|currently|still|just)(?:[ \t]+[\w.@'-]{1,40}){0,4}?)?"
    r"[ \t]+(?:is|was|are|be|equals|to|as|=)[ \t]*:?[ \t]*(?P<q>[\"'`*_(]{0,3})"
    r"(?P<value>[^\s\"'`<>(){}]{6,200})",
    re.IGNORECASE,
)


def flags_in(text: str) -> Iterator[Span]:
    """``--api-key VALUE``, also as neighbours of a list: ``"--api-key", "VALUE"``."""
    for found in _FLAG.finditer(text):
        name = found["name"] or found["listed"]
        if not is_secret_name(name):
            continue
        value = value_at(text, found.end())
        if value:
            span = judged(text, value, stem_of(name))
            if span:
                yield span._replace(rule="command-flag")


def commands_in(text: str) -> Iterator[Span]:
    """Passwords that commands take behind short flags."""
    for hints, pattern in _COMMANDS:
        if any(hint in text for hint in hints):
            for found in pattern.finditer(text):
                value = Value(*found.span("value"), quoted=True)
                content = found["value"]
                if content.isdigit() and found.groupdict().get("user", "").isdigit():
                    continue  # docker run -u 1000:1000 and its like
                span = judged(text, value, "password")
                if span:
                    yield span._replace(rule="command-password")


def words_in(text: str) -> Iterator[Span]:
    """``login NAME password VALUE`` of ``.netrc`` files."""
    for found in _NETRC.finditer(text):
        span = judged(text, Value(*found.span("value"), quoted=True), "password")
        if span:
            yield span._replace(rule="netrc-password")


def prose_in(text: str) -> Iterator[Span]:
    """*the password is VALUE*: only values that no sentence would hold."""
    for found in _PROSE.finditer(text):
        content = found["value"].rstrip(".,;:!?*_")
        start = found.start("value")
        if weigh(content, quoted=bool(found["q"]), weak=True) in ("high", "medium"):
            digits = any(map(str.isdigit, content))
            odd = any(not c.isalnum() for c in content[1:-1])
            if digits or (odd and found["q"]):
                yield Span(
                    start,
                    start + len(content),
                    "prose-password",
                    content,
                    "password",
                    confidence="low",
                    spread=len(content) >= 8,
                )
