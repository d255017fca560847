"""A person's yes (the setting `confirm`), asked for through the assistant: elicitation.

https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation. A client of the older era is asked in the
middle of the call; one of the newer gets the question as the call's result, and makes the call again with the answer to
it. What a model writes stands in the arguments of a call, and so never passes for its user's answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitationCapability, ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from oryn.engine import Answer
from oryn.engine.confirming import SECONDS
from oryn.errors import ConfirmationDenied, ConfirmationRequired
from oryn.mcp import state

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp_types import CallToolRequestParams

    from oryn.mcp.host import Host
    from oryn.mcp.roots import Bounds

    Context = ServerRequestContext[Any, Any]

QUESTION = "confirm"
"""The question's name among those of a call."""

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"agree": {"type": "boolean", "title": "Do it", "description": "Nothing is done without it."}},
    "required": ["agree"],
}
"""A box to check: an empty form may be one that a program accepts by itself."""


async def confirmed(
    context: Context, host: Host, answer: Answer, bounds: Bounds = None
) -> Answer | InputRequiredResult:
    """The answer, once the person has said yes or no to what waits for that. A client that can't ask gets the error,
    which says what else a person can do. `bounds` are the caller's, for the call that brings the answer."""
    while isinstance(waits := answer.error, ConfirmationRequired) and waits.id is not None and _can_ask(context):
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return _asking(waits, bounds)
        answer = await _settled(host, answer, waits, await _asked(context, waits))
    return answer


async def resumed(params: CallToolRequestParams, host: Host) -> Answer | None:
    """What a call does that brings the answer to a question; None for one that brings none."""
    said = (params.input_responses or {}).get(QUESTION)
    if not isinstance(said, ElicitResult) or len(waiting := state.read(params).get(QUESTION, [])) != 2:
        return None
    session, id = waiting
    waits = ConfirmationRequired(f"{params.name} waits for a person's yes: {id}", None, id, session)
    return await _settled(host, Answer(command=params.name, error=waits), waits, said)


async def _settled(host: Host, answer: Answer, waits: ConfirmationRequired, said: ElicitResult | None) -> Answer:
    assert waits.id is not None
    if said is not None and said.action == "accept" and (said.content or {}).get("agree") is True:
        return await host.confirm(waits.session, waits.id)
    session = host.session(waits.session)
    denied = session.confirmations.deny(waits.id).data if session else None
    shown = denied["dropped"] if isinstance(denied, dict) else _shown(waits)
    why = "the user did not answer" if said is None else "the user said no"
    # The steps of an intent before it are done: their lines stay.
    answer.error = ConfirmationDenied(f"{shown}: {why}")
    return answer


def _can_ask(context: Context) -> bool:
    capabilities = context.session.client_capabilities
    elicitation: ElicitationCapability | None = capabilities.elicitation if capabilities else None
    # Said without a mode it is forms, which were all there was.
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def _asking(waits: ConfirmationRequired, bounds: Bounds) -> InputRequiredResult:
    form = ElicitRequestFormParams(message=_message(waits), requested_schema=SCHEMA)
    kept = state.written(confirm=[waits.session, waits.id], roots=bounds and [*map(str, bounds)])
    return InputRequiredResult(input_requests={QUESTION: ElicitRequest(params=form)}, request_state=kept)


async def _asked(context: Context, waits: ConfirmationRequired) -> ElicitResult | None:
    """What the person says, within the time that the command waits."""
    with anyio.move_on_after(SECONDS):
        try:
            return await context.session.elicit_form(_message(waits), SCHEMA, context.request_id)
        except MCPError:  # it says that it can ask, and then can't
            return None
    return None


def _message(waits: ConfirmationRequired) -> str:
    return f"The assistant wants the browser to do this: {_shown(waits)}"


def _shown(waits: ConfirmationRequired) -> str:
    """`click 5 ([5] button "Delete")`, of the error's own words."""
    return waits.message.removesuffix(f" waits for a person's yes: {waits.id}")
