"""Traces of commands for OpenTelemetry (docs/monitoring.md#traces), sent over OTLP by its SDK (extra `tracing`).

A request's span continues the trace that its headers name (https://www.w3.org/TR/trace-context/), a command's span is
in it, and in that are the spans of its parts (`core.spans`) and of a program's commands. Spans have no arguments, URLs
or texts: attributes are names that Oryn declares, identifiers, and the name of the session."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from opentelemetry import trace
from opentelemetry.context import Context, attach, get_current
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from oryn import __version__
from oryn.core.spans import TRACER, SpanName
from oryn.daemon.events import Event
from oryn.daemon.vocabulary import table_action
from oryn.errors import OrynError
from oryn.system.logs import LOG_FIELDS

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

EXPORT_SECONDS = 5.0
"""Time limit of a request to the endpoint."""
_END_SECONDS = 2.0
"""Seconds that the last spans get to be sent when the daemon ends."""

TRACED_PATHS = frozenset({"/command"})
"""The addresses whose requests have spans. Messages of the Model Context Protocol have spans of its SDK."""

_PROPAGATOR = TraceContextTextMapPropagator()


class CommandTracer:
    """Traces the commands of one daemon; a `core.spans.Tracer`. `on_event` observes its events.

    endpoint: the address that spans are sent to."""

    def __init__(self, endpoint: str) -> None:
        resource = Resource.create({"service.name": "oryn", "service.version": __version__})
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(
            BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint, timeout=EXPORT_SECONDS))
        )
        # The SDK of the Model Context Protocol finds it here.
        trace.set_tracer_provider(self._provider)
        self._tracer = self._provider.get_tracer("oryn", __version__)
        self._commands: dict[str, tuple[Span, Context]] = {}
        """The span of each command that runs, by its `action_id`, and the context outside of it."""

    def on_event(self, event: Event) -> None:
        """Begin or end the span of a command. It is called in the command's task, as its parts are."""
        if event.type == "action.start":
            self._begin(event)
        elif event.type == "action.finish":
            self._finish(event)

    def _begin(self, event: Event) -> None:
        data = event.data
        verb = table_action(data["action"])
        attributes = {"oryn.verb": verb, "oryn.session": data["session"], "oryn.action_id": data["action_id"]}
        span = self._tracer.start_span(verb, attributes=attributes)
        self._commands[data["action_id"]] = span, get_current()
        attach(trace.set_span_in_context(span))
        TRACER.set(self)
        LOG_FIELDS.set({**LOG_FIELDS.get(), **_log_fields(span)})

    def _finish(self, event: Event) -> None:
        span, outside = self._commands.pop(event.data["action_id"])
        if event.data["backend"] is not None:
            span.set_attribute("oryn.backend", event.data["backend"])
        if event.data["error_kind"] is not None:
            span.set_attribute("error.type", event.data["error_kind"])
            span.set_status(StatusCode.ERROR)
        span.end()
        attach(outside)

    @contextmanager
    def span(self, name: SpanName) -> Iterator[Span]:
        # The text of an exception may be a page's.
        with self._tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False) as current:
            try:
                yield current
            except (Exception, asyncio.CancelledError) as error:
                kind = error.code.lower() if isinstance(error, OrynError) else type(error).__name__
                current.set_attribute("error.type", kind)
                current.set_status(StatusCode.ERROR)
                raise

    def headers(self) -> dict[str, str]:
        headers: dict[str, str] = {}
        _PROPAGATOR.inject(headers)
        return headers

    @contextmanager
    def request(self, method: str, path: str, headers: dict[str, str]) -> Iterator[Span]:
        """Record a request in the trace that its headers name, or in a new one, while the block runs."""
        attributes = {"http.request.method": method, "http.route": path}
        with self._tracer.start_as_current_span(
            f"{method} {path}",
            context=_PROPAGATOR.extract(headers, context=Context()),
            kind=SpanKind.SERVER,
            attributes=attributes,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            TRACER.set(self)
            LOG_FIELDS.set({**LOG_FIELDS.get(), **_log_fields(span)})
            yield span

    def middleware(self, app: ASGIApp) -> ASGIApp:
        """An application around `app`, which traces the requests to `TRACED_PATHS`."""
        return _TracingMiddleware(app, self)

    async def close(self) -> None:
        """Send the spans that wait, for at most `_END_SECONDS`."""
        ending = threading.Thread(target=self._provider.shutdown, name="oryn-tracing-end", daemon=True)
        ending.start()
        await asyncio.to_thread(ending.join, _END_SECONDS)


def _log_fields(span: Span) -> dict[str, str]:
    return {"trace_id": trace.format_trace_id(span.get_span_context().trace_id)}


class _TracingMiddleware:
    def __init__(self, app: ASGIApp, tracer: CommandTracer) -> None:
        self._app = app
        self._tracer = tracer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] not in TRACED_PATHS:
            await self._app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1"): value.decode("latin-1")
            for name, value in scope["headers"]
            if name in (b"traceparent", b"tracestate")
        }
        with self._tracer.request(scope["method"], scope["path"], headers) as span:

            async def observed(message: Message) -> None:
                if message["type"] == "http.response.start":
                    span.set_attribute("http.response.status_code", message["status"])
                    if message["status"] >= 500:
                        span.set_status(StatusCode.ERROR)
                await send(message)

            await self._app(scope, receive, observed)
