"""The page cache: what is asked again, what is not, and what survives damage, other processes and a full disk."""

from __future__ import annotations

import hashlib
import logging
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from oryn.errors import AddressNotAllowed, FetchFailed
from oryn.research.documents import FetchedPage
from oryn.research.fetching import Fetcher, FetchOptions, PageCache
from oryn.research.fetching.cache_entry import CacheEntry
from tests.conftest import Run
from tests.research.server import ReceivedRequest, Reply, Site, redirect

FAR = "2099-01-01T00:00:00+00:00"
PAST = "2001-01-01T00:00:00+00:00"


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        yield site


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[PageCache]:
    cache = PageCache(tmp_path / "pages")
    yield cache
    cache.close()


def fetch(run: Run[Any], url: str, cache: PageCache | None, *, private: bool = True, **asked: Any) -> FetchedPage:
    async def main() -> FetchedPage:
        options = FetchOptions(allow_private=private, environment=False)
        async with Fetcher(options, cache=cache) as fetcher:
            return await fetcher.fetch(url, **asked)

    page: FetchedPage = run(main())
    return page


def entry(url: str, body: bytes, **changes: Any) -> CacheEntry:
    digest = hashlib.sha256(body).hexdigest()
    made = CacheEntry(url, digest, 200, "text/html", "utf-8", PAST, FAR, headers=(("content-type", "text/html"),))
    return made.replace(**changes)


def files(cache: PageCache) -> list[Path]:
    return sorted(each for each in (cache.folder / "bodies").rglob("*") if each.is_file())


# --- asking again ------------------------------------------------------------------------------------------------


def test_fresh_page_is_not_requested(run: Run[Any], site: Site, cache: PageCache) -> None:
    url = site.page("/", "<p>x", cache_control="max-age=60")
    first = fetch(run, url, cache)
    again = fetch(run, url, cache)
    assert (first.source, again.source, again.why) == ("http", "cache", "it is still fresh")
    assert again == first.replace(source="cache", why="it is still fresh")
    assert len(site.requests) == 1


def test_fresh_asks_anyway(run: Run[Any], site: Site, cache: PageCache) -> None:
    url = site.put("/", Reply("x", etag='"1"', headers={"Cache-Control": "max-age=60"}))
    fetch(run, url, cache)
    assert fetch(run, url, cache, fresh=True).why == "it has not changed"
    assert fetch(run, url, cache, fresh=True, conditional=False).source == "http"
    assert [asked.headers.get("if-none-match") for asked in site.requests] == [None, '"1"', None]


def test_page_without_freshness_headers_is_fetched_again(run: Run[Any], site: Site, cache: PageCache) -> None:
    url = site.page("/", "x")
    assert [fetch(run, url, cache).source for _ in range(2)] == ["http", "http"]


@pytest.mark.parametrize("marks", [{"etag": 'W/"1"'}, {"modified": "Sun, 22 Nov 2026 12:00:00 GMT"}])
def test_revalidation(run: Run[Any], site: Site, cache: PageCache, marks: dict[str, Any]) -> None:
    url = site.put("/", Reply("one", **marks))
    fetch(run, url, cache)
    page = fetch(run, url, cache)
    assert (page.source, page.why, page.body, page.status) == ("cache", "it has not changed", b"one", 200)
    other: dict[str, Any] = {name: f"{value}x" for name, value in marks.items()}
    site.put("/", Reply("two", **other))
    page = fetch(run, url, cache)
    assert (page.source, page.body) == ("http", b"two")
    assert len(files(cache)) == 1  # nobody has the first body any more


def test_a_304_keeps_the_connection(run: Run[Any], site: Site, cache: PageCache) -> None:
    url = site.put("/", Reply("x", etag='"1"'))

    async def main() -> list[str]:
        async with Fetcher(FetchOptions(allow_private=True, environment=False), cache=cache) as fetcher:
            return [(await fetcher.fetch(url)).source for _ in range(4)]

    assert run(main()) == ["http", "cache", "cache", "cache"]
    assert site.connections == 1


def test_a_304_may_say_that_it_is_good_for_longer(run: Run[Any], site: Site, cache: PageCache) -> None:
    url = site.put("/", Reply("x", etag='"1"'))
    fetch(run, url, cache)
    site.put("/", Reply("x", etag='"1"', headers={"Cache-Control": "max-age=60"}))
    assert fetch(run, url, cache).why == "it has not changed"
    assert fetch(run, url, cache).why == "it is still fresh"


@pytest.mark.parametrize("header", [{"cache_control": "no-store"}, {"vary": "*"}])
def test_uncacheable_page_is_not_stored(run: Run[Any], site: Site, cache: PageCache, header: dict[str, str]) -> None:
    url = site.page("/", "public")
    fetch(run, url, cache)
    assert cache.find(url) is not None
    site.page("/", "secret", **header)
    fetch(run, url, cache)
    assert cache.find(url) is None and files(cache) == []


def test_errors_are_not_kept(run: Run[Any], site: Site, cache: PageCache) -> None:
    url = site.put("/", Reply("x", status=404, headers={"Cache-Control": "max-age=60"}))
    for _ in range(2):
        with pytest.raises(FetchFailed):
            fetch(run, url, cache)
    assert len(site.requests) == 2


def test_cookies_are_not_kept(run: Run[Any], site: Site, cache: PageCache) -> None:
    url = site.page("/", "x", cache_control="private, max-age=60", set_cookie="secret=1")
    fetch(run, url, cache)
    assert fetch(run, url, cache).source == "cache"
    assert b"secret" not in b"".join(each.read_bytes() for each in cache.folder.iterdir() if each.is_file())


def test_pages_of_a_login_are_not_kept(run: Run[Any], site: Site, cache: PageCache) -> None:
    url = site.page("/", "ada's", cache_control="max-age=60")
    fetch(run, url.replace("//", "//ada:pw@"), cache)
    fetch(run, url, cache, headers={"Authorization": "Bearer x"})
    assert cache.find(url) is None


# --- redirects ---------------------------------------------------------------------------------------------------


def test_a_lasting_redirect_is_as_good_as_its_page(run: Run[Any], site: Site, cache: PageCache) -> None:
    site.put("/old", redirect("/new", 301))
    site.page("/new", "x", cache_control="max-age=60")
    fetch(run, site.url("/old"), cache)
    page = fetch(run, site.url("/old"), cache)
    assert (page.source, page.url, page.requested) == ("cache", site.url("/new"), site.url("/old"))
    assert len(site.requests) == 2


def test_a_passing_redirect_is_asked_for_again(run: Run[Any], site: Site, cache: PageCache) -> None:
    site.put("/today", redirect("/one", 302))
    site.page("/one", "x", cache_control="max-age=60")
    fetch(run, site.url("/today"), cache)
    assert fetch(run, site.url("/today"), cache).source == "cache"
    assert [asked.path for asked in site.requests] == ["/today", "/one", "/today"]


def test_each_step_is_asked_about_by_its_own_marks(run: Run[Any], site: Site, cache: PageCache) -> None:
    site.put("/a", redirect("/b", 302))
    site.put("/b", Reply("x", etag='"b"'))
    fetch(run, site.url("/a"), cache)
    assert fetch(run, site.url("/a"), cache).why == "it has not changed"
    assert [asked.headers.get("if-none-match") for asked in site.requests] == [None, None, None, '"b"']


def test_a_redirect_that_is_not_followed_is_not_the_page(run: Run[Any], site: Site, cache: PageCache) -> None:
    site.put("/old", redirect("/new", 301))
    site.page("/new", "x", cache_control="max-age=60")
    fetch(run, site.url("/old"), cache)
    assert fetch(run, site.url("/old"), cache, follow=False).status == 301


def test_cached_private_pages_are_not_used_without_allow_private(run: Run[Any], site: Site, cache: PageCache) -> None:
    site.page("/", "intranet", cache_control="max-age=60")
    assert fetch(run, site.url("/"), cache).body == b"intranet"
    with pytest.raises(AddressNotAllowed):
        fetch(run, site.url("/"), cache, private=False)
    # Also where its name tells nothing.
    known = cache.find(site.url("/"))
    assert known is not None and not known.public
    cache.put(known.replace(url="http://wiki.example/"), b"intranet", "http://wiki.example/")

    async def nowhere(host: str, port: int) -> list[Any]:
        raise OSError("no such host")

    async def main() -> None:
        async with Fetcher(FetchOptions(environment=False), cache=cache, resolve=nowhere) as fetcher:
            with pytest.raises(FetchFailed, match="no such host"):
                await fetcher.fetch("http://wiki.example/")

    run(main())


# --- bodies ------------------------------------------------------------------------------------------------------


def test_the_same_body_is_there_once(run: Run[Any], site: Site, cache: PageCache) -> None:
    for path in ("/a", "/b"):
        fetch(run, site.page(path, "the same"), cache)
    assert len(files(cache)) == 1 and cache.size() == len("the same")
    cache.forget(site.url("/a"))
    assert len(files(cache)) == 1 and cache.find(site.url("/b")) is not None
    cache.forget(site.url("/b"))
    assert files(cache) == [] and cache.size() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="modes of files")
def test_only_the_user_reads_it(cache: PageCache) -> None:
    cache.put(entry("http://a/", b"x"), b"x", "http://a/")
    modes = {stat.S_IMODE(each.stat().st_mode) for each in cache.folder.rglob("*") if each.is_file()}
    folders = {stat.S_IMODE(each.stat().st_mode) for each in cache.folder.rglob("*") if each.is_dir()}
    assert (modes, folders) == ({0o600}, {0o700})


@pytest.mark.parametrize("damage", [b"", b"other", None])
def test_damaged_bodies_are_fetched_again(
    run: Run[Any], site: Site, cache: PageCache, damage: bytes | None, caplog: pytest.LogCaptureFixture
) -> None:
    url = site.put("/", Reply("right", etag='"1"', headers={"Cache-Control": "max-age=60"}))
    fetch(run, url, cache)
    (file,) = files(cache)
    if damage is None:
        file.unlink()
    else:
        file.write_bytes(damage)
    assert fetch(run, url, cache).body == b"right"
    assert fetch(run, url, cache).source == "cache"
    assert ("damaged" in caplog.text) is (damage is not None)


def test_a_body_that_is_lost_before_the_304(run: Run[Any], site: Site, cache: PageCache) -> None:
    url = site.put("/", Reply("right", etag='"1"'))
    fetch(run, url, cache)
    files(cache)[0].unlink()
    page = fetch(run, url, cache)
    assert (page.body, page.source) == (b"right", "http")
    assert [asked.headers.get("if-none-match") for asked in site.requests] == [None, '"1"', None]


def test_cache_removes_the_oldest_entries(cache: PageCache, monkeypatch: pytest.MonkeyPatch) -> None:
    small = PageCache(cache.folder, limit=1000)
    times = iter(range(100))
    monkeypatch.setattr("oryn.research.fetching.cache.time", SimpleNamespace(time=lambda: float(next(times))))
    for number in range(12):
        body = b"%03d" % number * 33 + b"\n"
        small.put(entry(f"http://a/{number}", body), body, f"http://a/{number}")
    assert small.size() <= 1000
    known = [number for number in range(12) if small.find(f"http://a/{number}") is not None]
    assert known == list(range(12 - len(known), 12)) and len(known) >= 9
    assert len(files(small)) == len(known)
    small.close()


def test_a_body_larger_than_the_cache(cache: PageCache) -> None:
    small = PageCache(cache.folder, limit=3)
    small.put(entry("http://a/", b"four"), b"four", "http://a/")
    assert small.find("http://a/") is None
    small.close()


# --- other processes, other threads ------------------------------------------------------------------------------

WRITER = """
import sys, hashlib
from pathlib import Path
from oryn.research.fetching import PageCache
from oryn.research.fetching.cache_entry import CacheEntry
cache = PageCache(Path(sys.argv[1]))
for number in range(40):
    body = b"%d" % (number % 7)
    url = f"http://a/{number % 20}"
    digest = hashlib.sha256(body).hexdigest()
    known = CacheEntry(url, digest, 200, "text/html", "utf-8", "", "2099-01-01T00:00:00+00:00")
    cache.put(known, body, url)
    found = cache.find(url)
    read = None if found is None else cache.body(found)  # another process may have been here meanwhile
    assert read is None or hashlib.sha256(read).hexdigest() == found.sha256
    if number % 5 == 0:
        cache.forget(url)
cache.close()
"""


@pytest.mark.slow
def test_processes_share_it(cache: PageCache) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", WRITER, str(cache.folder)]
    writers = [subprocess.Popen(command, stderr=subprocess.PIPE, env=environment) for _ in range(3)]
    told = [writer.communicate(timeout=120)[1] for writer in writers]
    assert [(writer.returncode, said) for writer, said in zip(writers, told, strict=True)] == [(0, b"")] * 3
    assert cache.size() == sum(each.stat().st_size for each in files(cache))


def test_threads_share_it(cache: PageCache) -> None:
    def work(name: int) -> None:
        for number in range(20):
            body = b"%d %d" % (name, number)
            url = f"http://a/{name}/{number}"
            cache.put(entry(url, body), body, url)
            known = cache.find(url)
            assert known is not None and cache.body(known) == body
            done.append(url)

    done: list[str] = []
    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 80 and len(files(cache)) == 80


# --- what can go wrong with it -----------------------------------------------------------------------------------


def test_a_damaged_database_is_made_anew(cache: PageCache, caplog: pytest.LogCaptureFixture) -> None:
    cache.folder.mkdir(mode=0o700)
    (cache.folder / "pages.sqlite").write_bytes(b"this is no database" * 1000)
    cache.put(entry("http://a/", b"x"), b"x", "http://a/")
    assert cache.find("http://a/") is not None
    assert "is damaged" in caplog.text


def test_another_version_is_made_anew(cache: PageCache) -> None:
    cache.folder.mkdir(mode=0o700)
    database = sqlite3.connect(cache.folder / "pages.sqlite")
    database.execute("CREATE TABLE pages (url, something)")
    database.execute("PRAGMA user_version = 99")
    database.close()
    cache.put(entry("http://a/", b"x"), b"x", "http://a/")
    assert cache.find("http://a/") == entry("http://a/", b"x")


def test_the_first_version_is_read_on(cache: PageCache) -> None:
    """Its columns had other names."""
    cache.put(entry("http://a/", b"x"), b"x", "http://a/")
    cache.close()
    database = sqlite3.connect(cache.folder / "pages.sqlite")
    database.execute("ALTER TABLE pages RENAME COLUMN requested TO asked")
    database.execute("ALTER TABLE bodies RENAME COLUMN stored_at TO kept")
    database.execute("PRAGMA user_version = 1")
    database.close()
    found = cache.find("http://a/")
    assert found == entry("http://a/", b"x")
    assert cache.body(found) == b"x"
    assert cache.size() == 1
    cache.put(entry("http://b/", b"yy"), b"yy", "http://b/")
    assert cache.size() == 3


def test_without_a_cache_there_are_still_pages(
    run: Run[Any], site: Site, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("not a folder")
    broken = PageCache(tmp_path / "file" / "pages")
    with caplog.at_level(logging.WARNING):
        assert fetch(run, site.page("/", "x"), broken).body == b"x"
    assert "the page cache in" in caplog.text
    assert broken.size() == 0


def test_a_full_disk_leaves_nothing(cache: PageCache, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    cache.put(entry("http://a/", b"x"), b"x", "http://a/")
    monkeypatch.undo()
    assert files(cache) == [] and cache.find("http://a/") is None


def test_it_is_made_when_it_is_needed(tmp_path: Path, run: Run[Any], site: Site) -> None:
    cache = PageCache(tmp_path / "pages")
    assert not cache.folder.exists()

    def page(asked: ReceivedRequest) -> Reply:
        return Reply("x", headers={"Cache-Control": "max-age=60"})

    site.put("/", page)
    fetch(run, site.url("/"), cache)
    assert fetch(run, site.url("/"), cache).source == "cache"  # closed with the fetcher, opened again
