"""A chat model of a script: a real server on loopback that speaks OpenAI's chat completions, misbehaviour included.

    with Endpoint("I begin.", RateLimited(seconds=1), "Done.") as endpoint:
        …                    # endpoint.url is http://127.0.0.1:PORT/v1
    endpoint.requests[0].messages

Each request takes the next reply of the script; text is `Says(text)`. The script may end with a function that makes a
reply of the messages, for all requests that are left: a policy. https://platform.openai.com/docs/api-reference/chat
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "scripted"

Messages = list[dict[str, Any]]


@dataclass(frozen=True)
class Says:
    """The model's text, in a stream of pieces. `usage` is (prompt, completion) tokens; None leaves it out, as many
    compatible endpoints do."""

    text: str
    usage: tuple[int, int] | None = (100, 10)
    finish: str = "stop"
    piece: int = 7
    """Characters of a piece."""
    gate: threading.Event | None = None
    """The end of the stream waits for it, once all pieces are sent."""


@dataclass(frozen=True)
class Refuses:
    """A refusal in the field that OpenAI has for it (`delta.refusal`)."""

    text: str = "I can't help with that."


@dataclass(frozen=True)
class Fails:
    """An answer with an HTTP status and OpenAI's form of an error."""

    status: int
    message: str = "The server had an error while processing your request."
    code: str | None = None
    headers: dict[str, str] = field(default_factory=dict)


def RateLimited(seconds: float = 0, message: str = "Rate limit reached for requests") -> Fails:
    """429 with `Retry-After`."""
    return Fails(429, message, "rate_limit_exceeded", {"Retry-After": f"{seconds:g}"})


def TooLong() -> Fails:
    """The conversation does not fit into the model's context."""
    message = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
    return Fails(400, message, "context_length_exceeded")


@dataclass(frozen=True)
class Drops:
    """A stream that breaks off after these words; None: the connection ends before any answer."""

    text: str | None = "I was about to"


@dataclass(frozen=True)
class FailsInStream:
    """An error that comes as an event of a stream that had begun well."""

    text: str = "I was about to"
    message: str = "The server is overloaded."


@dataclass(frozen=True)
class Whole:
    """An answer in one piece of JSON, though a stream was asked for."""

    text: str
    usage: tuple[int, int] | None = (100, 10)


@dataclass(frozen=True)
class Bytes:
    """Anything else, as it is."""

    content: bytes
    kind: str = "text/event-stream"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


Reply = str | Says | Refuses | Fails | Drops | FailsInStream | Whole | Bytes
Policy = Callable[[Messages], Reply]


@dataclass(frozen=True)
class Request:
    path: str
    headers: dict[str, str]
    """Names in small letters."""
    body: dict[str, Any]

    @property
    def messages(self) -> Messages:
        return list(self.body["messages"])

    @property
    def last(self) -> str:
        """What the model was told last."""
        return str(self.messages[-1]["content"])


class Endpoint:
    """Serves while the block runs. `requests` has every request for a completion, in order."""

    def __init__(self, *script: Reply | Policy, key: str | None = None, port: int = 0) -> None:
        self._script = iter(script)
        self._policy: Policy | None = None
        self._key = key
        self._lock = threading.Lock()
        self.requests: list[Request] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", port), _handler(self))
        self._server.daemon_threads = True

    @property
    def port(self) -> int:
        return int(self._server.server_port)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Endpoint:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def reply(self, request: Request) -> Reply:
        """What to answer: the next of the script. A policy stays for all requests that follow."""
        with self._lock:
            self.requests.append(request)
            refused = self._refused(request)
            if refused is not None:
                return refused
            if self._policy is None:
                found = next(self._script, Fails(400, "the script has ended"))
                if not callable(found):
                    return found
                self._policy = found
            return self._policy(request.messages)

    def _refused(self, request: Request) -> Fails | None:
        """As OpenAI's server refuses what is wrong with a request."""
        if self._key is not None and request.headers.get("authorization") != f"Bearer {self._key}":
            return Fails(401, "Incorrect API key provided.", "invalid_api_key")
        model = request.body.get("model")
        if model != MODEL:
            return Fails(404, f"The model `{model}` does not exist or you do not have access to it.", "model_not_found")
        messages = request.body.get("messages")
        if not messages or not all(_is_message(each) for each in messages):
            return Fails(400, "Invalid value for 'messages'.", "invalid_value")
        if "stream_options" in request.body and not request.body.get("stream"):
            return Fails(400, "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
        return None


def _is_message(given: Any) -> bool:
    roles = ("system", "user", "assistant")
    return isinstance(given, dict) and given.get("role") in roles and isinstance(given.get("content"), str)


def _handler(endpoint: Endpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            self._whole(200, {"object": "list", "data": [{"id": MODEL, "object": "model"}]})

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if self.path != "/v1/chat/completions":
                self._whole(404, _error(f"Unknown request URL: POST {self.path}", None))
                return
            headers = {name.lower(): value for name, value in self.headers.items()}
            try:
                self._answer(endpoint.reply(Request(self.path, headers, json.loads(raw))))
            except OSError:  # whoever asked has gone
                self.close_connection = True

        def _answer(self, reply: Reply) -> None:
            match reply:
                case str():
                    self._say(Says(reply))
                case Says():
                    self._say(reply)
                case Refuses(text):
                    self._stream([_delta(role="assistant", content=None), _delta(refusal=text), _end("stop")])
                    self._finish()
                case Fails(status, message, code, headers):
                    self._whole(status, _error(message, code), headers)
                case Whole(text, usage):
                    said = {"role": "assistant", "content": text}
                    choice = {"index": 0, "message": said, "finish_reason": "stop"}
                    self._whole(200, {**_chunk([choice]), "object": "chat.completion", **_usage(usage)})
                case Drops(None):
                    self.close_connection = True
                case Drops(text):
                    self._stream(map(_delta_of, _pieces(str(text), 7)))
                    self.close_connection = True  # without the chunk that ends the body
                case FailsInStream(text, message):
                    self._stream([*map(_delta_of, _pieces(text, 7)), _error(message, "server_error")])
                    self._finish()
                case Bytes(content, kind, status, headers):
                    self.send_response(status)
                    own = {"Content-Type": kind, "Content-Length": str(len(content))}
                    for name, text in {**own, **headers}.items():
                        self.send_header(name, text)
                    self.end_headers()
                    self.wfile.write(content)

        def _say(self, said: Says) -> None:
            self._stream([_delta(role="assistant", content=""), *map(_delta_of, _pieces(said.text, said.piece))])
            if said.gate is not None:
                said.gate.wait(60)
            self._write([_end(said.finish)])
            if said.usage is not None:
                self._write([{**_chunk([]), **_usage(said.usage)}])
            self._finish()

        def _stream(self, events: Any) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream; charset=utf-8")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self._write(events)

        def _write(self, events: Any) -> None:
            for event in events:
                self._send(f"data: {json.dumps(event)}\n\n")

        def _finish(self) -> None:
            self._send("data: [DONE]\n\n")
            self.wfile.write(b"0\r\n\r\n")

        def _send(self, text: str) -> None:
            data = text.encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()

        def _whole(self, status: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> None:
            content = json.dumps(body).encode()
            self._answer(Bytes(content, "application/json", status, headers or {}))

    return Handler


def _pieces(text: str, size: int) -> Iterator[str]:
    return (text[start : start + size] for start in range(0, len(text), size))


def _chunk(choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": MODEL, "choices": choices}


def _delta(**delta: Any) -> dict[str, Any]:
    return _chunk([{"index": 0, "delta": delta, "finish_reason": None}])


def _delta_of(piece: str) -> dict[str, Any]:
    return _delta(content=piece)


def _end(reason: str) -> dict[str, Any]:
    return _chunk([{"index": 0, "delta": {}, "finish_reason": reason}])


def _usage(usage: tuple[int, int] | None) -> dict[str, Any]:
    if usage is None:
        return {}
    prompt, completion = usage
    tokens = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    return {"usage": tokens}


def _error(message: str, code: str | None) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}
