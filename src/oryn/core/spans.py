"""Spans of a command: what a trace says about the time of each of its parts
(https://opentelemetry.io/docs/specs/otel/trace/api/#span).

The code that does a part opens its span. A host that traces commands sets `TRACER` for the task of each; without one,
a span costs a look-up."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from typing import Literal, Protocol

SpanName = Literal["parse", "wait for turn", "open browser", "restore", "act", "settle", "relay"]
"""The parts of a command. docs/monitoring.md#traces describes each."""


class Tracer(Protocol):
    """Records spans of one command, in the context of the current task."""

    def span(self, name: SpanName) -> AbstractContextManager[object]:
        """Record a part of the command, while the block runs. Errors that leave the block mark it as failed."""

    def headers(self) -> Mapping[str, str]:
        """The headers with which a request to another process continues the trace."""


TRACER: ContextVar[Tracer | None] = ContextVar("TRACER", default=None)
"""Traces the command that the current task runs; None if nothing does."""

_NO_SPAN = nullcontext()
_NO_HEADERS: Mapping[str, str] = {}


def span(name: SpanName) -> AbstractContextManager[object]:
    """Record a part of the current command, while the block runs, if it is traced."""
    tracer = TRACER.get()
    return _NO_SPAN if tracer is None else tracer.span(name)


def trace_headers() -> Mapping[str, str]:
    """The headers with which a request to another process continues the trace of the current command; empty if it is
    not traced."""
    tracer = TRACER.get()
    return _NO_HEADERS if tracer is None else tracer.headers()
