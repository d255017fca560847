"""Confirmation by a person (the setting `confirm`), requested through the client: elicitation.

https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation. A client of the older era gets the request
in the middle of the call. A client of the newer era gets it as the call's result, and repeats the call with the
person's response. A model can only write the arguments of a call, so it can't forge that response."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import anyio
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitationCapability, ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from oryn.core.records import Record
from oryn.engine import Answer
from oryn.engine.confirmation_question import question_about
from oryn.engine.policy.confirmations import CONFIRMATION_SECONDS
from oryn.errors import ConfirmationDenied, ConfirmationNotFound, ConfirmationRequired
from oryn.mcp import results

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp_types import CallToolRequestParams

    from oryn.language import Line
    from oryn.mcp.host import McpHost
    from oryn.mcp.roots import Bounds

    Context = ServerRequestContext[Any, Any]

QUESTION = "confirm"
"""The key of this request among the input requests of a call."""

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"agree": {"type": "boolean", "title": "Do it", "description": "Nothing is done without it."}},
    "required": ["agree"],
}
"""The form has a box to check, as programs may accept an empty form automatically."""


async def require_confirmation(
    context: Context, host: McpHost, answer: Answer, bounds: Bounds = None
) -> Answer | InputRequiredResult:
    """Have the person confirm the waiting command through the client, and return the answer after that.

    If the client does not support elicitation, the error is returned; its hint names other ways to confirm. `bounds`
    are the caller's roots, for the call that brings the response."""
    while isinstance(waits := answer.error, ConfirmationRequired) and waits.id is not None and _can_ask(context):
        message = await _message(host, waits)
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return _input_required(waits, message, bounds)
        answer = await _resolve(host, answer, waits, await _prompt(context, message))
    return answer


def resumed_id(params: CallToolRequestParams) -> str | None:
    """The id of the confirmation whose response a call brings; None if it brings none."""
    result = (params.input_responses or {}).get(QUESTION)
    waiting = results.read_state(params).get(QUESTION, [])
    return waiting[1] if isinstance(result, ElicitResult) and len(waiting) == 2 else None


async def resume_confirmation(params: CallToolRequestParams, host: McpHost) -> Answer | None:
    """The answer to a call that brings a person's response; None if the call brings no response."""
    result = (params.input_responses or {}).get(QUESTION)
    if resumed_id(params) is None or not isinstance(result, ElicitResult):
        return None
    session, id = results.read_state(params)[QUESTION]
    waits = ConfirmationRequired(f"{params.name} waits for a person's approval: {id}", None, id, session)
    return await _resolve(host, Answer(command=params.name, error=waits), waits, result)


async def _resolve(host: McpHost, answer: Answer, waits: ConfirmationRequired, result: ElicitResult | None) -> Answer:
    assert waits.id is not None
    if result is not None and result.action == "accept" and (result.content or {}).get("agree") is True:
        return await host.confirm(waits.session, waits.id)
    session = host.session(waits.session)
    denied = session.confirmations.deny(waits.id).data if session else None
    dropped = denied["dropped"] if isinstance(denied, dict) else _command_text(waits)
    why = "the user did not answer" if result is None else "the user said no"
    # The steps of an intent before the denied one have run: keep their lines.
    answer.error = ConfirmationDenied(f"{dropped}: {why}")
    return answer


def _can_ask(context: Context) -> bool:
    capabilities = context.session.client_capabilities
    elicitation: ElicitationCapability | None = capabilities.elicitation if capabilities else None
    # A capability without a mode means forms: older versions of the protocol had no other.
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def _input_required(waits: ConfirmationRequired, message: str, bounds: Bounds) -> InputRequiredResult:
    form = ElicitRequestFormParams(message=message, requested_schema=SCHEMA)
    state = results.write_state(confirm=[waits.session, waits.id], roots=bounds and [*map(str, bounds)])
    return InputRequiredResult(input_requests={QUESTION: ElicitRequest(params=form)}, request_state=state)


async def _prompt(context: Context, message: str) -> ElicitResult | None:
    """The person's response; None if the command's confirmation expires first, or the client fails."""
    with anyio.move_on_after(CONFIRMATION_SECONDS):
        try:
            return await context.session.elicit_form(message, SCHEMA, context.request_id)
        except MCPError:  # the client declared the capability but does not implement it
            return None
    return None


async def _message(host: McpHost, waits: ConfirmationRequired) -> str:
    session = host.session(waits.session)
    if session is None or waits.id is None:
        return f"The assistant wants the browser to do this: {_command_text(waits)}"
    return await question_about(session, waits.id, _command_text(waits))


def _command_text(waits: ConfirmationRequired) -> str:
    """The command, cut out of the error's message: `click 5 ([5] button "Delete")`."""
    return waits.message.removesuffix(f" waits for a person's approval: {waits.id}")


# --- calls of several lines ---

MAX_UNFINISHED = 50
"""Maximum number of calls that wait; beyond it, the oldest is dropped."""


class UnfinishedCall(Record):
    """The lines of a call as they are written, and the answers to those that have run."""

    lines: tuple[str, ...]
    answers: list[Answer]


class UnfinishedLines:
    """The calls that wait in the middle for a person's response, which another call brings, by the identifiers of the
    confirmations.

    The lines before have run, so the second call must neither run them again nor leave out their answers. They stay
    here and not in the `requestState` that the client sends back: it could then have lines left out."""

    def __init__(self) -> None:
        self._calls: dict[str, UnfinishedCall] = {}

    def keep(self, waits: ConfirmationRequired, lines: Sequence[Line], answers: list[Answer]) -> None:
        """Keep the answers of a call whose next line waits for a confirmation."""
        assert waits.id is not None
        while len(self._calls) >= MAX_UNFINISHED:
            del self._calls[next(iter(self._calls))]
        self._calls[waits.id] = UnfinishedCall(_written(lines), answers)

    def take(self, id: str, lines: Sequence[Line]) -> list[Answer]:
        """Return the answers to the lines before the one that waits as `id`, whose response another call brings.

        Raises `ConfirmationNotFound` if no call of these lines waits so: they may have run, so none runs again."""
        call = self._calls.get(id)
        if call is None or call.lines != _written(lines):
            raise ConfirmationNotFound(f"no call of these lines waits as {id}")
        del self._calls[id]
        return call.answers


def _written(lines: Sequence[Line]) -> tuple[str, ...]:
    return tuple(line.canonical for line in lines)
