"""What a transcript says of where its run stands. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from oryn.errors import TranscriptError
from oryn.host.agent.conversation import Conversation
from oryn.host.agent.transcript import Entry
from oryn.models.usage import Usage
from oryn.records import Record


class Standing(Record):
    """Where a run stands: what `oryn agent --resume` goes on from."""

    goal: str
    keyword: str
    model: str
    saved: dict[str, str]
    urls: tuple[str, ...]
    """Of the tabs, the oldest first."""
    conversation: Conversation
    usage: Usage
    steps: int


def standing(entries: Sequence[Entry]) -> Standing:
    """Raises `TranscriptError` for entries that no run of ours has written."""
    try:
        return _standing(entries)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise TranscriptError("the transcript is damaged", "Begin anew: its page still shows what it has.") from None


def _standing(entries: Sequence[Entry]) -> Standing:
    begun = entries[0]
    conversation, usage = Conversation(), Usage()
    urls, steps = [str(each) for each in begun.get("urls", ())], 0
    for entry in entries:
        match entry["kind"]:
            case "message":
                conversation.add(entry["role"], str(entry["content"]))
                if entry["role"] == "assistant":
                    steps += 1
                    usage += used(entry)
            case "shortened":
                conversation.shorten()
            case "turn":
                urls = [str(each) for each in entry["urls"]]
    if not conversation.messages:
        raise ValueError("a run that had not begun to speak")
    saved = {str(name): str(url) for name, url in begun.get("saved", {}).items()}
    return Standing(
        str(begun["goal"]), str(begun["keyword"]), str(begun["model"]), saved, tuple(urls), conversation, usage, steps
    )


def used(entry: Entry) -> Usage:
    """The tokens that a message of the model's took."""
    return Usage(int(entry.get("prompt", 0)), int(entry.get("completion", 0)), bool(entry.get("estimated", False)))
