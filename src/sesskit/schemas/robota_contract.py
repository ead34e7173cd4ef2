"""The rules of the contract audit: what a log shows of the promises of a live session.

``source`` names the part of the contract: LG session logging, TI turn identity, RO runtime options,
HK hooks, PE permission and execution root, CO compaction, AB abort, RJ recoverable execution,
ET error taxonomy; "" where the contract says nothing and sessions behave so.
"""

from __future__ import annotations

from typing import NamedTuple

from sesskit.schemas.issues import Severity


class Rule(NamedTuple):
    """One promise: how grave a breach is, what must hold, where it is promised."""

    severity: Severity
    holds: str
    source: str


def _rules(severity: Severity, table: str) -> dict[str, Rule]:
    rules = {}
    for row in table.strip().splitlines():
        name, source, holds = row.split("|")
        rules[name] = Rule(severity, holds, source)
    return rules


_ERRORS = """
session-mixed|LG|every line carries the same session id
init-first|LG|the first line is session_init
prompt-length|LG|systemPromptLength is the length of systemPrompt in UTF-16 units
shutdown-repeated|HK|a process logs one session_shutdown
after-shutdown|HK|after session_shutdown come step errors and events of the host only
turn-overlap|TI|no user line while a turn is open
turn-order|LG|user, pre_run; assistant, error, text_delta within a turn; context after assistant
execution-foreign|TI|events carry the execution id of the open turn, and none stands outside a turn
execution-reused|TI|a new turn has a new execution id
conversation-changed|LG|a process has one conversation id
input-enriched|HK|the input of a run is the prompt, or the prompt behind a system reminder
input-committed|LG|a turn first commits its input as a user message
pre-run-counts|LG|historyLength, historyChars and historyEstTokens are those of the history
assistant-counts|LG|historyLength, estimatedChars and historyStructure are those of the history
assistant-history|LG|the history of an answer is what was committed
assistant-content|LG|an answer is the last text the turn committed
error-length|ET|an error counts the history, one more with a call in flight
history-index|LG|a message is committed at the end of the history
history-rewritten|CO|a run starts with the history the last one left
message-id-repeated|LG|no two committed messages share an id
request-history|LG|what a request sends can be rebuilt from what was committed before it
system-missing|CO|a session with a system prompt sends it first
round-order|LG|rounds count 1, 2, 3 and every event carries its round
response-order|LG|request, stream, raw, normalized, announced, committed, in this order
response-differs|LG|the raw, the normalized and the announced response are the same
tool-call-count|LG|toolCallsCount is the number of calls of the response
commit-differs|LG|the committed answer has the calls, the round and the text that were announced
delta-sequence|LG|stream deltas of a round count 0, 1, 2
delta-content|LG|the committed answer is what was streamed
delta-mirror|LG|a reader is shown each delta at once, and nothing else during a call
fallback-route|LG|a fallback leaves the provider last asked and sends the same to the new one
summary-tools|CO|a forced summary is asked for without tools
forced-summary|LG|a bare text is committed only for a forced summary, the last call of a turn
batch-calls|LG|a batch follows a commit with calls and names them in order
request-calls|LG|tools are asked for what the model called, in order and to the letter
result-pairing|ET|each tool request has one result, in order
tool-ungated|PE|no tool has an outcome or succeeds without passing the gate
refusal-succeeded|ET|a refused call has a failed result
tool-outcome|ET|a call succeeds only if its tool did
unknown-succeeded|ET|a tool that no schema names neither passes the gate nor succeeds
tool-stray|LG|the gate is asked between the requests and the results of a batch
tool-commit|LG|tool messages are committed as announced, with the success of their result
calls-unanswered|ET|every call is answered once before the next input or request
compact-trigger|RO|a compaction is auto or manual
compact-in-turn|CO|compaction stays outside turns, automatic compaction right before one
compact-empty|CO|a conversation without messages is not compacted
compact-history|CO|compaction leaves the system message, a summary, and receipts
context-bounds|RO|the figures of a context fit together
interrupted-kept|AB|an answer that an abort cut off stays in the history, marked
interrupted-odd|AB|only an assistant message of a turn that failed is interrupted
task-status||the status of a background task is that of its event
task-after-end||a background task that ended is only closed
"""
_WARNINGS = """
time-backwards|LG|timestamps do not fall
shutdown-in-turn|HK|no turn is open at shutdown
shutdown-step|HK|each step of a shutdown fails on its side of session_shutdown
turn-unended|TI|a turn ends before its process does
late-stream|TI|an execution that failed streams no more
system-prompt|CO|the first request opens with the announced system prompt
peer-unmarked|CO|what a peer session wrote is marked in every request
native-sequence|LG|native payloads of a round count 0, 1, 2
tool-content|LG|the model is shown the result the tool gave
compact-after|RO|the usage after a compaction is that of the next history
compact-before|RO|the usage before a compaction is that of the turn just ended
context-max|RO|the window has the size the run was started with
context-usage|RO|the used tokens are what the history gives
task-origin||the call a background task names was requested
"""

RULES = {**_rules("error", _ERRORS), **_rules("warning", _WARNINGS)}
"""Every rule by its id, which is the code of its findings."""
