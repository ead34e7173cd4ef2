"""What the members of an object say together: keys, manifests, stores of secrets."""

from __future__ import annotations

from typing import Final

from sesskit.artifacts.frames_in_text import account_keys_in, web_keys_in
from sesskit.artifacts.manifests_in_text import manifests_in
from sesskit.artifacts.members_in_text import hosted_in, stored_in

__all__ = ["WHOLE"]

WHOLE: Final = (
    ('"Secret"', manifests_in),
    ('"kty"', web_keys_in),
    ('"username"', account_keys_in),
    ("-oauth", hosted_in),
    ("random_password", hosted_in),
    ("SecureString", stored_in),
)
"""What the members of an object say together, by what has to be there."""
