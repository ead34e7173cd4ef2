"""Messages of a Robota log in the session view: their blocks, their usage, and sidecars as refs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sesskit.logs.robota_view_lines import LineParts
from sesskit.logs.sidecar_references import KIND
from sesskit.records.outline import Span
from sesskit.records.talk import Asked
from sesskit.records.view import Blob, Block, FamilyFile, Input, Opaque, Ref, Text, Uri, Usage
from sesskit.schemas.issues import Keys, pointer

Belongs = Callable[[FamilyFile], None]
"""Told of files that belong to the session."""


def ref_of(line: LineParts, span: Span, keys: Keys, belongs: Belongs) -> Ref:
    """Where a value is: in the line, or in the sidecar that a reference names."""
    if line.data[span.start : span.start + 1] == b"{":
        found = line.inside(span)
        path, length = line.text(found.get("relativePath")), line.scalar_at(found.get("byteLength"))
        if line.text(found.get("kind")) == KIND and path and type(length) is int:
            belongs(FamilyFile("sidecar", path))
            return Ref(0, length, line.number, pointer(keys), path)
    return line.at(span, *keys)


def blocks_of(line: LineParts, found: dict[str, Span], belongs: Belongs) -> Iterator[Block]:
    """The content of a message, unless one of its parts repeats it byte for byte, and the parts."""
    content, listed = found.get("content"), found.get("parts")
    own = b"null" if content is None else line.data[content.start : content.end]
    holder, listed = (line, None) if listed is None else line.reached(listed)
    parts = list(holder.children(listed))
    texts = [holder.inside(part).get("text") for part in parts]
    repeated = any(text and holder.data[text.start : text.end] == own for text in texts)
    if content is not None and own != b"null" and not repeated:
        ref = ref_of(line, content, ("message", "content"), belongs)
        yield Text(ref) if ref.file or own.startswith(b'"') else Opaque("content", ref)
    for part in parts:
        yield _part(holder, part, ("message", "parts", part.key), belongs)


def _part(line: LineParts, span: Span, keys: Keys, belongs: Belongs) -> Block:
    found = line.inside(span)
    word, media = line.text(found.get("type")) or "", line.text(found.get("mimeType"))
    if word == "text" and "text" in found:
        return Text(ref_of(line, found["text"], (*keys, "text"), belongs))
    if word == "image_inline" and "data" in found:
        return Blob(ref_of(line, found["data"], (*keys, "data"), belongs), media)
    if word == "image_uri" and "uri" in found:
        return Uri(ref_of(line, found["uri"], (*keys, "uri"), belongs), media)
    return Opaque(word, ref_of(line, span, keys, belongs))


def usage_of(line: LineParts, metadata: dict[str, Span], name: str | None) -> Usage | None:
    """The tokens that a committed answer says it took; counted once for each answer."""
    inner = line.inside(metadata.get("usage"))
    counts = [
        line.scalar_at(metadata.get(plain) or inner.get(plain) or inner.get(other))
        for plain, other in (("inputTokens", "promptTokens"), ("outputTokens", "completionTokens"))
    ]
    if not all(type(count) is int for count in counts):
        return None
    place = metadata.get("usage") or metadata["inputTokens"]
    key = line.text(metadata.get("usageObservationId")) or name or f"line {line.number}"
    return Usage(key, counts[0], counts[1], line.at(place, "message", "metadata"))


def calls_of(line: LineParts, found: dict[str, Span]) -> list[Asked]:
    """The calls of a message."""
    listed = found.get("toolCalls")
    if listed is None:
        return []
    holder, listed = line.reached(listed)
    asked = []
    for span in holder.children(listed):
        parts, call = holder.into(span)
        inside, function = parts.into(call.get("function"))
        place = ("message", "toolCalls", span.key)
        given = function.get("arguments")
        ref = inside.at(given, *place, "function", "arguments") if given else None
        asked.append(
            Asked(
                parts.text(call.get("id")),
                inside.text(function.get("name")) or "",
                holder.at(span, *place),
                None if ref is None else Input(ref, as_text=True),
            )
        )
    return asked
