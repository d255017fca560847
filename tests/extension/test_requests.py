"""`requests` and `request` in the user's own browser, where the user allows its debugger."""

from __future__ import annotations

import re

import pytest

from tests.extension.driver import PairedBrowser, paired_browser, trusted, untrusted
from tests.extension.test_console import NEEDS
from tests.headless.test_network import JSON, without_times

__all__ = ["paired_browser", "trusted", "untrusted"]

ICON = "<link rel=icon href=data:,>"


def rows(answer: str) -> list[str]:
    """Without what differs from run to run, and without numbers."""
    return [re.sub(r"^\[\d+\] ", "", row) for row in without_times(answer).split("\n\n")[1].split("\n")]


async def attached(oryn: PairedBrowser) -> int:
    """Attached to its tab; the number of its latest request."""
    await oryn.show(f"{ICON}begin", "/begin")
    await oryn.show(f"{ICON}again", "/begin")
    found = re.search(r"^\[(\d+)\]", await oryn("requests --last 1"), re.MULTILINE)
    assert found
    return int(found[1])


@pytest.mark.slow
async def test_method_status_and_type(trusted: PairedBrowser) -> None:
    await attached(trusted)
    trusted.pages["/style.css"] = (200, {"Content-Type": "text/css"}, "p{}")
    await trusted.show(f"<link rel=stylesheet href=/style.css>{ICON}<p>Hi")
    await trusted.ok("eval \"fetch('/none', {method: 'POST'}).then(r => r.text())\"")
    assert rows(await trusted("requests --last 3")) == [
        'GET 200 document "http://HOST/"',
        'GET 200 stylesheet "http://HOST/style.css"',
        'POST 404 fetch "http://HOST/none"',
    ]
    assert re.search(r"\[\d+\] POST 404 fetch \d+ ms [\d.]+ k?B ", await trusted("requests --last 1"))
    assert rows(await trusted("requests --method post --filter /none --last 1"))[0].startswith("POST 404")


async def test_redirects_are_told_hop_by_hop(trusted: PairedBrowser) -> None:
    last = await attached(trusted)
    trusted.pages["/old"] = (302, {"Location": "/"}, "")
    trusted.pages["/"] = f"{ICON}home"
    await trusted.ok(f"goto {trusted.pages.url('/old')}")
    assert without_times(await trusted("requests --last 2")).split("\n\n")[1] == (
        f'[{last + 1}] GET 302 document "http://HOST/old" → [{last + 2}]\n[{last + 2}] GET 200 document "http://HOST/"'
    )
    assert "the answer's body is not shown: the answer is a redirect" in await trusted(f"request {last + 1}")


@pytest.mark.slow
async def test_one_request_whole(trusted: PairedBrowser) -> None:
    last = await attached(trusted)
    trusted.pages["/api"] = (201, {**JSON, "X-Answer": "a"}, '{"name": "Ada"}')
    await trusted.show(f"{ICON}page")
    await trusted.ok(
        "eval \"fetch('/api', {method: 'POST', body: 'name=Ada', headers: {'X-Ask': 'b'}}).then(r => r.text())\""
    )
    lines = (await trusted(f"request {last + 2}")).split("\n")
    assert lines[4].startswith("| POST http://127.0.0.1:") and lines[4].endswith("/api")
    assert {"| X-Ask: b", "| name=Ada", "| 201 Created", "| X-Answer: a", '| {"name": "Ada"}'} <= set(lines)


@pytest.mark.slow
async def test_cookies_and_passwords_are_withheld(trusted: PairedBrowser) -> None:
    last = await attached(trusted)
    headers = {"Content-Type": "text/html", "Set-Cookie": "session=sesame; HttpOnly"}
    trusted.pages["/login"] = (200, headers, f"{ICON}page")
    await trusted.ok(f"goto {trusted.pages.url('/login')}")
    await trusted.ok("eval \"fetch('/login', {headers: {Authorization: 'Basic sesame'}}).then(r => r.text())\"")
    first, second = await trusted(f"request {last + 1}"), await trusted(f"request {last + 2}")
    assert "| Set-Cookie: (withheld)" in first
    assert {"| Cookie: (withheld)", "| Authorization: (withheld)"} <= set(second.split("\n"))
    await trusted("output json")
    data = await trusted(f"request {last + 2}")
    await trusted("output text")
    assert "sesame" not in first + second + data


@pytest.mark.slow
async def test_what_a_tab_does_when_its_user_has_gone_from_it_is_theirs(trusted: PairedBrowser) -> None:
    await attached(trusted)
    trusted.pages["/mine"] = f"{ICON}<title>mine</title><script>console.log('mine')</script>"
    trusted.pages["/other"] = f"{ICON}<title>other</title>"
    trusted.pages["/known"] = trusted.pages["/secret"] = "x"
    mine = await trusted.browser.open(trusted.pages.url("/mine"))
    assert "/mine" in await trusted("url")
    await mine.evaluate("fetch('/known').then(() => console.log('known'))")
    assert "/known" in await trusted("requests") and "known" in await trusted("console")
    later = await trusted.browser.open(trusted.pages.url("/other"))
    await trusted.ok("requests")
    await mine.evaluate("fetch('/secret').then(() => console.log('secret'))")
    assert "secret" not in await trusted("requests") + await trusted("console")
    worker = await trusted.browser.worker()
    back = "chrome.tabs.query({url: '*://*/mine'}).then(([tab]) => chrome.tabs.update(tab.id, {active: true}))"
    await worker.evaluate(f"{back}.then(() => 0)")
    await worker.detach()
    assert "/mine" in await trusted("url")
    assert "secret" not in await trusted("requests") + await trusted("console")
    for each in (later, mine):
        await trusted.browser.close_tab(each)


@pytest.mark.slow
async def test_bodies_outlive_the_page(trusted: PairedBrowser) -> None:
    last = await attached(trusted)
    await trusted.show(f"{ICON}first", "/first")
    trusted.pages["/second"] = f"{ICON}second"
    await trusted.ok(f"goto {trusted.pages.url('/second', 'localhost')}")
    assert f"| {ICON}first" in await trusted(f"request {last + 1}")
    assert f"| {ICON}second" in await trusted(f"request {last + 2}")


@pytest.mark.slow
async def test_a_request_that_fails_says_why(trusted: PairedBrowser) -> None:
    await attached(trusted)
    await trusted.ok("eval \"fetch('http://127.0.0.1:1/').catch(String)\"")
    row = (await trusted("requests --last 1")).split("\n")[2]
    assert " GET failed fetch " in row
    assert row.endswith('"http://127.0.0.1:1/": the browser refuses this port (net::ERR_UNSAFE_PORT)')


@pytest.mark.slow
async def test_what_was_sent_is_known_after_the_debugger_has_gone_and_come_back(trusted: PairedBrowser) -> None:
    last = await attached(trusted)
    await trusted.show(f"{ICON}page", "/kept")
    await trusted.trust(False)
    await trusted.show(f"{ICON}page", "/unheard")
    await trusted.trust(True)
    await trusted.show(f"{ICON}page", "/heard")
    assert rows(await trusted("requests --last 2")) == [
        'GET 200 document "http://HOST/kept"',
        'GET 200 document "http://HOST/heard"',
    ]
    assert "the answer's body is not shown: the browser did not keep it" in await trusted(f"request {last + 1}")


async def test_not_without_the_setting(untrusted: PairedBrowser) -> None:
    await untrusted.show(f"{ICON}page")
    for line in ("requests", "request 1", 'intercept "*" --block', "intercept clear", "headers", "headers clear"):
        assert await untrusted(line) == f"error {line}: {NEEDS}"


async def test_no_such_request(trusted: PairedBrowser) -> None:
    assert await trusted("request 99999") == (
        "error request 99999: no request 99999\n\n# hint\nRun 'requests' to see which there are."
    )
