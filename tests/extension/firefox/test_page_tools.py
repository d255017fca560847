"""Tools of pages in Firefox, which has no `document.modelContext`: the extension's own takes its place."""

from __future__ import annotations

import pytest

from scripts.extension.firefox import FirefoxBrowser
from tests.extension.driver import PairedBrowser
from tests.extension.test_page_tools import (
    PAGE,
    test_a_page_that_lies,
    test_a_tool_that_is_taken_away,
    test_an_observation_names_them_before_anybody_lists_them,
    test_forms_are_tools,
    test_names_and_descriptions_are_data,
    test_no_tool_of_a_page_has_the_name_of_one_of_a_plugin,
    test_strict_policies_and_frames,
    test_tools_are_listed_and_called,
    test_what_fails,
)

__all__ = [
    "test_a_page_that_lies",
    "test_a_tool_that_is_taken_away",
    "test_an_observation_names_them_before_anybody_lists_them",
    "test_forms_are_tools",
    "test_names_and_descriptions_are_data",
    "test_no_tool_of_a_page_has_the_name_of_one_of_a_plugin",
    "test_strict_policies_and_frames",
    "test_tools_are_listed_and_called",
    "test_what_fails",
]

FORM = """<title>Order</title><form id=order toolname=order tooldescription='Order plants' {more}>
<label>Plant <select name=plant><option>fern<option>palm</select></label>
<input name=count type=number min=1 max=9 required>
<label>Wrap it <input name=gift type=checkbox></label>
<input type=radio name=day value=sat><input type=radio name=day value=sun>
<input type=hidden name=secret value=1><textarea name=note></textarea><button>Order</button></form><p id=said>
<script>const entries = () => JSON.stringify([...new FormData(order)]);{script}</script>"""
VALUES = '{"plant": "palm", "count": 2, "gift": true, "day": "sun", "note": "Hello"}'
ENTRIES = '[["plant","palm"],["count","2"],["gift","on"],["day","sun"],["secret","1"],["note","Hello"]]'


@pytest.fixture
def oryn(paired_browser: PairedBrowser) -> PairedBrowser:
    return paired_browser


async def test_all_kinds_of_fields_are_parameters(oryn: PairedBrowser) -> None:
    await oryn.show(FORM.format(more="", script=""))
    assert (await oryn("tools")).split("\n\n")[1] == (
        'order(plant?: "fern" | "palm", count: number, gift?: boolean, day?: "sat" | "sun", note?: string) '
        '"Order plants"'
    )


async def test_a_form_without_autosubmit_is_filled_in(oryn: PairedBrowser) -> None:
    await oryn.show(FORM.format(more="", script=""))
    answer = await oryn(f"tool call order {VALUES}")
    assert "| The form is filled in. It was not submitted." in answer and 'value: "palm"' in answer
    assert await oryn.value("entries()") == ENTRIES


async def test_a_page_answers_for_its_form(oryn: PairedBrowser) -> None:
    script = "order.onsubmit = (event) => { event.preventDefault();"
    script += "event.respondWith(Promise.resolve({invoked: event.agentInvoked, entries: entries()})) }"
    await oryn.show(FORM.format(more="toolautosubmit", script=script))
    answer = await oryn(f"tool call order {VALUES}")
    assert '"invoked": true' in answer and "palm" in answer
    answer = await oryn('tool call order {"count": 77}')
    assert answer.startswith("error tool call order") and "count: " in answer


async def test_a_form_that_a_script_sends_answers_nothing(oryn: PairedBrowser) -> None:
    script = "order.onsubmit = (event) => { event.preventDefault(); event.stopPropagation(); said.innerHTML ="
    script += "'<button>Thank you</button>' }"
    await oryn.show(FORM.format(more="toolautosubmit", script=script))
    answer = await oryn(f"tool call order {VALUES}")
    assert answer.startswith("ok tool call order") and '+ [8] button "Thank you"' in answer, answer


@pytest.mark.parametrize(
    ("script", "tools"),
    [
        ("provideContext({tools: [tool('one'), tool('two')]})", "one, two"),
        ("provideContext({tools: [tool('one')]}); document.modelContext.provideContext({tools: [tool('two')]})", "two"),
        ("registerTool(tool('one')); navigator.modelContext.registerTool(tool('two')); "
         "document.modelContext.unregisterTool('one')", "two"),
    ],
)  # fmt: skip
async def test_the_earlier_forms_of_the_api(oryn: PairedBrowser, script: str, tools: str) -> None:
    tool = "const tool = (name) => ({name, description: name, execute: () => name});"
    await oryn.show(f"<title>Earlier</title><script>{tool} navigator.modelContext.{script}</script>")
    assert ", ".join(line.split()[0] for line in (await oryn("tools")).split("\n\n")[1].split("\n")) == tools


@pytest.mark.parametrize(
    ("tool", "error"),
    [
        ("{name: 'a', description: 'b'}", "TypeError"),
        ("{name: 'a', execute() {}}", "TypeError"),
        ("{name: '', description: 'b', execute() {}}", "InvalidStateError"),
        ("{name: 'taken', description: 'b', execute() {}}", "InvalidStateError"),
    ],
)
async def test_what_can_not_be_registered(oryn: PairedBrowser, tool: str, error: str) -> None:
    await oryn.show("<title>Wrong</title><script>const take = (tool) => document.modelContext.registerTool(tool);"
                    "take({name: 'taken', description: 'x', execute() {}})</script>")  # fmt: skip
    script = f"(() => {{ try {{ take({tool}) }} catch (error) {{ return error.name }} }})()"
    assert (await oryn.value(script)).strip('"') == error


async def test_a_page_that_breaks_the_built_ins(oryn: PairedBrowser) -> None:
    broken = "Map.prototype.get = Map.prototype.values = Reflect.apply = () => { throw new Error('broken') };"
    await oryn.show(PAGE.replace("<script>", f"<script>{broken}", 1))
    assert (await oryn('tool call add {"a": 2}')).endswith('| {\n|  "sum": 3\n| }')


REGISTERED = "chrome.scripting.getRegisteredContentScripts({{ids: ['oryn.model_context']}})"
REGISTERED += ".then(all => all.length === {})"
"""Whether the script is registered (1), or not (0)."""


async def test_pages_have_it_only_while_oryn_is_connected(oryn: PairedBrowser, firefox: FirefoxBrowser) -> None:
    oryn.pages["/has"] = "<script>document.title = 'modelContext' in document</script>"
    await oryn.show("<title>x</title>")
    page = await firefox.open_behind(oryn.pages.url("/has"))
    assert await page.evaluate("document.title") == "true"
    await firefox.close_tab(page)
    popup = await firefox.open_behind("popup")
    registered = REGISTERED
    assert await popup.until(registered.format(1))
    await popup.call("storage.session.set", {"connected": False})
    await popup.until(registered.format(0))
    page = await firefox.open_behind(oryn.pages.url("/has"))
    assert await page.evaluate("document.title") == "false"
    await popup.call("storage.session.set", {"connected": True})
    await popup.until(registered.format(1))
    for each in (page, popup):
        await firefox.close_tab(each)


async def test_a_page_that_was_open_before_gets_it_too(oryn: PairedBrowser, firefox: FirefoxBrowser) -> None:
    """Also in its frames: it registers a tool when its user does something."""
    popup = await firefox.open_behind("popup")
    registered = REGISTERED
    await popup.call("storage.session.set", {"connected": False})
    await popup.until(registered.format(0))
    offer = "<script>var offer = () => document.modelContext.registerTool("
    offer += "{name: document.title, description: 'x', execute: () => document.title + ' answers'})</script>"
    oryn.pages["/inner"] = f"<title>inner</title>{offer}"
    oryn.pages["/outer"] = f"<title>outer</title>{offer}<iframe src=/inner></iframe>"
    page = await firefox.open(oryn.pages.url("/outer"))
    await page.until("frames[0]?.document?.title === 'inner'")
    assert await page.evaluate("'modelContext' in document") is False
    await popup.call("storage.session.set", {"connected": True})
    await popup.until(registered.format(1))
    await page.until("'modelContext' in document && 'modelContext' in frames[0].document")
    assert await page.evaluate("offer(), frames[0].offer(), document.modelContext !== frames[0].document.modelContext")
    await firefox.close_tab(page)
    await firefox.close_tab(popup)


async def test_nothing_has_failed_in_the_extension(firefox: FirefoxBrowser, paired_browser: PairedBrowser) -> None:
    assert firefox.errors == []
