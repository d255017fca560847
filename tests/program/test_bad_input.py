"""Programs with mistakes, and those that mean harm: each has one answer that says what is wrong and where, and the
session goes on."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import oryn
from tests.daemon.daemon_process import RunningDaemon
from tests.program.conftest import PAGE, ProgramHost

Count = Callable[[], Awaitable[int]]

SYNTAX = {
    "x = 1 +\n": (1, 8),
    "x = 1\ny = (": (2, 6),
    "if True:\nclick('Buy')": (2, 1),
    "click('Buy')\n  click('Buy')": (2, 1),
    "name = 'unclosed": (1, 8),
    "é = 'é' (": (1, 10),
    "print('a'\nclick('Buy')": (2, 1),
    "class Cart(object): pass": (1, 1),
    "x = 1\ndel x": (2, 1),
    "try:\n    click('Buy')\nexcept OrynError as error:\n    pass\n\nx = (": (6, 6),
}


@pytest.fixture
def count(host: ProgramHost, run: Any) -> Count:
    """Opens the page anew. What it returns says how often its button was pressed."""
    run(host.daemon.ok(f"goto {host.pages.url('/')}"))

    async def pressed() -> int:
        return int((await host.daemon.ok("text --selector '#count'"))["data"]["result"])

    return pressed


@pytest.mark.parametrize("text", SYNTAX)
async def test_a_syntax_error_has_line_and_column_and_nothing_is_done(
    host: ProgramHost, count: Count, text: str
) -> None:
    answer = await host.run(text)
    line, column = SYNTAX[text]
    assert answer["error_kind"] == "invalid_program"
    assert f"line {line}, column {column}: " in answer["error"]
    assert answer["data"]["result"]["commands"] == {}
    assert await count() == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("while True: pass", "not done after 1 s"),
        ("click('Buy')\nwhile True: pass", "not done after 1 s; its last call was in line 1"),
        ("import time\ntime.sleep(60)", "not done after 1 s"),
        ("while True: print('x' * 1_000_000)", "not done after 1 s"),
        ("while True:\n    try: click('Sell', timeout=0)\n    except: pass", "not done after 1 s"),
        ("def again(): again()\nagain()", "line 1, column 14: RecursionError"),
        ("again = lambda: again()\nagain()", "RecursionError"),
        ("while True: title()", "1000 commands are done"),
        ("found = [0] * 1_000_000\nclick(found)", "memory"),
    ],
)
async def test_what_does_not_end_is_ended_with_the_report_of_its_acts(
    host: ProgramHost, text: str, message: str
) -> None:
    answer = await host.run(text, timeout=1 if "title" not in text else 30)
    assert answer["error_kind"] == "program_limit", answer["text"]
    assert message in answer["error"]
    assert answer["data"]["result"]["commands"].get("click", 0) >= text.startswith("click")
    assert await host.value("1 + 1") == 2


async def test_a_million_iterations(host: ProgramHost) -> None:
    assert await host.value("total = 0\nfor n in range(1_000_000): total += n\ntotal") == 499_999_500_000


@pytest.mark.parametrize(
    "text",
    ["print('x' * 10_000_000)", "for n in range(10_000): print('x' * 1000)", "'x' * 10_000_000", "['x'] * 100_000"],
)
async def test_ten_megabytes_of_output_are_cut(host: ProgramHost, text: str) -> None:
    answer = await host.run(text)
    assert answer["ok"], answer["text"]
    assert len(json.dumps(answer)) < 100_000
    assert "characters" in answer["text"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("float('nan')", None),
        ("10 ** 5000", "an integer of 16610 bits"),
        ("'\\ud800'", "\ufffd"),
        ("{1: (2, {3}), (4, 5): b'x'}", {"1": [2, [3]], "[4, 5]": "b'x'"}),
        ("found = []\nfound.append(found)\nfound", ["[...]"]),
        ("found = []\nfor n in range(100_000): found = [found]\nlen(found)", 1),
        ("click", "click"),
        ("", None),
        ("# nothing", None),
    ],
)
async def test_values_that_json_has_no_form_for(host: ProgramHost, text: str, value: object) -> None:
    assert await host.value(text) == value


async def test_a_value_that_is_nested_without_end(host: ProgramHost) -> None:
    value = await host.value("found = []\nfor n in range(100_000): found = [found]\nfound")
    assert json.dumps(value).count("[") == 50


@pytest.mark.parametrize(
    "text",
    [
        "click()", "click(1.5)", "click({'a': 1})", "click(10 ** 30)", "click(10 ** 5000)", "click(-1)", "click(page)",
        "click(observe())", "click('Buy', speed=3)", "click('Buy', double='yes')", "wait(float('nan'))", "wait(-1)",
        "found = []\nfor n in range(900): found = [found]\nclick(found)", "type('Name', 'x' * 200_000)",
        "import time\ntime.sleep(float('nan'))", "import time\ntime.sleep(1e308)", "raise SystemExit(0)",
        "for click in observe(): pass\nclick('Buy')", "title = 'x'\ntitle()", "import requests", "from os import *",
    ],
)  # fmt: skip
async def test_a_mistake_is_an_error_with_its_place(host: ProgramHost, count: Count, text: str) -> None:
    answer = await host.run(text)
    assert answer["error_kind"] == "program_failed", answer["text"]
    assert "Internal" not in answer["text"] or "SystemExit" in text
    assert answer["error"].startswith(f"line {len(text.splitlines())}, column ") or "SystemExit" in text
    assert await count() == 0


async def test_a_program_that_swallows_errors_does_not_hide_them(host: ProgramHost, count: Count) -> None:
    text = "for name in ['Buy', 'Sell', 'Rent']:\n    try: click(name, timeout=0.3)\n    except: pass\n'all done'"
    answer = await host.run(text)
    assert answer["data"]["result"]["value"] == "all done"
    assert answer["data"]["result"]["failed"] == 2
    assert "3 commands in" in answer["text"]
    assert "failed: 2 click" in answer["text"]
    assert await count() == 1


async def test_the_text_of_a_page_that_is_python_is_data(host: ProgramHost) -> None:
    host.pages[
        "/python"
    ] = """<title>click("Buy")</title><h1>'''); click("Buy"); ('''</h1><button onclick="document.title
        = 'pressed'">Buy</button><button>{click("Buy")}</button><button>program --text "click(1)"</button>"""
    await host.daemon.ok(f"goto {host.pages.url('/python')}")
    text = "names = [each.name for each in observe()]\nis_visible(names[1])\n(text() + ' '.join(names) + page.title)"
    assert 'click("Buy")' in await host.value(text)
    assert (await host.daemon.ok("title"))["data"]["result"] == 'click("Buy")'


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("title = title()\ntitle", "shop"),
        ("click = 3\nclick", 3),
        ("text = [text for text in ['a']]\ntext", ["a"]),
        ("def select(each): return each\nselect(4)", 4),
        ("page = page.title\npage", "shop"),
        ("found = [url, title]\nfound[1]()", "shop"),
    ],
)
async def test_a_name_may_be_a_command_and_a_variable(
    host: ProgramHost, count: Count, text: str, value: object
) -> None:
    assert await host.value(text) == value


# --- errors that are caught ---

RAISES = "try:\n    click('Sell', timeout=0.5)\nexcept {} as error:\n    {}"


@pytest.mark.parametrize("caught", ["OrynError", "Exception", "(ValueError, OrynError)"])
async def test_the_fields_of_an_error(host: ProgramHost, count: Count, caught: str) -> None:
    text = RAISES.format(caught, "found = [error.code, error.message, len(error.hint) > 0]\nfound")
    assert await host.value(text) == ["ELEMENT_NOT_FOUND", "element not found", True]


@pytest.mark.parametrize("statement", ["raise", "raise error", "raise error from None", "x = 1; raise error  # again"])
async def test_an_error_that_is_raised_again_is_the_same_one(host: ProgramHost, count: Count, statement: str) -> None:
    answer = await host.run(RAISES.format("OrynError", statement))
    assert answer["error_kind"] == "element_not_found", answer["text"]
    assert answer["error"].startswith('line 2, click "Sell" --timeout 500ms: ')
    assert answer["data"]["result"]["stopped"]["resume"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("try:\n    1 / 0\nexcept Exception as error:\n    found = str(error)\nfound", "division by zero"),
        ("try:\n    raise OrynError('mine')\nexcept OrynError as error:\n    found = error.message\nfound", "mine"),
        (RAISES.format("OrynError", "first = error") + "\ntry:\n    raise first\nexcept OrynError: pass\n1", 1),
        ("def f():\n    try: click('Sell', timeout=0.5)\n    except OrynError as error: return error.code\nf()",
         "ELEMENT_NOT_FOUND"),
        ("async def f():\n    await click('Buy')\n    return await title()\nawait f()", "shop"),
        ("help('click').split()[0]", "click"),
    ],
)  # fmt: skip
async def test_habits_of_python(host: ProgramHost, count: Count, text: str, value: object) -> None:
    assert await host.value(text) == value


async def test_an_attribute_of_the_page_that_can_not_be_read_is_an_error_of_the_command(host: ProgramHost) -> None:
    host.pages["/warning"] = PAGE.replace("add()", "alert('stop')")
    await host.daemon.ok(f"goto {host.pages.url('/warning')}")
    answer = await host.run("allow(dialogs=True)\nclick('Buy')\npage.title")
    await host.daemon.ask("dialog dismiss")
    assert "Internal" not in answer["text"]


@pytest.mark.slow
async def test_without_monty_a_program_is_a_hint_and_all_else_works(
    daemon_of: Callable[..., RunningDaemon], host: ProgramHost, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['pydantic_monty'] = None")
    source = Path(oryn.__file__).parents[1]
    daemon = daemon_of(PYTHONPATH=f"{tmp_path}:{source}")
    await daemon.ok(f"goto {host.pages.url('/')}")
    answer = await daemon.ask({"action": "program", "args": {"text": "click('Buy')"}})
    assert answer["error_kind"] == "not_supported"
    assert "pip install 'oryn-browser[program]'" in answer["hint"]
    assert (await daemon.ok("text --selector '#count'"))["data"]["result"] == "0"
