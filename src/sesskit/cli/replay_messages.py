"""`replay --as messages`: a list of messages that a provider takes, as JSON."""

from __future__ import annotations

from sesskit.cli.replaying import Made, Seen, Wishes
from sesskit.cli.report_json import json_text
from sesskit.records.chat_messages import chat_messages


def messages(seen: Seen, wishes: Wishes) -> Made:
    """The messages of a session in the OpenAI chat form."""
    made, losses = chat_messages(
        seen.session, seen.read, fill_results=wishes.fill_results, change=wishes.text
    )
    return Made(json_text(made), losses)
