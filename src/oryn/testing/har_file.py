"""The HAR file of a test: its form, read and written. Pure.

A file is HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/). Its member `_oryn` has the base of the test that it
was recorded for, and whether it has the answers of that base too. What other programs have recorded is read as well, if
it has the bodies."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from oryn import __version__
from oryn.browsers.base.network import MockResponse, RequestFailure
from oryn.core.records import Record
from oryn.errors import InvalidHar

VERSION = "1.2"
MAX_HAR_BYTES = 256_000_000
EVENT_STREAM = "text/event-stream"

_FIELDS = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["name", "value"],
        "properties": {"name": {"type": "string"}, "value": {"type": "string"}},
    },
}
_SCHEMA = {
    "type": "object",
    "required": ["log"],
    "properties": {
        "log": {
            "type": "object",
            "required": ["version", "entries"],
            "properties": {
                "version": {"type": "string"},
                "_oryn": {
                    "type": "object",
                    "required": ["base", "everything"],
                    "properties": {"base": {"type": "string"}, "everything": {"type": "boolean"}},
                },
                "entries": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["request", "response"],
                        "properties": {
                            "request": {
                                "type": "object",
                                "required": ["method", "url"],
                                "properties": {
                                    "method": {"type": "string"},
                                    "url": {"type": "string"},
                                    "postData": {"type": "object", "properties": {"text": {"type": "string"}}},
                                },
                            },
                            "response": {
                                "type": "object",
                                "required": ["status", "headers", "content"],
                                "properties": {
                                    "status": {"type": "integer", "minimum": -1, "maximum": 599},
                                    "headers": _FIELDS,
                                    "content": {
                                        "type": "object",
                                        "properties": {
                                            "size": {"type": "number"},
                                            "mimeType": {"type": "string"},
                                            "text": {"type": "string"},
                                            "encoding": {"type": "string"},
                                        },
                                    },
                                },
                            },
                        },
                    },
                },
            },
        }
    },
}
"""What is needed of a file; anything else in it is left alone."""
_BODILESS = frozenset({204, 205, 304})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_NET_ERROR = re.compile(r"net::ERR_\w+")
_ABORTED = "net::ERR_ABORTED"


class ArchivedExchange(Record):
    """A request that was recorded, and what it got. `body` is what it has sent, or None; with `any_body` the browser
    did not report it."""

    method: str
    url: str
    body: bytes | None
    answer: MockResponse | RequestFailure
    any_body: bool = False


class RecordedAnswers(Record):
    """What is replayed. `base` is the URL of the site that was tested, empty if the file does not say it; `everything`
    is whether the answers of that site are in it too, None if the file does not say that."""

    exchanges: tuple[ArchivedExchange, ...] = ()
    base: str = ""
    everything: bool | None = None


def render_har(entries: Sequence[Mapping[str, Any]], browser: str, base: str, *, everything: bool) -> str:
    """Return the text of a file. `browser` is its name and version: `Chrome/156.0.1`."""
    name, _, version = browser.partition("/")
    log = {
        "version": VERSION,
        "creator": {"name": "Oryn", "version": __version__},
        "browser": {"name": name, "version": version},
        "pages": [],
        "_oryn": {"base": base, "everything": everything},
        "entries": list(entries),
    }
    return json.dumps({"log": log}, ensure_ascii=False, indent=1) + "\n"


def parse_har(content: bytes, name: str) -> RecordedAnswers:
    """Read the content of a file. Raises `InvalidHar`, whose message begins with `name` and the place."""
    log = _checked(_json(content, name), name)["log"]
    if log["version"] != VERSION:
        raise InvalidHar(f"{name}: log.version: a HAR of version {log['version']}, not {VERSION}")
    exchanges = [
        _exchange(entry, f"{name}: log.entries[{index}]", entry.get("comment") or "")
        for index, entry in enumerate(log["entries"])
    ]
    own = log.get("_oryn") or {"base": "", "everything": None}
    return RecordedAnswers(tuple(exchanges), own["base"], own["everything"])


def _json(content: bytes, name: str) -> Any:
    try:
        return json.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        raise InvalidHar(f"{name}:{line}:{column}: not UTF-8") from error
    except json.JSONDecodeError as error:
        raise InvalidHar(f"{name}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from error
    except RecursionError as error:
        raise InvalidHar(f"{name}: its JSON is nested too deeply") from error


def _checked(har: Any, name: str) -> Any:
    import fastjsonschema

    try:
        return fastjsonschema.compile(_SCHEMA, use_default=False)(har)
    except fastjsonschema.JsonSchemaValueException as error:
        raise InvalidHar(f"{name}: {str(error.message).removeprefix('data.')}") from None


def _exchange(entry: Mapping[str, Any], place: str, comment: str) -> ArchivedExchange:
    request = entry["request"]
    posted = request.get("postData") or {}
    sent = None
    if "text" in posted:
        is_encoded = posted.get("encoding") == "base64" or posted.get("comment") == "base64"
        sent = _decoded(posted["text"], f"{place}.request.postData.text", encoded=is_encoded)
    any_body = bool(posted) and not sent and request.get("bodySize") == -1
    return ArchivedExchange(request["method"], request["url"], sent, _answer(entry, place, comment), any_body)


def _answer(entry: Mapping[str, Any], place: str, comment: str) -> MockResponse | RequestFailure:
    """What a request has got. Programs name a failure in different members."""
    request, response = entry["request"], entry["response"]
    status, content = response["status"], response["content"]
    failure = comment or str(response.get("_error") or response.get("_failureText") or "")
    is_stream = str(content.get("mimeType", "")).startswith(EVENT_STREAM)
    if status < 200 or (failure and not is_stream):  # a stream ends when its page goes
        error = _NET_ERROR.search(failure)
        found = error[0] if error else "net::ERR_FAILED"
        return RequestFailure(None if found == _ABORTED else found)
    fields = tuple((field["name"], field["value"]) for field in response["headers"])
    if "text" in content:
        is_encoded = content.get("encoding") == "base64"
        body = _decoded(content["text"], f"{place}.response.content.text", encoded=is_encoded)
        return MockResponse(status, fields, body)
    has_none = request["method"] == "HEAD" or status in _BODILESS or status in _REDIRECTS
    if not has_none and (content.get("size", 0) > 0 or content.get("comment")):
        why = f": {content['comment']}" if content.get("comment") else ""
        raise InvalidHar(f"{place}.response.content: the body of {request['method']} {request['url']} is missing{why}")
    return MockResponse(status, fields)


def _decoded(text: str, place: str, *, encoded: bool) -> bytes:
    if not encoded:
        return text.encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise InvalidHar(f"{place}: not base64") from error
