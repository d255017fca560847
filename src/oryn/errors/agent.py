"""Errors of chat models, and of the agents that they drive (docs/agent.md)."""

from __future__ import annotations

from oryn.errors.base import OrynError


class ModelError(OrynError):
    """Base of errors of a chat model that does not answer.

    `again`: whether the same request may succeed later. `wait`: the seconds that the endpoint requests before that, or
    None."""

    exit_code = 12

    def __init__(
        self, message: str, hint: str | None = None, *, again: bool = False, wait: float | None = None
    ) -> None:
        super().__init__(message, hint)
        self.again = again
        self.wait = wait

    def withhold(self, secret: str) -> None:
        """Mask `secret` in the message, which may quote the endpoint's answer."""
        self.message = self.message.replace(secret, "••••")
        self.args = (self.message,)


class ModelUnreachable(ModelError):
    """The model's endpoint does not answer, or the connection broke during an answer."""

    code = "MODEL_UNREACHABLE"
    advice = "Check --endpoint, and that the server there runs."


class ModelUnauthorized(ModelError):
    """The endpoint needs a key, or rejects this one."""

    code = "MODEL_UNAUTHORIZED"
    advice = "Set the key in ORYN_MODEL_KEY, or name one of the vault: --model-key '{{vault:model.key}}'."


class ModelNotFound(ModelError):
    """The endpoint has no model of that name, or has another address."""

    code = "MODEL_NOT_FOUND"
    advice = "Check --model; 'GET /models' at the endpoint lists those it has."


class ModelRateLimited(ModelError):
    """The endpoint limits requests, or the account has no credit left."""

    code = "MODEL_RATE_LIMITED"
    advice = "Wait, then go on with --resume."


class ContextTooLong(ModelError):
    """The conversation does not fit into the model's context."""

    code = "CONTEXT_TOO_LONG"
    advice = "Choose a model with a larger context, fewer tabs (--max-tabs), or start a new run from the current page."


class ModelFailed(ModelError):
    """The endpoint's answer is not a chat completion."""

    code = "MODEL_FAILED"


class AgentError(OrynError):
    """Base of errors that end an agent's run before its goal is reached."""

    exit_code = 13


class ModelRefused(AgentError):
    """The model refused, or its endpoint's content filter did."""

    code = "MODEL_REFUSED"
    advice = "Say the goal otherwise, or choose another model."


class AgentStuck(AgentError):
    """The model repeats the same action."""

    code = "AGENT_STUCK"
    advice = "Go on with --resume, and type a correction."


class StepLimit(AgentError):
    """The run has used all its steps."""

    code = "STEP_LIMIT"
    advice = "Go on with --resume, which has as many steps again."


class TranscriptError(AgentError):
    """A transcript can't be read or written."""

    code = "TRANSCRIPT_ERROR"
    exit_code = 2
