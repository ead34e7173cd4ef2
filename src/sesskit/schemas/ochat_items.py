"""ochat: items of the history, in the three layouts that files have.

R1 was written until 19 January 2026, R2 until 14 August 2026, R3 since then. The version number
of a file does not tell them apart, their tags and members do: R2 added the custom tools and made
the output of a tool a sum, R3 added ``phase``.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import msgspec

from sesskit.schemas.binprot_types import Form, Int, Part, Str, Words

Word = Annotated[
    str | bytes,
    Words(
        (
            "message",
            "input_text",
            "input_image",
            "output_text",
            "function_call",
            "function_call_output",
            "custom_tool_call",
            "custom_tool_call_output",
            "web_search_call",
            "file_search_call",
            "reasoning",
            "summary_text",
            "file_citation",
            "url_citation",
            "completed",
            "in_progress",
            "incomplete",
            "failed",
        )
    ),
]
"""A ``_type`` or ``status``. The original checks neither."""

Role = Literal["User", "Assistant", "System", "Developer"]
Detail = Literal["High", "Low", "Auto"]


class InputText(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "Text"
    text: Str
    type_: Word = msgspec.field(name="_type")


class InputImage(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "Image"
    image_url: Str
    detail: Str
    type_: Word = msgspec.field(name="_type")


class InputMessage(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "Input_message"
    word: ClassVar[str] = "message"
    role: Role
    content: list[InputText | InputImage]
    type_: Word = msgspec.field(name="_type")


class FileCitation(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "File_citation"
    title: Str
    type_: Word
    start_index: Int
    end_index: Int
    file_id: Str


class UrlCitation(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "Url_citation"
    type_: Word
    index: Int
    url: Str


class OutputText(Part, frozen=True, gc=False):
    annotations: list[FileCitation | UrlCitation]
    text: Str
    type_: Word = msgspec.field(name="_type")


class OutputMessage(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "Output_message"
    word: ClassVar[str] = "message"
    role: Literal["Assistant"]
    id: Str
    content: list[OutputText]
    status: Word
    phase: Str | None
    type_: Word = msgspec.field(name="_type")


class PlainOutputMessage(Part, frozen=True, gc=False):
    """Without ``phase``: R1 and R2."""

    constructor: ClassVar[str] = "Output_message"
    word: ClassVar[str] = "message"
    role: Literal["Assistant"]
    id: Str
    content: list[OutputText]
    status: Word
    type_: Word = msgspec.field(name="_type")


class FunctionCall(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "Function_call"
    word: ClassVar[str] = "function_call"
    name: Str
    arguments: Str
    call_id: Str
    type_: Word = msgspec.field(name="_type")
    id: Str | None
    status: Word | None


class CustomToolCall(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "Custom_tool_call"
    word: ClassVar[str] = "custom_tool_call"
    name: Str
    input: Str
    call_id: Str
    type_: Word = msgspec.field(name="_type")
    id: Str | None


class TextOutput(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "Text"
    form: ClassVar[Form] = "single"
    text: Str


class OutputInputText(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "Input_text"
    text: Str


class OutputInputImage(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "Input_image"
    image_url: Str
    detail: Detail | None


class ContentOutput(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "Content"
    form: ClassVar[Form] = "single"
    content: list[OutputInputText | OutputInputImage]


Output = TextOutput | ContentOutput


class FunctionCallOutput(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "Function_call_output"
    word: ClassVar[str] = "function_call_output"
    output: Output
    call_id: Str
    type_: Word = msgspec.field(name="_type")
    id: Str | None
    status: Word | None


class PlainFunctionCallOutput(Part, frozen=True, gc=False):
    """The output is a text: R1."""

    constructor: ClassVar[str] = "Function_call_output"
    word: ClassVar[str] = "function_call_output"
    output: Str
    call_id: Str
    type_: Word = msgspec.field(name="_type")
    id: Str | None
    status: Word | None


class CustomToolCallOutput(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "Custom_tool_call_output"
    word: ClassVar[str] = "custom_tool_call_output"
    output: Output
    call_id: Str
    type_: Word = msgspec.field(name="_type")
    id: Str | None


class WebSearchCall(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "Web_search_call"
    word: ClassVar[str] = "web_search_call"
    type_: Word = msgspec.field(name="_type")
    id: Str
    status: Word


class FileSearchResult(Part, frozen=True, gc=False):
    attributes: list[tuple[Str, Str]]
    file_id: Str
    filename: Str
    score: Int
    text: Str


class FileSearchCall(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "File_search_call"
    word: ClassVar[str] = "file_search_call"
    type_: Word = msgspec.field(name="_type")
    id: Str
    status: Word
    queries: list[Str]
    results: list[FileSearchResult] | None


class SummaryText(Part, frozen=True, gc=False):
    text: Str
    type_: Word = msgspec.field(name="_type")


class Reasoning(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "Reasoning"
    word: ClassVar[str] = "reasoning"
    summary: list[SummaryText]
    type_: Word = msgspec.field(name="_type")
    id: Str
    status: Word | None


Item = (
    InputMessage
    | OutputMessage
    | FunctionCall
    | CustomToolCall
    | FunctionCallOutput
    | CustomToolCallOutput
    | WebSearchCall
    | FileSearchCall
    | Reasoning
)
"""R3: what is written today."""

ItemR2 = (
    InputMessage
    | PlainOutputMessage
    | FunctionCall
    | CustomToolCall
    | FunctionCallOutput
    | CustomToolCallOutput
    | WebSearchCall
    | FileSearchCall
    | Reasoning
)

ItemR1 = (
    InputMessage
    | PlainOutputMessage
    | FunctionCall
    | PlainFunctionCallOutput
    | WebSearchCall
    | FileSearchCall
    | Reasoning
)

AnyItem = Item | ItemR2 | ItemR1
