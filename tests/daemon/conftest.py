"""Real daemons: one that most tests share, and others for those that end theirs, or set it up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.core.urls import DomainPolicy
from oryn.engine import Options, Session
from oryn.engine.policy.policy import Policy
from tests.daemon.daemon_process import RunningDaemon
from tests.daemon.live import SHOP, LivePage
from tests.headless.conftest import Pages

pytestmark = pytest.mark.display


@pytest.fixture(scope="session")
def served_pages() -> Iterator[Pages]:
    with Pages() as served:
        yield served


@pytest.fixture
def pages(served_pages: Pages) -> Pages:
    """Pages that the test sets: `pages["/a"] = html`, whose address is `pages.url("/a")`."""
    served_pages.bodies.clear()
    return served_pages


@pytest.fixture(scope="session")
def shared_daemon(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    running = RunningDaemon(tmp_path_factory.mktemp("daemon"))
    yield running
    assert run(running.stop()) == 0, running.log()
    run(running.no_process())


@pytest.fixture
def daemon(shared_daemon: RunningDaemon) -> RunningDaemon:
    """The daemon that tests share: its sessions may hold what another test left in them."""
    return shared_daemon


@pytest.fixture
def daemon_of(run: Any, tmp_path: Path) -> Iterator[Callable[..., RunningDaemon]]:
    """Starts daemons of the test's own: `daemon_of(ORYN_IDLE_STOP="1")`, `daemon_of("other")` with another home."""
    started: list[RunningDaemon] = []

    def start(name: str = "home", **environment: str) -> RunningDaemon:
        started.append(RunningDaemon(tmp_path / name, environment))
        return started[-1]

    yield start
    for running in started:
        run(running.stop())
        run(running.no_process())


# --- the live page ---


@pytest.fixture(scope="session")
def viewer_browser(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromiumBrowser]:
    headless = ChromiumBrowser(runtime_dir=Path(tmp_path_factory.mktemp("viewer_browser")))
    run(headless.start())
    yield headless
    run(headless.close())


@pytest.fixture
def live(viewer_browser: ChromiumBrowser, daemon: RunningDaemon, run: Any, tmp_path: Path) -> Iterator[LivePage]:
    """A visitor of their own browser context, for whom there is no internet. No session is open at first."""
    run(daemon.ok({"argv": ["close", "--all"]}))
    loopback = Policy(domains=DomainPolicy.of(["127.0.0.1", "localhost"], None))
    session = Session(
        ChromiumBrowser(runtime_dir=tmp_path, shared_with=viewer_browser), options=Options(timeout=30, policy=loopback)
    )
    yield LivePage(session, daemon)
    messages = run(session.execute("console")).lines
    run(session.close())
    # Servers of tests have no icon; ours has, and nothing of it fails.
    assert [each for each in messages if "error" in each and "favicon.ico" not in each] == []


@pytest.fixture
def live_shop(pages: Pages) -> Callable[[str], str]:
    """Serves the shop, and returns its address."""

    def serve(colour: str = "rgb(255, 0, 0)", path: str = "/") -> str:
        pages[path] = SHOP % colour
        pages["/fern"] = "<title>Boston fern</title><h1>Boston fern</h1><button>Buy</button>"
        return pages.url(path)

    return serve
