"""Personal data: who a session belongs to. Home folders, logins, hosts, mail, names of authors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sesskit.artifacts.span import Span

__all__ = ["GENERIC", "identities_in", "is_generic"]

GENERIC: Final = frozenset(
    "root user users username ubuntu debian fedora centos arch alpine runner runneradmin node nodejs"
    " app apps application admin administrator default public shared guest all ec2-user vscode"
    " codespace codespaces gitpod circleci jenkins travis build builder buildkite buildkite-agent"
    " linuxbrew homebrew git gitlab github www www-data http nginx apache postgres mysql redis mongo"
    " rabbitmq elasticsearch kibana grafana prometheus nobody daemon bin sys sync games man mail news"
    " proxy backup list irc gnats systemd systemd-network messagebus sshd coder jovyan sandbox dev"
    " developer deploy deployer ansible vagrant docker podman core rocky almalinux opc azureuser"
    " azure-user cloud-user bitnami steam pi test tester testuser tests demo example me you name"
    " your-name yourname your-user youruser myuser someuser user1 user2 foo bar baz alice bob work"
    " workspace workspaces project projects src code home tmp temp system service svc staff wheel"
    " users agent claude codex copilot assistant bot ci robot automation support info noreply"
    " no-reply donotreply localhost self owner group other total desktop documents downloads".split()
)
"""Names of homes and accounts that tell nothing about a person."""

_NAME: Final = r"[^\W_][\w.-]{0,62}"
_HOME: Final = re.compile(
    r"(?:/(?:home|Users|export/home|var/home|usr/home|data/home)/|[/\\]Documents and Settings\\{1,16}"
    r"|(?:[A-Za-z]:|/mnt/[a-z]|/[a-z]|\\{2,8}wsl[$.]\w*[\\/]{1,4}[\w.-]{1,40})?[/\\]{1,16}(?:Users|home)[/\\]{1,16}"
    rf"|%2F(?:home|Users)%2F)(?P<name>{_NAME}(?: [A-Z][\w.-]{{0,40}}(?=[/\\]))?)"
)
_DASHED: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Za-z]-)?-(?:Users|home)-(?P<name>[^\W_][\w.]{0,62})(?=-|/|\\|\"|'|\s|\Z)"
)
_MAIL: Final = re.compile(
    r"(?<![\w.+%/@-])(?P<local>[A-Za-z0-9_][\w.+-]{0,63})@(?P<domain>(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24})"
    r"(?![\w-]|\.[A-Za-z0-9]|:[A-Za-z~./][\w./~-]*(?:\.git|/))"
)
_SHOWN_HOST: Final = r"[A-Za-z0-9][A-Za-z0-9-]{0,62}(?:\.(?:local|lan|home|internal|localdomain))?"
_PROMPT: Final = re.compile(
    rf"(?<![\w.+%/@:-])(?P<user>[A-Za-z_][\w.-]{{1,31}})@(?P<host>{_SHOWN_HOST})"
    r"(?=:[~/][^\s$#%]{0,200}[$#%]|:~|[ \t]+[~/][^\s$#%\]]{0,200}[ \t]*[\]$#%])"
)
_COMMENT: Final = re.compile(
    rf"(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-\w{{4,20}}|sk-ssh-ed25519@\S{{8,20}})[ \t]+[A-Za-z0-9+/]{{40,2000}}={{0,3}}"
    rf"[ \t]+(?P<user>[A-Za-z_][\w.-]{{1,63}})@(?P<host>{_SHOWN_HOST})"
)
_REMOTE: Final = re.compile(
    rf"(?<![\w-])(?:ssh|scp|rsync|sftp|mosh|ssh-copy-id)[ \t][^\n|;]{{0,120}}?(?<![\w.+%/@:-])"
    rf"(?P<user>[A-Za-z_][\w.-]{{1,31}})@(?P<host>[A-Za-z][\w.-]{{1,80}})"
)
_OWNER: Final = re.compile(
    r"(?<![\w-])[-dlbcps](?:[r-][w-][xsStT-]){3}[.+@]?[ \t]+[0-9]{1,6}[ \t]+(?P<name>[A-Za-z_][\w.-]{0,31})[ \t]"
)
_AUTHOR: Final = re.compile(
    r"(?:Author|AuthorDate|Commit(?:ter)?|Signed-off-by|Co-authored-by|Reviewed-by|Tested-by|Acked-by"
    r"|Reported-by|Tagger|From|To|Cc):[ \t]{0,8}(?P<name>[^\W\d_][^<>\n\\\"@:;{}()=]{1,60}?)[ \t]{0,3}<(?=[^<>\s@]{1,80}@)",
    re.IGNORECASE,
)
_ASSIGNED_NAME: Final = re.compile(
    r"(?:user\.name|GIT_(?:AUTHOR|COMMITTER)_NAME)\\{0,16}[\"']?[ \t]{0,4}[=:\t ][ \t]{0,4}\\{0,16}[\"']?"
    r"(?P<name>[^\W\d_][^<>\n\\\"'@:;{}()=$]{1,60})"
)
_ASSIGNED_LOGIN: Final = re.compile(
    r"(?<![\w.])(?:USER|LOGNAME|USERNAME|SUDO_USER|LNAME)\\{0,16}[\"']?(?:=|:[ \t]?)\\{0,16}[\"']?(?P<name>[A-Za-z_][\w.-]{1,31})"
    r"(?![\w./(-])"
)
_UID: Final = re.compile(r"(?<![\w])(?:uid|gid)=[0-9]{1,10}\((?P<name>[A-Za-z_][\w.-]{0,31})\)")
_WHOAMI: Final = re.compile(
    r"(?<![\w-])whoami[ \t]*(?:\r?\n|\\n)(?P<name>[A-Za-z_][\w.-]{1,31})(?=\s|\\|\Z)"
)
_LOGIN: Final = re.compile(
    r"(?<![\w-])login[ \t]+(?P<name>[A-Za-z_][\w-]{1,40}(?:\.[\w-]{1,40}|[0-9]{1,4}))[ \t]*(?:\n\s*|[ \t]+)password"
)

_NO_MAIL_LOCAL: Final = re.compile(
    r"(?:no|do-?not)[-_.]?reply|git|hg|svn|ssh|root|user|username|you|your[-_.]?\w*|me|someone|somebody|name"
    r"|test(?:er)?[0-9]*|example|foo|bar|alice|bob|jane\.?doe|john\.?doe|postmaster|mailer-daemon"
    r"|[0-9]+\+?[\w-]*(?:bot|actions).*|.*\[bot\]|dependabot.*|actions",
    re.IGNORECASE,
)
_NO_MAIL_DOMAIN: Final = re.compile(
    r"(?:.*\.)?(?:example|test|invalid|localhost|local)(?:\.(?:com|org|net))?|(?:.*\.)?example\.\w+"
    r"|users\.noreply\.github\.com|.*\.(?:png|jpe?g|gif|svg|webp|js|ts|tsx|jsx|py|json|md|css|html?|so|git|lock|toml|ya?ml)"
    r"|.*\.gserviceaccount\.com|(?:domain|email|mail|company|yourdomain|foo|bar)\.(?:com|org|net)|github\.com|gitlab\.com",
    re.IGNORECASE,
)
_TAGS: Final = frozenset(
    "latest next beta alpha canary main master stable dev rc nightly edge lts current sha256 head"
    " localhost experimental preview".split()
)
_BOT: Final = re.compile(
    r"claude|copilot|codex|gemini|cursor|\[bot\]|bot\b|github|gitlab|noreply", re.I
)
_FEW_LETTERS: Final = 2


def is_generic(name: str) -> bool:
    """Whether a name of a home or account says nothing about who it is."""
    lower = name.lower().strip("._-")
    return len(lower) < _FEW_LETTERS or lower in GENERIC or not any(map(str.isalpha, lower))


def identities_in(text: str) -> list[Span]:
    """The personal data of a text, as far as its surroundings give it away."""
    found: list[Span] = []
    if "@" in text:
        found += _mails(text)
        found += _hosts(text)
    if "/" in text or "\\" in text:
        found += _names(_HOME, text, "home-folder")
    elif "%2F" in text:
        found += _names(_HOME, text, "home-folder")
    if "-Users-" in text or "-home-" in text:
        found += _names(_DASHED, text, "home-folder")
    if "rw" in text:
        found += _names(_OWNER, text, "file-owner")
    if "<" in text:
        found += _people(_AUTHOR, text)
    if "user.name" in text or "_NAME" in text:
        found += _people(_ASSIGNED_NAME, text)
    for hint, pattern in _LOGINS:
        if hint in text:
            found += _names(pattern, text, "login")
    return found


_LOGINS: Final = (
    ("USER", _ASSIGNED_LOGIN),
    ("NAME", _ASSIGNED_LOGIN),
    ("id=", _UID),
    ("whoami", _WHOAMI),
    ("login", _LOGIN),
)


def _names(pattern: re.Pattern[str], text: str, rule: str) -> Iterator[Span]:
    for found in pattern.finditer(text):
        name = found["name"].rstrip(".-")
        if is_generic(name):
            continue
        start = found.start("name")
        yield _person(start, start + len(name), rule, name, "user")


def _person(start: int, end: int, rule: str, value: str, stem: str) -> Span:
    return Span(start, end, rule, value, stem, "personal", "medium", spread=_may_spread(value))


def _may_spread(value: str) -> bool:
    """Whether a name can be looked for as a word: short ones would hit other words."""
    return len(value) >= 4 and not is_generic(value)


def _mails(text: str) -> Iterator[Span]:
    for found in _MAIL.finditer(text):
        local, domain = found["local"], found["domain"]
        if _NO_MAIL_LOCAL.fullmatch(local) or _NO_MAIL_DOMAIN.fullmatch(domain):
            continue
        yield _person(found.start(), found.end(), "mail-address", found[0], "email")


def _hosts(text: str) -> Iterator[Span]:
    for pattern in (_PROMPT, _COMMENT, _REMOTE):
        for found in pattern.finditer(text):
            user, host = found["user"], found["host"]
            if is_generic(user) or host.lower() in _TAGS:
                continue
            start, end = found.start("user"), found.end("host")
            yield Span(
                start,
                end,
                "user-at-host",
                found[0][start - found.start() : end - found.start()],
                "user",
                "personal",
                "medium",
                parts=(("user", user), ("host", host)),
            )


def _people(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    for found in pattern.finditer(text):
        name = found["name"].strip()
        if not name or _BOT.search(name) or is_generic(name) or "[" in name:
            continue
        start = found.start("name")
        yield _person(start, start + len(name), "author-name", name, "person")
