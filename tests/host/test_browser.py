"""From the settings to browsers: which sessions share a process, and which have one of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.errors import ConfigurationError
from oryn.hosts.browser_factory import BrowserFactory, begin_browser
from oryn.hosts.session_factory import sessions_of
from oryn.settings import Configuration, load
from oryn.system import paths


@pytest.fixture
def host(tmp_path: Path) -> Configuration:
    return load({}, paths.find({"ORYN_HOME": str(tmp_path)}), {})


def shares_process(host: Configuration, one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether sessions with these settings share a process."""
    browsers = BrowserFactory(host)
    first, second = (browsers.create(host.with_settings(settings)) for settings in (one, other))
    assert isinstance(first, ChromiumBrowser)
    return first._shared is second._shared


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {}),
        ({}, {"timeout": "5"}),
        ({"viewport": "800x600"}, {"viewport": "400x300"}),
        ({"headful": True}, {"headful": True}),
        ({"proxy": "h:1"}, {"proxy": "h:1"}),
        ({"browser_url": "ws://h:1/x"}, {"browser_url": "ws://h:1/x", "headful": True}),
    ],
)
def test_sessions_with_the_same_process_in_mind_share_it(
    host: Configuration, one: dict[str, Any], other: dict[str, Any]
) -> None:
    assert shares_process(host, one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {"headful": True}),
        ({"headful": True}, {"headful": True, "viewport": "800x600"}),
        ({}, {"browser": "/bin/other"}),
        ({}, {"proxy": "h:1"}),
        ({}, {"profile": "p"}),
        ({"profile": "p"}, {"profile": "q"}),
        ({}, {"attachable": True}),
        ({"attachable": True}, {"attachable": True}),
        ({}, {"browser_url": "ws://h:1/x"}),
        ({"browser_url": "ws://h:1/x"}, {"browser_url": "ws://h:2/x"}),
    ],
)
def test_all_others_have_one_of_their_own(host: Configuration, one: dict[str, Any], other: dict[str, Any]) -> None:
    assert not shares_process(host, one, other)


def test_the_first_session_shares_its_process_too(host: Configuration) -> None:
    browsers = BrowserFactory(host)
    assert browsers.create_first()._shared is browsers.create(host)._shared


@pytest.mark.parametrize(("name", "value"), [("profile", "p"), ("attachable", True)])
def test_what_is_for_a_browser_that_is_started_is_refused_for_one_that_runs(
    host: Configuration, name: str, value: object
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        BrowserFactory(host).create(host.with_settings({"browser_url": "http://h:9222", name: value}))
    assert caught.value.message == (
        f"{name} applies only to a browser that Oryn starts, and browser_url attaches to a running one"
    )
    assert caught.value.hint == "Leave out one of the two settings."


def test_nothing_is_started_where_a_browser_runs_already(host: Configuration) -> None:
    assert begin_browser(host.with_settings({"browser_url": "ws://h:9222/x"})) is None


async def test_the_hosts_profile_is_that_of_the_session_which_it_is_called_after(tmp_path: Path) -> None:
    flags = {"profile": "p", "session": "main"}
    sessions = sessions_of(load(flags, paths.find({"ORYN_HOME": str(tmp_path)}), {}))
    wanted: list[tuple[str, dict[str, str]]] = [("other", {}), ("main", {}), ("third", {"profile": "q"})]
    found = [sessions.get_or_open(name, settings).browser.info.profile for name, settings in wanted]
    await sessions.close()
    assert found == [None, "p", "q"]
