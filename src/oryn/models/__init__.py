"""A chat model behind any endpoint that speaks OpenAI's chat completions (docs/agent.md). Extra `agent`."""

from __future__ import annotations

from oryn.models.endpoint import Endpoint, Message
from oryn.models.model import Listener, Model
from oryn.models.reading import Reply
from oryn.models.usage import Prices, Usage, estimated_tokens

__all__ = ["Endpoint", "Listener", "Message", "Model", "Prices", "Reply", "Usage", "estimated_tokens"]
