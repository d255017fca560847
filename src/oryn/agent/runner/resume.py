"""The conversation with the model, how it is shortened, and how it is restored from a transcript. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from oryn.agent.runner.transcript import TranscriptEntry
from oryn.core.records import Record
from oryn.errors import TranscriptError
from oryn.models.endpoint import ChatMessage
from oryn.models.responses import Usage

OMITTED_NOTICE = "System: Older messages of this conversation were left out."


class Conversation:
    """Alternating messages, as every endpoint accepts them: the system prompt, then the user's (Oryn's) and the
    model's."""

    def __init__(self, messages: Iterable[ChatMessage] = ()) -> None:
        self._messages: list[ChatMessage] = []
        for each in messages:
            self.add(each.role, each.content)

    @property
    def messages(self) -> tuple[ChatMessage, ...]:
        """All messages, oldest first, that have not been left out."""
        return tuple(self._messages)

    def add(self, role: Literal["system", "user", "assistant"], content: str) -> None:
        """Add a message. Consecutive messages of one role are joined, because some models accept only alternating
        roles."""
        if self._messages and self._messages[-1].role == role:
            content = f"{self._messages.pop().content}\n\n{content}"
        self._messages.append(ChatMessage(role, content))

    def shorten(self) -> int:
        """Remove the older half of the turns, but neither the prompt nor the last message. Return the number of removed
        messages; 0 if none can be removed."""
        turns = self._messages[1:]
        if len(turns) < 3:
            return 0
        count = 2 * max(1, len(turns) // 4)
        first = turns[count]
        text = first.content if first.content.startswith(OMITTED_NOTICE) else f"{OMITTED_NOTICE}\n\n{first.content}"
        self._messages[1:] = [ChatMessage(first.role, text), *turns[count + 1 :]]
        return count


class ResumeState(Record):
    """The state of a run, from which `oryn agent --resume` continues."""

    goal: str
    keyword: str
    model: str
    saved: dict[str, str]
    urls: tuple[str, ...]
    """The URLs of the tabs, oldest first."""
    conversation: Conversation
    usage: Usage
    steps: int


def resume_state(entries: Sequence[TranscriptEntry]) -> ResumeState:
    """Restore the state of a run from its transcript. Raises `TranscriptError` if the entries are damaged."""
    try:
        return _resume_state(entries)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise TranscriptError(
            "the transcript is damaged", "Start a new run: the page of this run still shows its messages."
        ) from None


def _resume_state(entries: Sequence[TranscriptEntry]) -> ResumeState:
    first = entries[0]
    conversation, usage = Conversation(), Usage()
    urls, steps = [str(each) for each in first.get("urls", ())], 0
    for entry in entries:
        match entry["kind"]:
            case "message":
                conversation.add(entry["role"], str(entry["content"]))
                if entry["role"] == "assistant":
                    steps += 1
                    usage += usage_of(entry)
            case "shortened":
                conversation.shorten()
            case "turn":
                urls = [str(each) for each in entry["urls"]]
    if not conversation.messages:
        raise ValueError("a run that had not begun to speak")
    saved = {str(name): str(url) for name, url in first.get("saved", {}).items()}
    return ResumeState(
        str(first["goal"]), str(first["keyword"]), str(first["model"]), saved, tuple(urls), conversation, usage, steps
    )


def usage_of(entry: TranscriptEntry) -> Usage:
    """Return the tokens that a message of the model used."""
    return Usage(int(entry.get("prompt", 0)), int(entry.get("completion", 0)), bool(entry.get("estimated", False)))
