"""Login codes on pages: in one field or a box for each digit, once, and in nothing that anybody sees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from oryn.system import paths
from oryn.vault import Vault
from oryn.vault.sources import parse_reference
from oryn.vault.totp import parse_one_time_password

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("quick_key_derivation")]

KEY = parse_one_time_password("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
NOW = 1_790_000_010.0
"""The beginning of a window."""
CODE = KEY.code(int(NOW // 30))
TYPE = 'type Code "{{vault:shop.totp}}"'


class Clock:
    """A clock that only waits move."""

    def __init__(self) -> None:
        self.now = NOW

    def time(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def vault(oryn: Any, tmp_path: Path, clock: Clock) -> Vault:
    found = Vault(paths.find({"ORYN_HOME": str(tmp_path)}), "file", {}, clock=clock.time, sleep=clock.sleep)
    found.store_one_time_password("shop.totp", KEY, [oryn.pages.url().rstrip("/")])
    oryn.session.vault = lambda: found
    return found


def boxes(script: str, attributes: str = "maxlength=1", count: int = 6, *, dash: bool = False) -> str:
    """A page with a row of boxes, whose script has them as `all`."""
    row = [
        f"<input {attributes} style='width: 40px' aria-label='{'Code' if not at else f'Digit {at + 1}'}'>"
        + ("<span> - </span>" if dash and at == count // 2 - 1 else "")
        for at in range(count)
    ]
    return (
        f"<form><input aria-label=Name style='width: 40px'></form><div id=row>{''.join(row)}</div>"
        f"<script>const all = [...document.querySelectorAll('#row input')]; {script}</script>"
    )


MOVES = "all.forEach((box, at) => box.oninput = () => box.value.length >= box.maxLength && all[at + 1]?.focus());"
PASTES = (
    "all.forEach((box) => { box.onbeforeinput = (event) => event.preventDefault(); box.onpaste = (event) => {"
    "event.preventDefault(); [...event.clipboardData.getData('text')].forEach((digit, at) => all[at].value = digit) } })"
)
KEYS = (
    "all.forEach((box, at) => box.onkeydown = (event) => { if (/^[0-9]$/.test(event.key)) { event.preventDefault();"
    "box.value = event.key; all[at + 1]?.focus() } else if (event.key !== 'Tab') event.preventDefault() })"
)
CODES_OF_KEYS = (
    "all.forEach((box, at) => box.onkeydown = (event) => { if (event.keyCode < 48 || event.keyCode > 57)"
    "event.preventDefault() }); " + MOVES
)
RENDERS = """
  let digits = Array(6).fill('');
  const row = document.getElementById('row');
  const render = (focus) => { row.innerHTML = digits.map((digit, at) =>
    `<input style='width: 40px' value='${digit}' aria-label='${at ? 'Digit ' + (at + 1) : 'Code'}'>`).join('');
    [...row.children].forEach((box, at) => { box.value = digits[at]; box.oninput = () => {
      digits = digits.map((digit, other) => (other === at ? box.value.slice(-1) : digit)); render(at + 1) } });
    row.children[focus]?.focus() };
  render(0);
"""
CONTROLLED = """
  let state = Array(6).fill('');
  all.forEach((box, at) => { const seen = () => state; let closed = state;
    box.oninput = () => { const next = [...closed]; next[at] = box.value.slice(-1);
      queueMicrotask(() => { state = next; all.forEach((each, i) => { each.value = state[i] }) }); };
    setInterval(() => { closed = state }, 0); });
"""
FIRST_TAKES_ALL = (
    "all[0].maxLength = 6; all[0].oninput = () => { if (all[0].value.length > 1) { const text = all[0].value;"
    "all.forEach((box, at) => box.value = text[at]) } };" + MOVES.replace("all.forEach", "all.slice(1).forEach")
)


@pytest.mark.parametrize(
    "page",
    [
        boxes(""),
        boxes(MOVES),
        boxes(MOVES, dash=True),
        boxes(MOVES, "maxlength=1 inputmode=numeric autocomplete=one-time-code"),
        boxes(MOVES, "type=number"),
        boxes(MOVES, "type=password maxlength=1"),
        boxes(MOVES, "type=tel"),
        boxes(PASTES),
        boxes(KEYS),
        boxes(CODES_OF_KEYS),
        boxes(CONTROLLED),
        boxes(FIRST_TAKES_ALL),
        boxes("all.forEach((box, at) => box.onkeyup = () => setTimeout(() => all[at + 1]?.focus()))"),
        boxes("all[0].onpaste = (event) => event.preventDefault(); " + MOVES),
        boxes(MOVES, "maxlength=3", 2),
        boxes(MOVES, "maxlength=2", 3),
    ],
    ids=lambda page: None,
)
async def test_a_box_for_each_digit(oryn: Any, vault: Vault, page: str) -> None:
    await oryn.show(page)
    answer = await oryn.ok(TYPE)
    held = "[...document.querySelectorAll('#row input')].map((box) => box.value).join('')"
    assert await oryn.session.page.evaluate(held) == CODE
    await oryn.ok(TYPE)  # in the place of the last one
    assert await oryn.session.page.evaluate(held) == KEY.code(int(NOW // 30) + 1)
    seen = answer + await oryn("observe --full") + await oryn("html") + await oryn("text")
    assert CODE not in seen
    assert not any(f'value: "{digit}' in seen for digit in "0123456789")


async def test_boxes_that_are_rendered_anew(oryn: Any, vault: Vault) -> None:
    await oryn.show(boxes(RENDERS))
    answer = await oryn(TYPE)
    held = await oryn.session.page.evaluate(
        "[...document.querySelectorAll('#row input')].map((box) => box.value).join('')"
    )
    assert (answer.startswith("ok "), held) == (True, CODE)


async def test_one_field_shows_dots(oryn: Any, vault: Vault) -> None:
    await oryn.show("<input aria-label=Code maxlength=6 inputmode=numeric autocomplete=one-time-code>")
    before = await oryn.session.page.evaluate("document.querySelector('input').getBoundingClientRect().width")
    answer = await oryn.ok(TYPE)
    style = "getComputedStyle(document.querySelector('input')).webkitTextSecurity"
    assert await oryn.session.page.evaluate("document.querySelector('input').value") == CODE
    assert await oryn.session.page.evaluate(style) == "disc" and before
    assert CODE not in answer + await oryn("observe")


async def test_boxes_that_take_nothing_are_as_before(oryn: Any, vault: Vault) -> None:
    await oryn.show(boxes("all.forEach((box) => { box.value = 'x'; box.onbeforeinput = (e) => e.preventDefault() })"))
    answer = await oryn(TYPE)
    assert answer.startswith("error ")
    assert "the page did not keep the text put into the field" in answer
    look = "all.map((box) => [box.value, getComputedStyle(box).webkitTextSecurity])"
    assert await oryn.session.page.evaluate(look) == [["x", "none"]] * 6


async def test_a_row_of_other_fields_is_not_filled(oryn: Any, vault: Vault) -> None:
    """A value that is no code goes into one field, whatever stands beside it."""
    vault.store("shop.pin", "837261")
    await oryn.show(boxes("", "size=3"))
    await oryn.ok('type Code "{{vault:shop.pin}}"')
    assert await oryn.session.page.evaluate("all.map((box) => box.value)") == ["837261", "", "", "", "", ""]


async def test_a_code_is_used_once(oryn: Any, vault: Vault, clock: Clock) -> None:
    await oryn.show("<input aria-label=Code>")
    used = []
    for _ in range(5):
        await oryn.ok(TYPE)
        used.append(await oryn.session.page.evaluate("document.querySelector('input').value"))
    step = int(NOW // 30)
    assert used == [KEY.code(step + at) for at in range(5)]
    assert clock.now == (step + 4) * 30
    assert json.dumps(used) not in await oryn("text")


async def test_a_code_goes_to_no_other_site(oryn: Any, vault: Vault, clock: Clock) -> None:
    vault.store_one_time_password("bank.totp", KEY, ["https://bank.example"])
    await oryn.show("<input aria-label=Code>")
    answer = await oryn('type Code "{{vault:bank.totp}}"')
    assert "bank.totp of the vault is not for" in answer
    assert await oryn.session.page.evaluate("document.querySelector('input').value") == ""
    await oryn.ok(TYPE)  # no code was used up
    assert (await oryn.session.page.evaluate("document.querySelector('input').value"), clock.now) == (CODE, NOW)


@pytest.mark.slow
@pytest.mark.parametrize("page", ["<input aria-label=Code>", boxes(MOVES)], ids=["one", "boxes"])
async def test_a_picture_shows_no_code(oryn: Any, vault: Vault, tmp_path: Path, page: str) -> None:
    """Pictures of two different codes are the same."""
    await oryn.show(page)
    pictures = []
    for at in range(2):
        await oryn.ok(TYPE)
        await oryn.session.page.evaluate("document.activeElement.blur()")
        file = tmp_path / f"{at}.png"
        await oryn.ok(f"screenshot --output {file}")
        pictures.append(file.read_bytes())
    await oryn.session.page.evaluate(
        "document.querySelectorAll('input').forEach((box) => box.style.removeProperty('-webkit-text-security'))"
    )
    await oryn.ok(f"screenshot --output {tmp_path / 'plain.png'}")
    assert pictures[0] == pictures[1] != (tmp_path / "plain.png").read_bytes()


async def test_a_secret_of_a_password_manager(oryn: Any, tmp_path: Path) -> None:
    program = tmp_path / "op"
    program.write_text("#!/bin/sh\nprintf 'correct horse'\n")
    program.chmod(0o755)
    vault = Vault(paths.find({"ORYN_HOME": str(tmp_path)}), "file", {"PATH": str(tmp_path)})
    vault.allow_source(parse_reference("op://Work/Shop"), [oryn.pages.url().rstrip("/")])
    vault.allow_source(parse_reference("op://Work/Bank"), ["https://bank.example"])
    oryn.session.vault = lambda: vault
    await oryn.show("<input aria-label=Word oninput='document.title = this.value'>")
    line = 'type "Word" "{{vault:op://Work/Shop/password}}"'
    assert (await oryn.ok(line)).startswith(f"ok {line}")
    assert await oryn.session.page.evaluate("document.title") == "correct horse"
    assert await oryn("title") == 'ok title\n\n"••••"'
    for name, what in (("op://Work/Bank/pin", "is not for"), ("op://Work/Other/pin", "the user has allowed")):
        answer = await oryn(f'type Word "{{{{vault:{name}}}}}"')
        assert answer.startswith("error") and what in answer
