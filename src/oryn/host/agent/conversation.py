"""What a model is told again with each request, and what is left out of it when it becomes too much. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from oryn.models.endpoint import Message

LEFT_OUT = "System: Older messages of this conversation were left out."


class Conversation:
    """Messages in turn, as every endpoint takes them: the system prompt, then the user's (ours) and the model's."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._messages: list[Message] = []
        for each in messages:
            self.add(each.role, each.content)

    @property
    def messages(self) -> tuple[Message, ...]:
        return tuple(self._messages)

    def add(self, role: Literal["system", "user", "assistant"], content: str) -> None:
        """Two messages of one side become one: some models take them in turn alone."""
        if self._messages and self._messages[-1].role == role:
            content = f"{self._messages.pop().content}\n\n{content}"
        self._messages.append(Message(role, content))

    def shorten(self) -> int:
        """Leave out the older half of the turns, but neither the prompt nor the last message; how many messages went.
        0 where there are none to leave out."""
        turns = self._messages[1:]
        if len(turns) < 3:
            return 0
        count = 2 * max(1, len(turns) // 4)
        first = turns[count]
        said = first.content if first.content.startswith(LEFT_OUT) else f"{LEFT_OUT}\n\n{first.content}"
        self._messages[1:] = [Message(first.role, said), *turns[count + 1 :]]
        return count
