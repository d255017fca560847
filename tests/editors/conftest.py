"""A session in headless Chromium, and the server of the editors' pages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Answer, Options, Session
from tests.editors.catalogue import EditorServer

pytestmark = pytest.mark.node


class EditorDriver:
    """A session, with the shorthand of the tests."""

    def __init__(self, session: Session, server: EditorServer) -> None:
        self.session = session
        self.server = server

    async def open(self, name: str) -> None:
        """Go to an editor's page, and wait until it is ready."""
        await self.ok(f"goto {self.server.url(name)}")
        await self.ok('wait until "window.model"')

    async def show(self, html: str) -> None:
        """Go to a page that stands in the test."""
        self.server.pages["test"] = f"<!doctype html><meta charset=utf-8>{html}"
        await self.ok(f"goto {self.server.url('test')}")

    async def ok(self, line: str) -> Answer:
        answer = await self.session.execute(line)
        assert answer.ok, answer.render()
        return answer

    async def type(self, text: str, target: str = 'css("#editor")', options: str = "") -> list[str]:
        """Type, and return the notes of the answer."""
        return (await self.ok(f"type {target} {json.dumps(text, ensure_ascii=False)} {options}")).notes

    async def value(self, target: str = 'css("#editor")') -> Any:
        return (await self.ok(f"value {target}")).data

    async def run(self, script: str) -> Any:
        """The value of a script in the page."""
        return await self.session.page.evaluate(script)


@pytest.fixture(scope="session")
def server() -> Iterator[EditorServer]:
    served = EditorServer()
    yield served
    served.close()


@pytest.fixture
def oryn(browser: ChromiumBrowser, server: EditorServer) -> EditorDriver:
    options = Options(timeout=60, action_wait=0.5, presence_wait=0.2, settle_grace=0.05)
    return EditorDriver(Session(browser, options=options), server)
