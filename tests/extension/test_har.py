"""`har` in the user's own browser, where the user allows its debugger: recorded as in headless mode, but for logins."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.extension.driver import PairedBrowser, paired_browser, trusted, untrusted
from tests.extension.test_console import NEEDS
from tests.extension.test_requests import ICON, attached
from tests.headless.test_network import JSON

__all__ = ["paired_browser", "trusted", "untrusted"]


async def recorded(oryn: PairedBrowser, line: str = "har stop") -> tuple[str, list[dict[str, Any]]]:
    """The name and the entries of the file that ends a recording."""
    answer, files = await oryn.with_files(line)
    assert answer.startswith("ok har stop"), answer
    ((name, content),) = files.items()
    return name, json.loads(content)["log"]["entries"]


@pytest.mark.slow
async def test_requests_and_responses_are_recorded_with_bodies(trusted: PairedBrowser) -> None:
    await attached(trusted)
    assert await trusted("har start traffic.har") == "ok har start traffic.har"
    trusted.pages["/api"] = (200, JSON, '{"name": "Ada"}')
    await trusted.show(f"{ICON}shop")
    await trusted.ok("eval \"fetch('/api', {method: 'POST', body: 'q=1'}).then(r => r.text())\"")
    answer, files = await trusted.with_files("har stop")
    log = json.loads(files["traffic.har"])["log"]
    assert answer.startswith("ok har stop\n\n2 requests, ") and answer.endswith(' "/files/ID/traffic.har"')
    assert log["browser"]["name"] == "Chrome"
    page, asked = log["entries"]
    assert page["response"]["content"]["text"] == f"{ICON}shop"
    assert (asked["request"]["method"], asked["request"]["postData"]["text"]) == ("POST", "q=1")
    assert asked["response"]["content"]["text"] == '{"name": "Ada"}'


async def test_the_path_may_come_with_the_end(trusted: PairedBrowser) -> None:
    await attached(trusted)
    await trusted.ok("har start")
    await trusted.show(f"{ICON}shop")
    assert (await trusted("har stop")).startswith("error har stop: har stop needs a path")
    name, entries = await recorded(trusted, "har stop there/late.har")
    assert (name, len(entries)) == ("late.har", 1)
    assert (await trusted("har stop")).startswith("error har stop: no recording is under way")


async def test_two_at_once_are_refused(trusted: PairedBrowser) -> None:
    await attached(trusted)
    await trusted.ok("har start one.har")
    assert (await trusted("har start two.har")).startswith("error har start two.har: a recording is under way")
    assert (await recorded(trusted))[0] == "one.har"


@pytest.mark.slow
async def test_cookies_are_withheld(trusted: PairedBrowser) -> None:
    await attached(trusted)
    trusted.pages["/"] = (200, {"Content-Type": "text/html", "Set-Cookie": "sid=s3cret; HttpOnly"}, f"{ICON}in")
    await trusted.ok("har start in.har")
    await trusted.ok(f"goto {trusted.pages.url('/')}")
    await trusted.ok(f"goto {trusted.pages.url('/')}?again")
    _, files = await trusted.with_files("har stop")
    assert b"s3cret" not in files["in.har"]
    assert b"(withheld)" in files["in.har"]


async def test_it_needs_the_debugger(untrusted: PairedBrowser) -> None:
    assert await untrusted("har start a.har") == f"error har start a.har: {NEEDS}"
    assert (await untrusted("har stop")).startswith("error har stop: no recording is under way")
