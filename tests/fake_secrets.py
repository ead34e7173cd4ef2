"""Tokens that were never issued: right in shape, drawn from a seed, so that scanners react."""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable
from zlib import crc32

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase


class Fake:
    """One seeded source of fake tokens."""

    def __init__(self, seed: int = 1) -> None:
        self.random = random.Random(seed)

    def letters(self, count: int, alphabet: str = ALNUM) -> str:
        """Letters with at least one digit, one small and one capital letter in front."""
        drawn = "".join(self.random.choice(alphabet) for _ in range(count))
        return drawn if alphabet != ALNUM or count < 6 else "aB3" + drawn[3:]

    def hex(self, count: int) -> str:
        return "".join(self.random.choice(HEX) for _ in range(count - 2)) + "a7"

    def github(self) -> str:
        body = self.letters(30)
        rest, number = "", crc32(body.encode())
        for _ in range(6):
            number, digit = divmod(number, 62)
            rest = BASE62[digit] + rest
        return "ghp" + "_" + body + rest

    def jwt(self) -> str:
        def part(value: object) -> str:
            return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

        head = part({"alg": "HS256", "typ": "JWT"})
        return f"{head}.{part({'sub': self.letters(8)})}.{self.letters(43)}"

    def pem_lines(self, count: int = 6) -> list[str]:
        return [*(self.letters(64) for _ in range(count)), self.letters(30) + "=="]

    def pem(self) -> str:
        kind = "PRIVATE" + " KEY"
        body = "\n".join(self.pem_lines())
        return f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----\n"


MAKERS: dict[str, Callable[[Fake], str]] = {
    "github": Fake.github,
    "github fine": lambda f: "github" + "_pat_" + f.letters(22) + "_" + f.letters(59),
    "gitlab": lambda f: "glpat" + "-" + f.letters(20),
    "npm": lambda f: "npm" + "_" + f.letters(36),
    "pypi": lambda f: "pypi" + "-AgEIcHlwaS5vcmc" + f.letters(120),
    "anthropic": lambda f: "sk" + "-ant-api03-" + f.letters(93) + "AA",
    "openai": lambda f: "sk" + "-proj-" + f.letters(120),
    "openrouter": lambda f: "sk" + "-or-v1-" + f.hex(64),
    "aws": lambda f: "AKIA" + f.letters(16, "ABCDEFGHJKLMNPQRSTUVWXYZ234567"),
    "google": lambda f: "AIza" + f.letters(35),
    "slack": lambda f: "xoxb" + "-" + f.letters(12, "123456789") + "-" + f.letters(24),
    "stripe": lambda f: "sk" + "_live_" + f.letters(24),
    "sendgrid": lambda f: "SG" + "." + f.letters(22) + "." + f.letters(43),
    "vault": lambda f: "hvs" + "." + f.letters(90),
    "digitalocean": lambda f: "dop" + "_v1_" + f.hex(64),
    "hugging face": lambda f: "hf" + "_" + f.letters(34),
    "databricks": lambda f: "dapi" + f.hex(32),
    "shopify": lambda f: "shpat" + "_" + f.hex(32),
    "telegram": lambda f: f.letters(10, "123456789") + ":AA" + f.letters(33),
    "jwt": Fake.jwt,
}
"""By kind: how a token of it is made."""
