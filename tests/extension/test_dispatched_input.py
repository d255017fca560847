"""Input in the user's own browser without its debugger: whole lines, and what pages see of them."""

from __future__ import annotations

from tests.extension.driving import Driven, driven, untrusted

__all__ = ["driven", "untrusted"]


async def test_a_click_is_a_scripts(untrusted: Driven) -> None:
    await untrusted.show("<button onclick='this.textContent = event.isTrusted'>b</button>")
    assert 'button "false"' in await untrusted("click b")


async def test_typing_and_sending(untrusted: Driven) -> None:
    await untrusted.show(
        "<form onsubmit='document.title = query.value; return false'><label>Query <input name=query></label></form>"
    )
    assert 'value: "Grüße 👩"' in await untrusted('type Query "Grüße 👩"')
    await untrusted.ok("press enter")
    assert (await untrusted("title")).endswith('"Grüße 👩"')
    await untrusted.ok("press control+a")
    await untrusted.ok("press backspace")
    assert (await untrusted("value Query")).endswith('""')
