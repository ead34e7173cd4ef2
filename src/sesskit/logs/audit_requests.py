"""The strongest rules of the audit: what a request sends, rebuilt from what was committed."""

from __future__ import annotations

from functools import partial

from sesskit.logs.audit_history import History, Known, compare, is_only_unmarked, marked
from sesskit.logs.audit_lines import Json, Line, content_of, utf16_length
from sesskit.logs.audit_state import Call, State, Turn
from sesskit.logs.audit_turns import shown


def request_sent(state: State, turn: Turn, call: Call) -> None:
    """calls-unanswered, system-missing, system-prompt, peer-unmarked, request-history."""
    segment, line = state.segment, call.line
    history, messages = segment.history, call.messages
    unanswered(state, line)
    if segment.compacted is not None:  # no run has shown what the compaction left
        history.known, segment.compacted = None, None
    first, segment.asked = not segment.asked, True
    has_head = bool(messages) and messages[0].get("role") == "system"
    if segment.prompt and not has_head:
        if not segment.system_missing:
            segment.system_missing = True
            state.findings.find(
                "system-missing", line, "the system prompt is not sent", keys=("messages",)
            )
        _compare_sent(state, turn, call, _without_head(history))
        return
    if first and segment.prompt and not _opens_with_prompt(state, content_of(messages[0])):
        message = "opens with another prompt than session_init announced"
        keys = ("messages", 0, "content")
        state.findings.find("system-prompt", line, message, keys=keys)
    if has_head and turn.implicit and history.known and _head(history) is not None:
        history.known.insert(0, Known(None))  # a restored history gets its system message
    _compare_sent(state, turn, call, None)


def _opens_with_prompt(state: State, head: str) -> bool:
    """Whether a head is the announced prompt; one altered where it was announced was told there."""
    segment = state.segment
    return head == segment.prompt or utf16_length(head) == segment.said_length


def _head(history: History) -> Json | None:
    """The first message, where it is not the system's."""
    first = history.known[0].message if history.known else None
    return first if first is not None and first.get("role") != "system" else None


def _without_head(history: History) -> list[Known] | None:
    known = history.known
    if known and (known[0].message is None or known[0].message.get("role") == "system"):
        return known[1:]
    return known


def unanswered(state: State, line: Line) -> None:
    """calls-unanswered, before an input or a request."""
    opened = state.segment.history.open_calls()
    fresh = {i: n for i, n in opened.items() if i not in state.unanswered}
    if fresh:
        state.unanswered |= fresh.keys()
        none, many = sum(not n for n in fresh.values()), sum(n > 1 for n in fresh.values())
        parts = [f"{none} without an answer"] * bool(none) + [f"{many} answered twice"] * bool(many)
        state.findings.find("calls-unanswered", line, f"tool calls: {', '.join(parts)}")


def _compare_sent(state: State, turn: Turn, call: Call, known: list[Known] | None) -> None:
    history, messages = state.segment.history, call.messages
    if history.known is None:
        history.start_with_request(messages)
        return
    counted = len(history) if known is None else len(known)
    peers = _unmarked_peers(known or history.known, messages)
    if peers:
        message = f"{len(peers)} messages are sent as if the operator had written them"
        place = ("messages", peers[0], "content")
        state.findings.find("peer-unmarked", call.line, message, keys=place)
        messages = _as_marked(history.known if known is None else known, messages, peers)
    if known is None:
        differences = history.compare(messages, "sent", counted)
        counted = len(history)
    else:
        differences = compare(known, messages[:counted], "sent")
    if differences:
        message = f"not what was committed before: {shown(differences)}"
        keys = ("messages", differences[0].position)
        state.findings.find("request-history", call.line, message, keys=keys)
        same_length = all(d.position < counted and d.what != "missing" for d in differences)
        history.keep_sent(messages[:counted] if same_length else messages)
        return
    _tail(state, turn, call, messages[counted:], counted)


def _unmarked_peers(known: list[Known], messages: list[Json]) -> list[int]:
    pairs = enumerate(zip(known, messages, strict=False))
    return [n for n, (k, m) in pairs if compare([k], [m], "sent") and is_only_unmarked(k, m)]


def _as_marked(known: list[Known], messages: list[Json], peers: list[int]) -> list[Json]:
    repaired = list(messages)
    for n in peers:
        message = known[n].message
        if message is not None:
            repaired[n] = messages[n] | {"content": marked(message)}
    return repaired


def _tail(state: State, turn: Turn, call: Call, tail: list[Json], start: int) -> None:
    """What may follow the history: a reminder, a schema instruction; a question if forced."""
    if call.forced:
        asked = bool(tail) and tail[-1].get("role") == "user"
        if not asked or any(m.get("role") != "system" for m in tail[:-1]):
            _wrong_tail(state, call, start, "a forced summary ends with one question of its own")
        return
    if len(tail) > 2 or not _are_of_the_system(tail[:-1]):
        _stranger(state, call, tail, start)
        return
    state.segment.expecting = partial(_next_tells_of_a_schema, state, turn, call, tail, start)


def _next_tells_of_a_schema(
    state: State, turn: Turn, call: Call, tail: list[Json], start: int, following: Line | None
) -> bool:
    with_schema = (
        following is not None
        and following.event == "structured_output_transport"
        and following.data.get("schemaInPrompt") is True
    )
    reminders = tail[:-1] if with_schema else tail
    if _are_of_the_system(reminders):
        _reminder(state, turn, call, reminders, start)
    else:
        _stranger(state, call, reminders, start)
    return False


def _are_of_the_system(messages: list[Json]) -> bool:
    return all(message.get("role") == "system" for message in messages)


def _stranger(state: State, call: Call, tail: list[Json], start: int) -> None:
    odd = next((n for n, m in enumerate(tail) if m.get("role") != "system"), 2)
    _wrong_tail(state, call, start + odd, f"message {start + odd}: not committed")


def _reminder(state: State, turn: Turn, call: Call, reminders: list[Json], start: int) -> None:
    if len(reminders) > 1:
        _wrong_tail(state, call, start + 1, f"message {start + 1}: not committed")
        return
    text = content_of(reminders[0]) if reminders else None
    if turn.reminded and text != turn.reminder:
        message = f"message {start}: the system block of the turn changed"
        _wrong_tail(state, call, start, message)
    elif not turn.reminded:
        turn.reminder, turn.reminded = text, True


def _wrong_tail(state: State, call: Call, place: int, message: str) -> None:
    keys = ("messages", place)
    text = f"not what was committed before: {message}"
    state.findings.find("request-history", call.line, text, keys=keys)
