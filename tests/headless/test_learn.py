"""`learn`: what is done twice on pages of one kind becomes a proposal; what is secret is never held."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from oryn.engine.command_history import MAX_COMMANDS, RecordedCommand, page_pattern
from oryn.engine.definitions.proposals import find_repeated
from oryn.intents import FileIntentLibrary
from oryn.language import Press, parse

FIND = """<title>Shop</title><form action=/found><input type=search name=q aria-label=Find></form>
 <form action=/in><label>Mail <input name=m></label><label>Password <input type=password></label><button>Sign in</button></form>"""


@pytest.fixture
def shop(oryn: Any, tmp_path: Path) -> Any:
    oryn.session.library = lambda: FileIntentLibrary(tmp_path / "intents", tmp_path / "packs")
    oryn.pages["/shop"] = FIND
    oryn.pages["/found"] = "<title>Found</title><a href=/item/1>fern</a><a href=/item/2>palm</a>"
    for number in (1, 2):
        oryn.pages[f"/item/{number}"] = "<title>Item</title><button onclick=\"document.title = 'Added'\">Add</button>"
    oryn.pages["/in"] = "<title>In</title>"
    return oryn


async def buy(oryn: Any, what: str) -> None:
    await oryn.ok(f"goto {oryn.pages.url('/shop')}")
    await oryn.ok(f'type search "{what}" --enter')
    await oryn.ok(f'click "{what}"')
    await oryn.ok("observe")
    await oryn.ok("click 1")


@pytest.mark.slow
async def test_repeated_sequence_becomes_a_runnable_proposal(shop: Any, tmp_path: Path) -> None:
    await buy(shop, "fern")
    assert await shop("learn status") == "ok learn status\n\n0 proposals, 3 commands watched"
    assert await shop("learn show") == "ok learn show\n\nno proposals"
    await buy(shop, "palm")
    assert await shop("learn status") == (
        "ok learn status\n\n1 proposal, 6 commands watched\nlearned_1: 3 steps, seen 2 times"
    )
    assert await shop("learn show") == (
        "ok learn show\n\n| name: learned_1\n| version: '1'\n"
        f"| description: Learnt on 127.0.0.1:{shop.pages.server.server_port}/shop\n"
        "| parameters:\n|   search: {}\n| steps:\n"
        '| - type search "{{search}}" --enter\n| - click "{{search}}"\n| - click "Add"'
    )
    file = tmp_path / "intents" / "purchase.yaml"
    assert await shop("learn save purchase") == (
        f"ok learn save purchase\n\nsaved {file}\nrun purchase --search <text>"
    )
    assert await shop("learn status") == "ok learn status\n\n0 proposals, 6 commands watched"
    await shop.ok(f"goto {shop.pages.url('/shop')}")
    assert "/item/2" in await shop("run purchase --search palm")
    assert '"Added"' in await shop("title")


@pytest.mark.slow
async def test_equal_values_do_not_become_parameters(shop: Any) -> None:
    await buy(shop, "fern")
    await buy(shop, "fern")
    await shop("output json")
    (data,) = json.loads(await shop("learn show"))["result"]
    assert data["steps"] == ['type search "fern" --enter', 'click "fern"', 'click "Add"']
    assert "parameters" not in data


@pytest.mark.slow
async def test_no_credential_is_held(shop: Any) -> None:
    for mail in ("ada", "bob"):
        await shop.ok(f"goto {shop.pages.url('/shop')}")
        await shop.ok("observe")
        await shop.ok(f'type 2 "{mail}"')
        await shop.ok('type 3 "hunter2"')
        await shop.ok('fill_form {"Password": "hunter2"}')
        await shop.ok('login "ada" "hunter2"')
    assert "hunter2" not in repr(list(shop.session.history.commands))
    answer = await shop("learn show")
    assert '| - type "Mail" "{{mail}}"\n| - type "Password" "{{password}}"\n' in answer
    assert '| - login "ada" "{{password_3}}"' in answer
    assert "|   password:\n|     secret: true\n" in answer


@pytest.mark.slow
async def test_failed_and_unrelated_commands_are_not_learned(shop: Any) -> None:
    for _ in range(2):
        await shop.ok(f"goto {shop.pages.url('/shop')}")
        await shop.ok('type search "fern"')
        await shop('click "Nowhere"')
        await shop.ok('type "Mail" "ada"')
        await shop.ok("goto about:blank")
    assert (await shop("learn status")).endswith("0 proposals, 4 commands watched")


@pytest.mark.slow
async def test_proposals_are_discarded_one_or_all(shop: Any) -> None:
    assert await shop("learn discard") == "ok learn discard\n\n0 dropped"
    assert (await shop("learn save x")).startswith("error learn save x: nothing was learnt yet")
    for _ in range(2):
        await buy(shop, "fern")
        await shop.ok(f"goto {shop.pages.url('/shop')}")
        await shop.ok('type "Mail" "ada"')
        await shop.ok("press tab")
    assert "2 proposals" in await shop("learn status")
    assert (await shop("learn save x")).startswith(
        "error learn save x: which proposal is to be x?\n\n# hint\nThere are learned_1, learned_2: save one by its name"
    )
    assert (await shop("learn discard nothing")).startswith("error learn discard nothing: no proposal nothing")
    assert await shop("learn discard learned_1") == "ok learn discard learned_1\n\n1 dropped"
    assert "1 proposal, " in await shop("learn status")
    assert "run learned_2" in await shop("learn save learned_2")
    assert (await shop("learn discard")).endswith("0 dropped")


async def test_learn_save_does_not_overwrite_an_intent(shop: Any, tmp_path: Path) -> None:
    (tmp_path / "intents").mkdir()
    (tmp_path / "intents" / "mine.yaml").write_text("not even an intent")
    await buy(shop, "fern")
    await buy(shop, "fern")
    assert (await shop("learn save mine")).startswith("error learn save mine: there is an intent mine already")
    assert (await shop("learn save '../x'")).startswith('error learn save "../x": name: not a name')
    assert (tmp_path / "intents" / "mine.yaml").read_text() == "not even an intent"
    assert "1 proposal" in await shop("learn status")


@pytest.mark.slow
async def test_without_files_nothing_can_be_saved(oryn: Any) -> None:
    await oryn.show("<title>A</title><button>B</button>")
    for _ in range(4):
        await oryn.ok('click "B"')
        await oryn.ok("press tab")
    assert (await oryn("learn save x")).startswith("error learn save x: this session saves no files")
    assert '"name": "learned_1"' in await oryn("learn show")


# --- pure --------------------------------------------------------------------------------------------------------------


def history_of(letters: str) -> list[RecordedCommand]:
    """A history of commands that are told apart by a letter; a space begins anew on another page."""
    found, fresh = [], True
    for letter in letters:
        if letter == " ":
            fresh = True
            continue
        command = parse(f"press {letter}").command
        assert isinstance(command, Press)
        found.append(RecordedCommand(command, (), "a.example", fresh))
        fresh = False
    return found


@pytest.mark.parametrize(
    ("history", "sequences"),
    [
        ("", {}),
        ("ab", {}),
        ("aa", {}),
        ("abab", {"ab": 2}),
        ("ab ab", {"ab": 2}),
        ("ab a b", {}),
        ("ababab", {"ab": 3}),
        ("abcxabc", {"abc": 2}),
        ("abc abc ab", {"abc": 2}),
        ("abcabca", {"abc": 2}),
        ("ab cd ab cd", {"ab": 2, "cd": 2}),
        ("aaaa", {"aa": 2}),
    ],
)
def test_which_sequences_are_repeated(history: str, sequences: dict[str, int]) -> None:
    found = find_repeated(history_of(history))
    assert {"".join(key[-1] for key in keys): len(places) for keys, places in found.items()} == sequences


def test_a_long_history_is_searched_quickly_and_bounded() -> None:
    letters = ("abcdefghij" * MAX_COMMANDS)[: MAX_COMMANDS * 2]
    assert find_repeated(history_of(letters[:MAX_COMMANDS]))
    assert MAX_COMMANDS <= 500


@pytest.mark.parametrize(
    ("url", "pattern"),
    [
        ("https://shop.example/plants/fern?x=1#y", "shop.example/plants/*"),
        ("https://shop.example/plants/palm", "shop.example/plants/*"),
        ("https://shop.example/", "shop.example"),
        ("https://shop.example/a/123/b", "shop.example/a/*/*"),
        ("https://shop.example/search?q=secret", "shop.example/search"),
    ],
)
def test_pages_of_one_kind(url: str, pattern: str) -> None:
    assert page_pattern(url) == pattern
