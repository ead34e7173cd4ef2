"""Places that several formats have: images, tool schemas, metadata, payloads of providers."""

from __future__ import annotations

from typing import Final, NamedTuple

from sesskit.artifacts.treatments import TEXT, Treatment

__all__ = [
    "IMAGE_REMOVED",
    "SCRUBBED",
    "SEALED",
    "SHARED",
    "WITH_IMAGES",
    "Kept",
    "metadata",
    "parts",
    "provider_payload",
    "schema",
    "without_seals",
]

IMAGE_REMOVED: Final = '{"type": "text", "text": "[image removed]"}'
"""What becomes of the part of a message that is an image."""


class Kept(NamedTuple):
    """What may stay of what a share takes out whole: ``images``, and ``seals``, which are what a
    provider alone can read."""

    images: bool = False
    seals: bool = False


SCRUBBED: Final = Kept(images=True, seals=True)
SHARED: Final = Kept()
WITH_IMAGES: Final = Kept(images=True)

SEALED: Final = (
    "signature",
    "thoughtSignature",
    "thought_signature",
    "encrypted_content",
    "encryptedContent",
    "encrypted_reasoning",
    "encryptedReasoning",
)
"""Members that nobody but a provider can read: they may hold anything of the session."""

_OPEN: Final = ("input", "args", "arguments", "parameters", "properties", "input_schema", "schema")
"""Members of a provider's messages that are the user's: names in them mean what he says."""

_SEALED_BLOCKS: Final = {"redacted_thinking": '{"type": "redacted_thinking", "data": ""}'}
_IMAGES: Final = ("image", "image_url", "input_image")


def parts(kept: Kept) -> Treatment:
    """A part of a message of Robota."""
    place = Treatment()
    place.members["type"] = Treatment("keep")
    if not kept.images:
        place.neutral = dict.fromkeys(("image_inline", "image_uri"), IMAGE_REMOVED)
    return place


def metadata(kept: Kept) -> Treatment:
    """An open map whose values are scalars, lists of one kind, or maps of numbers."""
    place = Treatment()
    place.others = numbers = Treatment(fill="0")
    place.elements = numbers
    return without_seals(place, kept)


def without_seals(place: Treatment, kept: Kept) -> Treatment:
    """The same place, out of which goes what a provider alone can read."""
    if not kept.seals:
        place.drops = True
        place.members |= dict.fromkeys(SEALED, Treatment("drop"))
    return place


def provider_payload(kept: Kept) -> Treatment:
    """What a provider got or sent, in its own form: without what it alone can read."""
    place = without_seals(Treatment(), kept)
    place.members |= dict.fromkeys(_OPEN, TEXT)
    place.neutral = {} if kept.seals else dict(_SEALED_BLOCKS)
    if not kept.images:
        place.neutral |= dict.fromkeys(_IMAGES, IMAGE_REMOVED)
    return place


def schema() -> Treatment:
    """A node of a schema and all nodes below it: a parameter's name makes no secret of its node."""
    node, properties = Treatment(names=False), Treatment(names=False)
    _grow(node, node, properties)
    node_of_secret = Treatment(names=False)
    _grow(node_of_secret, node, properties)
    hidden = Treatment("secret")
    listed = Treatment(names=False)
    listed.elements = hidden
    node_of_secret.members |= {
        **dict.fromkeys(("default", "const"), hidden),
        **dict.fromkeys(("enum", "examples"), listed),
    }
    properties.others = node
    properties.named_secret = node_of_secret
    return node


_NODES: Final = ("anyOf", "oneOf", "allOf", "prefixItems")
_NAMED: Final = ("properties", "patternProperties", "$defs", "definitions")
_INNER: Final = ("items", "additionalProperties", "contains", "not", "if", "then", "else")


def _grow(node: Treatment, inner: Treatment, properties: Treatment) -> None:
    words, nodes, text = Treatment("keep"), Treatment(names=False), Treatment(names=False)
    nodes.elements = inner
    node.others = node.elements = text
    node.members = {
        **dict.fromkeys(("type", "required", "format"), words),
        **dict.fromkeys(_NODES, nodes),
        **dict.fromkeys(_NAMED, properties),
        **dict.fromkeys(_INNER, inner),
    }
