"""Is this a secret at all? What stands where a secret could stand is often none.

References (``${TOKEN}``, ``process.env.KEY``), masked values, samples, type names, code and words
stay. Nothing here looks at entropy of bare text: a name or a prefix has to be there first.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from sesskit.artifacts.placeholders import PLACEHOLDER, REDACTED
from sesskit.artifacts.secret_rule import word_set

__all__ = ["is_drawn", "is_dummy", "is_jumble", "is_masked", "is_mixed", "is_slug", "weigh"]

_DUMMY: Final = word_set(
    "true false null none undefined nil void yes no on off string str text int integer"
    " number float bool boolean object any unknown required optional default todo tbd"
    " example sample dummy fake test testing changeme placeholder redacted masked hidden"
    " removed omitted filtered scrubbed secret password passwd pass passphrase token key"
    " apikey bearer basic digest negotiate user username login admin root guest postgres"
    " mysql redis mongo localhost foobar foo bar baz empty unset missing invalid expired"
    " new old same password1 hunter2 letmein"
)
_REFERENCE: Final = re.compile(
    r"\$|[<>{}]|\[[\w -]{1,40}\]|%[A-Za-z_(]|\{\{|#\{|@@|!|&#?\w{1,8};|[&*][a-z_-]{2,40}\Z"
    r"|\^\*\*\*|\.\.\.|…|•"
    r"|(?:op|vault|arn|ssm|secretsmanager|secretmanager|env|file|ref|keyring|keychain|pass|doppler"
    r"|sops|bws|infisical|azurekeyvault|gcpsm|awssm|s3|gs)(?::|://|\+)"
    r"|ENC\[|\(|https?:|wss?:|~?/|\.{1,2}/|\\\\"
)
"""How a value begins that only points to a secret, or is none."""

_CODE: Final = re.compile(
    r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*(?:\(|\[|\{)"  # a call or an index
    r"|(?:process|import|os|settings|config|conf|self|this|secrets|env|environ|args|opts|options"
    r"|params|props|state|ctx|context|req|request|res|response|event|data|user|credentials|cfg|var"
    r"|local|module|each|values|input|inputs|github|steps|needs|vars|matrix|app|ENV)(?:\.|\[|->)"
    r"|[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][A-Za-z_$]*)+\Z"  # names joined by dots
)
_MASK: Final = re.compile(
    r"\*{3}|\.{3}|…|•{2}|[xX]{5}|(?i:x{4}-|example|placeholder|redacted|changeme|your[-_]|_here\b"
    r"|-here\b|dummy|sample|\bmy[-_]?(?:api[-_]?)?(?:token|secret|key|password)"
    r"[0-9]{0,2}\b|insert[-_]|replace[-_]?me|<[\w -]{1,40}>)|(.)\1{7}|0123456789|#{4}|_{5}"
)
_PIECES: Final = re.compile(r"[-_./:,@+]+")
_WORD_PIECE: Final = re.compile(r"[A-Za-z]{2,}[0-9]{0,2}|[0-9]{1,4}|v[0-9]{1,3}|[A-Za-z]")
_VOWEL: Final = re.compile(r"[aeiouyAEIOUY]")
_CONSONANTS: Final = re.compile(r"[bcdfghjklmnpqrstvwxzBCDFGHJKLMNPQRSTVWXZ]{5}")
_CHANGES: Final = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]|[0-9][A-Za-z]|[A-Za-z][0-9]")
_ODD_PAIR: Final = re.compile(
    r"(?=q[^u]|j[^aeiou]|v[bcdfghjklmnpqstwxz]|x[bdfgjklmnrsvwxz]|z[bcdfghjkmnpqrstvwx]|w[bcfgjmpqvxz]"
    r"|[bcdfghkmpqtvwxz]j|[bcfghjkmpqvwxz]q|[bcfghjkmpqvxz]v|[bcdfghjkmpqstvwz]x|[bcdfghjkmpqrsvwx]z"
    r"|[cfghjkmpqvxz]b|[bfgjmpqvwxz]k|[bdfgjkpqtvxz]c|h[cdghjkpqvxz]|k[cdgjkmpqtvxz]|g[bcdfjkpqtvwxz]"
    r"|[bcfhjkmpqvxz]d|p[bcdfgjkmqvxz]|f[bcdghjkmnpqvwxz]|b[cfghkmnpqtvwxz])"
)
"""Pairs of letters that words of most languages have seldom or never."""

_BASE32: Final = re.compile(r"[A-Z2-7]{16,128}")
_LETTERS: Final = re.compile(r"[A-Za-z]")
_DIGITS: Final = re.compile(r"[0-9]")
_VERSION: Final = re.compile(r"v?[0-9]+(?:\.[0-9]+)+(?:[-+][\w.]+)?|[0-9]{4}-[0-9]{2}-[0-9]{2}.*")
_PATTERN: Final = re.compile(r"\[[^\[\]]{1,30}\][{+*?]|\\[dwsDWS][+*{]?|\(\?[:=!<]")
_DIGEST: Final = re.compile(
    r"\$[0-9a-z]{1,10}\$(?=\S{8})|(?:sha|md)[0-9]{1,3}[:-]|\{[A-Z0-9]{2,8}\}"
)
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z_]*\Z")
_CAPITALS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_LEAST_JUMBLE: Final = 10
_LONGEST_SPOKEN: Final = 64
_DESCRIBES: Final = re.compile(
    r"(?i)pass ?(?:word|phrase|code)|secret|credential|required|optional|enter|invalid|must|should"
    r"|characters?\b|string|nullable|default|user|forgot|change|login|log in|sign|field|least"
    r"|\b(?:the|your|of|is|an?|to|for|and|or|in|this|min|max|text|type|value|number|boolean|object)\b"
)
_SIGNED: Final = re.compile(r"\$(?=\w*[0-9])\w+[@!#%^&*$][\w$!@#%^&*]*")
"""What tells about a password; a password that begins as the name of a variable does."""

_LONG, _SURE = 16, 12


def is_masked(value: str) -> bool:
    """Whether a value was masked or never was one: stars, dots, x's, EXAMPLE, ``your-key``."""
    return bool(
        _MASK.search(value)
        or value == REDACTED
        or PLACEHOLDER.search(value)
        or (len(value) >= _SURE and len(set(value)) <= 4)
    )


def is_dummy(value: str) -> bool:
    """Whether a value is a word that stands for one, such as *password* or *changeme*."""
    return value.lower().strip("_-. !") in _DUMMY


def is_mixed(value: str) -> bool:
    """Letters and digits, and not just words and numbers in a row."""
    return bool(_LETTERS.search(value) and _DIGITS.search(value)) and not is_slug(value)


def is_drawn(value: str) -> bool:
    """Whether a short value changes so often between kinds of letters that nobody would say it."""
    return len(value) >= 8 and is_mixed(value) and len(_CHANGES.findall(value)) >= 3


def can_be_spoken(value: str) -> bool:
    """Whether words are a password, where a value that is one is all that can stand.

    What describes one, asks for it, or points to it is none.
    """
    return (
        6 <= len(value) <= _LONGEST_SPOKEN
        and not is_masked(value)
        and not is_dummy(value)
        and not is_said_of_one(value)
        and "\n" not in value
    )


def is_said_of_one(value: str) -> bool:
    """Whether words describe a password, ask for one or point to one, code and digests included."""
    return bool(
        _DESCRIBES.search(value)
        or _CODE.match(value)
        or _PATTERN.search(value)
        or _points_away(value)
        or _DIGEST.match(value)
    )


def is_jumble(value: str) -> bool:
    """Whether letters alone change case as no name does."""
    return value.isalpha() and len(value) >= _LEAST_JUMBLE and len(_CHANGES.findall(value)) >= 4


def is_slug(value: str) -> bool:
    """Words and short numbers joined by dashes, dots and the like: ``build-cache-v2``."""
    pieces = _PIECES.split(value.strip("-_./:"))
    if len(pieces) < 2:
        return False
    if not all(map(_WORD_PIECE.fullmatch, pieces)) or not all(map(_is_one_case, pieces)):
        return False
    words = [piece for piece in pieces if len(piece) > 3 and piece[0].isalpha()]
    return all(_speakable(word) for word in words)


def _is_one_case(word: str) -> bool:
    letters = word.strip("0123456789")
    return len(letters) < 2 or letters.islower() or letters.isupper() or letters[1:].islower()


def _speakable(word: str) -> bool:
    """Whether letters could be a word: one case (or Capital), vowels, no five consonants."""
    letters = word.rstrip("0123456789")
    return (
        _is_one_case(letters) and bool(_VOWEL.search(letters)) and not _CONSONANTS.search(letters)
    )


@lru_cache(maxsize=2048)
def weigh(value: str, *, quoted: bool, weak: bool = False) -> str:
    """How sure it is that a value behind a secret's name is the secret: a confidence, or ``""``.

    ``weak`` lets shorter and plainer values pass, as passwords are.
    """
    if len(value) < (4 if weak else 8) or "\x1b" in value or is_masked(value):
        return ""
    if is_dummy(value) or _points_away(value) or _DIGEST.match(value):
        return ""
    if (
        _PATTERN.search(value)
        or _CODE.match(value)
        or _VERSION.fullmatch(value)
        or any(map(str.isspace, value))
    ):
        return ""
    if _BASE32.fullmatch(value) and len(value) % 8 == 0 and _is_shuffled(value):
        return "high" if _DIGITS.search(value) else "medium"
    if _IDENTIFIER.match(value):
        return _of_letters(value, quoted=quoted, weak=weak)
    if value.isdigit():
        return "medium" if weak and len(value) >= 6 else ""
    if is_slug(value) or _is_identifier(value):
        return ""
    return _of_mixture(value, weak=weak)


def _is_identifier(value: str) -> bool:
    """Words and a few digits glued by capitals or dots: ``PKCS7PrivateKeyTypes``, ``x509.Name``."""
    words = _CAPITALS.findall(value)
    long = [word for word in words if len(word) >= 3]
    letters = sum(map(len, words))
    mixed = any(map(str.islower, value))
    return (
        value.replace(".", "").replace("_", "").isalnum()
        and (not value.isalnum() or any(map(str.isupper, value[1:])))
        and len(long) >= 2
        and letters * 100 >= len(value) * 55
        and sum(map(len, long)) * 100 >= letters * 85
        and max(map(len, long)) >= 6
        and all((mixed and word.isupper()) or _speakable(word) for word in long)
        and _odd_pairs(value) * 8 <= letters
    )


def _points_away(value: str) -> bool:
    """Whether a value says where the secret is. Base64 can begin with a slash, as paths do."""
    if not _REFERENCE.match(value) or _SIGNED.fullmatch(value):
        return False
    return value[0] != "/" or not any(map(_is_random, value.split("/")))


def _is_random(piece: str) -> bool:
    return len(piece) >= _LONG and is_mixed(piece) and len(_CHANGES.findall(piece)) >= 5


def _of_letters(value: str, *, quoted: bool, weak: bool) -> str:
    """Letters alone: only those that are no word and no name in code."""
    least = 10 if weak else _LONG
    if "_" in value:
        return ""
    changes = len(_CHANGES.findall(value))
    if len(value) >= least and changes >= max(len(value) // 4, 3):
        return "medium"
    long = len(value) >= (_SURE if weak else 2 * _LONG)
    if long and _CONSONANTS.search(value):
        return "medium"
    if len(value) >= least and (_is_jumbled(value) or _odd_pairs(value) * 5 >= len(value)):
        return "medium"
    return "low" if weak and value.islower() and len(value) >= 6 else ""


def _is_jumbled(value: str) -> bool:
    """Whether capitals stand where no words begin: words of names are longer than three letters."""
    words = _CAPITALS.findall(value)
    return not value.isupper() and len(words) > 3 and len(value) < 4 * len(words)


def _is_shuffled(value: str) -> bool:
    """Whether capitals and digits are no words and numbers: seeds of one-time passwords."""
    pieces = re.findall(r"[A-Z]+", value)
    return len(pieces) > 2 or bool(_CONSONANTS.search(value)) or _odd_pairs(value) > 1


def _odd_pairs(value: str) -> int:
    """How many pairs of letters there are that words hardly have."""
    return len(_ODD_PAIR.findall(value.lower()))


def _of_mixture(value: str, *, weak: bool) -> str:
    has_digit, has_letter = bool(_DIGITS.search(value)), bool(_LETTERS.search(value))
    if has_digit and has_letter:
        return "high" if len(value) >= _SURE else "medium"
    odd = sum(not c.isalnum() for c in value)
    if has_letter and odd:  # a word with signs, as passwords have
        return "medium" if weak and odd >= 1 and not _PIECES.sub("", value).isalpha() else ""
    return "medium" if weak and odd >= 2 else ""
