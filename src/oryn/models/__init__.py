"""A chat model behind any endpoint that speaks OpenAI's chat completions (docs/agent.md). Extra `agent`."""

from __future__ import annotations

from oryn.models.endpoint import ChatMessage, ModelEndpoint
from oryn.models.model import ChatModel, ReplyListener
from oryn.models.responses import ModelReply, Prices, Usage, estimated_tokens

__all__ = [
    "ChatMessage",
    "ChatModel",
    "ModelEndpoint",
    "ModelReply",
    "Prices",
    "ReplyListener",
    "Usage",
    "estimated_tokens",
]
