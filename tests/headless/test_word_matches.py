"""Texts of targets are words that people read and type: characters that nobody sees don't count, and a part of a word
is not taken silently."""

from __future__ import annotations

import pytest

from tests.headless.conftest import Driver

UNSEEN = """<button onclick="document.title = 'summary'">Zusammen&shy;fassung</button>
<button onclick="document.title = 'privacy'">Daten&#8203;schutz</button>
<button onclick="document.title = 'discarded'">Don’t save…</button>
<a href="#" onclick="document.title = 'cafe'">Cafe&#769;&nbsp;Central</a>
<p>„Die Donau&shy;dampf&shy;schifffahrt“ 2019–2024 &rlm;&lrm;ends</p>"""


@pytest.mark.parametrize(
    ("target", "title"),
    [
        ("Zusammenfassung", "summary"),
        ("Datenschutz", "privacy"),
        ("Don't save...", "discarded"),
        ("don't save", "discarded"),
        ("Café Central", "cafe"),
    ],
)
async def test_what_nobody_sees_or_types_does_not_count(oryn: Driver, target: str, title: str) -> None:
    await oryn.show(UNSEEN)
    assert f'~ title: "{title}"' in await oryn.ok(f'click "{target}"')


@pytest.mark.parametrize("text", ['\\"Die Donaudampfschifffahrt\\"', "2019-2024 ends", "donaudampfschifffahrt"])
async def test_nor_in_questions_about_a_text(oryn: Driver, text: str) -> None:
    await oryn.show(UNSEEN)
    assert (await oryn.ok(f'exists "{text}"')).endswith("\n\nyes")
    await oryn.ok(f'wait visible "{text}"')


@pytest.mark.parametrize(
    ("page", "wanted"),
    [
        ("<button onclick=\"document.title = 'hit'\">Delete the environment</button>", "Iron"),
        ("<a href=# onclick=\"document.title = 'hit'\">Unsubscribe</a>", "subscribe"),
        ("<div role=button tabindex=0 onclick=\"document.title = 'hit'\">Cancel reorder</div>", "Order"),
        ("<my-card></my-card><script>customElements.define('my-card', class extends HTMLElement { constructor() {"
         "super(); this.attachShadow({mode: 'open'}).innerHTML = '<button>Border</button>';"
         "this.shadowRoot.firstChild.onclick = () => { document.title = 'hit' } } })</script>", "order"),
        ("<button onclick=\"document.title = 'hit'\" id=environment>Go</button>", "Iron"),
    ],
)  # fmt: skip
async def test_a_text_inside_of_a_word_is_not_found(oryn: Driver, page: str, wanted: str) -> None:
    await oryn.show(page)
    assert (await oryn(f'click "{wanted}"')).startswith(f'error click "{wanted}": element not found')
    assert (await oryn.ok(f'exists "{wanted}"')).endswith("\n\nno")
    assert (await oryn.ok("title")).endswith('""')


async def test_the_beginning_of_a_word_is_noted(oryn: Driver) -> None:
    await oryn.show("<button onclick=\"document.title = 'hit'\">Settings</button>")
    answer = await oryn.ok('click "Sett"')
    assert '"Sett" only begins a word of [1] button "Settings"' in answer
    assert '~ title: "hit"' in answer


async def test_but_what_shows_the_text_is_pressed_rather(oryn: Driver) -> None:
    await oryn.show("<button>42 rooms</button><div onclick=\"document.title = 'hit'\" style='cursor:pointer'>4</div>")
    assert '~ title: "hit"' in await oryn.ok('click "4"')


@pytest.mark.parametrize(("name", "wanted"), [("立即登录", "登录"), ("ログインする", "ログイン"), ("เข้าสู่ระบบ", "ระบบ")])
async def test_words_of_languages_without_spaces_are_found(oryn: Driver, name: str, wanted: str) -> None:
    await oryn.show(f"<button onclick=\"document.title = 'hit'\">{name}</button>")
    answer = await oryn.ok(f'click "{wanted}"')
    assert '~ title: "hit"' in answer and "# note" not in answer


@pytest.mark.parametrize(
    "page",
    [
        "<button onclick=\"document.title = 'hit'\"><div>New</div><div>Order</div></button>",
        "<a href=# onclick=\"document.title = 'hit'\"><span>Order</span><span>12</span></a>",
        "<table><tr onclick=\"document.title = 'hit'\"><td>Ada</td><td>Order</td></tr></table>",
    ],
)
async def test_words_that_stand_apart_on_the_page_are_words(oryn: Driver, page: str) -> None:
    await oryn.show(page)
    answer = await oryn.ok('click "Order"')
    assert '~ title: "hit"' in answer and "# note" not in answer


async def test_suggestions_share_words_and_no_letters(oryn: Driver) -> None:
    await oryn.show("<button>Delete the environment</button><button>Sign in</button>")
    await oryn.ok("observe")
    assert "Did you mean" not in await oryn('click "Iron"')
    assert 'Did you mean [2] button "Sign in"?' in await oryn('click "Sing in"')
