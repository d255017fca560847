"""The extension starts in Firefox: its engine from the snapshot, its popup, its manifest's permissions."""

from __future__ import annotations

import json

from oryn import __version__
from scripts.extension.builder import TEMPLATE
from scripts.extension.firefox import FirefoxBrowser
from scripts.extension.manifest import FIREFOX_ID, chromium_manifest, firefox_manifest

TEMPLATE_MANIFEST = json.loads((TEMPLATE / "manifest.json").read_text("utf-8"))


def test_the_manifest_differs_where_firefox_does() -> None:
    chromium, firefox = chromium_manifest(TEMPLATE_MANIFEST), firefox_manifest(TEMPLATE_MANIFEST)
    assert firefox["background"] == {"scripts": ["worker.js"], "type": "module"}
    assert set(chromium["permissions"]) - set(firefox["permissions"]) == {"debugger"}
    assert firefox["browser_specific_settings"]["gecko"]["id"] == FIREFOX_ID
    assert not {"key", "minimum_chrome_version", "version_name"} & firefox.keys()
    same = chromium.keys() - {"background", "permissions", "key", "minimum_chrome_version", "version_name"}
    assert {key: firefox[key] for key in same} == {key: chromium[key] for key in same}


async def test_the_engine_starts_from_its_snapshot(firefox: FirefoxBrowser) -> None:
    popup = await firefox.open("popup")
    await popup.evaluate(
        "{ const port = chrome.runtime.connect({name: 'popup'});"
        "port.onMessage.addListener(message => { globalThis.engine = message.engine; }); }"
    )
    await popup.until("['ready', 'failed'].includes(globalThis.engine?.state)")
    engine = await popup.evaluate("engine")
    assert engine["state"] == "ready", engine
    assert engine["how"] == "snapshot"
    assert engine["browser"].startswith("Firefox/")
    assert engine["version"] == __version__
    await firefox.close_tab(popup)
    assert firefox.errors == []


async def test_firefox_grants_what_the_manifest_asks_for(firefox: FirefoxBrowser) -> None:
    popup = await firefox.open("popup")
    granted = await popup.call("permissions.getAll")
    assert set(granted["origins"]) == {"<all_urls>"}
    assert set(granted["permissions"]) == set(firefox_manifest(TEMPLATE_MANIFEST)["permissions"])
    await firefox.close_tab(popup)


async def test_the_popup_does_not_offer_what_needs_a_debugger(firefox: FirefoxBrowser) -> None:
    popup = await firefox.open("popup")
    await popup.until("!document.querySelector('#connect').disabled")
    await popup.until("document.querySelector('#trusted').hidden && document.querySelector('#about-trusted').hidden")
    assert await popup.evaluate("document.querySelector('#notice').hidden")
    await firefox.close_tab(popup)
