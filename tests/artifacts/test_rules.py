"""The tables of rules: each rule finds what it describes, and nothing found is slow."""

from __future__ import annotations

import random
import re
import string
from importlib import import_module
from typing import Any

import pytest

from clock import seconds
from fake_secrets import Fake
from sesskit.artifacts.checksums import CHECKSUMS
from sesskit.artifacts.frames_in_text import url_at
from sesskit.artifacts.plausible import is_masked, is_mixed, is_slug, weigh
from sesskit.artifacts.rules_services import WEBHOOKS
from sesskit.artifacts.secret_rule import Rule
from sesskit.artifacts.secret_scan import scan
from sesskit.artifacts.tokens_in_text import RULES

MOST = 40
PARSER: Any = import_module("re._parser")
ALPHABET = string.ascii_letters + string.digits + "_.-+/=~%$!@"


def sampled(pattern: str, seed: int) -> str:
    """A text that the pattern matches; only what our tables use is understood."""
    rng = random.Random(seed)

    def of(parsed: Any) -> str:
        return "".join(one(str(code), argument) for code, argument in parsed)

    def one(code: str, argument: Any) -> str:
        if code == "LITERAL":
            return chr(argument)
        if code == "IN":
            return rng.choice([c for c in ALPHABET if fits(argument, c)])
        if code == "MAX_REPEAT":
            low, high, inner = argument
            return "".join(of(inner) for _ in range(rng.randint(low, min(high, low + 30))))
        if code == "SUBPATTERN":
            return of(argument[3])
        if code == "BRANCH":
            return of(rng.choice(argument[1]))
        assert code in ("ASSERT", "ASSERT_NOT"), code
        return ""

    return of(PARSER.parse(pattern, re.ASCII))


def fits(members: Any, letter: str) -> bool:
    """Whether a set of a parsed pattern holds a letter."""
    for code, argument in members:
        kind = str(code)
        if kind == "LITERAL" and chr(argument) == letter:
            return True
        if kind == "RANGE" and argument[0] <= ord(letter) <= argument[1]:
            return True
        if kind == "CATEGORY" and (letter.isalnum() or letter == "_"):
            return True
    return False


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.name} {' '.join(rule.starts)}")
def test_every_rule_finds_its_tokens(rule: Rule) -> None:
    done = 0
    for seed in range(12):
        token = sampled(rule.pattern.pattern, seed)
        body = token[len(next(filter(token.startswith, rule.starts), "")) :]
        if is_masked(body) or (rule.mixed and not is_mixed(body)):
            continue
        done += 1
        text = f"see 1234567:{token} there" if rule.name == "telegram-token" else f"see {token} x"
        found = scan(text)
        assert found, token
        start, end = text.index(token), text.index(token) + len(token.rstrip(".-_"))
        assert found[0].start <= start, token
        assert found[-1].end >= end, token
    assert done


def test_rules_are_well_formed() -> None:
    for rule in RULES:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", rule.name), rule.name
        assert rule.starts or rule.hints or rule.length, rule.name
        assert not rule.checksum or rule.checksum in CHECKSUMS
        assert all(" " not in start and start for start in rule.starts)
        assert not re.search(
            r"(?<!\\)[*+](?![+?]|\])", re.sub(r"\[[^\]]*\]", "", rule.pattern.pattern)
        )


@pytest.mark.parametrize(("name", "pattern"), WEBHOOKS, ids=[name for name, _ in WEBHOOKS])
def test_webhooks(name: str, pattern: str) -> None:
    for seed in range(6):
        address = "https://" + sampled(pattern, seed)
        if not is_masked(address):
            (span,) = url_at(address, 5)
            assert (span.rule, span.start, span.end) == (name, 0, len(address))


def test_checksums() -> None:
    token = Fake(2).github()
    assert CHECKSUMS["github"](token)
    assert not CHECKSUMS["github"](token[:-1] + ("A" if token[-1] != "A" else "B"))
    assert not CHECKSUMS["github"]("x_abc")
    assert CHECKSUMS["jwt"](Fake(2).jwt())
    for bad in ("eyJ", "!!!.x", "eyJhIjoxfQ.x.y", "W10.x", "bm8.x"):
        assert not CHECKSUMS["jwt"](bad)


@pytest.mark.parametrize(
    ("value", "slug"),
    [
        ("build-cache-v2", True),
        ("prod/db/main", True),
        ("a1b2c3d4-e5f6", False),
        ("hello", False),
        ("disk-usage-report-generator-v2", True),
        ("xKq-zZt-9", False),
        ("db_password_2", True),
    ],
)
def test_slugs(value: str, slug: bool) -> None:
    assert is_slug(value) is slug


@pytest.mark.parametrize(
    ("value", "weak", "sure"),
    [
        ("hunter22xyz9", False, "high"),
        ("Zq7xyz", True, "medium"),
        ("abc", True, ""),
        ("12345678", True, "medium"),
        ("12345678", False, ""),
        ("1.2.3", True, ""),
        ("2026-01-02", True, ""),
        ("sunshine", True, "low"),
        ("sunshine", False, ""),
        ("p@ss!word?", True, "medium"),
        ("!@#$%^&*", True, ""),
        ("?@#%^&*)", True, "medium"),
        ("a b c d e 1", True, ""),
        ("aBcDeFgHiJkLmNoPqR", False, "medium"),
        ("getUserPasswordHash", False, ""),
        ("x" * 40, False, ""),
        ("/etc/ssl/key1.pem", True, ""),
        ("bcdfghjklmnpqrstvwxzbcdfghjklmnpq", False, "medium"),
        ("name.of.thing", False, ""),
        ("x509.Certificate", False, ""),
        ("call(1)", True, ""),
        ("***", True, ""),
    ],
)
def test_weights(value: str, weak: bool, sure: str) -> None:
    assert weigh(value, quoted=True, weak=weak) == sure


HOSTILE = [
    *("-----BEGIN PRIVATE" + " KEY-----\n", "eyJhbGciOi.", "password=", 'password:"', "=", ":"),
    *("@", "a@b.", "://a:", " -p", "mysql -p", "curl -u ", "\\", "\\n", "%25", "&amp;", "\x1b["),
    *("kind: Secret\ndata:\n", '"kind": "Secret" "data": {', "login a password ", "</password>"),
    *('"a",', "/home/", "-rw-r--r-- 1 ", "[", '{"a":', "sk-", "Q~", "-us", "Cookie: a=b;", "aA1"),
    *('"name":"x","value":', '"kty" "d": "', "1→a\n", "\u200b", "QUJD", "password is ", "AzCa"),
    *("login a", "a login aB3aB3aB3aB3aB3aB3aB3", " +1 415", "(a 2026-01-01 10:00:00 +0000 1)"),
    *(
        "USER PID %CPU\na 1 0.0 x\n",
        "recovery codes:\nabcd-1234\n",
        "x=$(echo QUJDREVG | base64 -d)",
    ),
    *(
        "base64 -",
        "echo a:b | chpasswd",
        "AUTH ",
        ":5432:a:",
        ":*:",
        "seed phrase a ",
        "echo ",
        " -S",
    ),
    *("IBAN DE", "card number 4", "ssn 1", "for user a", 'variable "a" {', "default=", "oracle:a/"),
    *("IDENTIFIED BY 'a", "auth=('a', ", "net use a ", "password a", '"author": {', "[user]\n"),
    *("-uu", "--password-stdin", "echo a | x --with-token", '"username":"a","key":"b"', "code=a&"),
    *("Author: a <a@", "\\u0025%26&amp;", "glpat-", '"', "'", "ghp_", "a.", "\n", "é"),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_linear(piece: str) -> None:
    small, large = piece * (2_000 // len(piece)), piece * (20_000 // len(piece))
    assert seconds(lambda: scan(large), 1) < MOST * max(seconds(lambda: scan(small)), 0.002)


@pytest.mark.soak
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("A" * 10_000_000, id="one line"),
        pytest.param(("-----BEGIN PRIVATE" + " KEY-----\n") * 200_000, id="open heads of keys"),
        pytest.param('"' * 1_000_000, id="quotes"),
        pytest.param("password=" * 300_000, id="names"),
    ],
)
def test_big_and_hostile(text: str) -> None:
    assert seconds(lambda: scan(text), 1) < 60
