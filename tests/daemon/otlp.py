"""A receiver of traces for tests, and what they ask of the spans."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span


class Receiver:
    """Receives spans over OTLP/HTTP, as a collector does."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.raw = b""
        self.resources: list[dict[str, str]] = []
        self._changed = threading.Condition()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                assert self.path == "/v1/traces"
                receiver.receive(body)
                self.send_response(200)
                self.send_header("Content-Type", "application/x-protobuf")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def receive(self, body: bytes) -> None:
        request = ExportTraceServiceRequest.FromString(body)
        with self._changed:
            self.raw += body
            for resource in request.resource_spans:
                self.resources.append({each.key: each.value.string_value for each in resource.resource.attributes})
                for scope in resource.scope_spans:
                    self.spans += scope.spans
            self._changed.notify_all()

    def wait_for(self, found: Callable[[list[Span]], Any]) -> Any:
        """What `found` returns of the spans, once it is something."""
        with self._changed:
            assert self._changed.wait_for(lambda: found(self.spans), 60), [each.name for each in self.spans]
            return found(self.spans)


def attributes(one: Span) -> dict[str, Any]:
    return {each.key: each.value.string_value or each.value.int_value for each in one.attributes}


def command(spans: list[Span], action_id: str) -> Span | None:
    return next((each for each in spans if attributes(each).get("oryn.action_id") == action_id), None)


def children(spans: list[Span], parent: Span) -> list[Span]:
    return sorted(
        (each for each in spans if each.parent_span_id == parent.span_id), key=lambda each: each.start_time_unix_nano
    )


def named(spans: list[Span], parent: Span, name: str) -> Span:
    (found,) = [each for each in children(spans, parent) if each.name == name]
    return found
