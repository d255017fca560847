"""Whole lines to the user's own browser, against pages written beside the expected text: `await oryn("click 1")`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from oryn.remote.messages import File, read_control
from scripts.extension.browser import ExtendedBrowser, Target
from tests.extension.conftest import Listening
from tests.extension.popup_user import User, forget, paired_with
from tests.headless.conftest import Pages

NOTE = "input is dispatched by script, which pages can detect: 'Real keys and mouse' of the extension is not in use"


class Driven:
    """A browser that its user has paired with the test. `target` looks into the tab that commands go to."""

    def __init__(self, browser: ExtendedBrowser, user: User, server: Listening, connection: Any, pages: Pages) -> None:
        self.browser = browser
        self.user = user
        self.server = server
        self.connection = connection
        self.pages = pages
        self.target: Target | None = None
        self._count = 0

    async def __call__(self, line: str) -> str:
        """The answer's text. What every session's first input notes is left out."""
        return (await self.raw(line)).replace(f"\n\n# note\n{NOTE}", "").replace(f"\n{NOTE}", "")

    async def raw(self, line: str) -> str:
        """The answer as it came."""
        answer, files = await self.with_files(line)
        assert not files
        return answer

    async def with_files(self, line: str, **scripts: str) -> tuple[str, dict[str, bytes]]:
        """The answer to a line, which may read files of these `stems`, JavaScript; and what it has written, by name."""
        self._count += 1
        for stem, content in scripts.items():
            await self.connection.send(File(self._count, f"{stem}.js", content.encode()).frame)
        await self.connection.send(f"{self._count}:{line}")
        written: dict[str, bytes] = {}
        while (frame := await self.server.next()).startswith("0:"):
            if isinstance(file := read_control(frame.removeprefix("0:")), File):
                assert file.id == self._count
                written[file.name] = file.content
        number, _, answer = frame.partition(":")
        assert number == str(self._count), frame
        return answer.replace(f"/files/{self._count}/", "/files/ID/"), written

    async def ok(self, line: str) -> str:
        answer = await self(line)
        assert not answer.startswith("error"), answer
        return answer

    async def show(self, html: str, path: str = "/") -> str:
        """Serve the page and go there."""
        self.pages[path] = html
        return await self.ok(f"goto {self.pages.url(path)}")

    async def value(self, expression: str) -> str:
        """What `eval` answers."""
        return (await self.ok(f"eval {json.dumps(expression)}")).partition("\n\n")[2].removeprefix("| ")

    async def trust(self, allowed: bool) -> None:
        """The user changes the setting."""
        await self.user.asks(type="settings", changes={"trusted_input": allowed})
        await self.user.sees(f"state.settings.trusted_input === {str(allowed).lower()}")


@pytest.fixture(scope="module")
def driven(extended: ExtendedBrowser, run: Any) -> Iterator[Driven]:
    """One pairing for the tests of a module, with a tab of its own in front."""
    server, pages = Listening(), Pages()

    async def begin() -> Driven:
        await server.start()
        user = await User.at(extended)
        connection, _ = await paired_with(user, server)
        await user.sees("state.status === 'connected'")
        instance = Driven(extended, user, server, connection, pages)
        pages["/"] = "<title>begin</title>"
        instance.target = await extended.open(pages.url("/"))
        return instance

    async def end(instance: Driven) -> None:
        await forget(instance.user)
        await server.close()

    instance = run(begin())
    yield instance
    run(end(instance))
    pages.server.shutdown()
    pages.server.server_close()


@pytest.fixture
def untrusted(driven: Driven, run: Any) -> Driven:
    """With trusted input off, as it is for every user who has not asked for it."""
    run(driven.trust(False))
    return driven


@pytest.fixture
def trusted(driven: Driven, run: Any) -> Driven:
    run(driven.trust(True))
    return driven
