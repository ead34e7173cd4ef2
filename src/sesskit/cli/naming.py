"""Names of members as they may be shown: one that looks like a credential is masked."""

from __future__ import annotations

from functools import lru_cache

from sesskit.schemas.issues import Keys
from sesskit.schemas.masking import mask_text


def shown_keys(keys: Keys) -> Keys:
    """The keys of an issue with every name as it may be shown."""
    return tuple(shown_name(key) if isinstance(key, str) else key for key in keys)


@lru_cache(maxsize=4096)
def shown_name(name: str) -> str:
    """The name itself, unless it looks like a credential. The same few names come all the time."""
    return mask_text(name)
