"""What messages of dsh logs are made of: blocks, sources, token usage, failures.

Kinds that are not named here may stand wherever a kind may: third parties add their own. They
pass as they are; the named ones are exact.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from sesskit.schemas.closed import Broken, Closed, Rule
from sesskit.schemas.dsh_limits import MAX_SAFE_INTEGER

Count = Annotated[int, Meta(ge=0, le=MAX_SAFE_INTEGER)]
Positive = Annotated[int, Meta(ge=1, le=MAX_SAFE_INTEGER)]
Safe = Annotated[int, Meta(ge=-MAX_SAFE_INTEGER, le=MAX_SAFE_INTEGER)]
Only1 = Annotated[int, Meta(ge=1, le=1)]
Word = Annotated[str, Meta(min_length=1, extra={"rule": "not-empty"})]
"""Text that names something, so it is not empty."""

Members = Mapping[str, Any]


Open = Meta(extra={"rule": "open"})
"""Marks a union of tagged objects as one that other tags may stand in."""


class Ruled(Closed):
    """An object with rules between its members: the fast path asks them when it is built."""

    def __post_init__(self) -> None:
        names = zip(self.__struct_encode_fields__, self.__struct_fields__, strict=True)
        wire = {name: getattr(self, attribute) for name, attribute in names}
        members = {name: value for name, value in wire.items() if value is not UNSET}
        for rule in self.__rules__:
            if next(rule(members, members), None) is not None:
                raise ValueError("the collecting decoder says why")


def missing(name: str, when: str) -> Broken:
    """A member that must be there because of another one."""
    return Broken((name,), "member-missing", f"missing; needed {when}", "a value", "nothing")


def unexpected(name: str, when: str) -> Broken:
    """A member that must not be there because of another one."""
    return Broken((name,), "member-foreign", f"must not be there {when}", at_key=True)


def not_negative(name: str) -> Rule:
    """The rule that a number is zero or more."""

    def rule(sound: Members, _all: Members) -> Iterator[Broken]:
        if isinstance(sound.get(name), int | float) and sound[name] < 0:
            yield Broken((name,), "range", "expected 0 or more", "0 or more", "smaller number")

    return rule


def above_zero(name: str) -> Rule:
    """The rule that a number is more than zero."""

    def rule(sound: Members, _all: Members) -> Iterator[Broken]:
        if isinstance(sound.get(name), int | float) and sound[name] <= 0:
            message = "expected a number above 0"
            yield Broken((name,), "range", message, "above 0", "smaller number")

    return rule


def not_empty(name: str) -> Rule:
    """The rule that a list has an element."""

    def rule(sound: Members, _all: Members) -> Iterator[Broken]:
        if sound.get(name) == []:
            yield Broken((name,), "empty", "must not be empty", "an element", "empty array")

    return rule


def only_true(name: str) -> Rule:
    """The rule that a member is true if it is there."""

    def rule(sound: Members, _all: Members) -> Iterator[Broken]:
        if sound.get(name) is False:
            yield Broken((name,), "choice", "must be true, or absent", "true", "false")

    return rule


class Size(Closed):
    """Pixels of an image."""

    width: Positive
    height: Positive


class ImageAttachment(Closed):
    """An image that lies outside the log; ``attachmentId`` is ``sha256:`` and 64 hex digits."""

    attachment_id: Word
    media_type: Literal["image/png", "image/jpeg", "image/webp", "image/gif"]
    bytes: Count
    width: Positive
    height: Positive
    name: str | UnsetType = UNSET
    original_dimensions: Size | UnsetType = UNSET


class FileAttachment(Closed):
    """A file that lies outside the log (v2 and later)."""

    attachment_id: Word
    name: str
    bytes: Count


class TextBlock(Closed, tag="text", tag_field="type"):
    """Text that was said."""

    text: str


class ReasoningBlock(Closed, tag="reasoning", tag_field="type"):
    """Text that was thought."""

    text: str


class ImageBlock(Closed, tag="image", tag_field="type"):
    """A picture."""

    attachment: ImageAttachment


class ToolCallBlock(Closed, tag="tool-call", tag_field="type"):
    """A call as the model made it; ``arguments`` is its raw text and need not be JSON."""

    id: Word
    name: Word
    arguments: str


class ToolResultBlock(Closed, tag="tool-result", tag_field="type"):
    """What a tool said."""

    tool_call_id: Word
    content: "list[Block]"
    is_error: bool | UnsetType = UNSET


class FileBlock(Closed, tag="file", tag_field="type"):
    """A file."""

    attachment: FileAttachment


Block = Annotated[
    TextBlock | ReasoningBlock | ImageBlock | ToolCallBlock | ToolResultBlock | FileBlock,
    Meta(extra={"rule": "open"}),
]


class Usage(Closed):
    """Tokens of one answer; ``inputTokens`` counts uncached input only."""

    input_tokens: Count
    output_tokens: Count
    cache_read_tokens: Count | UnsetType = UNSET
    cache_write_tokens: Count | UnsetType = UNSET
    reasoning_tokens: Count | UnsetType = UNSET
    total_tokens: Count | UnsetType = UNSET


class Failure(Ruled):
    """What went wrong in a request."""

    __rules__ = (above_zero("providerRetryAfterMs"),)

    message: Word
    code: Word
    status: Annotated[int, Meta(ge=100, le=599)] | UnsetType = UNSET
    provider_retry_after_ms: float | UnsetType = UNSET
    request_id: Word | UnsetType = UNSET
