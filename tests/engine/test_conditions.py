"""Waiting for what a page shall be like, of a page that stops answering."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest

from oryn.browsers.base import Frame
from oryn.engine.page.polling import poll_until
from oryn.engine.session import Session
from oryn.errors import Timeout


class SilentSession:
    """A session, its deadline, and its page, which never gives a sign of change."""

    frame = None

    @property
    def page(self) -> SilentSession:
        return self

    @property
    def deadline(self) -> SilentSession:
        return self

    def remaining(self) -> float:
        return 0.02

    def roots(self, within: Frame | None) -> Sequence[Frame]:
        return [Frame("0", None, "http://a.test/", "", 0)]

    async def scanner(self, request: dict[str, Any], frame: Frame | None, *, timeout: float) -> dict[str, Any]:
        raise Timeout("the page did not answer")


async def waited(answers: list[bool]) -> str:
    """Why the wait ended, for a page that answers so often."""

    async def condition() -> bool:
        if not answers:
            raise Timeout("the page did not answer")
        return answers.pop(0)

    with pytest.raises(Timeout) as raised:
        await poll_until(cast(Session, SilentSession()), condition, lambda: "it is not there")
    return raised.value.message


async def test_the_last_question_may_come_too_late() -> None:
    assert await waited([False]) == "timeout: it is not there"


async def test_a_page_that_never_answers_says_so() -> None:
    assert await waited([]) == "the page did not answer"
