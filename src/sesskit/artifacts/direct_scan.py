"""Detection in a text as it stands: every finder, asked only where it is worth it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from sesskit.artifacts import accounts_in_text as accounts
from sesskit.artifacts import identities_in_text as people
from sesskit.artifacts import members_in_text as members
from sesskit.artifacts import numbers_in_text as numbers
from sesskit.artifacts import positional_in_text as positional
from sesskit.artifacts import words_in_text as words
from sesskit.artifacts.anchors import Anchors
from sesskit.artifacts.beside_names import BESIDE
from sesskit.artifacts.commands_in_text import flag_at
from sesskit.artifacts.frames_in_text import KEY_BODIES, key_bodies_in, keys_in, url_at, web_keys_in
from sesskit.artifacts.guards import GUARDS
from sesskit.artifacts.manifests_in_text import manifests_in
from sesskit.artifacts.names_in_text import named_in
from sesskit.artifacts.outputs_in_text import OUTPUTS, printed_at
from sesskit.artifacts.people_in_text import PEOPLE, PERMISSIONS, people_at
from sesskit.artifacts.positional_rows import POSITIONAL
from sesskit.artifacts.span import Span
from sesskit.artifacts.tables_in_text import COLUMN_WORDS, copied_at, tables_in
from sesskit.artifacts.tokens_in_text import HINTED, hinted_at, runs_of, tokens_in

__all__ = ["Runs", "direct", "has_anchor", "hides_in_lines", "over_lines", "runs_of"]

Runs = list[tuple[int, int]]
Finder = Callable[[str, int], Iterator[Span]]


def _behind_blank(text: str, at: int) -> Iterator[Span]:
    return flag_at(text, at + 1)


def _login_at(text: str, at: int) -> Iterator[Span]:
    yield from words.netrc_at(text, at)
    yield from positional.positional_at(text, at, "login ")


def _password_for_at(text: str, at: int) -> Iterator[Span]:
    yield from words.prose_at(text, at)
    yield from accounts.session_at(text, at)


def _user_at(text: str, at: int) -> Iterator[Span]:
    yield from people.account_at(text, at)
    yield from accounts.processes_at(text, at)


def _positional(anchor: str) -> Finder:
    return lambda text, at: positional.positional_at(text, at, anchor)


def _person(anchor: str) -> Finder:
    return lambda text, at: people_at(text, at, anchor)


def _owner_at(text: str, at: int) -> Iterator[Span]:
    yield from people.owner_at(text, at)
    yield from people_at(text, at, PERMISSIONS[0])


_AT: Final[dict[str, Finder]] = {
    "://": url_at,
    " -": _behind_blank,
    "\n-": _behind_blank,
    '"-': _behind_blank,
    "'-": _behind_blank,
    "earer": words.bearer_at,
    "EARER": words.bearer_at,
    **dict.fromkeys(
        (
            *("assword is", "asswords are", "assword was", "assword to"),
            *("assphrase is", "asscode is", "oken is", "oken was", "ecret is", "ecret was"),
            *("key is", "key was", "redentials are", "pwd is", "pw is", "assword (", "assword -"),
        ),
        words.prose_at,
    ),
    "assword for": _password_for_at,
    **dict.fromkeys(("as the password", "as password", "as the passphrase"), words.used_as_at),
    **dict.fromkeys(("asic ",), words.basic_at),
    **dict.fromkeys(
        ("assword ", "ASSWORD ", "asswd ", "ASSWD ", "assphrase "), words.password_before
    ),
    '",': words.argument_before,
    "',": words.argument_before,
    "</": words.element_before,
    "base64 -": positional.decoded_at,
    "d phrase": positional.phrase_at,
    "y phrase": positional.phrase_at,
    "nemonic": positional.phrase_at,
    "overy codes": positional.codes_at,
    "ackup codes": positional.codes_at,
    "home": people.home_at,
    "Users": people.home_at,
    "Documents and Settings": people.home_at,
    "USER": _user_at,
    "LOGNAME": people.account_at,
    "id=": people.account_at,
    **dict.fromkeys(("whoami", "id -un", "logname", "echo $USER"), people.whoami_at),
    **dict.fromkeys(
        (
            "ublickey for",
            "nteractive/pam for",
            "session opened for user ",
            "session closed for user ",
            "udo: ",
        ),
        accounts.session_at,
    ),
    **dict.fromkeys(("INTO ", "into "), members.inserted_at),
    "FROM stdin": copied_at,
    **BESIDE,
    **dict.fromkeys(OUTPUTS, printed_at),
    **dict.fromkeys(("-oauth", "itlab-token", "andom_password"), members.hosted_at),
    " +0": accounts.blamed_at,
    " -0": accounts.blamed_at,
    "[user]": accounts.git_section_at,
    'uthor"': accounts.author_member_at,
    'uthors"': accounts.author_member_at,
    'ommitter"': accounts.author_member_at,
    'aintainer"': accounts.author_member_at,
    "user.name": people.git_name_at,
    "_NAME": people.git_name_at,
    "@": people.address_at,
    **dict.fromkeys((" +", '"+', "'+", ":+", "(+", "=+"), numbers.international_at),
    **dict.fromkeys(
        ("hone", "obile", "tel:", "tel=", "fax:", "Tel:", "Fax:"), numbers.telephone_at
    ),
    **dict.fromkeys(("ard number", "ardNumber", "ard_number", "PAN:", "pan="), numbers.card_at),
    **dict.fromkeys(("IBAN", "iban"), numbers.account_number_at),
    **dict.fromkeys(("SSN", "ssn", "ocial security", "ocial_security"), numbers.social_at),
    **{anchor: _positional(anchor) for anchor in POSITIONAL},
    **{anchor: _person(anchor) for anchor in PEOPLE},
    **dict.fromkeys(PERMISSIONS, _owner_at),
    "login ": _login_at,
    **dict.fromkeys(HINTED, hinted_at),
}
"""By anchor: what to ask at each place where it stands."""

_ONCE: Final[dict[str, Callable[[str], Iterator[Span]]]] = {
    "PRIVATE KEY": keys_in,
    **dict.fromkeys(KEY_BODIES, key_bodies_in),
    "Static key": keys_in,
    "Private-Lines": keys_in,
    "Secret": manifests_in,
    "kty": web_keys_in,
    **dict.fromkeys(COLUMN_WORDS, tables_in),
    "SecureString": members.stored_in,
}
"""By anchor: what to ask once if it stands anywhere."""

_LITERALS: Final = sorted([*_AT, *_ONCE])
_ROOTS: Final = [
    one for one in _LITERALS if not any(one.startswith(o) for o in _LITERALS if o != one)
]
"""The literals that none of the others begins; only they are looked for."""

_Way = tuple[str, Callable[[str, int], object] | None, Finder | None]


def _ways(root: str) -> list[_Way]:
    """What to ask where a root stands: for itself, then for those that it begins.

    Each is an anchor, its guard if it has one, and its finder if it is asked at each place.
    """
    longer = [one for one in _LITERALS if one != root and one.startswith(root)]
    return [
        (one, GUARDS[one].match if one in GUARDS else None, _AT.get(one)) for one in (root, *longer)
    ]


_WAYS: Final = {root: _ways(root) for root in _ROOTS}
_ANCHORS: Final = Anchors(_ROOTS)


def direct(text: str, runs: Runs, anchors: set[str] | None = None, data: bytes = b"") -> list[Span]:
    """What a text says as it stands, in no order; ``runs`` are its runs of token characters.

    Those anchors that no other one begins, and that stand in it, are added to ``anchors``.
    ``data`` is the `flat` text, if somebody has it.
    """
    found: list[Span] = []
    if runs:
        found += tokens_in(text, runs)
        found += words.named_by_blank_in(text, runs)
    if text.startswith("-"):
        found += flag_at(text, 0)
    if "=" in text or ":" in text:
        found += named_in(text)
    return found + _asked(text, _ANCHORS, anchors, data)


def has_anchor(text: str) -> bool:
    """Whether there is a place in a text where a finder would be asked."""
    return bool(_ANCHORS.found_in(text))


def _asked(
    text: str, anchors: Anchors, seen: set[str] | None = None, data: bytes = b""
) -> list[Span]:
    """What the finders of some anchors find."""
    found: list[Span] = []
    once = set()
    places = anchors.found_in(text, data)
    if seen is not None:
        seen.update({root for _, root in places})
    for at, root in places:
        for anchor, guard, finder in _WAYS[root]:
            if anchor is not root and not text.startswith(anchor, at):
                continue
            if guard is not None and guard(text, at) is None:
                continue
            if finder is None:
                once.add(_ONCE[anchor])
            else:
                found += finder(text, at)
    for whole in once:
        found += whole(text)
    return found


_LINE_ANCHORS: Final = frozenset(
    (
        "@",
        "login ",
        "whoami",
        "USER",
        "overy codes",
        "[user]",
        "AdminPassword",
        "PRIVATE KEY",
        "Private-Lines",
        "Secret",
    )
)
"""Anchors of what depends on how a line begins, or on the line before it."""

_OVER_LINES: Final = Anchors(_LINE_ANCHORS)


def over_lines(text: str) -> list[Span]:
    """What can only be seen once the prefixes of lines are taken away."""
    return _asked(text, _OVER_LINES)


def hides_in_lines(anchors: set[str]) -> bool:
    """Whether `over_lines` could find anything in a text that has these anchors."""
    return not _LINE_ANCHORS.isdisjoint(anchors)
