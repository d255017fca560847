"""`program save`: a program becomes an intent with parameters, which runs as a program does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from oryn.engine import Answer
from oryn.errors import OrynError
from oryn.intents import FileIntentLibrary
from oryn.language import Line, Program, ProgramSave
from oryn.sandbox.monty import new_interpreter
from tests.headless.conftest import Driver

pytest.importorskip("pydantic_monty")

SHOP = """<link rel=icon href=data:,><title>shop</title>
<button onclick="add('fern')">Fern</button><button onclick="add('palm')">Palm</button>
<button onclick="alert('stop')">Warn</button>
<p id=cart>cart:</p><label>Name <input id=name></label><label>Password <input type=password id=password></label>
<script>function add(name) { document.getElementById('cart').textContent += ' ' + name }</script>"""
BUY = """plants = ["Fern"]  # what to buy
times = 1
for number in range(times):
    for plant in plants:
        click(plant)
text(selector="#cart")"""


@pytest.fixture
def shop(oryn: Driver, tmp_path: Path, run: Any) -> Driver:
    oryn.session.new_interpreter = new_interpreter
    oryn.session.library = lambda: FileIntentLibrary(tmp_path / "intents", tmp_path / "packs")
    run(oryn.show(SHOP))
    return oryn


async def run_program(oryn: Driver, text: str) -> Answer:
    return await oryn.session.execute(Line.of(Program(text=text)))


def error_of(answer: Answer) -> OrynError:
    assert answer.error is not None, answer.render()
    return answer.error


@pytest.mark.slow
async def test_the_last_program_is_saved_and_runs_with_other_values(shop: Driver, tmp_path: Path) -> None:
    assert (await run_program(shop, BUY)).ok
    assert not (await run_program(shop, "click('Cactus', timeout=1)")).ok
    file = tmp_path / "intents" / "order.yaml"
    assert await shop("program save order") == (
        f"ok program save order\n\nsaved {file}\nrun order [--plants <list>] [--times <number>]"
    )
    assert file.read_text() == (
        "name: order\nversion: '1'\nparameters:\n  plants:\n    type: list\n    default:\n    - Fern\n"
        "    description: what to buy\n  times:\n    type: number\n    default: 1\n"
        "program: |\n  for number in range(times):\n      for plant in plants:\n          click(plant)\n"
        '  text(selector="#cart")\n'
    )
    await shop.show(SHOP)
    answer = await shop.ok('run order --plants "Fern,Palm" --times 2')
    assert "| cart: fern palm fern palm" in answer
    assert "5 commands in" in answer
    assert "run order [--plants <list>] [--times <number>]  (file)" in await shop("intents")
    await shop.ok("program save again")
    assert "plants" in (tmp_path / "intents" / "again.yaml").read_text()


async def test_a_file_or_a_text_is_saved_without_running(shop: Driver, tmp_path: Path) -> None:
    (tmp_path / "look.py").write_text('"""Reads the cart."""\ntext(selector=selector)')
    assert "run look --selector <text>" in await shop(f"program save look {tmp_path / 'look.py'}")
    assert "| cart:" in await shop('run look --selector "#cart"')
    saved = await shop.session.execute(Line.of(ProgramSave("press", text="click(plant)")))
    assert saved.command == "program save press"
    assert saved.data["usage"] == "run press --plant <text>"
    invalid = await shop.session.execute(Line.of(ProgramSave("broken", text="click(")))
    assert error_of(invalid).message.startswith("line 1, column 6")


async def test_what_can_not_be_saved_is_refused(shop: Driver) -> None:
    assert "no program of this session has ended well" in await shop("program save order")
    await run_program(shop, "click('Fern')")
    await shop.ok("program save order")
    assert "there is an intent order already" in await shop("program save order")


async def test_a_typed_password_becomes_a_parameter_that_the_program_can_not_read(shop: Driver, tmp_path: Path) -> None:
    assert (await run_program(shop, 'type("Password", "swordfish9")')).ok
    assert "run enter --password <text>" in await shop("program save enter")
    file = tmp_path / "intents" / "enter.yaml"
    assert "swordfish9" not in file.read_text()
    answer = await shop.ok("run enter --password tr0ubador")
    assert "tr0ubador" not in answer
    value = await shop.session.page.evaluate("document.getElementById('password').value", None, timeout=5)
    assert value == "tr0ubador"
    file.write_text(
        "name: enter\nparameters:\n  password: {secret: true}\nprogram: |\n"
        "  type('Name', password)\n  print(password, str(password), repr(password))\n"
        "  for name in ['text', '_text', 'fields']:\n"
        "    try:\n      print(getattr(password, name))\n    except AttributeError:\n      print('unreadable')\n"
        "  'x' + value('Name')\n"
    )
    answer = await shop("run enter --password tr0ubador")
    assert "tr0ubador" not in answer
    assert answer.count("unreadable") == 3
    assert "fewer than 4 characters" in await shop("run enter --password abc")


async def test_optional_parameters_without_a_value_are_none(shop: Driver, tmp_path: Path) -> None:
    (tmp_path / "intents").mkdir()
    (tmp_path / "intents" / "look.yaml").write_text(
        "name: look\nparameters:\n  who: {required: false}\n  count: {type: number, default: 1.5}\n"
        "  fast: {type: flag}\nprogram: '[who, count, fast]'\n"
    )
    assert "| [null, 1.5, false]" in await shop("run look --fast no")
    assert '| ["Ann", 2, true]' in await shop("run look --who Ann --count 2 --fast yes")
    assert "--count is no number" in await shop("run look --count two --fast yes")


@pytest.mark.slow
async def test_surprises_stop_a_saved_program_and_it_goes_on(shop: Driver, tmp_path: Path) -> None:
    await run_program(shop, "click('Fern')\nlen('done')")
    await shop.session.execute(Line.of(ProgramSave("warned", text="click('Warn')\nclick('Fern')")))
    answer = await shop("run warned")
    assert answer.startswith("error run warned")
    assert "a dialog: alert" in answer
    resume = answer.partition("program --from ")[2].partition("'")[0]
    await shop.ok(f"program --from {resume}")


@pytest.mark.slow
async def test_an_intent_of_steps_runs_a_program_and_a_program_an_intent(shop: Driver, tmp_path: Path) -> None:
    await shop.session.execute(Line.of(ProgramSave("buy", text='"""Buys."""\nclick(plant)')))
    await shop.session.execute(Line.of(ProgramSave("warn", text="click('Warn')")))
    await shop.session.execute(Line.of(ProgramSave("loop", text="run('loop')")))
    (tmp_path / "intents" / "both.yaml").write_text(
        "name: both\nsteps:\n- run buy --plant Fern\n- run buy --plant Palm\nsuccess: {text: 'cart: fern palm'}\n"
    )
    await shop.ok("run both")
    answer = await run_program(shop, "run('both')\nrun('buy', plant='Fern')\ntext(selector='#cart')")
    assert answer.data["value"] == "cart: fern palm fern palm fern", answer.render()
    assert "loop calls itself" in await shop("run loop")
    answer = await run_program(shop, "try:\n    run('warn')\nexcept OrynError:\n    pass\n'went on'")
    assert error_of(answer).code == "PROGRAM_STOPPED"
    (tmp_path / "intents" / "caught.yaml").write_text(
        "name: caught\nsteps:\n- try: {steps: [run warn], catch: [url]}\n"
    )
    assert (await shop("run caught")).startswith("error run caught")


@pytest.mark.slow
async def test_success_conditions_hold_for_a_program(shop: Driver, tmp_path: Path) -> None:
    (tmp_path / "intents").mkdir()
    for name, wanted in (("good", "cart: fern"), ("bad", "cart: palm")):
        (tmp_path / "intents" / f"{name}.yaml").write_text(
            f"name: {name}\nprogram: click('Fern')\nsuccess: {{text: '{wanted}'}}\n"
        )
    await shop.ok("run good")
    assert "all steps are done, but not" in await shop("run bad")


async def test_commands_of_a_program_are_not_learnt_as_lines(shop: Driver) -> None:
    await run_program(shop, "click('Fern')\nclick('Palm')\nclick('Fern')\nclick('Palm')")
    assert "0 proposals, 0 commands watched" in await shop("learn status")


@pytest.mark.slow
async def test_a_loop_of_lines_is_proposed_as_a_program(shop: Driver, tmp_path: Path) -> None:
    shop.pages["/"] = "<title>Plants</title>" + "".join(
        f"<a href=/plants/{n}>{n}</a> " for n in ("fern", "palm", "aloe")
    )
    for name in ("fern", "palm", "aloe"):
        shop.pages[f"/plants/{name}"] = (
            f"<title>{name}</title><label><input type=checkbox> Remind me</label>"
            "<button onclick=\"document.title += '!'; fetch('/bought?' + document.title)\">Buy</button>"
        )
    shop.pages["/bought"] = ""
    await shop.ok(f"goto {shop.pages.url('/')}")
    for name in ("fern", "palm", "aloe"):
        await shop.ok("observe")
        for line in (f'click "{name}"', 'check "Remind me"', 'click "Buy"', "back"):
            await shop.ok(line)
    assert await shop("learn status") == (
        "ok learn status\n\n1 proposal, 9 commands watched\nlearned_1: a program, seen 3 times"
    )
    assert (
        "| parameters:\n|   items:\n|     type: list\n| program: |\n|   for item in items:\n|       click(item)\n"
        '|       check("Remind me")\n|       click("Buy")\n|       back()'
    ) in await shop("learn show")
    assert "run buy_all --items <list>" in await shop("learn save buy_all")
    assert "0 proposals" in await shop("learn status")
    shop.pages.log.clear()
    answer = await shop.ok("run buy_all --items fern,aloe")
    assert "8 commands in" in answer
    bought = [line.partition("/bought?")[2].split("!")[0] for line in list(shop.pages.log) if "/bought?" in line]
    assert bought == ["fern", "aloe"]


async def test_a_program_that_was_run_again_is_proposed(shop: Driver) -> None:
    for plant in ("Fern", "Palm"):
        assert (await run_program(shop, f"click('{plant}')\ntype('Name', '{plant}')")).ok
    assert "learned_1: a program, seen 2 times" in await shop("learn status")
    assert "program: |\n|   click(target)\n|   type('Name', target)" in await shop("learn show")
