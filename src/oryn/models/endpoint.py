"""The endpoint of a model: its address, its key, and the body of a request. Pure."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal
from urllib.parse import urlsplit

from oryn.core.records import Record

KeyProvider = Callable[[], Awaitable[str | None]]
"""Returns the key when it is needed, because it may be in the vault; None if the endpoint needs no key."""

_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class ChatMessage(Record):
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


async def no_key() -> None:
    """The key provider of an endpoint without a key."""
    return None


class ModelEndpoint(Record):
    """A model at an endpoint. `url` is the part before `/chat/completions`, such as `http://localhost:11434/v1`."""

    url: str
    model: str
    key: KeyProvider = no_key

    @property
    def completions(self) -> str:
        """The URL of chat completions."""
        return f"{self.url.rstrip('/')}/chat/completions"

    @property
    def is_local(self) -> bool:
        """Whether it is on this computer; no proxy is used then."""
        return self._parts[1] in _LOOPBACK

    @property
    def is_private(self) -> bool:
        """Whether the connection is private: local, or encrypted."""
        return self.is_local or self._parts[0] == "https"

    @property
    def _parts(self) -> tuple[str, str | None]:
        """The scheme and the host."""
        try:
            found = urlsplit(self.url)
        except ValueError:  # an invalid URL: the request reports it
            return "", None
        return found.scheme, found.hostname

    def body(self, messages: Sequence[ChatMessage], schema: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the body of a streaming request (https://platform.openai.com/docs/api-reference/chat/create). `schema`
        is a JSON Schema for the reply. Not every endpoint supports `stream_options`, which requests the usage, and
        `response_format`, which has the schema."""
        options: dict[str, Any] = {"stream_options": {"include_usage": True}}
        if schema is not None:
            form = {"name": "answer", "strict": True, "schema": dict(schema)}
            options["response_format"] = {"type": "json_schema", "json_schema": form}
        serialized = [
            # UTF-8 can't encode lone surrogates.
            {"role": each.role, "content": each.content.encode("utf-8", "replace").decode()}
            for each in messages
        ]
        return {"model": self.model, "messages": serialized, "stream": True, **options}


class SilentListener:
    """A listener for a reply that is used only when it is complete."""

    def on_text(self, text: str) -> None:
        """Ignore a piece of the reply."""

    def on_retry(self, error: Exception, seconds: float) -> None:
        """Ignore a retry."""
