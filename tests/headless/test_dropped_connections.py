"""A server that closes connections without an answer: a load is tried once more, and then the answer says so."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from oryn.browsers.base import Navigation
from tests.headless.conftest import Driver


class DroppingPage:
    """A page of `Pages` that gives no answer during the first `drops` loads.

    It counts loads, because a browser may repeat the request of a load by itself, or not."""

    def __init__(self, page: Any, drops: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.loads = 0
        self._drops = drops
        self._goto = page.goto
        monkeypatch.setattr(page, "goto", self._counted_goto)

    async def _counted_goto(self, url: str, **options: Any) -> Navigation:
        self.loads += 1
        navigation: Navigation = await self._goto(url, **options)
        return navigation

    def __call__(self, request: BaseHTTPRequestHandler) -> str:
        if self.loads <= self._drops:
            raise ConnectionAbortedError("the test closes this connection")
        return "<title>Fern</title>"


@pytest.fixture
def dropping_page(request: pytest.FixtureRequest, oryn: Driver, monkeypatch: pytest.MonkeyPatch) -> DroppingPage:
    page = DroppingPage(oryn.session.page, request.param, monkeypatch)
    oryn.pages["/dropping"] = page
    return page


@pytest.mark.parametrize("dropping_page", [1], indirect=True)
async def test_a_load_without_an_answer_is_tried_once_more(oryn: Driver, dropping_page: DroppingPage) -> None:
    assert '"Fern"' in await oryn.ok(f"goto {oryn.pages.url('/dropping')}")
    assert dropping_page.loads == 2


@pytest.mark.parametrize("dropping_page", [100], indirect=True)
async def test_a_server_that_never_answers_is_not_asked_again_and_again(
    oryn: Driver, dropping_page: DroppingPage
) -> None:
    answer = await oryn(f"goto {oryn.pages.url('/dropping')}")
    assert answer.startswith("error") and "closed the connection without an answer" in answer
    assert dropping_page.loads == 2
