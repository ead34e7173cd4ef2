"""Numbers that belong to a person: telephones, cards, bank accounts, social security.

Cards and accounts have to have their check digit right, and cards a name that says what they are:
any long number could be one. Numbers that stand in every manual stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sesskit.artifacts.span import Span

__all__ = ["account_number_at", "card_at", "international_at", "social_at", "telephone_at"]

_NAMED: Final = r"\w{0,20}\\{0,16}[\"']?[ \t]{0,4}(?:[:=#]|is|No\.?)?[ \t]{0,4}\\{0,16}[\"']?"
_INTERNATIONAL: Final = re.compile(
    r"\+(?P<n>[1-9][0-9]{0,2}(?:[ .-]?\([0-9]{1,4}\))?(?:[ .-][0-9]{2,4}){2,5})(?![\w+-]|\.[0-9])"
)
_PLAIN: Final = re.compile(r"\+(?P<n>[1-9][0-9]{9,14})(?![\w.])")
_TELEPHONE: Final = re.compile(
    r"(?:hone|obile|ell|tel|Tel|fax|Fax|hatsApp)"
    + _NAMED
    + r"(?P<n>\+?\(?[0-9][0-9 ().-]{6,20}[0-9])"
    r"(?![\w-])"
)
_CARD: Final = re.compile(
    r"(?:ard|pan|PAN)(?:[ _-]?(?:[Nn]umber|[Nn]um|NUMBER|[Nn]o))?"
    + _NAMED
    + r"(?P<n>[2-6][0-9]{3}(?:[ -]?[0-9]{4}){2}[ -]?[0-9]{1,7}|3[47][0-9]{2}[ -]?"
    r"[0-9]{6}[ -]?[0-9]{5})(?![\w-])"
)
_ACCOUNT: Final = re.compile(
    r"(?:IBAN|iban)"
    + _NAMED
    + r"(?P<n>[A-Z]{2}[0-9]{2}(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,3})?)(?!\w)"
)
_SOCIAL: Final = re.compile(
    r"(?:SSN|ssn|ocial[ _-]?[Ss]ecurity(?:[ _-]?[Nn]umber)?)"
    + _NAMED
    + r"(?P<n>(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4})(?![\w-])"
)
_SAMPLES: Final = frozenset(
    (
        *("4242424242424242", "4111111111111111", "4000056655665556", "5555555555554444"),
        *("378282246310005", "371449635398431", "6011111111111117", "5105105105105100"),
        *("4012888888881881", "30569309025904", "3530111333300000", "4000000000000002"),
        *("123456789", "1234567890", "078051120", "219099999", "111223333", "5200828282828210"),
    )
)
"""What manuals show."""

_FEWEST, _MOST = 8, 15


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _spans(found: re.Match[str] | None, rule: str, stem: str) -> Iterator[Span]:
    if found:
        start, end = found.span("n")
        if found.string[start - 1 : start] == "+":
            start -= 1
        yield Span(start, end, rule, found.string[start:end], stem, "personal", "medium")


def international_at(text: str, at: int) -> Iterator[Span]:
    """``+49 30 901820``: one character before the plus sign is at ``at``."""
    found = _INTERNATIONAL.match(text, at + 1) or _PLAIN.match(text, at + 1)
    if found and _FEWEST < len(_digits(found["n"])) <= _MOST:
        yield from _spans(found, "telephone", "phone")


def telephone_at(text: str, at: int) -> Iterator[Span]:
    """A number behind a word for telephone."""
    found = _TELEPHONE.match(text, at)
    if not found:
        return
    digits = _digits(found["n"])
    apart = any(sign in found["n"] for sign in " ()-+") and not re.match(
        r"[0-9]{4}-[0-9]{2}-", found["n"]
    )
    if apart and _FEWEST < len(digits) <= _MOST and digits not in _SAMPLES and len(set(digits)) > 2:
        yield from _spans(found, "telephone", "phone")


def card_at(text: str, at: int) -> Iterator[Span]:
    """The number of a payment card behind a name for it."""
    found = _CARD.match(text, at)
    digits = _digits(found["n"]) if found else ""
    if digits and digits not in _SAMPLES and _luhn(digits):
        yield from _spans(found, "card-number", "card")


def _luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def account_number_at(text: str, at: int) -> Iterator[Span]:
    """The number of a bank account behind ``IBAN``."""
    found = _ACCOUNT.match(text, at)
    if found:
        plain = found["n"].replace(" ", "")
        turned = "".join(str(int(c, 36)) for c in plain[4:] + plain[:4])
        if int(turned) % 97 == 1:
            yield from _spans(found, "bank-account", "account")


def social_at(text: str, at: int) -> Iterator[Span]:
    """A social security number behind its name."""
    found = _SOCIAL.match(text, at)
    if found and _digits(found["n"]) not in _SAMPLES:
        yield from _spans(found, "social-security", "ssn")
