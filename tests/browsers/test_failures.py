"""The map of the browser's failures is total and says what people can read."""

from __future__ import annotations

import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oryn import errors
from oryn.browsers.cdp import error_mapping
from oryn.browsers.common import network_errors
from oryn.errors import InternalError, NavigationError, NotSupported, OrynError, ScriptError

OURS = {kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, OrynError)}


@pytest.mark.slow
@given(st.text(), st.dictionaries(st.sampled_from(["code", "message", "data"]), st.text() | st.integers()))
def test_every_answer_becomes_one_of_ours(method, error):
    assert isinstance(error_mapping.error_from_answer(method, error), OrynError)


@pytest.mark.parametrize(("part", "failure"), error_mapping._PROTOCOL)
def test_known_messages(part, failure):
    kind, message, hint = failure
    error = error_mapping.error_from_answer("Any.method", {"code": -32000, "message": f"{part}."})
    assert type(error) is kind
    assert (error.message, error.hint) == (message, hint)
    assert any(issubclass(kind, ours) for ours in OURS)


def test_the_unknown_is_quoted():
    error = error_mapping.error_from_answer("A.b", {"code": -32000, "message": "it broke", "data": "detail"})
    assert isinstance(error, InternalError)
    assert error.message == "A.b: it broke (detail)"


def test_a_method_that_the_browser_lacks_is_not_supported():
    error = error_mapping.error_from_answer("A.b", {"code": -32601, "message": "'A.b' wasn't found"})
    assert isinstance(error, NotSupported)


@given(st.text())
def test_every_failed_load_has_a_reason_and_a_hint(text):
    error = network_errors.load_error("http://a.example/", text)
    assert isinstance(error, NavigationError)
    assert error.message
    assert error.hint


# The failures that a navigation can end with, of all in net/base/net_error_list.h.
NET_ERRORS = [
    "ABORTED", "ACCESS_DENIED", "ADDRESS_INVALID", "ADDRESS_UNREACHABLE", "BAD_SSL_CLIENT_AUTH_CERT",
    "BLOCKED_BY_ADMINISTRATOR", "BLOCKED_BY_CLIENT", "BLOCKED_BY_RESPONSE", "CERT_AUTHORITY_INVALID",
    "CERT_COMMON_NAME_INVALID", "CERT_DATE_INVALID", "CERT_REVOKED", "CERT_WEAK_KEY", "CLEARTEXT_NOT_PERMITTED",
    "CONNECTION_ABORTED", "CONNECTION_CLOSED", "CONNECTION_FAILED", "CONNECTION_REFUSED", "CONNECTION_RESET",
    "CONNECTION_TIMED_OUT", "CONTENT_DECODING_FAILED", "CONTENT_LENGTH_MISMATCH", "DISALLOWED_URL_SCHEME",
    "EMPTY_RESPONSE", "FILE_NOT_FOUND", "HTTP2_PROTOCOL_ERROR", "INCOMPLETE_CHUNKED_ENCODING",
    "INSUFFICIENT_RESOURCES", "INTERNET_DISCONNECTED", "INVALID_AUTH_CREDENTIALS", "INVALID_HTTP_RESPONSE",
    "INVALID_REDIRECT", "INVALID_RESPONSE", "INVALID_URL", "NAME_NOT_RESOLVED", "NETWORK_ACCESS_REVOKED",
    "NETWORK_CHANGED", "OUT_OF_MEMORY", "PROXY_CONNECTION_FAILED", "QUIC_PROTOCOL_ERROR",
    "RESPONSE_HEADERS_TOO_BIG", "SOCKET_NOT_CONNECTED", "SSL_PROTOCOL_ERROR", "SSL_VERSION_OR_CIPHER_MISMATCH",
    "TIMED_OUT", "TOO_MANY_REDIRECTS", "TUNNEL_CONNECTION_FAILED", "UNKNOWN_URL_SCHEME", "UNSAFE_PORT",
    "UNSAFE_REDIRECT",
]  # fmt: skip


@pytest.mark.parametrize("name", NET_ERRORS)
def test_failed_loads_in_plain_words(name):
    reason = network_errors.describe_error(f"net::ERR_{name}")
    assert reason.endswith(f"(net::ERR_{name})")
    assert not reason.startswith("the load failed")


@given(
    st.dictionaries(
        st.sampled_from(["text", "exception"]),
        st.text()
        | st.dictionaries(st.sampled_from(["description", "value", "unserializableValue"]), st.text() | st.none()),
    )
)
def test_every_exception_becomes_a_script_error(details):
    if not isinstance(details.get("exception", {}), dict):
        details.pop("exception")
    assert isinstance(error_mapping.error_from_exception(details), ScriptError)


def test_the_stack_is_left_out():
    details = {"exception": {"description": "Error: no\n    at f (a.js:1:2)\n    at g (a.js:3:4)"}}
    assert error_mapping.error_from_exception(details).message == "Error: no"
