"""Where a model is, and what is sent there. Pure."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal
from urllib.parse import urlsplit

from oryn.records import Record

Key = Callable[[], Awaitable[str | None]]
"""Gives the key when it is needed, for it may be in the vault; None where there is none."""

_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Message(Record):
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


async def no_key() -> None:
    return None


class Endpoint(Record):
    """`url` is what stands before `/chat/completions`, such as `http://localhost:11434/v1`."""

    url: str
    model: str
    key: Key = no_key

    @property
    def completions(self) -> str:
        return f"{self.url.rstrip('/')}/chat/completions"

    @property
    def is_local(self) -> bool:
        """Whether it is on this computer, which no proxy stands before."""
        return self._parts[1] in _LOOPBACK

    @property
    def is_private(self) -> bool:
        """Whether nobody on the way can read what is sent."""
        return self.is_local or self._parts[0] == "https"

    @property
    def _parts(self) -> tuple[str, str | None]:
        """The scheme and the host."""
        try:
            found = urlsplit(self.url)
        except ValueError:  # no address at all: asking there says so
            return "", None
        return found.scheme, found.hostname

    def body(self, messages: Sequence[Message], schema: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The request for a stream (https://platform.openai.com/docs/api-reference/chat/create). Not every endpoint
        takes `stream_options`, by which it tells the usage, nor `response_format`, by which it holds what the model
        says to a JSON Schema."""
        options: dict[str, Any] = {"stream_options": {"include_usage": True}}
        if schema is not None:
            form = {"name": "answer", "strict": True, "schema": dict(schema)}
            options["response_format"] = {"type": "json_schema", "json_schema": form}
        said = [{"role": each.role, "content": _sendable(each.content)} for each in messages]
        return {"model": self.model, "messages": said, "stream": True, **options}


def _sendable(text: str) -> str:
    """Without halves of characters, which no UTF-8 has."""
    return text.encode("utf-8", "replace").decode()
