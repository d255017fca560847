"""Files in the browser: `file:` URLs are held to the folders that commands may use, and Oryn's own are opened for nobody."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from oryn.engine.file_access import HostFolders
from tests.headless.conftest import Driver, Pages

SECRET = "the token of the daemon"


class Folders:
    def __init__(self, home: Path) -> None:
        self.root, self.own, self.outside = home / "root", home / "own", home / "outside"
        for folder in (self.root, self.own / "shared", self.outside):
            folder.mkdir(parents=True)
        for folder in (self.own, self.outside):
            (folder / "secret.txt").write_text(SECRET)
            (folder / "secret.html").write_text(f"<p>{SECRET}</p>")
        (self.own / "shared" / "a.txt").write_text("what was written for the user")
        (self.root / "a.html").write_text("<title>inside</title><p>welcome</p>")
        (self.root / "link.txt").symlink_to(self.outside / "secret.txt")
        (self.root / "own.txt").symlink_to(self.own / "secret.txt")
        (self.root / "up").symlink_to(self.outside)


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders(tmp_path)


@pytest.fixture(params=["root", "none"])
def oryn(
    request: pytest.FixtureRequest, browser: ChromiumBrowser, pages: Pages, run: Any, tmp_path: Path, folders: Folders
) -> Iterator[Driver]:
    """A session with a files root, and one without."""
    roots = [folders.root] if request.param == "root" else []
    places = HostFolders(own=[folders.own], shared=[folders.own / "shared"])
    options = Options(timeout=60, files_root=roots, host_folders=places)
    session = Session(ChromiumBrowser(runtime_dir=tmp_path / "run", shared_with=browser), options=options)
    yield Driver(session, pages)
    run(session.close())


def spellings(file: Path) -> list[str]:
    """One file's URL as browsers understand it, in many ways."""
    path = str(file)
    odd = "".join(f"%{ord(letter):02x}" if letter.isalpha() else letter for letter in path)
    return [
        f"file://{path}",
        f"file://localhost{path}",
        f"FILE://{path}",
        f"file:{path}",
        f"file:///{path}",
        f"file://{file.parent}/./{file.name}",
        f"file://{file.parent}/none/../{file.name}",
        f"file://{file.parent}/none/%2e%2E/{file.name}",
        f"file://{odd}",
        f"file://{quote(path)}?a=1#b",
        f"fi\tle://{path}".replace("\t", "\\t"),
        f"file://{path}".replace("/", "\\\\"),
        f"  file://{path}",
    ]


async def refused(oryn: Driver, line: str) -> None:
    answer = await oryn.session.execute(line)
    assert answer.error is not None, (line, answer.render())
    assert answer.error.code in ("PATH_NOT_ALLOWED", "URL_NOT_ALLOWED", "INVALID_VALUE", "NAVIGATION_ERROR"), line
    assert SECRET not in answer.render()
    for look in ("text", "html", "observe"):
        assert SECRET not in await oryn(look), (line, look)


@pytest.mark.slow
async def test_no_spelling_opens_what_is_refused(oryn: Driver, folders: Folders) -> None:
    files = [folders.own / "secret.txt", folders.root / "own.txt"]
    if oryn.session.options.files_root:
        files += [folders.outside / "secret.txt", folders.root / "link.txt", folders.root / "up" / "secret.txt"]
    for file in files:
        for url in spellings(file):
            await refused(oryn, f'goto "{url}"')
        await refused(oryn, f'tab new "file://{file}"')
    await oryn.ok(f"goto file://{folders.root}/a.html")
    for url in ("./own.txt", "../own/secret.txt", "./up/../../own/secret.txt"):
        await refused(oryn, f"goto {url}")
    await refused(oryn, f"goto file://{folders.own}/")


async def test_allowed_file_is_opened(oryn: Driver, folders: Folders) -> None:
    assert '"inside"' in await oryn.ok(f"goto file://{folders.root}/a.html")
    assert "welcome" in await oryn.ok("text")
    if not oryn.session.options.files_root:
        assert SECRET in await oryn.ok(f"goto file://{folders.outside}/secret.txt") + await oryn.ok("text")
        await oryn.ok(f"goto file://{folders.own}/shared/a.txt")


@pytest.mark.slow
async def test_a_page_opens_no_file_that_is_refused(oryn: Driver, folders: Folders) -> None:
    secret = f"file://{folders.own}/secret.html"
    (folders.root / "hostile.html").write_text(
        f"""<title>hostile</title><iframe src="{secret}"></iframe><object data="{secret}"></object>
        <embed src="{secret}"><a href="{secret}">Link</a> <a href="{secret}" target=_blank>Tab</a>
        <a href="{secret}" download=x.txt>Save</a> <button onclick="location = '{secret}'">Script</button>
        <button onclick="open('{secret}')">Open</button>
        <button onclick="w = open('about:blank'); w.location = '{secret}'">Blank</button>
        <button onclick="fetch('{secret}').then(a => a.text()).then(t => document.title = t)">Fetch</button>
        <button onclick="document.body.append(Object.assign(document.createElement('iframe'), {{src: 'own.txt'}}))">
        Frame</button><form action="{secret}"><button>Form</button></form>
        <script>addEventListener('load', () => {{ try {{ new Worker('{secret}') }} catch (e) {{}} }})</script>"""
    )
    for press in ("", "Link", "Tab", "Save", "Script", "Open", "Blank", "Fetch", "Frame", "Form"):
        await oryn.ok(f"goto file://{folders.root}/hostile.html")
        if press:
            answer = await oryn(f'click "{press}"')
            assert SECRET not in answer
        await oryn("wait idle --timeout 3s")
        count = len(await oryn.session.browser.tabs())
        for tab in range(1, count + 1):
            await oryn.ok(f"tab switch {tab}")
            for look in ("text", "html", "observe", "frames"):
                assert SECRET not in await oryn(look), (press, look)
        for tab in range(count, 1, -1):
            await oryn.ok(f"tab close {tab}")
        assert not [each for each in oryn.session.browser.downloads() if each.path], press
    (folders.root / "moved.html").write_text(f'<meta http-equiv=refresh content="0; url={secret}">')
    await oryn(f"goto file://{folders.root}/moved.html")
    await oryn("wait idle --timeout 3s")
    assert SECRET not in await oryn("text")


@pytest.mark.slow
async def test_a_page_of_the_web_opens_none(oryn: Driver, folders: Folders) -> None:
    secret = f"file://{folders.own}/secret.html"
    oryn.pages["/moved"] = (302, {"Location": secret}, "")
    await oryn.show(f"<a href='{secret}'>Link</a><iframe src='{secret}'></iframe><a href=/moved>Moved</a>")
    for press in ("Link", "Moved"):
        await oryn(f'click "{press}"')
        assert SECRET not in await oryn("text") + await oryn("html --outer")
        await oryn.show(f"<a href='{secret}'>Link</a><a href=/moved>Moved</a>")
    await oryn(f"goto {oryn.pages.url('/moved')}")
    assert SECRET not in await oryn("text")


async def test_no_command_reads_oryns_own_files(oryn: Driver, folders: Folders) -> None:
    await oryn.show("<input type=file aria-label=File>")
    for file in (folders.own / "secret.txt", folders.root / "own.txt", folders.own / "shared" / ".." / "secret.txt"):
        for line in (
            f'upload "File" {file}',
            f"state load {file}",
            f"script add {file}",
            f"intercept x --respond-file {file}",
        ):
            answer = await oryn.session.execute(line)
            assert answer.error is not None, line
            assert answer.error.code == "PATH_NOT_ALLOWED", (line, answer.render())
    for line in (f"screenshot --output {folders.own}/x.png", f"state save {folders.own}/x.json"):
        answer = await oryn.session.execute(line)
        assert answer.error is not None, line
        assert answer.error.code == "PATH_NOT_ALLOWED"


async def test_a_file_that_is_open_already_is_not_read(oryn: Driver, folders: Folders) -> None:
    """However the browser came to it: a person opened it in the window, or it was there before."""
    await oryn.ok("goto about:blank")
    await oryn.session.page.goto(f"file://{folders.own}/secret.txt")
    for look in ("text", "html", "observe", "snapshot", "screenshot", "title", "eval document.body.innerText"):
        answer = await oryn.session.execute(look)
        assert answer.error is not None, look
        assert answer.error.code == "PATH_NOT_ALLOWED"
        assert SECRET not in answer.render()
    await oryn.ok("goto about:blank")
