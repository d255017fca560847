"""The kit for plugins passes its own tests, and the plugins that are written with it work in real browsers."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from scripts.extension.hub import Background, HubBrowser, answer, consent_window
from scripts.release import build_npm
from tests.headless.conftest import Pages

KIT = Path(__file__).parents[2] / "clients" / "plugin-kit"


def npm(*words: str) -> str:
    """What a script of the kit's prints, which must end well."""
    return command(["npm", "run", "--silent", *words])


def command(words: Sequence[str], folder: Path = KIT) -> str:
    ended = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, (ended.stdout + ended.stderr)[-8000:]
    return ended.stdout


@pytest.fixture(scope="module")
def built() -> Path:
    """The folder with the bundled plugins, `chromium` and `firefox`."""
    npm("plugins")
    return KIT / "build" / "plugins"


@pytest.mark.slow
def test_the_kit_passes_its_tests() -> None:
    report = npm("test")
    counts = dict(re.findall(r"^(?:\S )?(pass|fail) (\d+)$", report, re.MULTILINE))  # as every version of Node has them
    assert counts["fail"] == "0" != counts["pass"]


@pytest.mark.slow
def test_the_npm_package_has_the_library_alone() -> None:
    packed = json.loads(command(["npm", "pack", "--dry-run", "--json"]))
    (package,) = packed if isinstance(packed, list) else packed.values()  # a list until npm 12, then by name
    names = {file["path"] for file in package["files"]}
    assert {"dist/index.js", "dist/index.d.ts", "README.md", "package.json"} <= names
    assert all(name.startswith("dist/") or name in ("README.md", "package.json") for name in names)


@pytest.mark.parametrize("name", ["time", "decode"])
def test_the_plugins_are_bundled_for_both_browsers(built: Path, name: str) -> None:
    chromium = json.loads((built / "chromium" / name / "manifest.json").read_text("utf-8"))
    firefox = json.loads((built / "firefox" / name / "manifest.json").read_text("utf-8"))
    assert chromium["background"] == {"service_worker": "background.js"}
    assert firefox["background"] == {"scripts": ["background.js"]}
    assert firefox["browser_specific_settings"]["gecko"]["id"]


@pytest.fixture(scope="module")
def tarball(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The kit as a release has it."""
    folder = tmp_path_factory.mktemp("packed")
    build_npm(KIT, folder, folder / "package")
    (packed,) = folder.glob("*.tgz")
    return packed


@asynccontextmanager
async def installed(browser: HubBrowser, hub: Background, folder: Path) -> AsyncIterator[str]:
    """A plugin in the browser, that has registered; its id."""
    id = await browser.load(folder)
    try:
        await hub.until(f"oryn.hub.registry.has('{id}')")
        yield id
    finally:
        await browser.unload(id)


CALLS: dict[str, list[tuple[str, dict[str, Any], Any]]] = {
    "time": [
        (
            "convert",
            {"instant": "2026-03-29T01:00:00Z", "timeZone": "Europe/Paris"},
            {
                "iso": "2026-03-29T01:00:00.000Z",
                "local": "2026-03-29T03:00:00+02:00",
                "timeZone": "Europe/Paris",
                "weekday": "Sunday",
            },
        ),
    ],
    "decode": [
        ("base64_decode", {"text": "R3LDvMOfZQ"}, "Grüße"),
        ("hash", {"text": "abc", "algorithm": "SHA-1"}, "a9993e364706816aba3e25717850c26c9cd0d89d"),
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["time", "decode"])
async def test_a_page_calls_the_plugins(
    browser: HubBrowser, hub: Background, pages: Pages, built: Path, name: str
) -> None:
    pages["/"] = "<title>Page</title>"
    page = await browser.open(pages.url("/"))
    async with installed(browser, hub, built / browser.kind / name) as id:
        await hub.evaluate(f"oryn.hub.grants.record('{pages.url('')}', null, 'once')")
        await page.until("typeof agent === 'object'")  # in a page that was open before the first plugin came
        for tool, values, expected in CALLS[name]:
            call = f"agent.tools.call('{id}::{tool}', {json.dumps(values)})"
            assert await page.evaluate(f"{call}.then(each => each.result)") == expected
            wrong = f"agent.tools.call('{id}::{tool}', {{more: 1}}).catch(error => error.code)"
            assert await page.evaluate(wrong) == "INVALID_ARGUMENTS"
    # Uninstalled: the next call, or ping, finds out.
    call = f"agent.tools.call('{id}::{tool}', {json.dumps(values)}).catch(error => error.code)"
    assert await page.evaluate(call) == "NOT_REGISTERED"
    await hub.evaluate("oryn.hub.heartbeat.beat()")
    assert not await hub.evaluate(f"oryn.hub.registry.has('{id}')")
    await browser.close_tab(page)


@pytest.mark.slow
async def test_the_guide_leads_to_a_working_tool(
    browser: HubBrowser, hub: Background, pages: Pages, tarball: Path, tmp_path: Path
) -> None:
    """From an empty folder, with the blocks of the guide as they stand in it."""
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", (KIT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    (_, background), (_, manifest), (_, console) = blocks
    (tmp_path / "background.js").write_text(background, "utf-8")
    (tmp_path / "manifest.json").write_text(manifest, "utf-8")
    command(["npm", "install", "--offline", "--silent", "--no-audit", "--no-fund", str(tarball)], tmp_path)
    esbuild = str(KIT / "node_modules" / ".bin" / "esbuild")
    command([esbuild, "background.js", "--bundle", "--outfile=bundle.js", "--log-level=warning"], tmp_path)
    pages["/"] = "<title>Page</title>"
    page = await browser.open(pages.url("/"))
    async with installed(browser, hub, tmp_path):
        await page.until("typeof agent === 'object'")
        lines = console.strip().split("\n")
        await page.evaluate(f"globalThis.rolled = (async () => {{ {' '.join(lines[:-1])} return {lines[-1]} }})(), 1")
        await answer(browser, await consent_window(browser), "once")
        rolled = await page.evaluate("rolled")
        assert rolled["success"] is True and 2 <= rolled["result"]["sum"] <= 12
    await hub.evaluate("oryn.hub.heartbeat.beat()")
    await browser.close_tab(page)
