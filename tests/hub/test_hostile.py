"""Hostile pages and plugins, in real Chromium and Firefox: nothing leaks between origins, nothing is believed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.headless.conftest import Pages
from tests.hub.conftest import ANSWERS, ECHO, Plugin
from tests.hub.page import SETTLED, Page
from tests.soak import repeated, repetitions

CALLS = (
    "received.filter(({message: m}) => m.type === 'PLUGIN_TOOL_CALL').map(({message: m}) => m.payload.callingOrigin)"
)

NO_WINDOW = "chrome.tabs.query({url: chrome.runtime.getURL('hub/consent.html')}).then(all => !all.length)"


def schema_of(property: dict[str, Any]) -> dict[str, Any]:
    return {**ECHO, "inputSchema": {"type": "object", "properties": {"message": property}}}


@pytest.mark.slow
async def test_another_origin_does_not_get_the_answer_to_a_question(page: Page, pages: Pages) -> None:
    """The user sees the question of one origin; its tab becomes another's, which asks the same; that is answered."""
    other = pages.url("", host="localhost")
    pages["/asks"] = f"<script>globalThis.later = agent.{page.call()}{SETTLED}</script>"
    await page.begin(page.call())
    first = await page.window()
    assert page.origin in await first.evaluate("document.body.innerText")
    await page.browser.navigate(page.target, pages.url("/asks", host="localhost"))
    await page.target.until("globalThis.later && 1")
    await page.press("once", await page.window_of(other))
    assert await page.later() == {"value": {"success": True, "result": "hi"}}
    grants = await page.hub.evaluate("oryn.hub.grants.list()")
    assert {each["origin"]: each["kind"] for each in grants} == {page.origin: "ignored", other: "once"}
    assert await page.plugin.evaluate(CALLS) == [other]


@pytest.mark.slow
async def test_a_frame_that_becomes_another_origin_takes_no_permission_along(page: Page, pages: Pages) -> None:
    other = pages.url("", host="localhost")
    pages["/asks"] = f"<script>agent.{page.call()}</script>"
    frame = "document.body.append(Object.assign(document.createElement('iframe'), {{src: {}}})), 1"
    await page.target.evaluate(frame.format(json.dumps(pages.url("/asks"))))
    await page.window()
    pages["/lists"] = "<script>agent.tools.list().then(all => top.postMessage(all.length, '*'))</script>"
    await page.target.evaluate("globalThis.later = new Promise(done => onmessage = ({data}) => done(data)), 1")
    await page.target.evaluate(f"frames[0].location = '{other}/lists', 1")
    await page.hub.until(NO_WINDOW)
    assert await page.later() == 0
    assert [each["kind"] for each in await page.hub.evaluate("oryn.hub.grants.list()")] == ["ignored"]


@pytest.mark.parametrize("name", ["__proto__", "constructor", "toString"])
async def test_tools_may_have_the_names_of_prototypes(page: Page, name: str) -> None:
    await page.plugin.register({**ECHO, "name": name})
    await page.allow(f"{page.plugin.id}::{name}")
    assert [each["name"] for each in (await page.agent("tools.list()"))["value"]] == [f"{page.plugin.id}::{name}"]
    assert await page.agent(page.call(tool=name)) == {"value": {"success": True, "result": "hi"}}
    assert await page.hub.evaluate(
        "[{}.polluted, Object.keys(Object.prototype).length, typeof {}.toString].join()"
    ) == (",0,function")


COUNT_WINDOWS = "globalThis.opened = 0, chrome.windows.onCreated.addListener(globalThis.count = () => opened++), 1"
LOOP = "(async () => {{ const all = []; for (let index = 0; index < 12; index++) all.push(await agent.{});"
LOOP += " return all }})()"


@pytest.mark.slow
@pytest.mark.awake
@pytest.mark.parametrize("refusal", ["deny", "close"])
async def test_a_refusal_silences_the_origin(page: Page, pages: Pages, refusal: str) -> None:
    """For ten minutes: a page that asks again and again, for other tools, opens no other window."""
    await page.allow(f"{page.plugin.id}::echo")
    await page.hub.evaluate(COUNT_WINDOWS)
    loops = ", ".join(LOOP.format(f"requestPermission({{tools: ['{each}::t' + index]}})") for each in ("x@y", "z@y"))
    await page.target.evaluate(f"globalThis.later = Promise.all([{loops}]), 1")
    if refusal == "deny":
        await page.press("deny")
    else:
        await page.browser.close_tab(await page.window())
    assert await page.later() == [[{"granted": False}] * 12] * 2
    for call in ("tools.call('x@y::other')", page.call(tool="erase"), f"tools.call('{page.plugin.id}::none')"):
        assert (await page.agent(call))["code"] == "PERMISSION_DENIED"
    assert await page.agent("requestPermission()") == {"value": {"granted": False}}
    assert await page.agent(page.call()) == {"value": {"success": True, "result": "hi"}}  # was allowed before
    await page.hub.until(NO_WINDOW)
    assert await page.hub.evaluate("chrome.windows.onCreated.removeListener(count), opened") == 1
    await page.browser.kill_worker()
    assert await page.agent("requestPermission()") == {"value": {"granted": False}}
    other = await page.browser.open(pages.url("/", host="localhost"))  # another origin may ask
    await other.evaluate("globalThis.later = agent.requestPermission(), 1")
    await page.press("once", await page.window_of(pages.url("", host="localhost")))
    assert await other.evaluate("later") == {"granted": True}
    await page.browser.close_tab(other)


@pytest.mark.slow
async def test_a_refusal_in_a_frame_silences_the_page_and_its_other_frames(page: Page, pages: Pages) -> None:
    """The owner of a domain has origins without end, and a page may have frames of each."""
    await page.allow(f"{page.plugin.id}::echo")
    inner = pages.url("", host="localhost")
    pages["/asks"] = "<script>agent.requestPermission().then(({granted}) => top.postMessage(granted, '*'))</script>"
    await page.target.evaluate("globalThis.later = new Promise(done => onmessage = ({data}) => done(data)), 1")
    frame = f"document.body.append(Object.assign(document.createElement('iframe'), {{src: '{inner}/asks'}})), 1"
    await page.target.evaluate(frame)
    await page.press("deny", await page.window_of(inner))
    assert await page.later() is False
    await page.hub.until(NO_WINDOW)
    assert await page.agent("requestPermission()") == {"value": {"granted": False}}
    assert (await page.agent(page.call(tool="erase")))["code"] == "PERMISSION_DENIED"
    assert await page.agent(page.call()) == {"value": {"success": True, "result": "hi"}}
    await page.hub.evaluate(f"oryn.hub.grants.revoke('{inner}')")  # another origin, in the same page
    await page.target.evaluate("globalThis.later = new Promise(done => onmessage = ({data}) => done(data)), 1")
    await page.target.evaluate(frame)
    assert await page.later() is False
    kinds = {each["origin"]: each["kind"] for each in await page.hub.evaluate("oryn.hub.grants.list()")}
    assert kinds[page.origin] == "silenced"


@pytest.mark.slow
async def test_three_questions_that_a_page_takes_back_are_a_refusal(page: Page, pages: Pages) -> None:
    """Frames ask as they come and go, so that window after window opens."""
    pages["/asks"] = "<script>agent.requestPermission({tools: [`x@y::${performance.timeOrigin}`]})</script>"
    frame = "document.body.append(Object.assign(document.createElement('iframe'), {src: '/asks'})), 1"
    for _ in range(3):
        await page.target.evaluate(frame)
        await page.window()
        await page.target.evaluate("document.querySelector('iframe').remove()")
        await page.hub.until(NO_WINDOW)
    assert await page.agent("requestPermission()") == {"value": {"granted": False}}
    assert await page.hub.evaluate(NO_WINDOW)


@pytest.mark.slow
async def test_counting_questions_says_nothing_about_tools(page: Page) -> None:
    """More calls of one name than an origin may have questions, of a dangerous tool and of one that there is not."""
    found = []
    for tool in (f"{page.plugin.id}::erase", f"{page.plugin.id}::none"):
        calls = f"Array.from({{length: 5}}, () => agent.tools.call('{tool}', {{message: ''}}){SETTLED})"
        script = f"globalThis.settled = []; globalThis.later = Promise.all({calls}.map(each => each.then(one => "
        await page.target.evaluate(f"(() => {{ {script} settled.push(one.code)))) }})(), 1")
        await page.window()
        early = await page.target.evaluate("settled.length")
        others = [await page.target.evaluate(f"(agent.tools.call('x@y::{each}'){SETTLED}, 1)") for each in "ab"]
        assert others == [1, 1]
        fourth = await page.agent("tools.call('x@y::c')")
        again = await page.target.evaluate(f"(globalThis.sixth = agent.tools.call('{tool}', {{}}){SETTLED}, 1)")
        await page.press("deny")
        await page.target.evaluate("later")
        codes = [await page.target.evaluate("settled"), (await page.later("sixth"))["code"]]
        found.append((early, fourth["code"], again, codes))
        await page.hub.evaluate(f"oryn.hub.grants.revoke('{page.origin}')")
    assert found == [(0, "TOO_MANY_REQUESTS", 1, [["PERMISSION_DENIED"] * 5, "PERMISSION_DENIED"])] * 2


NO_NAMES = (
    "", " ", "*", "**", "all", "null", "ID", "ID::", "::now", "::", "*::*", "*::now", "ID::*", "ID:now", "ID/now",
    "ID::now::now", "ID::::now", " ID::now", "ID::now ", "ID::now\n", "ID ::now", "ID::no w", "ID::now\0", "ID::now*",
    "ID::\u202enow", "\u200bID::now", "ID\uff1a\uff1anow", "ID::now,*", "ID::" + "x" * 129, "x" * 256 + "::now",
    "oryn:::now", "oryn:*::now", "https://a.example::now",
)  # fmt: skip
"""What looks like the name of a tool, or of all, and is none. `ID` is the plugin's."""


async def test_only_the_name_of_a_tool_is_a_name(page: Page) -> None:
    """`*` was one, displayed as a tool that no plugin has, and granted them all."""
    names = [json.dumps(name.replace("ID", page.plugin.id)) for name in NO_NAMES]
    names += ["null", "7", "{}", "['*']", "[null]", f"{{toString: () => '{page.plugin.id}::now'}}"]
    requests = [f"requestPermission({{tools: [{name}]}})" for name in names]
    requests += [f"requestPermission({{tools: ['{page.plugin.id}::now', {name}, 'x::y']}})" for name in names]
    requests += [f"requestPermission({{tools: {tools}}})" for tools in ("'*'", "[]", "{}", "7", "true", "{length: 1}")]
    every = ", ".join(f"() => agent.{request}" for request in requests)
    codes = "(async () => { const codes = []; for (const each of [EVERY])"
    codes += " codes.push(await each().then(v => v, e => e.code)); return codes })()"
    assert set(await page.target.evaluate(codes.replace("EVERY", every))) == {"INVALID_REQUEST"}
    for name in names[: len(NO_NAMES)]:
        assert (await page.agent(f"tools.call({name})"))["code"] == "INVALID_REQUEST", name
    assert await page.browser.count(page.window_url) == 0
    assert await page.hub.evaluate("oryn.hub.grants.list()") == []


@pytest.mark.slow
async def test_a_tool_with_the_name_of_all_is_one_tool(page: Page) -> None:
    """Names that were granted when `*` was a name, or that something has written, grant nothing more."""
    for stored in (
        "['*']",
        "{all: 1, names: ['*', '']}",
        "{names: {all: true}}",
        "'*'",
        "null",
        "true",
        "{all: 'all'}",
    ):
        grants = f"{{'hub.grants': {{'{page.origin}': {stored}, '*': {{all: true, names: []}}}}}}"
        await page.hub.evaluate(f"chrome.storage.local.set({grants})")
        await page.browser.kill_worker()
        assert await page.agent("tools.list()") == {"value": []}, stored
    await page.begin("requestPermission()")
    await page.press("always")
    assert await page.later() == {"value": {"granted": True}}
    await page.browser.kill_worker()
    assert len((await page.agent("tools.list()"))["value"]) == 2


async def test_no_content_script_reads_or_writes_what_was_granted(page: Page) -> None:
    """A page that has taken over its process can do what a content script can."""
    if page.browser.kind == "firefox":
        return  # keeps no storage from content scripts
    write = "func: () => chrome.storage.local.set({'hub.grants': {}}).then(() => 'written', () => 'refused')"
    tab = f"chrome.tabs.query({{url: '{page.origin}/*'}}).then(([tab]) => tab.id)"
    script = (
        f"(async () => (await chrome.scripting.executeScript({{target: {{tabId: await {tab}}}, {write}}}))[0].result)()"
    )
    assert await page.hub.evaluate(script) == "refused"


async def test_details_of_an_error_are_data(page: Page) -> None:
    await page.allow()
    error = "{code: 'EXECUTION_FAILED', message: 'no', details: JSON.parse('{\"__proto__\": {\"polluted\": 1}}')}"
    await page.plugin.evaluate(f"behave.PLUGIN_TOOL_CALL = () => ['PLUGIN_TOOL_ERROR', {error}], 1")
    script = f"agent.{page.call()}.catch(error => [error.code, ({{}}).polluted ?? 0, error.details.polluted ?? 0])"
    assert await page.target.evaluate(script) == ["EXECUTION_FAILED", 0, 0]
    assert await page.hub.evaluate("({}).polluted === undefined")


@pytest.mark.parametrize(
    ("property", "value"),
    [
        ({"type": "string", "pattern": "^(a+)+$"}, "'a'.repeat(100_000) + '!'"),
        ({"type": "string", "pattern": "^(a|a)*$"}, "'a'.repeat(100_000) + '!'"),
        ({"type": "string", "pattern": "^" + "(.*a)" * 100 + "$"}, "'a'.repeat(900_000)"),
        ({"type": "string", "format": "email"}, "'a'.repeat(900_000)"),
        ({"type": "string", "format": "uri"}, "'http://' + 'a%20'.repeat(200_000) + ' '"),
        ({"type": "array", "uniqueItems": True}, "Array.from({length: 100_000}, (_, index) => index)"),
    ],
)
async def test_a_page_can_not_keep_the_hub_busy_with_arguments(
    page: Page, property: dict[str, Any], value: str
) -> None:
    """The time limit of the test is the assertion: a backtracking matcher takes years."""
    await page.plugin.register(schema_of(property))
    await page.allow()
    answer = await page.agent(f"tools.call('{page.plugin.id}::echo', {{message: {value}}})")
    assert answer["code"] == "INVALID_ARGUMENTS", answer
    assert len((await page.agent("tools.list()"))["value"]) == 1


async def test_a_pattern_is_checked(page: Page) -> None:
    await page.plugin.register(schema_of({"type": "string", "pattern": "^h[io]$"}))
    await page.allow()
    assert await page.agent(page.call("hi")) == {"value": {"success": True, "result": "hi"}}
    answer = await page.agent(page.call("ha"))
    assert answer["code"] == "INVALID_ARGUMENTS" and "pattern" in answer["message"]


@pytest.mark.slow
@repeated
@pytest.mark.awake
async def test_of_many_registrations_one_is_left(page: Page, plugin: Plugin) -> None:
    """Each with an id of its own, all at once; the last one counts."""
    count = repetitions(200, soak=2_000)
    many = f"Promise.all(Array.from({{length: {count}}}, (_, index) => say(HUB, message('PLUGIN_REGISTER',"
    many += "described([{...TOOL, name: 'echo' + index}])))))"
    many = many.replace("HUB", json.dumps(plugin.hub)).replace("TOOL", json.dumps(ECHO))
    assert await plugin.evaluate(f"{many}.then(all => all.every(each => each.payload.success))")
    await page.allow()
    assert [each["name"] for each in (await page.agent("tools.list()"))["value"]] == [f"{plugin.id}::echo{count - 1}"]
    await plugin.evaluate("received = [], 1")


async def test_answers_that_are_sent_twice_reach_no_second_call(page: Page) -> None:
    """A plugin that answers each call under the ids of all earlier ones too."""
    await page.allow()
    answers = "(m) => { (globalThis.ids ??= []).push(m.requestId); for (const requestId of ids)"
    answers += " say(HUB, message('PLUGIN_TOOL_RESULT', {result: m.payload.arguments.message}, {requestId})) }"
    answers = answers.replace("HUB", json.dumps(page.plugin.hub))
    await page.plugin.evaluate(f"globalThis.ids = [], behave = {{PLUGIN_TOOL_CALL: {answers}}}, 1")
    for message in ("one", "two", "three"):
        assert (await page.agent(page.call(message)))["value"]["result"] == message
    await page.plugin.evaluate(ANSWERS)
