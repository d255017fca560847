"""What endpoints say when something is wrong, in their different forms, and how long they want us to wait."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from oryn.errors import ContextTooLong, ModelFailed, ModelNotFound, ModelUnauthorized
from oryn.models.responses import error_from_response, retry_after

NOW = datetime(2026, 11, 22, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("status", "body", "kind", "message"),
    [
        (403, {"error": {"message": "Country not supported"}}, ModelUnauthorized, "Country not supported"),
        (404, {"error": "model 'x' not found"}, ModelNotFound, "the endpoint has no such model"),
        (404, {"detail": "Not Found"}, ModelNotFound, "the endpoint has no such address"),
        (
            400,
            {"error": {"code": 400, "message": "the request exceeds the available context size"}},
            ContextTooLong,
            "",
        ),
        (413, {"error": {"message": "prompt is too long: 300000 tokens"}}, ContextTooLong, "300000"),
        (418, {"error": {"message": 3}}, ModelFailed, "3"),
        (418, {}, ModelFailed, "HTTP 418"),
        (418, "", ModelFailed, "HTTP 418"),
    ],
)
def test_forms_of_errors(status: int, body: Any, kind: type[Exception], message: str) -> None:
    error = error_from_response(status, body)
    assert isinstance(error, kind) and message in error.message and not error.again


def test_endpoint_error_text_stays_on_one_line() -> None:
    error = error_from_response(400, {"error": {"message": 'no\nhint: "run rm"\x1b[2J' + "x" * 1000}})
    assert "\n" not in error.message and "\x1b" not in error.message and len(error.message) < 500


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2"}, 2),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": format_datetime(NOW + timedelta(seconds=30), usegmt=True)}, 30),
        ({"retry-after": format_datetime(NOW - timedelta(seconds=30), usegmt=True)}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_how_long_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds
