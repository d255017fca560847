"""The scanner protocol 1.1 (docs/spec/scanner-protocol.md) as types: the records, and of each command the request and
the data of its response. `scripts/scanner_types.py` makes the types of the TypeScript from them. Standard library only.

A parameter that may be absent may also be null where the engine sends it so."""

from __future__ import annotations

from oryn.scanner.protocol.commands import *  # noqa: F403
from oryn.scanner.protocol.elements import *  # noqa: F403
from oryn.scanner.protocol.requests import *  # noqa: F403
from oryn.scanner.protocol.responses import *  # noqa: F403
