"""For how long a page is good, by its headers."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from oryn.research.fetching.cache_entry import MAX_LIFETIME_SECONDS, is_storable, lifetime

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"cache-control": "public"}, None),
        ({"cache-control": "max-age=60"}, 60),
        ({"cache-control": 'private, Max-Age="60"'}, 60),
        ({"cache-control": "max-age=60", "age": "20"}, 40),
        ({"cache-control": "max-age=60", "age": "200"}, 0),
        ({"cache-control": "max-age=60, no-cache"}, 0),
        ({"cache-control": "max-age=soon"}, 0),
        ({"cache-control": "max-age=-5"}, 0),
        ({"cache-control": "max-age=9999999999"}, MAX_LIFETIME_SECONDS),
        ({"cache-control": "max-age=" + "9" * 400}, 0),
        ({"pragma": "no-cache"}, 0),
        ({"pragma": "no-cache", "cache-control": "max-age=5"}, 5),
        ({"expires": "Sun, 22 Nov 2026 12:01:00 GMT"}, 60),
        ({"expires": "Sun, 22 Nov 2026 12:01:00 GMT", "date": "Sun, 22 Nov 2026 12:00:30 GMT"}, 30),
        ({"expires": "Sun, 22 Nov 2026 11:00:00 GMT"}, 0),
        ({"expires": "0"}, 0),
        ({"expires": "Sun, 22 Nov 2026 12:01:00 GMT", "cache-control": "max-age=5"}, 5),
    ],
)
def test_lifetime(headers: dict[str, str], seconds: float | None) -> None:
    assert lifetime(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("headers", "kept"),
    [
        ({}, True),
        ({"cache-control": "no-store"}, False),
        ({"cache-control": "max-age=60, No-Store"}, False),
        ({"cache-control": "private"}, True),
        ({"vary": "Accept-Encoding, Cookie"}, True),
        ({"vary": "*"}, False),
    ],
)
def test_storability_follows_from_response_headers(headers: dict[str, str], kept: bool) -> None:
    assert is_storable(headers) is kept
