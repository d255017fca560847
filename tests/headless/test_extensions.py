"""Unpacked extensions that the setting `extensions` names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from oryn.errors import BrowserFailed, ConfigurationError

pytestmark = [pytest.mark.browser, pytest.mark.whole_browser]

MARKED = "document.documentElement.dataset.marked"
MANIFEST = {
    "manifest_version": 3,
    "name": "Marker",
    "version": "1",
    "content_scripts": [{"matches": ["<all_urls>"], "js": ["mark.js"], "run_at": "document_start", "all_frames": True}],
    "background": {"service_worker": "background.js"},
}


def extension(folder: Path, mark: str = "yes", manifest: Any = None) -> Path:
    """An extension that marks every page."""
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps(manifest or MANIFEST))
    (folder / "mark.js").write_text(f"{MARKED} = {mark!r}")
    (folder / "background.js").write_text("chrome.runtime.onInstalled.addListener(() => {})")
    return folder


async def marked(session: Session, url: str) -> Any:
    answer = await session.execute(f"goto {url}")
    assert answer.ok, answer.render()
    return (await session.execute(f"eval {MARKED}")).data


@pytest.fixture(scope="module")
def extended(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromiumBrowser]:
    folder = tmp_path_factory.mktemp("extended")
    browser = ChromiumBrowser(runtime_dir=folder, extensions=[extension(folder / "marker")])
    yield browser
    run(browser.close())


@pytest.mark.slow
async def test_an_extension_runs_in_pages_and_their_frames(extended: ChromiumBrowser, pages: Any) -> None:
    pages["/"] = f"<iframe src={pages.url('/inner', 'localhost')}></iframe>"
    pages["/inner"] = "<p>inner"
    session = Session(extended, options=Options(timeout=60))
    assert await marked(session, pages.url()) == "yes"
    assert (await session.execute("frame css(iframe)")).ok
    assert (await session.execute(f"eval {MARKED}")).data == "yes"


async def test_its_worker_is_no_tab(extended: ChromiumBrowser, pages: Any) -> None:
    pages["/"] = "<p>page"
    session = Session(extended, options=Options(timeout=60))
    assert await marked(session, pages.url()) == "yes"
    targets = (await extended._connection.root.call("Target.getTargets", {"filter": [{}]}))["targetInfos"]
    assert "service_worker" in {target["type"] for target in targets}
    assert len((await session.execute("tabs")).data) == 1


@pytest.mark.slow
async def test_it_runs_in_every_session_of_the_browser(extended: ChromiumBrowser, pages: Any, tmp_path: Path) -> None:
    pages["/"] = "<p>page"
    await extended.start()
    session = Session(ChromiumBrowser(runtime_dir=tmp_path, shared_with=extended), options=Options(timeout=60))
    try:
        assert await marked(session, pages.url()) == "yes"
    finally:
        await session.close()


@pytest.mark.slow
async def test_it_is_loaded_again_after_a_crash(extended: ChromiumBrowser, pages: Any) -> None:
    pages["/"] = "<p>page"
    session = Session(extended, options=Options(timeout=60))
    assert await marked(session, pages.url()) == "yes"
    with suppress(BrowserFailed):
        await extended._connection.root.call("Browser.crash")
    assert await marked(session, pages.url()) == "yes"


@pytest.mark.slow
async def test_a_profile_keeps_no_extension(tmp_path: Path, pages: Any) -> None:
    """What one start loads is not there at the next without the setting."""
    pages["/"] = "<p>page"
    for extensions, expected in (([extension(tmp_path / "marker")], "yes"), ([], None)):
        browser = ChromiumBrowser(runtime_dir=tmp_path, profile=tmp_path / "profile", extensions=extensions)
        session = Session(browser, options=Options(timeout=60))
        try:
            assert await marked(session, pages.url()) == expected
        finally:
            await session.close()


async def test_what_the_browser_refuses_is_told_in_its_words(tmp_path: Path) -> None:
    folder = extension(tmp_path / "broken", manifest={"manifest_version": 3, "version": "1"})
    session = Session(ChromiumBrowser(runtime_dir=tmp_path, extensions=[folder]), options=Options(timeout=60))
    try:
        answer = await session.execute("goto about:blank")
        assert isinstance(answer.error, ConfigurationError)
        assert answer.error.message.startswith(f"{folder} can't be loaded as an extension: ")
        assert "'name'" in answer.error.message
    finally:
        await session.close()


def oryn_headless(home: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "oryn", "headless", *arguments],
        input=f"goto data:text/html,<p>x\neval {MARKED}\nexit\n",
        env={**os.environ, "ORYN_HOME": str(home), **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.slow
def test_the_setting_names_the_folders(tmp_path: Path, pages: Any) -> None:
    pages["/"] = "<p>page"
    first, second = extension(tmp_path / "first"), tmp_path / "second"
    second_manifest = {
        **MANIFEST,
        "name": "Other",
        "content_scripts": [{**MANIFEST["content_scripts"][0], "js": ["m.js"]}],
    }  # type: ignore[index]
    extension(second, manifest=second_manifest)
    (second / "m.js").write_text("document.documentElement.dataset.second = 'too'")
    ended = subprocess.run(
        [sys.executable, "-m", "oryn", "headless", "--extensions", f"{first}{os.pathsep}{second}"],
        input=f'goto {pages.url()}\neval "JSON.stringify({{...document.documentElement.dataset}})"\nexit\n',
        env={**os.environ, "ORYN_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert '"marked":"yes"' in ended.stdout
    assert '"second":"too"' in ended.stdout


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "it has no manifest.json"),
        ("{", "its manifest.json is no manifest"),
        ("[]", "its manifest.json is no manifest"),
    ],
)
def test_a_folder_that_is_no_extension(tmp_path: Path, content: str | None, why: str) -> None:
    folder = tmp_path / "folder"
    if content is not None:
        folder.mkdir()
        (folder / "manifest.json").write_text(content)
    ended = oryn_headless(tmp_path / "home", ORYN_EXTENSIONS=str(folder))
    assert ended.returncode == 2
    assert f"{folder} can't be loaded as an extension: {why}" in ended.stderr
    assert "Traceback" not in ended.stderr
