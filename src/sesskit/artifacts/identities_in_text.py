"""Personal data: who a session belongs to. Home folders, logins, hosts, mail, names of authors.

Each function looks at one place of a text, with a bounded piece of text around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sesskit.artifacts.secret_rule import word_set
from sesskit.artifacts.span import Span

__all__ = [
    "account_at",
    "address_at",
    "git_name_at",
    "home_at",
    "is_generic",
    "named",
    "owner_at",
    "person",
    "personal",
    "whoami_at",
]

_GENERIC: Final = word_set(
    "root user users username ubuntu debian fedora centos arch alpine runner"
    " runneradmin node nodejs app apps application admin administrator default public"
    " shared guest all ec2-user vscode codespace codespaces gitpod circleci jenkins"
    " travis build builder buildkite buildkite-agent linuxbrew homebrew git gitlab"
    " github www www-data http nginx apache postgres mysql redis mongo rabbitmq"
    " elasticsearch kibana grafana prometheus nobody daemon bin sys sync games man mail"
    " news proxy backup list irc gnats systemd systemd-network messagebus sshd coder"
    " jovyan sandbox dev developer deploy deployer ansible vagrant docker podman core"
    " rocky almalinux opc azureuser azure-user cloud-user bitnami steam pi test tester"
    " testuser tests demo example me you name your-name yourname your-user youruser"
    " node_modules myuser myself myusername nodeuser userid someuser user1 user2 john jane"
    " doe foo bar baz alice bob work workspace workspaces"
    " project projects src code home tmp temp system service svc staff wheel agent"
    " claude codex copilot assistant bot ci robot automation support info noreply no-"
    " reply donotreply localhost self owner group other total desktop documents"
    " downloads xxx"
)
"""Names of homes and accounts that tell nothing about a person."""

_NAME: Final = r"[^\W_][\w.-]{0,62}"
_HOME: Final = re.compile(
    rf"(?:home|Users|Documents and Settings)(?:[/\\]{{1,16}}|%2F|%5C)"
    rf"(?P<name>{_NAME}(?: [A-Z][\w.-]{{0,40}}(?=[/\\]))?)"
)
_DASHED: Final = re.compile(r"(?:home|Users)-(?P<name>[^\W_][\w.]{0,62})(?=-|/|\\|\"|'|\s|\Z)")
_LOCAL: Final = re.compile(r"[\w.+-]{1,64}", re.ASCII)  # read backwards
_DOMAIN: Final = re.compile(
    r"(?:[A-Za-z0-9\u00df-\u024f-]{1,63}\.){1,6}[A-Za-z]{2,24}"
    r"(?![\w-]|\.[A-Za-z0-9]|:[A-Za-z~./][\w./~-]{0,200}(?:\.git|/))"
)
_HOST: Final = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9-]{0,62}(?:\.(?:local|lan|home|internal|localdomain))?"
)
_PROMPT_TAIL: Final = re.compile(
    r":[~/][^\s$#%]{0,200}[$#%]|:~|[ \t]+[~/][^\s$#%\]]{0,200}[ \t]*[\]$#%]"
)
_KEY_COMMENT: Final = re.compile(r"[ \t]+={0,3}[A-Za-z0-9+/]{40,}")  # read backwards
_REMOTE: Final = re.compile(
    r"(?<![\w-])(?:ssh|scp|rsync|sftp|mosh|ssh-copy-id)[ \t][^\n|;]{0,120}\Z"
)
_OWNER: Final = re.compile(
    r"rw[xsStT-](?:[r-][w-][xsStT-]){2}[.+@]?[ \t]+[0-9]{1,6}[ \t]+"
    r"(?P<name>[A-Za-z_][\w.-]{0,31})[ \t]"
)
_AUTHOR: Final = re.compile(
    r"(?:Author|Commit(?:ter)?|Signed-off-by|Co-authored-by|Reviewed-by|Tested-by|Acked-by"
    r"|Reported-by|Maintainers?|Tagger|From|To|Cc)\\{0,16}[\"']?:[ \t]{0,8}\\{0,16}[\"']?"
    r"(?P<name>[^\W\d_][^<>\n\\\"@:;{}()=]{1,60}?)[ \t]{0,3}\Z",
    re.IGNORECASE,
)
_CAPITALISED: Final = re.compile(
    r"(?<![\w.])(?!By )(?P<name>[A-Z][\w'.-]{1,30}(?: [A-Z][\w'.-]{0,30}){1,3})[ ]{0,2}\Z"
)
_GIT_NAME: Final = re.compile(
    r"(?:user\.name|_NAME)\\{0,16}[\"']?[ \t]{0,4}[=: \t][ \t]{0,4}\\{0,16}[\"']?"
    r"(?P<name>[^\W\d_][^<>\n\\\"'@:;{}()=$]{1,60})"
)
_ACCOUNT: Final = re.compile(
    r"(?:USER|LOGNAME|USERNAME)\\{0,16}[\"']?(?:=|:[ \t]?)\\{0,16}[\"']?"
    r"(?P<name>[A-Za-z_][\w.-]{1,31})(?![\w./(-])"
    r"|id=[0-9]{1,10}\((?P<shown>[A-Za-z_][\w.-]{0,31})\)"
)
_WHOAMI: Final = re.compile(
    r"(?:whoami|logname|id -un|echo \$USER)[ \t]*(?:\r?\n(?:[\w.-]{1,40}\\{1,2})?|\\n"
    r"(?:[\w.-]{1,40}\\{2,4})?)(?P<name>[A-Za-z_][\w.-]{1,31})(?=\s|\\|\Z)"
)
_NO_MAIL_LOCAL: Final = re.compile(
    r"(?:no|do-?not)[-_.]?reply|git|hg|svn|ssh|root|user|username|you|your[-_.]?\w*|me|someone"
    r"|somebody|name|test(?:er)?[0-9]*|example|foo|bar|alice|bob|jane\.?doe|john\.?doe|postmaster"
    r"|mailer-daemon|[0-9]+\+?[\w-]*(?:bot|actions).*|.*\[bot\]|dependabot.*|actions",
    re.IGNORECASE,
)
_NO_MAIL_DOMAIN: Final = re.compile(
    r"(?:.*\.)?(?:example|test|invalid|localhost|local)(?:\.(?:com|org|net))?|(?:.*\.)?example\.\w+"
    r"|users\.noreply\.github\.com|.*\.gserviceaccount\.com|github\.com|gitlab\.com"
    r"|(?:domain|email|mail|company|yourdomain|foo|bar)\.(?:com|org|net)"
    r"|.*\.(?:png|jpe?g|gif|svg|webp|js|ts|tsx|jsx|py|json|md|css|html?|so|git|lock|toml|ya?ml)",
    re.IGNORECASE,
)
_TAGS: Final = word_set(
    "latest next beta alpha canary main master stable dev rc nightly edge lts current"
    " sha256 head localhost experimental preview"
)
_BOT: Final = re.compile(
    r"claude|copilot|codex|gemini|cursor|\[bot\]|bot\b|github|gitlab|noreply", re.IGNORECASE
)
_FEW_LETTERS: Final = 2
_LONGEST_LOCAL: Final = 65


def is_generic(name: str) -> bool:
    """Whether a name of a home or account says nothing about who it is."""
    lower = name.lower().strip("._-")
    return len(lower) < _FEW_LETTERS or lower in _GENERIC or not any(map(str.isalpha, lower))


def personal(start: int, end: int, rule: str, value: str, stem: str) -> Span:
    """A span of personal data. Short names are not looked for elsewhere: they would hit words."""
    spread = len(value) >= 4 and not is_generic(value)
    return Span(start, end, rule, value, stem, "personal", "medium", spread=spread)


def home_at(text: str, at: int) -> Iterator[Span]:
    """The name behind ``home`` or ``Users`` at ``at``, in a path or in a dashed path."""
    before = text[at - 1 : at]
    if before == "-" and not text[max(at - 2, 0) : at - 1].isalnum():
        found = _DASHED.match(text, at)
    elif before in ("/", "\\") or text[max(at - 3, 0) : at] in ("%2F", "%5C"):
        found = _HOME.match(text, at)
    else:
        return
    if found:
        yield from named(found, "home-folder")


def named(found: re.Match[str], rule: str, group: str = "name") -> Iterator[Span]:
    """The account whose name a group of a match is."""
    name = found[group].rstrip(".-")
    if not is_generic(name):
        start = found.start(group)
        yield personal(start, start + len(name), rule, name, "user")


def owner_at(text: str, at: int) -> Iterator[Span]:
    """The owner in a line of a long listing, whose first permissions are at ``at``."""
    if text[at - 1 : at] in ("-", "d", "l", "b", "c", "p", "s") and at:
        found = _OWNER.match(text, at)
        if found and not text[at - 2 : at - 1].isalnum():
            yield from named(found, "file-owner")


def account_at(text: str, at: int) -> Iterator[Span]:
    """``USER=name``, ``uid=1000(name)``: the variable or field begins at ``at``."""
    before = text[at - 1 : at]
    found = _ACCOUNT.match(text, at)
    if not found:
        return
    if found["shown"]:
        yield from named(found, "login", "shown")
    elif not (before.isalnum() or before in (".", "_")) or text[max(at - 5, 0) : at] == "SUDO_":
        yield from named(found, "login")


def whoami_at(text: str, at: int) -> Iterator[Span]:
    """The answer to ``whoami``."""
    found = _WHOAMI.match(text, at)
    if found:
        yield from named(found, "login")


def git_name_at(text: str, at: int) -> Iterator[Span]:
    """The name of an author in the configuration of git or its environment."""
    found = _GIT_NAME.match(text, at)
    is_git = found and (found[0][0] != "_" or text[max(at - 13, 0) : at].startswith("GIT_"))
    if found and (is_git or text[max(at - 10, 0) : at] == "GIT_AUTHOR"):
        yield from person(found)


def person(found: re.Match[str]) -> Iterator[Span]:
    """The person whose name the group ``name`` of a match is."""
    name = found["name"].strip()
    if name and not _BOT.search(name) and not is_generic(name) and "[" not in name:
        start = found.start("name")
        yield personal(start, start + len(name), "author-name", name, "person")


def address_at(text: str, at: int) -> Iterator[Span]:
    """Mail addresses, ``user@host`` of prompts and keys, names of authors before an address."""
    local = _LOCAL.match(text[max(at - _LONGEST_LOCAL, 0) : at][::-1])
    if not local:
        return
    start = at - local.end()
    before = text[start - 1 : start]
    user = text[start:at]
    domain = _DOMAIN.match(text, at + 1)
    if before == "<":
        yield from _author(text, start - 1, known=bool(domain and _is_mail(user, domain[0])))
    if before in ("/", "%", "@"):
        return
    if domain and _is_mail(user, domain[0]):
        yield personal(start, domain.end(), "mail-address", text[start : domain.end()], "email")
        return
    if before not in (":", "+", "."):
        yield from _at_host(text, start, at)


def _author(text: str, end: int, *, known: bool) -> Iterator[Span]:
    """The name before an address in angle brackets; of a person's address any two capitals do."""
    author = _AUTHOR.search(text, max(end - 90, 0), end)
    if not author and known:
        author = _CAPITALISED.search(text, max(end - 90, 0), end)
    if author:
        yield from person(author)


def _is_mail(local: str, domain: str) -> bool:
    """Whether this is the address of a person, and no sample, robot or name of a file."""
    if local[0] in ".-+":
        return False
    return not _NO_MAIL_LOCAL.fullmatch(local) and not _NO_MAIL_DOMAIN.fullmatch(domain)


def _at_host(text: str, start: int, at: int) -> Iterator[Span]:
    """A login and a host, where a prompt, a key or a remote command shows that they are that."""
    host = _HOST.match(text, at + 1)
    user = text[start:at]
    if not host or not (user[0].isalpha() or user[0] == "_") or len(user) < _FEW_LETTERS:
        return
    if is_generic(user) or host[0].lower() in _TAGS:
        return
    shown = (
        _PROMPT_TAIL.match(text, host.end())
        or _KEY_COMMENT.match(text[max(start - 80, 0) : start][::-1])
        or _REMOTE.search(text, max(start - 140, 0), start)
    )
    if shown:
        yield Span(
            start,
            host.end(),
            "user-at-host",
            text[start : host.end()],
            "user",
            "personal",
            "medium",
            parts=(("user", user), ("host", host[0])),
        )
