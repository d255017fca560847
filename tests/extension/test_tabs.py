"""The tabs of the user's own browser: which of them commands may reach, their numbers, which one is active."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.extension.driver import PairedBrowser, paired_browser, trusted, untrusted

__all__ = ["paired_browser", "trusted", "untrusted"]

POP = "<title>Pop</title><button onclick='window.close()'>Done</button>"


async def _rows(oryn: PairedBrowser) -> dict[int, str]:
    """What `tabs` lists: the rest of each line by its number."""
    lines = (await oryn.ok("tabs")).splitlines()[2:]
    return {int(line.partition(" ")[0]): line.partition(" ")[2] for line in lines}


async def _only_one(oryn: PairedBrowser) -> int:
    """Close what other tests have left; the number of the tab that stays."""
    rows = await _rows(oryn)
    for number in sorted(rows)[1:]:
        await oryn.ok(f"tab close {number}")
    return min(rows)


@pytest.mark.slow
async def test_tabs_come_go_and_keep_their_numbers(untrusted: PairedBrowser) -> None:
    untrusted.pages["/pop"] = POP
    first = await _only_one(untrusted)
    await untrusted.show("<title>Main</title>")
    here = untrusted.pages.url("")[7:]
    assert await untrusted("tab new /pop") == f'ok tab new /pop\n\n@ {here}/pop "Pop"'
    rows = await _rows(untrusted)
    second = max(rows)
    assert rows == {first: f'{here} "Main"', second: f'{here}/pop "Pop" (current)'}
    assert await untrusted(f"tab switch {first}") == f'ok tab switch {first}\n\n@ {here} "Main"'
    assert (await _rows(untrusted))[first].endswith("(current)")
    assert await untrusted(f"tab close {second}") == f'ok tab close {second}\n\n@ {here} "Main"'
    assert set(await _rows(untrusted)) == {first}
    await untrusted.ok("tab new /pop")
    assert max(await _rows(untrusted)) > second
    assert f'@ {here} "Main"' in await untrusted("tab close")


async def test_the_seeds_errors_of_tabs(untrusted: PairedBrowser) -> None:
    number = await _only_one(untrusted)
    answer = await untrusted("tab switch 777")
    assert answer == f"error tab switch 777: tab not found\n\n# hint\nOpen tabs: {number}."
    assert (await untrusted("@tab777 url")).startswith("error @tab777 url: tab not found\n")
    assert (await untrusted("tab close")).startswith("error tab close: the last tab can't be closed\n")


@pytest.mark.slow
async def test_a_line_may_name_its_tab_and_has_numbers_of_its_own(untrusted: PairedBrowser) -> None:
    first = await _only_one(untrusted)
    untrusted.pages["/pop"] = POP
    await untrusted.show("<title>Main</title><button>One</button>")
    await untrusted.ok("observe")
    await untrusted.ok("tab new /pop")
    second = max(await _rows(untrusted))
    assert '[1] button "One"' in await untrusted(f"@tab{first} observe")
    assert (await untrusted("click 1")).startswith("error click 1: element not found")
    assert '"Pop"' in await untrusted("title")
    assert (await untrusted(f"@tab{second} title")).endswith('"Pop"')
    # Two sessions in one tab: the numbers are those of whoever looked last.
    assert '[1] button "Done"' in await untrusted(f"@tab{second} observe")
    assert '[1] button "Done"' in await untrusted("observe")
    assert ": element not found\n" in await untrusted(f"@tab{second} click 1")
    await untrusted.ok("tab close")


@pytest.mark.slow
async def test_what_a_page_opens_stays_behind_and_is_told(trusted: PairedBrowser) -> None:
    await _only_one(trusted)
    trusted.pages["/pop"] = POP
    await trusted.show("<title>Main</title><a href=/pop target=_blank>Open</a>")
    here = trusted.pages.url("")[7:]
    answer = await trusted("click Open")
    number = int(re.search(r"\+ tab (\d+) ", answer)[1])  # type: ignore[index]
    assert f'+ tab {number} {here}/pop "Pop"' in answer
    assert (await trusted("title")).endswith('"Main"')
    await trusted.ok(f"tab switch {number}")
    assert await trusted('click "Done"') == f'ok click "Done"\n\n# changes\n@ {here} "Main"\n- tab'


@pytest.mark.slow
async def test_a_link_into_a_new_tab_without_the_debugger(untrusted: PairedBrowser) -> None:
    await _only_one(untrusted)
    untrusted.pages["/pop"] = POP
    await untrusted.show("<title>Main</title><a href=/pop target=_blank>Open</a>")
    here = untrusted.pages.url("")[7:]
    answer = await untrusted("click Open")
    assert f'{here}/pop "Pop"' in answer.partition("+ tab ")[2]
    assert (await untrusted("title")).endswith('"Main"')
    await untrusted.ok(f"tab switch {max(await _rows(untrusted))}")
    assert await untrusted('click "Done"') == f'ok click "Done"\n\n# changes\n@ {here} "Main"\n- tab'


async def test_commands_follow_the_user_to_another_tab(untrusted: PairedBrowser) -> None:
    await _only_one(untrusted)
    await untrusted.show("<title>Main</title>")
    untrusted.pages["/other"] = "<title>The user's</title>"
    other = await untrusted.browser.open(untrusted.pages.url("/other"))
    assert (await untrusted("title")).endswith('"The user\'s"')
    # The tab that the user has left is theirs again.
    assert "Main" not in await untrusted("tabs")
    await untrusted.browser.close_tab(other)
    await other.session.connection.root.call("Target.getTargets")
    await _until_title(untrusted, "Main")


async def _until_title(oryn: PairedBrowser, title: str) -> None:
    """The browser tells the extension which tab is in front a moment after it is."""
    for _ in range(100):
        if f'"{title}"' in await oryn("title"):
            return
    raise AssertionError(f"{title} did not come to the front")


@pytest.mark.slow
async def test_all_tabs_where_the_user_wants_that(untrusted: PairedBrowser) -> None:
    await _only_one(untrusted)
    await untrusted.show("<title>Main</title>")
    untrusted.pages["/other"] = "<title>Other</title>"
    other = await untrusted.browser.open(untrusted.pages.url("/other"))
    front: Any = await untrusted("tabs")
    assert "Main" not in front
    await untrusted.user.asks(type="settings", changes={"tab_scope": "all"})
    await untrusted.user.sees("state.settings.tab_scope === 'all'")
    everything = await untrusted("tabs")
    assert '"Main"' in everything
    assert '"Other" (current)' in everything
    assert "chrome-extension://" not in everything  # the popup, as a page
    await untrusted.user.asks(type="settings", changes={"tab_scope": "active"})
    await untrusted.user.sees("state.settings.tab_scope === 'active'")
    await untrusted.browser.close_tab(other)
    await _until_title(untrusted, "Main")
