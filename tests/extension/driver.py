"""Whole lines to the user's own browser, against pages written beside the expected text: `await oryn("click 1")`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from oryn.extension_server.messages import File, read_control
from scripts.extension.browser import ExtendedBrowser, Target
from tests.extension.conftest import RecordingServer
from tests.extension.popup_user import User, forget, paired_with
from tests.headless.conftest import Pages

NOTE = "input is dispatched by script, which pages can detect: 'Real keys and mouse' of the extension is not in use"


class PairedBrowser:
    """A browser that its user has paired with the test. `target` looks into the tab that commands go to."""

    def __init__(
        self, browser: ExtendedBrowser, user: User, server: RecordingServer, connection: Any, pages: Pages
    ) -> None:
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

    async def with_files(
        self, line: str, files: Mapping[str, bytes] | None = None, **scripts: str
    ) -> tuple[str, dict[str, bytes]]:
        """The answer to a line, which may read `files`, and those of these `stems`, JavaScript; and what it has
        written, by name."""
        self._count += 1
        for name, content in {
            **(files or {}),
            **{f"{stem}.js": text.encode() for stem, text in scripts.items()},
        }.items():
            for piece in File(self._count, name, content).pieces():
                await self.connection.send(piece.frame)
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
def paired_browser(extension_browser: ExtendedBrowser, run: Any) -> Iterator[PairedBrowser]:
    """One pairing for the tests of a module, with a tab of its own in front."""
    server, pages = RecordingServer(), Pages()

    async def begin() -> PairedBrowser:
        await server.start()
        await extension_browser.page_in_front()  # whatever windows the tests before have left
        user = await User.at(extension_browser)
        connection, _ = await paired_with(user, server)
        await user.sees("state.status === 'connected'")
        instance = PairedBrowser(extension_browser, user, server, connection, pages)
        pages["/"] = "<title>begin</title>"
        instance.target = await extension_browser.open(pages.url("/"))
        return instance

    async def end(instance: PairedBrowser) -> None:
        await forget(instance.user)
        await server.close()

    instance = run(begin())
    yield instance
    run(end(instance))
    pages.server.shutdown()
    pages.server.server_close()


@pytest.fixture
def untrusted(paired_browser: PairedBrowser, run: Any) -> PairedBrowser:
    """With trusted input off, as it is for every user who has not asked for it."""
    run(paired_browser.trust(False))
    return paired_browser


@pytest.fixture
def trusted(paired_browser: PairedBrowser, run: Any) -> PairedBrowser:
    run(paired_browser.trust(True))
    return paired_browser
