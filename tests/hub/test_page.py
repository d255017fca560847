"""`window.agent` in pages of real Chromium and Firefox: what a page may do, what the user is asked, and what hostile
pages can't do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scripts.extension.hub import HubBrowser
from tests.headless.conftest import Pages
from tests.hub.conftest import ANSWERS, ECHO, load_plugin
from tests.hub.page import SETTLED, Page
from tests.soak import repeated, repetitions

STRICT = "default-src 'none'; script-src 'none'; sandbox allow-scripts allow-same-origin"
RESULT = {"success": True, "result": "hi"}


# --- the object ---


async def test_the_object_is_frozen(page: Page) -> None:
    assert await page.target.evaluate("[agent, agent.tools].every(Object.isFrozen)")
    assert await page.target.evaluate("Object.keys(agent).sort().join()") == "requestPermission,tools"
    assert await page.target.evaluate("(() => { 'use strict'; try { agent.tools = 1 } catch (e) { return e.name } })()")


async def test_pages_may_have_a_variable_of_this_name(page: Page, pages: Pages) -> None:
    for path, code in (("/let", "let agent = 1"), ("/function", "function agent() {}"), ("/var", "var agent = 1")):
        first = f"<script>onerror = (m) => document.title = m; {code}</script>"
        pages[path] = f"{first}<script>window.done = typeof agent</script>"
        await page.browser.navigate(page.target, pages.url(path))
        await page.target.until("window.done")
        assert await page.target.evaluate("document.title") == ""


async def test_it_works_under_a_strict_policy(page: Page, pages: Pages) -> None:
    await page.allow()
    pages["/strict"] = (200, {"Content-Security-Policy": STRICT}, "<title>Strict</title>")
    await page.browser.navigate(page.target, pages.url("/strict"))
    await page.target.until("document.title === 'Strict'")
    assert await page.agent(page.call()) == {"value": RESULT}


# --- consent ---


async def test_a_list_has_only_what_is_granted(page: Page) -> None:
    assert await page.agent("tools.list()") == {"value": []}
    await page.allow(f"{page.plugin.id}::echo")
    listed = (await page.agent("tools.list()"))["value"]
    assert listed == [{**ECHO, "name": f"{page.plugin.id}::echo"}]


@pytest.mark.slow
@pytest.mark.parametrize(("button", "kind"), [("once", "once"), ("always", "always")])
async def test_the_user_allows_a_tool(page: Page, button: str, kind: str) -> None:
    await page.begin(page.call())
    await page.press(button)
    assert await page.later() == {"value": RESULT}
    assert await page.agent(page.call()) == {"value": RESULT}  # no question
    (grant,) = await page.hub.evaluate("oryn.hub.grants.list()")
    assert (grant["origin"], grant["name"], grant["kind"]) == (page.origin, f"{page.plugin.id}::echo", kind)
    if kind == "once":
        remaining = await page.hub.evaluate(f"{grant['until']} - Date.now()")
        assert 9 * 60_000 < remaining <= 10 * 60_000
    stored = await page.hub.evaluate("chrome.storage.local.get('hub.grants')")
    assert (page.origin in stored.get("hub.grants", {})) == (kind == "always")


@pytest.mark.slow
async def test_a_permission_for_once_ends_after_ten_minutes(page: Page) -> None:
    """So does a refusal: the user is asked again."""
    minutes = "(globalThis.now ??= Date.now, Date.now = () => now.call(Date) + {} * 60_000, 1)"
    try:
        for choice in ("once", "deny"):
            await page.hub.evaluate(minutes.format(0))
            await page.hub.evaluate("oryn.hub.grants.list().then(all => Promise.all(all.map(each => "
                                    "oryn.hub.grants.revoke(each.origin))))")  # fmt: skip
            await page.allow(f"{page.plugin.id}::echo", choice)
            before = await page.agent(page.call())
            assert before == {"value": RESULT} if choice == "once" else before["code"] == "PERMISSION_DENIED"
            await page.hub.evaluate(minutes.format(10))
            assert await page.agent("tools.list()") == {"value": []}
            await page.begin(page.call())
            await page.press("once")
            assert await page.later() == {"value": RESULT}
    finally:
        await page.hub.evaluate("Date.now = globalThis.now ?? Date.now, 1")


@pytest.mark.slow
async def test_the_user_denies_and_is_not_asked_again(page: Page) -> None:
    await page.begin(page.call())
    await page.press("deny")
    assert (await page.later())["code"] == "PERMISSION_DENIED"
    assert (await page.agent(page.call()))["code"] == "PERMISSION_DENIED"
    assert await page.plugin.evaluate("received.filter(each => each.message.type === 'PLUGIN_TOOL_CALL').length") == 0


@pytest.mark.slow
async def test_a_window_that_is_closed_is_a_refusal(page: Page) -> None:
    await page.begin(page.call())
    await page.browser.close_tab(await page.window())
    assert (await page.later())["code"] == "PERMISSION_DENIED"


@pytest.mark.slow
async def test_the_window_shows_origin_tool_and_arguments(page: Page) -> None:
    await page.begin(page.call("<b>\\u202ehi</b>"))
    window = await page.window()
    text = await window.evaluate("document.body.innerText")
    named = ("Raw", f"Extension {page.plugin.id}", "Echo", f"{page.plugin.id}::echo", "Returns the message.")
    for part in (page.origin, *named, "<b>\\u{202e}hi</b>"):
        assert part in text
    size = await window.evaluate("getComputedStyle(document.body).fontSize")
    assert float(size.removesuffix("px")) == 15, "not 75 %, which Chromium gives to pages of extensions"
    await page.press("deny", window)
    await page.later()


@pytest.mark.slow
async def test_a_permission_for_all_tools(page: Page) -> None:
    await page.begin("requestPermission()")
    await page.press("once")
    assert await page.later() == {"value": {"granted": True}}
    assert len((await page.agent("tools.list()"))["value"]) == 2


@pytest.mark.slow
async def test_the_user_extends_an_answer_to_all_tools(page: Page) -> None:
    await page.begin(f"requestPermission({{tools: ['{page.plugin.id}::echo']}})")
    await page.press("all")
    await page.press("always")
    assert await page.later() == {"value": {"granted": True}}
    assert [each["name"] for each in await page.hub.evaluate("oryn.hub.grants.list()")] == [None]


@pytest.mark.slow
async def test_a_dangerous_tool_is_asked_for_at_each_call(page: Page) -> None:
    await page.allow()
    for _ in range(2):
        await page.begin(page.call(tool="erase"))
        window = await page.window()
        assert await window.evaluate("document.getElementById('always').hidden")
        await page.press("once", window)
        assert await page.later() == {"value": RESULT}


@pytest.mark.slow
async def test_calls_of_a_dangerous_tool_are_asked_for_one_after_another(page: Page) -> None:
    for name in ("first", "second", "third"):
        await page.begin(page.call(name, "erase"), name)
    for name in ("first", "second"):
        await page.press("once")
        assert (await page.later(name))["value"]["result"] == name
    await page.press("deny")
    assert (await page.later("third"))["code"] == "PERMISSION_DENIED"


@pytest.mark.slow
async def test_buttons_wait_until_the_user_has_read(page: Page) -> None:
    await page.begin(page.call())
    window = await page.browser.page(page.window_url)
    await window.until("document.getElementById('question')?.hidden === false")
    assert await window.evaluate("document.getElementById('always').disabled")
    hasty = "new Promise(done => { const port = chrome.runtime.connect({name: 'hub.consent'});"
    hasty += "port.onMessage.addListener(m => done(m.type)) })"
    assert await window.evaluate(hasty) == "done"  # a second window does not get the question
    button = "document.getElementById('always')"
    await window.evaluate(f"{button}.disabled = false, {button}.click(), 1")
    assert not await window.evaluate("document.getElementById('question').hidden")  # not the user's click
    await page.press("deny", await page.window())
    assert (await page.later())["code"] == "PERMISSION_DENIED"


@pytest.mark.slow
async def test_an_origin_has_few_questions_and_one_window(page: Page) -> None:
    many = "Promise.all(Array.from({length: 50}, (_, index) => agent.tools.call('x@y::t' + index)"
    await page.target.evaluate(f"globalThis.later = {many}{SETTLED.replace('.then', '.then', 1)})), 1")
    await page.window()
    assert await page.browser.count(page.window_url) == 1
    await page.browser.close_tab(await page.window())
    codes = [each["code"] for each in await page.later()]
    assert (codes.count("PERMISSION_DENIED"), codes.count("TOO_MANY_REQUESTS")) == (3, 47)


@pytest.mark.slow
async def test_equal_calls_share_a_question(page: Page) -> None:
    call = page.call()
    await page.target.evaluate(f"globalThis.later = Promise.all(Array.from({{length: 100}}, () => agent.{call})), 1")
    await page.press("once")
    assert await page.later() == [RESULT] * 100


@pytest.mark.slow
async def test_a_page_that_leaves_takes_its_question_with_it(page: Page, pages: Pages) -> None:
    await page.begin(page.call())
    await page.window()
    await page.browser.navigate(page.target, pages.url("/", host="localhost"))
    await page.hub.until("chrome.tabs.query({url: chrome.runtime.getURL('hub/consent.html')}).then(all => !all.length)")
    assert [each["kind"] for each in await page.hub.evaluate("oryn.hub.grants.list()")] == ["ignored"]


# --- errors ---


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("'ID::echo', {}", "INVALID_ARGUMENTS"),
        ("'ID::echo', {message: 7}", "INVALID_ARGUMENTS"),
        ("'ID::echo', {message: '', more: 1}", "INVALID_ARGUMENTS"),
        ("'ID::echo', []", "INVALID_ARGUMENTS"),
        ("""'ID::echo', JSON.parse('{"message": "", "__proto__": {"polluted": 1}}')""", "INVALID_ARGUMENTS"),
        ("'ID::none', {}", "TOOL_NOT_FOUND"),
        ("'ID', {}", "INVALID_REQUEST"),
        ("'other::echo', {}", "NOT_REGISTERED"),
        ("'__proto__::echo', {}", "NOT_REGISTERED"),
        ("'x'.repeat(500), {}", "INVALID_REQUEST"),
        ("'ID::echo', {message: 'x'.repeat(2_000_000)}", "INVALID_REQUEST"),
    ],
)
async def test_errors_have_codes(page: Page, call: str, code: str) -> None:
    await page.allow()
    answer = await page.agent(f"tools.call({call.replace('ID', page.plugin.id)})")
    assert (answer["name"], answer["code"]) == ("AgentError", code)
    assert answer["message"]


@pytest.mark.slow
async def test_without_consent_nothing_says_which_plugins_there_are(page: Page) -> None:
    await page.begin("tools.call('not@there::tool')")
    window = await page.window()
    assert "no plugin has this tool" in await window.evaluate("document.body.innerText")
    await page.press("deny", window)
    assert (await page.later())["code"] == "PERMISSION_DENIED"


async def test_a_disabled_plugin_is_notified_and_not_called(page: Page) -> None:
    await page.allow()
    review = await page.browser.open(f"{page.browser.root}/hub/review.html")
    button = "[...document.querySelectorAll('#plugins button')].find(each => each.textContent === '{}')"
    await review.until("!!" + button.format("Disable"))
    await review.evaluate(button.format("Disable") + ".click(), 1")
    assert (await page.plugin.got("PLUGIN_DISABLED"))["payload"]["reason"]
    assert await page.agent("tools.list()") == {"value": []}
    assert (await page.agent(page.call()))["code"] == "PLUGIN_NOT_ALLOWED"
    await review.until("!!" + button.format("Enable"))
    await review.evaluate(button.format("Enable") + ".click(), 1")
    assert (await page.plugin.got("PLUGIN_ENABLED"))["payload"] == {}
    await review.until("!!" + button.format("Disable"))
    assert await page.agent(page.call()) == {"value": RESULT}
    await page.browser.close_tab(review)


async def test_an_allowlist_that_is_emptied_again_has_dropped_no_plugin(page: Page) -> None:
    await page.allow()
    await page.plugin.evaluate("behave = {PLUGIN_PING: behave.PLUGIN_PING}, 1")
    await page.begin(page.call())
    await page.plugin.got("PLUGIN_TOOL_CALL")
    review = await page.browser.open(f"{page.browser.root}/hub/review.html")
    await review.until("!!document.querySelector('#plugins button')")
    save = "(list => {{ document.getElementById('allowlist').value = list; "
    save += "document.getElementById('allowlist-form').requestSubmit() }})({}), 1"
    state = "document.getElementById('plugins').innerText.includes('not in the allowlist')"
    await review.evaluate(save.format("'other@raw.example'"))
    assert "allowlist" in (await page.plugin.got("PLUGIN_DISABLED"))["payload"]["reason"]
    assert (await page.later())["code"] == "PLUGIN_NOT_ALLOWED"
    assert (await page.agent(page.call()))["code"] == "PLUGIN_NOT_ALLOWED"
    assert await page.agent("tools.list()") == {"value": []}
    await review.until(state)
    for ids, is_listed in (("other@raw.example another@raw.example", False), (f"x@y {page.plugin.id}", True)):
        await review.evaluate(save.format(json.dumps(ids)))
        await review.until(("!" if is_listed else "") + state)
    assert (await page.plugin.got("PLUGIN_ENABLED"))["payload"] == {}
    await page.plugin.evaluate(ANSWERS)
    assert await page.agent(page.call()) == {"value": RESULT}
    for ids in ("other@raw.example", ""):
        await review.evaluate(save.format(json.dumps(ids)))
        await review.until(("" if ids else "!") + state)
    assert await page.agent(page.call()) == {"value": RESULT}
    types = "received.map(({message: m}) => m.type).filter(type => /ABLED/.test(type)).map(type => type.slice(7))"
    assert await page.plugin.evaluate(types) == ["DISABLED", "ENABLED"] * 2
    await page.browser.close_tab(review)


async def test_the_user_reviews_and_revokes(page: Page) -> None:
    await page.allow()
    review = await page.browser.open(f"{page.browser.root}/hub/review.html")
    await review.until("!!document.querySelector('#grants button')")
    assert page.origin in await review.evaluate("document.getElementById('grants').innerText")
    await review.evaluate("document.querySelector('#grants button').click(), 1")
    await review.until("!document.querySelector('#grants button')")
    assert await page.agent("tools.list()") == {"value": []}
    await page.browser.close_tab(review)


# --- hostile and unlucky ---


async def test_frames_count_as_their_own_origin(page: Page, pages: Pages) -> None:
    await page.allow()
    script = "agent.tools.list().then(list => parent.postMessage(list.length, '*'))"
    pages["/frame"] = f"<script>{script}</script>"
    load = "new Promise(done => {{ onmessage = e => done(e.data); const f = document.createElement('iframe');"
    load += "{more} f.src = '{url}'; document.body.append(f) }})"
    same = await page.target.evaluate(load.format(url=pages.url("/frame"), more=""))
    assert same == 2
    foreign = pages.url("/frame", host="localhost")
    assert await page.target.evaluate(load.format(url=foreign, more="")) == 0
    pages["/frame"] = "<script>agent.tools.list().catch(e => parent.postMessage(e.code, '*'))</script>"
    sandboxed = load.format(url=pages.url("/frame"), more="f.sandbox = 'allow-scripts';")
    assert await page.target.evaluate(sandboxed) == "PERMISSION_DENIED"


async def test_a_page_can_not_forge_messages(page: Page) -> None:
    assert await page.agent("tools.list()") == {"value": []}  # the content script has the port
    forge = "document.dispatchEvent(new MessageEvent('oryn-agent-port', {ports: [new MessageChannel().port1], "
    forge += "cancelable: true}))"
    assert await page.target.evaluate(forge) is True  # nobody takes the port
    ready = "new Promise(done => { document.addEventListener('oryn-agent-port', () => done('stolen'));"
    ready += "document.dispatchEvent(new Event('oryn-agent-ready')); setTimeout(done, 0, 'nothing') })"
    assert await page.target.evaluate(ready) == "nothing"
    version = {"namespace": "harbor-plugin", "protocolVersion": "harbor-plugin/v1"}
    message = json.dumps({**version, "type": "PLUGIN_REGISTER"})
    await page.target.evaluate(f"postMessage({message}, '*'), 1")
    assert await page.target.evaluate("globalThis.chrome?.runtime?.sendMessage === undefined")
    assert await page.agent("tools.list()") == {"value": []}


async def test_a_page_that_breaks_the_built_ins_breaks_nothing_of_others(page: Page) -> None:
    await page.allow()
    broken = "JSON.parse = JSON.stringify = Map.prototype.get = MessagePort.prototype.postMessage = () => { throw 1 };"
    await page.target.evaluate(broken + "Object.prototype.polluted = 1, 1")
    assert (await page.target.evaluate(f"agent.{page.call()}.then(each => each.result)")) == "hi"


@pytest.mark.slow
async def test_a_result_of_50_mb_is_refused(page: Page) -> None:
    await page.allow()
    large = "['PLUGIN_TOOL_RESULT', {result: 'x'.repeat(50_000_000)}]"
    await page.plugin.evaluate(f"behave.PLUGIN_TOOL_CALL = () => {large}, 1")
    assert (await page.agent(page.call()))["code"] == "EXECUTION_FAILED"
    await page.plugin.evaluate(ANSWERS)
    assert await page.agent(page.call()) == {"value": RESULT}


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ("{}", {"value": {"success": True, "result": None}}),
        ("{result: undefined}", {"value": {"success": True, "result": None}}),
        ("{result: null}", {"value": {"success": True, "result": None}}),
        ("{result: {a: undefined, b: [undefined]}}", {"value": {"success": True, "result": {"b": [None]}}}),
    ],
)
async def test_a_result_is_json_in_every_browser(page: Page, payload: str, expected: dict[str, Any]) -> None:
    """Chromium drops fields without a value when it passes a message, Firefox passes them on."""
    await page.allow()
    await page.plugin.evaluate(f"behave.PLUGIN_TOOL_CALL = () => ['PLUGIN_TOOL_RESULT', {payload}], 1")
    assert await page.agent(page.call()) == expected


async def test_a_result_that_is_not_json_fails_at_once(page: Page) -> None:
    if page.browser.kind == "chromium":
        return  # the plugin can't send it
    await page.allow()
    for result in ("7n", "(all => (all[0] = all))([])"):
        await page.plugin.evaluate(f"behave.PLUGIN_TOOL_CALL = () => ['PLUGIN_TOOL_RESULT', {{result: {result}}}], 1")
        assert (await page.agent(page.call()))["code"] == "INTERNAL_ERROR"


async def test_a_result_is_data(page: Page) -> None:
    await page.allow()
    result = """JSON.parse('{"__proto__": {"polluted": 1}}')"""
    await page.plugin.evaluate(f"behave.PLUGIN_TOOL_CALL = () => ['PLUGIN_TOOL_RESULT', {{result: {result}}}], 1")
    script = f"agent.{page.call()}.then(({{result}}) => [Object.isFrozen(result), ({{}}).polluted, result.polluted])"
    assert await page.target.evaluate(script) == [True, None, None]


@pytest.mark.slow
@repeated
@pytest.mark.awake
async def test_many_calls_of_ten_pages_come_back_to_their_own(page: Page, pages: Pages) -> None:
    await page.allow()
    calls = repetitions(20, soak=100)
    targets = [await page.browser.open_behind(pages.url("/")) for _ in range(10)]
    for number, target in enumerate(targets):
        call = f"agent.tools.call('{page.plugin.id}::echo', {{message: '{number}-' + index}})"
        every = f"Array.from({{length: {calls}}}, (_, index) => {call}.then(each => each.result))"
        await target.evaluate(f"globalThis.later = Promise.all({every}), 1")
    for number, target in enumerate(targets):
        assert await target.evaluate("later") == [f"{number}-{index}" for index in range(calls)]
        await page.browser.close_tab(target)


@pytest.mark.slow
async def test_a_question_survives_the_end_of_the_background(page: Page) -> None:
    await page.begin(page.call())
    window = await page.window()
    await page.browser.kill_worker()
    await window.until("document.getElementById('question')?.hidden === false")  # the page has asked again
    await page.press("once", await page.window())
    assert await page.later() == {"value": RESULT}
    assert await page.browser.count(page.window_url) <= 1


@pytest.mark.slow
async def test_a_plugin_that_is_uninstalled_while_it_is_called(page: Page, browser: HubBrowser, tmp_path: Path) -> None:
    await page.allow()
    plugin = await load_plugin(browser, tmp_path / "plugin")
    await plugin.register(ECHO)
    await page.begin(f"tools.call('{plugin.id}::echo', {{message: ''}})")
    await plugin.got("PLUGIN_TOOL_CALL")
    await browser.unload(plugin.id)
    assert (await page.later())["code"] == "NOT_REGISTERED"


async def test_a_call_is_not_made_twice_after_the_end_of_the_background(page: Page) -> None:
    await page.allow()
    await page.plugin.evaluate("behave = {}, 1")
    await page.begin(page.call())
    await page.plugin.got("PLUGIN_TOOL_CALL")
    await page.browser.kill_worker()
    assert (await page.later())["code"] == "INTERNAL_ERROR"
    assert await page.plugin.evaluate("received.filter(each => each.message.type === 'PLUGIN_TOOL_CALL').length") == 1


async def test_decisions_survive_the_end_of_the_background(page: Page) -> None:
    await page.allow(choice="once")
    await page.browser.kill_worker()
    assert await page.agent(page.call()) == {"value": RESULT}
