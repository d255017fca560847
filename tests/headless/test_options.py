"""Options and choices, each for what it alone does."""

from __future__ import annotations

from typing import Any

import pytest

KEYS = """<button onclick="document.title = event.altKey + ' ' + event.ctrlKey + ' ' + event.shiftKey">Go</button>"""


@pytest.mark.parametrize(
    ("option", "told"),
    [("--alt", "true false false"), ("--ctrl", "false true false"), ("--shift", "false false true")],
)
async def test_a_click_with_a_key_held(oryn: Any, option: str, told: str) -> None:
    await oryn.show(KEYS)
    await oryn.ok(f"click Go {option}")
    assert f'"{told}"' in await oryn("title")


@pytest.mark.slow
async def test_force_presses_what_is_covered(oryn: Any) -> None:
    await oryn.show(
        """<button onclick="document.title = 'reached'">Go</button>
        <div style="position:fixed;inset:0;background:#fff" onclick="document.title = 'cover'"></div>"""
    )
    assert (await oryn("click Go")).startswith("error click")
    await oryn.ok("click Go --force")
    assert '"cover"' in await oryn("title"), "the press is a real one: what lies on top gets it"


async def test_dialogs_answered_by_themselves_until_they_are_not(oryn: Any) -> None:
    await oryn.show("""<button onclick="document.title = confirm('Sure?')">Ask</button>""")
    await oryn.ok("dialog auto accept")
    assert '+ dialog confirm "Sure?" (accepted)' in await oryn("click Ask")
    await oryn.ok("dialog auto dismiss")
    assert '+ dialog confirm "Sure?" (dismissed)' in await oryn("click Ask")
    assert '"false"' in await oryn("title")
    await oryn.ok("dialog auto off")
    assert '+ dialog confirm "Sure?"\n' in await oryn("click Ask") + "\n"
    await oryn.ok("dialog dismiss")


@pytest.mark.slow
async def test_login_and_search_wait_for_what_follows(oryn: Any) -> None:
    oryn.pages["/home"] = "<title>Home</title>"
    later = "event.preventDefault(); setTimeout(() => location = '/home', 700)"
    await oryn.show(f'<form onsubmit="{later}"><input type=email><input type=password><button>Sign in</button></form>')
    assert '"Home"' in await oryn('login "ann@example.org" "pw" --wait 5s')
    await oryn.show(
        f'<form role=search onsubmit="{later}"><input type=search name=q><button>Find</button></form>', "/s"
    )
    assert '"Home"' in await oryn('search "fern" --wait 5s')


async def test_a_page_down_is_less_than_a_screen(oryn: Any) -> None:
    await oryn.show("<body style='height:5000px'>")
    assert "at 0," in await oryn.ok("scroll down --page")
    height = await oryn.session.page.evaluate("innerHeight")
    assert 0.5 * height < await oryn.session.page.evaluate("scrollY") <= height


async def test_local_storage_by_name(oryn: Any) -> None:
    await oryn.show("<p>x")
    await oryn.ok('storage set theme "dark" --local')
    assert await oryn("storage get theme --local") == 'ok storage get theme --local\n\n"dark"'
    assert '"theme": "dark"' in await oryn("storage list --local")
    assert await oryn("storage list --session") == "ok storage list --session"
    await oryn.ok("storage delete theme --local")
    await oryn.ok('storage set a "1" --session')
    await oryn.ok("storage clear --local")
    assert await oryn("storage get a --session") == 'ok storage get a --session\n\n"1"'
    await oryn.ok("storage delete a --session")
    assert await oryn("storage list --session") == "ok storage list --session"


async def test_typing_clears_first_and_may_take_its_time(oryn: Any) -> None:
    await oryn.show("""<input aria-label=Name value=old oninput="(window.times ??= []).push(performance.now())">""")
    await oryn.ok('type Name "new" --clear --delay 40')
    assert '"new"' in await oryn("value Name")
    first, *_, last = await oryn.session.page.evaluate("times.slice(-3)")
    assert last - first >= 70


@pytest.mark.parametrize(
    ("line", "change"),
    [
        ("wait enabled Go", "b.disabled = false"),
        ("wait disabled Stop", "c.disabled = true"),
        ('wait exists "#new"', "document.body.insertAdjacentHTML('beforeend', '<p id=new>')"),
        ('wait gone "#old"', "old.remove()"),
        ('wait items "li" 3', "list.innerHTML += '<li>'.repeat(2)"),
        ('wait text "Item * of 12"', "list.innerHTML += '<li>Item<b> 3 of 12</b>'"),
        ('wait text "until 300 ms are over" --gone', "document.querySelector('q').remove()"),
        ('wait url "#there"', "location.hash = 'there'"),
        ("wait load", "1"),
        ("wait ready", "1"),
    ],
)
async def test_waits(oryn: Any, line: str, change: str) -> None:
    await oryn.show(
        f"""<button id=b disabled>Go</button><button id=c>Stop</button><p id=old></p><q>until 300 ms are over</q><ul id=list><li></ul>
        <script>setTimeout(() => {{ {change} }}, 300)</script>"""
    )
    await oryn.ok(line)
