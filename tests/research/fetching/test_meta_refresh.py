"""Pages that only send on to another one."""

from __future__ import annotations

import pytest

from oryn.research.extractor import meta_refresh_url

URL = "https://example.org/a/b"


@pytest.mark.parametrize(
    ("page", "target"),
    [
        ('<meta http-equiv="refresh" content="0; url=/new">', "https://example.org/new"),
        ("<meta http-equiv=refresh content='0;URL=\"c.html\"'>", "https://example.org/a/c.html"),
        (
            '<META content="1 ; url = https://other.example/?a=1&amp;b=2" HTTP-EQUIV="Refresh">',
            "https://other.example/?a=1&b=2",
        ),
        ('<meta http-equiv="refresh" content="0,/new">', "https://example.org/new"),
        ('<meta http-equiv="refresh" content="0 /new">', "https://example.org/new"),
        ('<meta http-equiv="refresh" content="30; url=/new">', ""),
        ('<meta http-equiv="refresh" content="0">', ""),
        ('<meta http-equiv="refresh">', ""),
        ('<meta http-equiv="refresh" content="0; url=javascript:alert(1)">', ""),
        ('<meta http-equiv="refresh" content="0; url=data:text/html,x">', ""),
        ('<meta http-equiv="refresh" content="0; url=http://[oops">', ""),
        ('<!-- <meta http-equiv="refresh" content="0; url=/new"> -->', ""),
        ('<noscript><meta http-equiv="refresh" content="0; url=/nojs"></noscript>', ""),
        ('<meta name="description" content="0; url=/new">', ""),
        ("<p>nothing", ""),
        ("", ""),
    ],
)
def test_refreshes(page: str, target: str) -> None:
    assert meta_refresh_url(page.encode(), "utf-8", URL) == target
