"""Codes of faults in the text itself, before anybody asks what the values mean."""

from __future__ import annotations

from typing import Final

from sesskit.schemas.code import Code
from sesskit.schemas.limits import DAMAGE_SCAN_BYTES, MAX_DEPTH

TEXT: Final = (
    Code(
        "json-empty",
        "error",
        "The file holds no JSON at all: no bytes, or only white space.",
        "An empty file is usually what a crash left between creating a file and writing it.",
        "Look for a copy, a backup, or a log the record can be rebuilt from; nothing can be saved"
        " from this file.",
    ),
    Code(
        "json-cut",
        "error",
        "The text ends in the middle of a value.",
        "The writer was stopped, the disk was full, or the file is still being written. What comes"
        " before the cut is often whole.",
        "If a program may still be writing, check again later. Else look for a backup; what stands"
        " in front of the cut is as it was written.",
        '{"id": "s-1", "messages": [',
    ),
    Code(
        "json-syntax",
        "error",
        "Something stands where JSON allows no such thing.",
        "No JSON reader takes the text, so the session does not load.",
        "Look at the marked place; if the file was edited by hand, that edit is the likely cause.",
        '{"id" "s-1"}',
    ),
    Code(
        "json-trailing",
        "error",
        "There is more text after the end of the document.",
        "A shorter text was written over a longer one without cutting the file, or two writers met."
        " The document before it may be whole.",
        "Copy the file and cut it behind the first document; keep the rest beside it.",
        '{"id": "s-1"} s-1"}',
    ),
    Code(
        "json-two-documents",
        "error",
        "A second document begins after the first.",
        "One file holds one document; readers would take the first or refuse both.",
        "If this is a log with one document a line, name its format with --format. Else split the"
        " file.",
        '{"id": "s-1"}{"id": "s-2"}',
    ),
    Code(
        "json-constant",
        "error",
        "A word that is no JSON value: NaN, Infinity, None, True, undefined ...",
        "Some languages write these words, yet strict readers refuse the whole text.",
        "Write null or a number instead, and correct the program that wrote the word.",
        '{"score": NaN}',
    ),
    Code(
        "json-number",
        "error",
        "A number that is not written the way JSON writes numbers.",
        "Leading zeros, a plus sign, a bare point or hexadecimal digits are refused by strict"
        " readers.",
        "Write the number in plain decimal form, such as 7, 0.5 or 1e3.",
        '{"revision": 007}',
    ),
    Code(
        "json-control-character",
        "error",
        "A control character stands unescaped in a string.",
        "Strict readers refuse the text. A raw line break usually means a lost closing quote or a"
        " program that glued JSON together by hand.",
        r"Escape it (\n for a line break, \u001b for ESC) and let a JSON library write the text.",
        '{"content": "two\nlines"}',
    ),
    Code(
        "json-escape",
        "error",
        "A backslash in a string begins no escape that JSON knows.",
        "Strict readers refuse the text. Paths and regular expressions pasted by hand are typical.",
        r"Double the backslash (\\), or write a character as \uXXXX with four hexadecimal digits.",
        r'{"pattern": "\d+"}',
    ),
    Code(
        "json-bom",
        "error",
        "The text begins with a byte order mark.",
        "The systems that own these formats refuse it, though some editors add it unasked.",
        "Save the file as UTF-8 without a byte order mark.",
    ),
    Code(
        "json-encoding",
        "error",
        "The text is not encoded as UTF-8 (it looks like UTF-16 or UTF-32).",
        "Session files are UTF-8; in another encoding every reader sees noise.",
        "Convert the file to UTF-8. PowerShell's redirection writes UTF-16: use a UTF-8 option"
        " there.",
    ),
    Code(
        "json-quotes",
        "error",
        "A name or string stands without double quotes, in apostrophes or in typographic quotes.",
        "Only double quotes are JSON. The text may have been printed by Python or edited in a word"
        " processor.",
        "Put names and strings in double quotes, or write the text again with a JSON library.",
        "{'id': 's-1'}",
    ),
    Code(
        "json-trailing-comma",
        "error",
        "A comma stands after the last member or element.",
        "JavaScript source allows it, JSON does not, and strict readers refuse the text.",
        "Remove the comma.",
        '{"id": "s-1",}',
    ),
    Code(
        "json-comment",
        "error",
        "There is a comment in the text.",
        "JSON has no comments; strict readers refuse the text.",
        "Remove the comment.",
        '{"id": "s-1"} // mine',
    ),
    Code(
        "json-missing-comma",
        "error",
        "Two members or elements follow each other without a comma.",
        "Strict readers refuse the text. A line may have been lost between the two.",
        "Look whether something is missing there; if not, put the comma in.",
        '{"id": "s-1" "cwd": "/srv"}',
    ),
    Code(
        "json-nul-run",
        "error",
        "A run of NUL bytes stands where text should be.",
        "The disk allocated the space and the power failed before the text was written: those bytes"
        " are lost, the rest may be whole.",
        "Look for a backup; what stands in front of the hole is as it was written.",
    ),
    Code(
        "json-depth",
        "error",
        f"Values are nested more than {MAX_DEPTH} levels deep.",
        "No real session nests like this, and many programs crash on it.",
        "Find out what wrote the file. What is nested deeper was not read.",
    ),
    Code(
        "json-unread",
        "info",
        "Reading stopped some way after the first error.",
        f"At most {DAMAGE_SCAN_BYTES // 1024**2} MiB behind the first error are searched, so"
        " further faults may not be listed.",
        "Correct the faults that are listed, then check again.",
    ),
    Code(
        "json-unlisted",
        "info",
        "There are more faults than are listed.",
        "Such a list helps nobody and would fill the memory; the first faults tell the cause.",
        "Correct the faults that are listed, then check again.",
    ),
    Code(
        "utf8-outside-string",
        "error",
        "Bytes that are no UTF-8 stand outside every string.",
        "Nothing but damage puts them there: a bad disk block, a text tool, two files glued.",
        "Compare the place with a backup.",
    ),
    Code(
        "utf8-in-string",
        "warning",
        "A string holds bytes that are no UTF-8.",
        "Readers show U+FFFD in their place, so that part of the text is lost once it is written"
        " again. Output of tools that was cut within a character is typical.",
        "Nothing, if that text may be lost; else restore it from its source before saving.",
    ),
    Code(
        "lone-surrogate",
        "warning",
        "A string holds half of a character: a surrogate escape without its other half.",
        "It cannot be written as UTF-8; programs replace it or fail. A text was cut between the"
        " two halves.",
        r"Nothing, if the half may go; else write the whole character, or \ufffd, in its place.",
        r'{"content": "cut \ud83d"}',
    ),
    Code(
        "duplicate-member",
        "warning",
        "An object has two members of the same name.",
        "Most readers take the last one, some the first: what you see may not be what another"
        " program sees, and a secret can hide in the one nobody shows.",
        "Keep one of the two.",
        '{"id": "s-1", "id": "s-2"}',
    ),
    Code(
        "size-limit",
        "error",
        "The text, or one of its parts, is larger than what is read.",
        "Limits keep a damaged or hostile file from taking all memory.",
        "See whether the file is what you think it is; its end may repeat or hold no text at all.",
    ),
)
