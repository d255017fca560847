"""Cookies, storage and `state` of all sites that were visited."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.base import Cookie
from oryn.browsers.base.storage import OriginStorage
from oryn.browsers.webkit import WebKitBrowser
from tests.headless.conftest import Driver, Pages
from tests.webkit import webkit_browser


@pytest.fixture
def browser(wpe: WebKitBrowser) -> WebKitBrowser:
    return wpe


@pytest.fixture
def oryn(embedded: Driver, browser: WebKitBrowser, run: Any) -> Driver:
    run(browser.clear_cookies())
    return embedded


def data(answer: str) -> str:
    """An answer without its first line."""
    return answer.partition("\n\n")[2]


def cookies(browser: WebKitBrowser, run: Any) -> dict[str, Cookie]:
    return {f"{each.name} {each.domain} {each.path}": each for each in run(browser.cookies())}


def test_cookies_of_all_sites(oryn: Driver, browser: WebKitBrowser, pages: Pages, run: Any) -> None:
    later = time.time() + 5000
    pages["/"] = (200, {"Set-Cookie": "first=1; HttpOnly; SameSite=Strict"}, "<p>one")
    pages["/a/b/c"] = (200, {"Set-Cookie": "deep=2; Max-Age=5000"}, "<p>two")
    pages["/elsewhere"] = (200, {"Set-Cookie": "far=3; Path=/x/y"}, "<p>three")
    run(oryn.ok(f"goto {pages.url('/')}"))
    run(oryn.ok(f"goto {pages.url('/a/b/c', host='localhost')}"))
    run(oryn.ok(f"goto {pages.url('/elsewhere', host='localhost')}"))
    found = cookies(browser, run)
    assert set(found) == {"first 127.0.0.1 /", "deep localhost /a/b", "far localhost /x/y"}
    first, deep = found["first 127.0.0.1 /"], found["deep localhost /a/b"]
    assert (first.http_only, first.same_site, first.expires) == (True, "Strict", None)
    assert (deep.http_only, deep.secure) == (False, False)
    assert deep.expires is not None and abs(deep.expires - later) < 60
    # Of the page are those that a request to it carries.
    assert data(run(oryn.ok("cookies"))) == ""
    run(oryn.ok(f"goto {pages.url('/')}"))
    assert data(run(oryn.ok("cookies"))) == 'first "1" 127.0.0.1 {http-only}'


def test_a_cookie_of_a_host_is_not_that_of_its_subdomains(
    oryn: Driver, browser: WebKitBrowser, pages: Pages, run: Any, tmp_path: Path
) -> None:
    sent: list[str] = []

    def page(request: Any) -> str:
        sent.append(f"{request.headers['Host'].partition(':')[0]} {request.headers.get('Cookie')}")
        return "<p>here"

    pages["/"] = page
    run(oryn.ok(f"goto {pages.url('/', host='localhost')}"))
    run(oryn.ok("cookies set theme dark"))
    assert cookies(browser, run)["theme localhost /"].domain == "localhost"
    run(oryn.ok(f"state save {tmp_path}/s.json"))
    run(oryn.ok("cookies clear"))
    assert cookies(browser, run) == {}
    run(oryn.ok(f"state load {tmp_path}/s.json"))
    run(oryn.ok("refresh"))
    assert sent[-1] == "localhost theme=dark"
    run(browser.set_cookies([Cookie("wide", "1", ".example.org"), Cookie("narrow", "2", "example.org")]))
    assert {"wide .example.org /", "narrow example.org /"} <= set(cookies(browser, run))
    of_subdomain = run(browser.cookies("http://www.example.org/"))
    assert [each.name for each in of_subdomain] == ["wide"]


def test_cookies_are_deleted_one_by_one(oryn: Driver, browser: WebKitBrowser, pages: Pages, run: Any) -> None:
    pages["/"] = "<p>here"
    run(oryn.ok(f"goto {pages.url('/')}"))
    twins = [
        Cookie("same", "1", ".example.org"),
        Cookie("same", "2", "example.org"),
        Cookie("same", "3", "a.test", "/p"),
    ]
    run(browser.set_cookies([*twins, Cookie("own", "4", "127.0.0.1")]))
    run(browser.delete_cookies([twins[0]]))
    assert set(cookies(browser, run)) == {"same example.org /", "same a.test /p", "own 127.0.0.1 /"}
    run(oryn.ok("cookies delete own"))
    assert set(cookies(browser, run)) == {"same example.org /", "same a.test /p"}


def test_cookies_come_back_before_a_page_is_open(run: Any, pages: Pages, tmp_path: Path) -> None:
    async def main() -> list[Cookie]:
        browser = webkit_browser(runtime_dir=tmp_path, load_timeout=10)
        await browser.start()
        try:
            saved = [
                Cookie("a", "1", "example.org", expires=time.time() + 900, secure=True),
                Cookie("b", "2", ".a.test"),
            ]
            await browser.set_cookies(saved)
            await browser.storage.set_local({"https://example.org": {"key": "value"}}, merge=True)
            assert await browser.storage.local(["https://example.org"]) == {"https://example.org": {"key": "value"}}
            return await browser.cookies()
        finally:
            await browser.close()

    assert {(each.name, each.domain, each.secure) for each in run(main())} == {
        ("a", "example.org", True),
        ("b", ".a.test", False),
    }


def test_storage_of_origins_that_no_tab_shows(oryn: Driver, browser: WebKitBrowser, pages: Pages, run: Any) -> None:
    pages["/"] = """<script>localStorage.clear(); localStorage.setItem(location.hostname, 'kept');
        sessionStorage.setItem('s', '1')</script>"""
    run(oryn.ok(f"goto {pages.url('/')}"))
    run(oryn.ok(f"goto {pages.url('/', host='localhost')}"))
    here, there = pages.url("", host="localhost"), pages.url("")
    assert {here, there} <= set(browser.storage.origins())
    assert run(browser.storage.local([here, there])) == {
        here: {"localhost": "kept"},
        there: {"127.0.0.1": "kept"},
    }
    assert run(browser.storage.session())[here] == {"s": "1"}
    run(browser.storage.set_local({there: {"new": "1"}, here: {"x": "2"}}, merge=False))
    assert run(browser.storage.local([here, there])) == {here: {"x": "2"}, there: {"new": "1"}}
    assert data(run(oryn.ok("storage list"))) == '"x": "2"'


def test_the_storage_of_each_tab(oryn: Driver, browser: WebKitBrowser, pages: Pages, run: Any) -> None:
    frame = pages.url("/frame", host="localhost")
    pages["/frame"] = "<script>localStorage.f = '1'</script>frame"
    pages["/"] = f"<script>localStorage.a = '1'; sessionStorage.b = '2'</script><iframe src='{frame}'></iframe>"
    run(oryn.ok(f"goto {pages.url('/')}"))
    (areas,) = run(browser.storage.by_tab()).values()
    assert [area.origin for area in areas] == [pages.url(""), pages.url("", host="localhost")]
    assert (areas[0].session["b"], areas[0].local["a"]) == ("2", "1")
    assert areas[1].local["f"] == "1"


def test_storage_is_seeded_before_the_scripts_of_the_page_once(
    oryn: Driver, browser: WebKitBrowser, pages: Pages, run: Any
) -> None:
    pages["/"] = "<p id=p></p><script>p.textContent = `found ${sessionStorage.seeded}`; sessionStorage.clear()</script>"
    origin = pages.url("", host="seeded.localhost")
    run(browser.storage.seed([OriginStorage(origin, origin, {"seeded": "yes"}, {})]))
    run(oryn.ok(f"goto {pages.url('/')}"))
    assert "found undefined" in run(oryn.ok("text"))
    run(oryn.ok(f"goto {pages.url('/', host='seeded.localhost')}"))
    assert "found yes" in run(oryn.ok("text"))
    run(oryn.ok("refresh"))
    assert "found undefined" in run(oryn.ok("text"))


_DATABASE = """<p id=p>empty</p><script>
const request = indexedDB.open('notes', 2);
request.onupgradeneeded = () => request.result.createObjectStore('rows', { keyPath: 'id' });
request.onsuccess = () => {
  const rows = request.result.transaction('rows', 'readwrite').objectStore('rows');
  if (location.search) rows.put({ id: 1, text: location.search });
  rows.getAll().onsuccess = (event) => {
    p.textContent = JSON.stringify(event.target.result);
    request.result.close();
  };
};
</script>"""


def test_state_with_databases(oryn: Driver, browser: WebKitBrowser, pages: Pages, run: Any, tmp_path: Path) -> None:
    pages["/"] = _DATABASE
    run(oryn.ok(f"goto {pages.url('/?words')}"))
    run(oryn.ok("wait until \"p.textContent.includes('words')\""))
    run(oryn.ok("storage set local 1"))
    run(oryn.ok("storage set tab 2 --session"))
    run(oryn.ok("cookies set c 3"))
    answer = data(run(oryn.ok(f"state save {tmp_path}/s.json --include-indexeddb --include-session")))
    assert answer.startswith("1 cookie, storage of ")
    run(oryn.ok("goto about:blank"))
    run(browser.storage.set_databases({pages.url(""): []}, merge=False))
    run(browser.storage.set_local({pages.url(""): {}}, merge=False))
    run(oryn.ok("cookies clear"))
    run(oryn.ok(f"state load {tmp_path}/s.json"))
    run(oryn.ok(f"goto {pages.url('/')}"))
    run(oryn.ok("wait until \"p.textContent.includes('words')\""))
    assert '"local": "1"' in run(oryn.ok("storage list"))
    assert data(run(oryn.ok("storage list --session"))) == '"tab": "2"'
    assert data(run(oryn.ok("cookies get c"))) == '"3"'


def test_a_hidden_tab_is_none_of_the_session(oryn: Driver, browser: WebKitBrowser, pages: Pages, run: Any) -> None:
    listen = "for (const e of ['blur', 'focus', 'visibilitychange']) addEventListener(e, () => seen.push(e))"
    pages["/"] = f"<script>seen = []; {listen}</script><p>here"
    run(oryn.ok(f"goto {pages.url('/')}"))

    async def read_twice() -> None:
        await asyncio.gather(browser.cookies(), browser.storage.local([pages.url("")]))

    run(read_twice())
    assert data(run(oryn.ok('eval "seen.length"'))) == "| 0"
    assert len(run(browser.tabs())) == 1
