"""Fetching from servers that behave, and from those that don't."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from oryn.core.urls import DomainPolicy
from oryn.errors import AddressNotAllowed, BodyTooLarge, DomainNotAllowed, FetchFailed
from oryn.research.documents import FetchedPage
from oryn.research.fetching import USER_AGENT, Fetcher, FetchOptions
from tests.conftest import Run
from tests.research.server import ReceivedRequest, Reply, Site, gzipped, redirect


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        yield site


def fetch(
    run: Run[Any], url: str, *, domains: DomainPolicy | None = None, times: int = 1, **options: Any
) -> FetchedPage:
    """The page that the last of `times` fetches by one fetcher brings; `fetch_…` options are those of `fetch`."""
    asked = {name.removeprefix("fetch_"): options.pop(name) for name in list(options) if name.startswith("fetch_")}

    async def main() -> FetchedPage:
        settings = FetchOptions(**{"allow_private": True, "environment": False, **options})
        async with Fetcher(settings, domains=domains) as fetcher:
            for _ in range(times - 1):
                await fetcher.fetch(url, **asked)
            return await fetcher.fetch(url, **asked)

    page: FetchedPage = run(main())
    return page


def refused(run: Run[Any], url: str, **options: Any) -> FetchFailed:
    with pytest.raises(FetchFailed) as raised:
        fetch(run, url, **options)
    return raised.value


def test_a_page(run: Run[Any], site: Site) -> None:
    url = site.page("/a", "<p>Ferns grow", x_powered_by="moss")
    page = fetch(run, f"{url}#top")
    assert (page.url, page.requested, page.status, page.body) == (url, url, 200, b"<p>Ferns grow")
    assert (page.content_type, page.charset, page.source, page.why) == ("text/html; charset=utf-8", "utf-8", "http", "")
    assert page.sha256 == hashlib.sha256(b"<p>Ferns grow").hexdigest()
    assert dict(page.headers)["x-powered-by"] == "moss"
    assert page.fetched_at.endswith("+00:00")


def test_fetcher_sends_the_user_agent(run: Run[Any], site: Site) -> None:
    url = site.page("/", "x")
    fetch(run, url)
    fetch(run, url, user_agent="ada/1.0 (+https://example.org/ada)")
    assert [asked.headers["user-agent"] for asked in site.requests] == [
        USER_AGENT,
        "ada/1.0 (+https://example.org/ada)",
    ]
    assert "cookie" not in site.requests[0].headers and "referer" not in site.requests[0].headers


def test_connections_are_kept(run: Run[Any], site: Site) -> None:
    fetch(run, site.page("/", "x"), times=3)
    assert (len(site.requests), site.connections) == (3, 1)


def test_error_pages_and_redirects_keep_the_connection(run: Run[Any], site: Site) -> None:
    site.put("/r", Reply("moved", status=302, headers={"Location": "/"}))
    site.page("/", "x")

    async def main() -> None:
        async with Fetcher(FetchOptions(allow_private=True, environment=False)) as fetcher:
            await fetcher.fetch(site.url("/r"))
            with pytest.raises(FetchFailed):
                await fetcher.fetch(site.url("/none"))
            await fetcher.fetch(site.url("/"))

    run(main())
    assert site.connections == 1


def test_it_is_told_when_a_request_leaves(run: Run[Any], site: Site) -> None:
    site.put("/a", redirect("/b"))
    site.page("/b", "x")
    told: list[tuple[int, int]] = []

    async def sent() -> None:
        told.append((site.connections, len(site.requests)))

    fetch(run, site.url("/a"), fetch_sent=sent)
    assert [asked for _, asked in told] == [0, 1] and len(site.requests) == 2


# --- redirects ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects(run: Run[Any], site: Site, status: int) -> None:
    site.put("/a", redirect("b?x=1#part", status))
    site.page("/b", "found")
    page = fetch(run, site.url("/a"))
    assert (page.url, page.requested, page.body) == (site.url("/b?x=1"), site.url("/a"), b"found")


def test_redirects_that_are_not_followed(run: Run[Any], site: Site) -> None:
    site.put("/a", redirect("/b", 301))
    page = fetch(run, site.url("/a"), fetch_follow=False)
    assert (page.status, page.url, dict(page.headers)["location"], page.body) == (301, site.url("/a"), "/b", b"")
    assert site.count("/b") == 0


def test_loops(run: Run[Any], site: Site) -> None:
    site.put("/a", redirect("/b"))
    site.put("/b", redirect("/a"))
    error = refused(run, site.url("/a"))
    assert error.message == f"{site.url('/a')} leads back to {site.url('/a')} again and again"
    assert not error.again and len(site.requests) == 2


def test_chains(run: Run[Any], site: Site) -> None:
    site.otherwise = lambda asked: redirect(f"/{int(asked.path[1:]) + 1}")
    error = refused(run, site.url("/0"), redirects=4)
    assert error.message == f"{site.url('/0')} leads on and on: more than 4 redirects"
    assert len(site.requests) == 5


def test_a_redirect_to_nowhere(run: Run[Any], site: Site) -> None:
    site.put("/a", Reply(status=302))
    assert refused(run, site.url("/a")).message == f"{site.url('/a')} answers HTTP 302 without saying where to"


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "ftp://example.org/x", "javascript:alert(1)", "data:text/html,x"]
)
def test_redirects_out_of_the_web(run: Run[Any], site: Site, target: str) -> None:
    site.put("/a", redirect(target))
    assert "is not a page of the web" in refused(run, site.url("/a")).message


def test_a_redirect_that_is_no_url(run: Run[Any], site: Site) -> None:
    site.put("/a", redirect("http://[oops/"))
    assert "which is not a URL" in refused(run, site.url("/a")).message


def test_cookies_live_as_long_as_one_fetch(run: Run[Any], site: Site) -> None:
    def cookie_gate(asked: ReceivedRequest) -> Reply:
        if "seen=1" in asked.headers.get("cookie", ""):
            return Reply("inside")
        return Reply(status=302, headers={"Location": "/", "Set-Cookie": "seen=1"})

    site.put("/", cookie_gate)
    assert fetch(run, site.url("/"), times=2).body == b"inside"
    assert [asked.headers.get("cookie") for asked in site.requests] == [None, "seen=1", None, "seen=1"]


def test_cookies_go_to_no_other_host(run: Run[Any], site: Site) -> None:
    with Site("127.0.0.2") as other:
        other.page("/", "other")
        site.put("/", redirect(other.url("/"), Set_Cookie="secret=1"))
        fetch(run, site.url("/"))
        assert "cookie" not in other.requests[0].headers


# --- what only one origin may see --------------------------------------------------------------------------------


def test_a_login_in_the_url(run: Run[Any], site: Site) -> None:
    """It is used where it was given for, and told to nobody else."""
    with Site("127.0.0.2") as other:
        other.page("/", "other")
        site.put("/", redirect("/second"))
        site.put("/second", redirect(other.url("/")))
        page = fetch(run, site.url("/").replace("http://", "http://ada:lovelace@"))
        assert [asked.headers.get("authorization") for asked in site.requests] == ["Basic YWRhOmxvdmVsYWNl"] * 2
        assert "authorization" not in other.requests[0].headers
    assert page.requested == site.url("/")


def test_a_login_stands_in_no_error(run: Run[Any], site: Site) -> None:
    error = refused(run, site.url("/none").replace("http://", "http://ada:lovelace@"))
    assert "lovelace" not in f"{error.message} {error.hint}"


def test_a_login_of_a_redirect_is_not_used(run: Run[Any], site: Site) -> None:
    site.put("/", redirect(site.url("/a").replace("http://", "http://eve:x@")))
    site.page("/a", "x")
    fetch(run, site.url("/"))
    assert "authorization" not in site.requests[1].headers


def test_headers_of_ones_own(run: Run[Any], site: Site) -> None:
    with Site("127.0.0.2") as other:
        other.page("/", "other")
        site.put("/", redirect(other.url("/")))
        fetch(run, site.url("/"), fetch_headers={"X-Token": "abc", "Accept": "application/json"})
        assert site.requests[0].headers["x-token"] == "abc" and site.requests[0].headers["accept"] == "application/json"
        assert "x-token" not in other.requests[0].headers and "text/html" in other.requests[0].headers["accept"]


# --- statuses ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "again", "said"),
    [
        (400, False, "answers HTTP 400"),
        (401, False, "answers HTTP 401 (it wants a login)"),
        (403, False, "answers HTTP 403 (access is forbidden)"),
        (404, False, "answers HTTP 404 (there is no such page)"),
        (410, False, "answers HTTP 410 (the page is gone)"),
        (408, True, "answers HTTP 408"),
        (429, True, "answers HTTP 429 (too many requests)"),
        (500, True, "answers HTTP 500"),
        (501, False, "answers HTTP 501"),
        (503, True, "answers HTTP 503 (it can't serve now)"),
        (522, True, "answers HTTP 522"),
        (305, False, "answers HTTP 305, which is not a page"),
        (304, False, "answers HTTP 304, which is not a page"),
    ],
)
def test_statuses(run: Run[Any], site: Site, status: int, again: bool, said: str) -> None:
    site.put("/", Reply("sorry", status=status))
    error = refused(run, site.url("/"))
    assert (error.status, error.again, error.wait) == (status, again, None)
    assert error.message == f"{site.url('/')} {said}"


@pytest.mark.parametrize(
    ("said", "wait"), [("7", 7.0), ("0", 0.0), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0), ("soon", None), ("-1", None)]
)
def test_how_long_to_wait(run: Run[Any], site: Site, said: str, wait: float | None) -> None:
    site.put("/", Reply(status=429, headers={"Retry-After": said}))
    assert refused(run, site.url("/")).wait == wait


def test_no_content(run: Run[Any], site: Site) -> None:
    site.put("/", Reply(status=204))
    assert fetch(run, site.url("/")).body == b""


# --- connections that break, bytes that are no answer ------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [
        Reply("gone", cut=-1),
        Reply("x" * 1000, cut=10),
        Reply("short", length=500),
        Reply(raw=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc"),
        Reply(raw=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc"),
        Reply(raw=b"SSH-2.0-OpenSSH_9.2p1\r\n"),
        Reply(raw=b""),
        Reply(raw=b"HTTP/1.1 200 OK\r\nX: " + b"x" * 300_000 + b"\r\n\r\n"),
        Reply(raw=b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(20_000)) + b"\r\n"),
    ],
    ids=[
        "dropped",
        "cut",
        "short",
        "chunks-cut",
        "chunks-broken",
        "other-protocol",
        "nothing",
        "head-long",
        "head-many",
    ],
)
def test_broken_answers(run: Run[Any], site: Site, reply: Reply) -> None:
    site.put("/", reply)
    error = refused(run, site.url("/"))
    assert error.again and error.status is None
    assert error.message.startswith(f"the answer of {site.url('/')} broke off or is not HTTP")


def test_no_server(run: Run[Any], site: Site) -> None:
    with Site("127.0.0.3") as gone:
        url = gone.url("/")
    error = refused(run, url)
    assert error.again and error.message.startswith(f"no connection to {url}")


def test_a_silent_server(run: Run[Any], site: Site) -> None:
    wait = threading.Event()
    site.put("/", Reply("late", wait=wait))
    error = refused(run, site.url("/"), silence=0.05)
    wait.set()
    assert error.again and error.message == f"the server of {site.url('/')} stopped responding"


def test_a_server_that_drips(run: Run[Any], site: Site) -> None:
    """Each piece comes in time, and all of it never does."""
    site.put("/", Reply(pieces=itertools.repeat(b"x"), pause=0.01))
    error = refused(run, site.url("/"), timeout=0.3)
    assert error.again and error.message == f"{site.url('/')} has not come within 0.3 s"


def test_the_time_is_for_all_redirects(run: Run[Any], site: Site) -> None:
    site.otherwise = lambda asked: redirect(f"/{int(asked.path[1:]) + 1}")
    assert "has not come within" in refused(run, site.url("/0"), timeout=0.3, redirects=10**6).message


def test_a_body_that_ends_with_the_connection(run: Run[Any], site: Site) -> None:
    site.put("/", Reply("all of it", length=-1))
    assert fetch(run, site.url("/")).body == b"all of it"


@pytest.mark.parametrize(("watched", "asked"), [(False, 3), (True, 2)])
def test_a_kept_connection_that_has_ended(run: Run[Any], site: Site, watched: bool, asked: int) -> None:
    """It is no failure of the page, and asked for again over another one; not behind the back of who counts."""
    replies = iter([Reply("one"), Reply(cut=-1), Reply("two")])
    site.put("/", lambda _: next(replies))

    async def sent() -> None:
        pass

    async def main() -> None:
        async with Fetcher(FetchOptions(allow_private=True, environment=False)) as fetcher:
            assert (await fetcher.fetch(site.url("/"))).body == b"one"
            if watched:
                with pytest.raises(FetchFailed, match="broke off"):
                    await fetcher.fetch(site.url("/"), sent=sent)
            else:
                assert (await fetcher.fetch(site.url("/"))).body == b"two"

    run(main())
    assert len(site.requests) == asked


def test_a_server_that_always_drops_is_asked_once(run: Run[Any], site: Site) -> None:
    site.put("/", Reply(cut=-1))
    assert refused(run, site.url("/")).again
    assert len(site.requests) == 1


# --- sizes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Reply("x" * 2000), "it says that it has 2000 bytes"),
        (Reply("x", length=10**12), "it says that it has 1000000000000 bytes"),
        (Reply(pieces=itertools.repeat(b"x" * 100)), "it goes on"),
        (Reply("x" * 2000, length=-1), "it goes on"),
        (gzipped("x" * 100_000), "it becomes that of"),
    ],
    ids=["says", "lies", "endless", "unsaid", "bomb"],
)
def test_bodies_that_are_too_large(run: Run[Any], site: Site, reply: Reply, why: str) -> None:
    site.put("/", reply)
    with pytest.raises(BodyTooLarge, match=f"{site.url('/')} has more than 1000 bytes: {why}"):
        fetch(run, site.url("/"), max_body=1000)


def test_body_of_the_maximum_size_is_accepted(run: Run[Any], site: Site) -> None:
    site.put("/", Reply("x" * 1000))
    site.put("/gzip", gzipped("x" * 1000))
    assert len(fetch(run, site.url("/"), max_body=1000).body) == 1000
    assert len(fetch(run, site.url("/gzip"), max_body=1000).body) == 1000


# --- what is never asked for -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://example.org/", "example.org", "", "//x", "mailto:a@b", "about:blank"]
)
def test_unsupported_url_scheme_is_an_error(run: Run[Any], url: str) -> None:
    error = refused(run, url)
    assert "is not a page of the web" in error.message and error.hint == "A URL begins with https:// or http://."


@pytest.mark.parametrize("url", ["http://[::1", "http://example.org:99999/", "http://a b/", "https://exa\x00mple/"])
def test_invalid_url_is_an_error(run: Run[Any], url: str) -> None:
    assert "is not a URL" in refused(run, url).message


def test_domains(run: Run[Any], site: Site) -> None:
    with Site("127.0.0.2") as other:
        site.put("/", redirect(other.url("/")))
        domains = DomainPolicy.of(["127.0.0.1"], None)
        with pytest.raises(DomainNotAllowed, match=r"127\.0\.0\.2 is not in allowed_domains"):
            fetch(run, site.url("/"), domains=domains)
        with pytest.raises(DomainNotAllowed):
            fetch(run, other.url("/"), domains=domains)
        assert other.requests == []


def test_private_addresses(run: Run[Any], site: Site) -> None:
    with pytest.raises(
        AddressNotAllowed, match=r"127\.0\.0\.1 leads to an address outside the public internet"
    ) as raised:
        fetch(run, site.url("/"), allow_private=False)
    assert raised.value.hint == "Only the user can allow it, for hosts that they trust: --allow-private."
    assert site.requests == []


# --- many at a time ----------------------------------------------------------------------------------------------


def test_a_fetch_that_is_cancelled_leaves_nothing_open(run: Run[Any], site: Site) -> None:
    wait, begun = threading.Event(), threading.Event()

    def late(asked: ReceivedRequest) -> Reply:
        begun.set()
        return Reply("late", wait=wait)

    site.put("/slow", late)
    site.page("/", "x")

    async def main() -> None:
        options = FetchOptions(allow_private=True, environment=False, connections=1)
        async with Fetcher(options) as fetcher:
            slow = asyncio.create_task(fetcher.fetch(site.url("/slow")))
            await asyncio.to_thread(begun.wait)
            slow.cancel()
            with pytest.raises(asyncio.CancelledError):
                await slow
            assert (await fetcher.fetch(site.url("/"))).body == b"x"  # the only connection is free again

    run(main())
    wait.set()


def test_many_at_once(run: Run[Any], site: Site) -> None:
    site.otherwise = lambda asked: Reply(asked.path)

    async def main() -> list[FetchedPage]:
        async with Fetcher(FetchOptions(allow_private=True, environment=False, connections=8)) as fetcher:
            return await asyncio.gather(*(fetcher.fetch(site.url(f"/{n}")) for n in range(60)))

    pages = run(main())
    assert [page.body for page in pages] == [f"/{n}".encode() for n in range(60)]
    assert site.connections <= 8
