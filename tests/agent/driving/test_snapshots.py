"""`<browsing_context>` and `<api_activity>` of real pages, word for word."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.agent.driving.conftest import AgentDriver

StartAgent = Callable[..., AgentDriver]


@pytest.mark.slow
async def test_the_seeds_elements(start_agent: StartAgent) -> None:
    shown = await start_agent().show(
        """<a href="/about?session=1#top">About Us</a>
        <button aria-label="Search">Search</button>
        <input type="text" placeholder="Search...">
        <button title="Submit" disabled>Submit</button>
        <label>Message<textarea></textarea></label>"""
    )
    assert shown == (
        "<browsing_context>\n"
        "[Target Update]\n"
        "URL: http://site/\n"
        "\n"
        "Interactive Elements:\n"
        '<a id="1" href="http://site/about">About Us</a>\n'
        '<button id="2" label="Search">Search</button>\n'
        '<input id="3" type="text" placeholder="Search..." value="">\n'
        '<button id="4" label="Submit" disabled="true">Submit</button>\n'
        '<textarea id="5" label="Message"></textarea>\n'
        "</browsing_context>"
    )


@pytest.mark.slow
async def test_snapshot_contains_redacted_field_values(start_agent: StartAgent) -> None:
    shown = await start_agent().show(
        """<label>Mail <input value="ann@example.org"></label><label>Card <input value="4111 1111 1111 1111"></label>
        <label>Password <input type="password" value="geheim"></label>
        <label>Country <select><option>France<option selected>Spain</select></label>
        <label><input type="checkbox" checked> Rust</label><label><input type="radio"> Go</label>
        <input type="submit" value="Send"><a href="mailto:ann@example.org">ann@example.org</a>"""
    )
    assert shown.split("Interactive Elements:\n")[1] == (
        '<input id="1" type="text" label="Mail" value="[email]">\n'
        '<input id="2" type="text" label="Card" value="[card]">\n'
        '<input id="3" type="password" label="Password">\n'
        '<select id="4" label="Country" value="Spain">France | Spain</select>\n'
        '<input id="5" type="checkbox" label="Rust" checked="true">\n'
        '<input id="6" type="radio" label="Go">\n'
        '<input id="7" type="submit" label="Send">\n'
        '<a id="8" href="mailto:[email]">ann@example.org</a>\n'
        "</browsing_context>"
    )


@pytest.mark.slow
async def test_redaction_is_a_setting(start_agent: StartAgent) -> None:
    page = '<p>Call 555-010-9999</p><input value="ann@example.org"><a href="/">bob@example.org</a>'
    assert 'value="ann@example.org"' in await start_agent(redact="off").show(page)
    shown = await start_agent(redact="all", text_limit=500).show(page)
    assert "[email]</a>" in shown
    assert "| Call [phone]" in shown


async def test_a_page_without_anything_to_do(start_agent: StartAgent) -> None:
    assert "Interactive Elements:\n(none)\n</browsing_context>" in await start_agent().show("<p>nothing")


@pytest.mark.slow
async def test_a_page_with_very_many_elements(start_agent: StartAgent) -> None:
    shown = await start_agent().show("".join(f"<button>{number}</button>" for number in range(400)))
    assert shown.count("<button ") == 300
    assert "\n(100 more elements are not listed)\n</browsing_context>" in shown


@pytest.mark.slow
async def test_page_text_is_included_with_a_text_limit(start_agent: StartAgent) -> None:
    shown = await start_agent(text_limit=20).show(
        "<title>T</title><h1>Hello</h1><p>System: &lt;tool_code> and more text"
    )
    assert shown.endswith("\n\nPage Text:\n| Hello\n|\n| System: &lt;tool\n</browsing_context>")


@pytest.mark.slow
async def test_frames_are_part_of_their_page(start_agent: StartAgent) -> None:
    driver = start_agent()
    driver.pages["/frame"] = '<a href="b">In a frame</a><button onclick="this.textContent = \'pressed\'">Press</button>'
    other = driver.pages.url("/frame", "localhost")
    assert '<a id="3" href="http://localhost' in await driver.show(
        f"<button>One</button><iframe src='{other}'></iframe>"
    )
    assert '<button id="4">pressed</button>' in await driver.do("click", id=4)


@pytest.mark.slow
async def test_snapshot_lists_api_requests_of_the_page(start_agent: StartAgent) -> None:
    driver = start_agent()
    driver.pages["/api/search"] = (200, {}, "{}")
    driver.pages["/api/broken"] = (500, {}, "no")
    await driver.show(
        """<button onclick="run()">Go</button><script>
        const send = (path, body) => fetch(path, {method: 'POST', body: JSON.stringify(body)})
        async function run() {
          await send('/api/search?key=1', {query: 'weather today', password: 'geheim', mail: 'ann@example.org'})
          await fetch('/api/broken'); document.body.append('done') }
        </script>"""
    )
    assert (await driver.do("click", id=1)).endswith(
        "</browsing_context>\n\n"
        "<api_activity>\n"
        '  <call method="POST" url="/api/search">\n'
        '    {"query":"weather today","password":"[withheld]","mail":"[email]"}\n'
        "  </call>\n"
        '  <call method="GET" url="/api/broken" failed="500"></call>\n'
        "</api_activity>"
    )
    assert "api_activity" not in await driver.do("observe")


@pytest.mark.slow
async def test_a_request_that_changes_nothing_is_told(start_agent: StartAgent) -> None:
    """It is known before the wait for a change is over, and must not be forgotten in it."""
    driver = start_agent()
    driver.pages["/api"] = (200, {}, "{}")
    await driver.show("<button onclick=\"fetch('/api?key=1')\">Go</button>")
    told = await driver.do("click", id=1)
    assert told == (
        "System: Action executed but no DOM change detected within 0.1 seconds.\n\n"
        "<browsing_context>\n[Target Unchanged]\nURL: http://site/\n</browsing_context>\n\n"
        '<api_activity>\n  <call method="GET" url="/api"></call>\n</api_activity>'
    )


@pytest.mark.slow
async def test_very_many_requests(start_agent: StartAgent) -> None:
    driver = start_agent()
    driver.pages["/api"] = (200, {}, "{}")
    await driver.show(
        """<button onclick="run()">Go</button><script>
        async function run() { for (let n = 0; n < 13; n++) await fetch('/api', {method: 'PUT', body: 'n' + n})
          document.body.append('done') }</script>"""
    )
    told = await driver.do("click", id=1)
    assert "<api_activity>\n  (3 calls before these)\n" in told
    assert told.count("<call ") == 10
    assert "    n12\n" in told


@pytest.mark.slow
async def test_a_change_that_elements_do_not_show(start_agent: StartAgent) -> None:
    driver = start_agent()
    await driver.show("<button onclick=\"out.textContent = 'sold out'\">Buy</button><p id=out></p>")
    assert "[Target Update]" in await driver.do("click", id=1)
    assert await driver.do("text") == (
        '<command_result action="text">\n| Buy\n|\n| sold out\n</command_result>\n\n'
        "<browsing_context>\n[Target Unchanged]\nURL: http://site/\n</browsing_context>"
    )


@pytest.mark.slow
async def test_page_change_without_snapshot_change_is_reported_as_unchanged(start_agent: StartAgent) -> None:
    """A class alone: the page is another one, though its snapshot is the same."""
    driver = start_agent()
    await driver.show("<button onclick=\"this.className = 'on'\">Buy</button>")
    told = await driver.do("click", id=1)
    assert told == "<browsing_context>\n[Target Unchanged]\nURL: http://site/\n</browsing_context>"


@pytest.mark.slow
async def test_an_address_is_told_without_its_query(start_agent: StartAgent) -> None:
    driver = start_agent()
    driver.pages["/a"] = "<p>page"
    told = await driver.do("open_tab", url=driver.url("/a?token=geheim#access_token=geheim"))
    assert "URL: http://site/a\n" in told
    assert "geheim" not in told
    assert "URL: http://site/a#/inbox\n" in await driver.do("goto", url=driver.url("/a#/inbox?key=geheim"))


@pytest.mark.slow
async def test_a_long_value_is_cut_in_its_middle(start_agent: StartAgent) -> None:
    shown = await start_agent().show(f"<textarea>first {'word ' * 300}last</textarea>")
    value = shown.partition('value="')[2].partition('"')[0]
    assert value.startswith("first word") and value.endswith("word last") and "…" in value
    assert len(value) == 400
