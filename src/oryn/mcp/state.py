"""What a call of the newer era brings along from the time before its result asked something: `requestState`.

The client only hands it back. What stands in it is nothing that the client could not have said otherwise: which command
waits for its user's yes, and its own folders."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp_types import CallToolRequestParams


def written(**state: Any) -> str:
    return json.dumps({name: value for name, value in state.items() if value is not None})


def read(params: CallToolRequestParams) -> dict[str, Any]:
    """Lists of texts, by name; what is none is left out."""
    try:
        state = json.loads(params.request_state or "{}")
    except ValueError:
        return {}
    if not isinstance(state, dict):
        return {}
    return {name: value for name, value in state.items() if _is_texts(value)}


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)
