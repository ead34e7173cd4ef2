"""What commands print that print one secret: the line below them, if it is a single word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sesskit.artifacts.key_names import is_secret_name
from sesskit.artifacts.line_prefixes import ANY_PREFIX
from sesskit.artifacts.plausible import is_drawn
from sesskit.artifacts.span import Span
from sesskit.artifacts.values_in_text import Value, judged

__all__ = ["OUTPUTS", "printed_at"]

OUTPUTS: Final = (
    *("jq -", "yq -", "yq .", "yq '.", "printenv ", "echo $", 'echo "$', "printf '%s' \"$"),
    *("/secrets/", "jsonpath=", "output -raw ", "read op://", "pass show ", "pass -c ", " --plain"),
    *("versions access ", "-generic-password", "-internet-password", "-field", "lpass show "),
    *("get-secret-value", "with-decryption", "keyvault secret show", "bw get ", "config:get "),
    *("secret-tool lookup", "openssl rand -", "pwgen", "auth token", "print-access-token"),
    *("get aws_secret", "config --get ", "base64 -d", "base64 --decode", "kubectl get secret"),
    *("chamber read ", "rbw get ", "token create", "cat ~/.", "makepasswd", "vault read "),
)
"""What such commands have in them."""

_LINE: Final = re.compile(r"[^\n]{0,400}\n")
_VALUE: Final = re.compile(
    rf"(?:{ANY_PREFIX}[ \t]{{0,4}})?[ \t]{{0,8}}(?P<q>[\"']?)(?P<value>[^\s\"'`<>]{{6,400}})(?P=q)"
    r"[ \t\r]{0,40}(?=\n|\Z)"
)
_ALWAYS: Final = re.compile(
    r"/run/secrets/|op read |pass show |gopass show|secrets? versions access |"
    r"find-(?:generic|internet)-password\b.*?[ \t]-\w*w|get-secret-value|with-decryption"
    r"|keyvault secret show|bw get password|secret-tool lookup|openssl rand |pwgen|gh auth token"
    r"|print-access-token|chamber read |lpass show |rbw get |makepasswd|doppler secrets get "
    r"|infisical secrets get "
    r"|kubectl[^\n]{0,80} get secrets?/?[ \t][^\n]{0,200}(?:jsonpath|template)"
    r"|create[ -]token|token create"
)
"""Commands that print a secret whatever its name."""

_NAMES: Final = re.compile(r"[A-Za-z_$][\w-]{2,80}")
_PROMPT: Final = re.compile(
    r"[$#%>\u276f\u279c][ \t]|\A(?:sudo )?(?:jq|yq|printenv|echo|cat|kubectl|op|pass|gcloud|aws|az"
    r"|vault|doppler|heroku|terraform|security|git|gh|openssl)[ ]"
)
"""A prompt, or a command that begins the text."""

_LONGEST: Final = 400


def printed_at(text: str, at: int) -> Iterator[Span]:
    """The secret in the line below the command that has an anchor at ``at``."""
    rest = _LINE.match(text, at)
    found = _VALUE.match(text, rest.end()) if rest else None
    if not rest or not found or not _can_be_printed(found["value"]):
        return
    start = text.rfind("\n", max(at - _LONGEST, 0), at) + 1
    command = text[max(start, at - _LONGEST) : rest.end() - 1]
    if not _PROMPT.search(command) or not (_ALWAYS.search(command) or _asks(command)):
        return
    span = judged(text, Value(*found.span("value"), quoted=True), "password")
    if span and span.value not in command:
        yield span._replace(rule="printed-secret", stem="secret")


def _can_be_printed(value: str) -> bool:
    """Whether a word can be a secret where a name alone says that one is printed."""
    capitals = sum(map(str.isupper, value[1:]))
    mixed = capitals > 1 and any(map(str.islower, value)) and "/" not in value
    return (is_drawn(value) or mixed) and not value.endswith((":", ",", "{", "["))


def _asks(command: str) -> bool:
    """Whether one of the words of a command is a secret's name."""
    return any(is_secret_name(name.strip("$-")) for name in _NAMES.findall(command))
