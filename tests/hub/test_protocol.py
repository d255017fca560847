"""`harbor-plugin/v1` in real Chromium and Firefox, by the sections of its specification: messages and answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scripts.extension.hub import Background, HubBrowser
from tests.hub.conftest import ANSWERS, ECHO, Plugin

FILE = Path(__file__).parents[2] / "extension" / "hub" / "harbor-plugin-v1.schema.json"
SCHEMA = json.loads(FILE.read_text("utf-8"))
"""What the hub publishes."""


async def names(hub: Background) -> list[str]:
    return list(await hub.evaluate("oryn.hub.registry.tools().then(all => all.map(each => each.fullName))"))


# --- Message Envelope ---


@pytest.mark.parametrize("field", ["type", "requestId", "timestamp", "payload"])
async def test_an_envelope_has_all_its_fields(plugin: Plugin, field: str) -> None:
    await plugin.register(ECHO)
    whole = "message('PLUGIN_PONG', {healthy: true})"
    reply = await plugin.send(f"(({{{field}, ...rest}}) => rest)({whole})")
    assert reply is not None and reply["type"] == "PLUGIN_TOOL_ERROR"
    assert reply["payload"]["code"] == "INVALID_ARGUMENTS"


@pytest.mark.parametrize(
    "more",
    [{"requestId": ""}, {"requestId": 7}, {"timestamp": "now"}, {"payload": []}, {"payload": None}, {"type": 7}],
)
async def test_an_envelope_has_the_types_of_the_specification(plugin: Plugin, more: dict[str, Any]) -> None:
    reply = await plugin.say("PLUGIN_PONG", {"healthy": True}, **more)
    assert reply is not None and reply["payload"]["code"] == "INVALID_ARGUMENTS"


async def test_what_is_of_another_namespace_is_ignored(plugin: Plugin) -> None:
    for message in ("{namespace: 'other'}", "null", "7", "'text'", "[]"):
        assert await plugin.send(f"{message}") is None
    assert await plugin.evaluate("received.length") == 0


# --- Registration Messages ---


async def test_a_plugin_registers_and_gets_its_namespace(plugin: Plugin, hub: Background) -> None:
    assert await plugin.register(ECHO) == {"success": True, "toolNamespace": plugin.id}
    assert await names(hub) == [f"{plugin.id}::echo"]


async def test_the_acknowledgement_has_the_id_of_the_described(plugin: Plugin) -> None:
    reply = await plugin.send("message('PLUGIN_REGISTER', described([]), {requestId: 'plugin-1-abc'})")
    assert reply is not None and reply["requestId"] == "plugin-1-abc"
    assert set(reply) == set(SCHEMA["required"])


async def test_a_plugin_registers_again_with_other_tools(plugin: Plugin, hub: Background) -> None:
    await plugin.register(ECHO)
    assert (await plugin.register({**ECHO, "name": "shout"}))["success"]
    assert await names(hub) == [f"{plugin.id}::shout"]


async def test_a_plugin_unregisters_once(plugin: Plugin, hub: Background) -> None:
    await plugin.register(ECHO)
    for success in (True, False):
        reply = await plugin.say("PLUGIN_UNREGISTER", {"reason": "done"})
        assert reply is not None and reply["type"] == "PLUGIN_UNREGISTER_ACK"
        assert reply["payload"] == {"success": success}
    assert await names(hub) == []


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"extensionId": "a" * 32}, "PLUGIN_NOT_ALLOWED"),
        ({"version": "one"}, "INVALID_ARGUMENTS"),
        ({"name": ""}, "INVALID_ARGUMENTS"),
        ({"tools": "echo"}, "INVALID_ARGUMENTS"),
        ({"tools": [{**ECHO, "name": "a::b"}]}, "INVALID_ARGUMENTS"),
        ({"tools": [{**ECHO, "inputSchema": 7}]}, "INVALID_ARGUMENTS"),
        ({"tools": [{**ECHO, "inputSchema": {"$ref": "https://example.com/"}}]}, "INVALID_ARGUMENTS"),
        ({"tools": [{**ECHO, "inputSchema": {"$ref": "#/$defs/no"}}]}, "INVALID_ARGUMENTS"),
        ({"tools": [{**ECHO, "inputSchema": {"$ref": "#"}}]}, "INVALID_ARGUMENTS"),
        ({"tools": [{**ECHO, "inputSchema": {"properties": {"a": {"pattern": "("}}}}]}, "INVALID_ARGUMENTS"),
        ({"tools": [{**ECHO, "inputSchema": {"properties": {"a": {"pattern": "(?=a)"}}}}]}, "INVALID_ARGUMENTS"),
        ({"tools": [{**ECHO, "inputSchema": {"patternProperties": {"^(a+)+$": {}}}}]}, "INVALID_ARGUMENTS"),
        ({"tools": [ECHO, ECHO]}, "INVALID_ARGUMENTS"),
        ({"tools": [{**ECHO, "name": f"echo{number}"} for number in range(10_000)]}, "INVALID_ARGUMENTS"),
        ({"tools": [{**ECHO, "inputSchema": {"description": "x" * 2_000_000}}]}, "INVALID_ARGUMENTS"),
    ],
)
async def test_a_registration_that_is_not_valid_fails(
    plugin: Plugin, hub: Background, more: dict[str, Any], error: str
) -> None:
    answer = await plugin.register(**more)
    assert answer["success"] is False and answer["error"].startswith(f"{error}: ")
    assert await names(hub) == []


async def test_fields_that_are_not_of_the_specification_are_ignored(plugin: Plugin, hub: Background) -> None:
    assert (await plugin.register({**ECHO, "future": 1}, future=[1]))["success"]
    stored = await hub.evaluate("oryn.hub.registry.entries()")
    assert "future" not in stored[0]["plugin"] and "future" not in stored[0]["plugin"]["tools"][0]


async def test_a_registration_is_not_replayed(plugin: Plugin) -> None:
    await plugin.evaluate("globalThis.same = message('PLUGIN_REGISTER', described([])), 1")
    first = await plugin.send("same")
    assert first is not None and first["payload"]["success"]
    second = await plugin.evaluate(f"say({json.dumps(plugin.hub)}, same)")
    assert second["payload"]["error"].startswith("ALREADY_REGISTERED: ")


async def test_request_ids_of_two_plugins_are_their_own(plugin: Plugin, other: Plugin) -> None:
    for each in (plugin, other):
        reply = await each.send("message('PLUGIN_REGISTER', described([]), {requestId: 'same for both'})")
        assert reply is not None and reply["payload"]["success"]


async def test_prototypes_stay_as_they_are(plugin: Plugin, hub: Background) -> None:
    tool = f'{{...{json.dumps(ECHO)}, inputSchema: JSON.parse(\'{{"__proto__": {{"polluted": 1}}}}\')}}'
    reply = await plugin.send(f"message('PLUGIN_REGISTER', described([{tool}]))")
    assert await hub.evaluate("({}).polluted === undefined")
    assert reply is not None


async def test_messages_of_an_unknown_type_are_ignored(plugin: Plugin, hub: Background) -> None:
    """They may be those of a later minor version. Nothing is sent back, and a call goes on to wait for its answer."""
    for each in ("X", "PLUGIN_TOOL_PROGRESS", "__proto__", "constructor", "toString"):
        assert await plugin.say(each, {"healthy": True}) is None
        assert await plugin.say(each, {"x": 1}) is None
    await plugin.register(ECHO)
    assert await plugin.say("PLUGIN_TOOL_PROGRESS", {}) is None
    progress = "(m, s, respond) => respond(message('PLUGIN_TOOL_PROGRESS', {}, {requestId: m.requestId}))"
    await plugin.evaluate(f"globalThis.replies = {progress}; chrome.runtime.onMessageExternal.addListener(replies), 1")
    await hub.evaluate(CALL.format(plugin.id, "TOOL_CALL", "{}") + SETTLED + ", 1")
    asked = (await plugin.got("PLUGIN_TOOL_CALL"))["requestId"]
    await plugin.evaluate("chrome.runtime.onMessageExternal.removeListener(replies), 1")
    assert await plugin.say("PLUGIN_TOOL_PROGRESS", {}, requestId=asked) is None
    assert await plugin.say("PLUGIN_TOOL_RESULT", {"result": 1}, requestId=asked) is None
    assert await hub.evaluate("asked") == {"value": {"result": 1}}
    assert await plugin.evaluate("received.filter(({message: m}) => m.type === 'PLUGIN_TOOL_ERROR').length") == 0


# --- Versioning Rules ---


@pytest.mark.parametrize("version", ["harbor-plugin/v2", "harbor-plugin/v1.0", "harbor-plugin/v1 ", "", None])
async def test_only_the_exact_version_is_accepted(plugin: Plugin, hub: Background, version: str | None) -> None:
    more = json.dumps({"protocolVersion": version})
    reply = await plugin.send(f"message('PLUGIN_REGISTER', described([]), {more})")
    assert reply is not None and reply["payload"]["success"] is False
    assert reply["payload"]["error"].startswith("PROTOCOL_VERSION_MISMATCH: ")
    reply = await plugin.say("PLUGIN_PONG", {"healthy": True}, protocolVersion=version)
    assert reply is not None and reply["payload"]["code"] == "PROTOCOL_VERSION_MISMATCH"


# --- Plugin Allowlist ---


async def test_an_allowlist_that_is_not_empty_restricts(plugin: Plugin, other: Plugin, hub: Background) -> None:
    await plugin.register(ECHO)
    await hub.evaluate(f"oryn.hub.registry.setAllowlist([{json.dumps(other.id)}])")
    assert await names(hub) == []
    assert (await plugin.register(ECHO))["error"].startswith("PLUGIN_NOT_ALLOWED: ")
    assert (await other.register(ECHO))["success"]


# --- Tool Operation Messages ---

CALL = "globalThis.asked = oryn.hub.calls.request('{}', 'PLUGIN_{}', {})"
"""Followed by `SETTLED`."""
SETTLED = ".then(value => ({value}), error => ({code: error.code, message: error.message, details: error.details}))"


async def request(hub: Background, plugin: Plugin, type: str, payload: str = "{}") -> dict[str, Any]:
    """What becomes of a request of the hub's."""
    return dict(await hub.evaluate(CALL.format(plugin.id, type, payload) + SETTLED))


async def test_a_call_has_its_result(plugin: Plugin, hub: Background) -> None:
    await plugin.register(ECHO)
    await plugin.evaluate(ANSWERS)
    payload = "{toolName: 'echo', arguments: {message: 'hi'}, callingOrigin: 'https://a.example'}"
    assert await request(hub, plugin, "TOOL_CALL", payload) == {"value": {"result": "hi"}}
    got = await plugin.got("PLUGIN_TOOL_CALL")
    assert got["payload"] == {"toolName": "echo", "arguments": {"message": "hi"}, "callingOrigin": "https://a.example"}
    assert set(got) == set(SCHEMA["required"])
    assert got["requestId"].startswith("hub-")


CODES = [*SCHEMA["$defs"]["errorCode"]["anyOf"][0]["enum"], "OUT_OF_PAPER", "Own.code-7"]


@pytest.mark.parametrize("code", CODES)
async def test_every_error_code_of_a_plugin_arrives(plugin: Plugin, hub: Background, code: str) -> None:
    await plugin.register(ECHO)
    error = json.dumps({"code": code, "message": "no", "details": {"why": 1}})
    await plugin.evaluate(f"behave = {{PLUGIN_TOOL_CALL: () => ['PLUGIN_TOOL_ERROR', {error}]}}, 1")
    assert await request(hub, plugin, "TOOL_CALL") == {"code": code, "message": "no", "details": {"why": 1}}


@pytest.mark.parametrize(
    "answer",
    [
        "['PLUGIN_TOOL_ERROR', {code: 'not a code', message: ''}]",
        "['PLUGIN_TOOL_ERROR', {code: 'TIMEOUT'}]",
        "['PLUGIN_TOOL_RESULT', {result: 1, executionTimeMs: '1'}]",
        "['PLUGIN_PONG', {}]",
    ],
)
async def test_an_answer_that_is_not_valid_is_an_internal_error(plugin: Plugin, hub: Background, answer: str) -> None:
    await plugin.register(ECHO)
    await plugin.evaluate(f"behave = {{PLUGIN_TOOL_CALL: () => {answer}}}, 1")
    assert (await request(hub, plugin, "TOOL_CALL"))["code"] == "INTERNAL_ERROR"


@pytest.mark.parametrize("code", ["PERMISSION_DENIED", "TOO_MANY_REQUESTS", "INVALID_REQUEST"])
async def test_the_codes_of_the_hub_are_no_plugin_s(plugin: Plugin, hub: Background, code: str) -> None:
    await plugin.register(ECHO)
    error = json.dumps({"code": code, "message": "no", "details": 1})
    await plugin.evaluate(f"behave = {{PLUGIN_TOOL_CALL: () => ['PLUGIN_TOOL_ERROR', {error}]}}, 1")
    assert await request(hub, plugin, "TOOL_CALL") == {"code": "EXECUTION_FAILED", "message": "no", "details": 1}


async def test_tools_are_listed_again(plugin: Plugin, hub: Background) -> None:
    await plugin.register(ECHO)
    tools = json.dumps([{**ECHO, "name": "new"}])
    await plugin.evaluate(f"behave = {{PLUGIN_TOOLS_LIST: () => ['PLUGIN_TOOLS_LIST_RESULT', {{tools: {tools}}}]}}, 1")
    assert (await request(hub, plugin, "TOOLS_LIST"))["value"]["tools"][0]["name"] == "new"
    assert (await plugin.got("PLUGIN_TOOLS_LIST"))["payload"] == {}


async def test_no_plugin_answers_for_another(plugin: Plugin, other: Plugin, hub: Background) -> None:
    for each in (plugin, other):
        await each.register(ECHO)
    await hub.evaluate(CALL.format(plugin.id, "TOOL_CALL", "{}") + SETTLED + ", 1")
    asked = await plugin.got("PLUGIN_TOOL_CALL")
    forged = await other.say("PLUGIN_TOOL_RESULT", {"result": "forged"}, requestId=asked["requestId"])
    assert forged is not None and forged["payload"]["code"] == "INVALID_ARGUMENTS"
    await plugin.say("PLUGIN_TOOL_RESULT", {"result": "true"}, requestId=asked["requestId"])
    assert await hub.evaluate("asked") == {"value": {"result": "true"}}


async def test_an_answer_counts_once_and_only_for_an_open_request(plugin: Plugin, hub: Background) -> None:
    reply = await plugin.say("PLUGIN_TOOL_RESULT", {"result": 1})
    assert reply is not None and reply["payload"]["code"] == "NOT_REGISTERED"
    await plugin.register(ECHO)
    await hub.evaluate(CALL.format(plugin.id, "TOOL_CALL", "{}") + SETTLED + ", 1")
    asked = (await plugin.got("PLUGIN_TOOL_CALL"))["requestId"]
    wrong = await plugin.say("PLUGIN_PONG", {"healthy": True}, requestId=asked)
    assert wrong is not None and wrong["payload"]["code"] == "INVALID_ARGUMENTS"
    for result in (1, 2):
        again = await plugin.say("PLUGIN_TOOL_RESULT", {"result": result}, requestId=asked)
        assert (again is None) == (result == 1)
    assert await hub.evaluate("asked") == {"value": {"result": 1}}


@pytest.mark.parametrize("type", ["PLUGIN_REGISTER", "PLUGIN_UNREGISTER", "PLUGIN_PONG"])
async def test_a_plugin_that_keeps_messages_open_gets_its_replies(plugin: Plugin, type: str) -> None:
    """Its listener says that it will answer, and never does."""
    listener = "chrome.runtime.onMessageExternal.{}Listener(globalThis.open ??= () => true), 1"
    await plugin.evaluate(listener.format("add"))
    try:
        payload = "described([])" if type == "PLUGIN_REGISTER" else "{}"
        reply = await plugin.send(f"message('{type}', {payload})")
        assert reply is not None
    finally:
        await plugin.evaluate(listener.format("remove"))


async def test_a_plugin_may_answer_with_the_reply_of_the_message(plugin: Plugin, hub: Background) -> None:
    await plugin.register(ECHO)
    listener = "(m, s, respond) => respond(message('PLUGIN_TOOL_RESULT', {result: 'reply'}, {requestId: m.requestId}))"
    await plugin.evaluate(f"globalThis.replies = {listener}; chrome.runtime.onMessageExternal.addListener(replies), 1")
    assert await request(hub, plugin, "TOOL_CALL") == {"value": {"result": "reply"}}
    await plugin.evaluate("chrome.runtime.onMessageExternal.removeListener(replies), 1")


# --- Timeouts ---


async def test_the_time_outs_are_those_of_the_specification(hub: Background) -> None:
    expected = {"registration": 5000, "call": 30_000, "ping": 2000, "heartbeat": 60_000}
    assert await hub.evaluate("oryn.hub.timeouts") == expected


@pytest.mark.parametrize(("type", "limit"), [("TOOL_CALL", "call"), ("TOOLS_LIST", "registration"), ("PING", "ping")])
async def test_a_plugin_that_never_answers_times_out(plugin: Plugin, hub: Background, type: str, limit: str) -> None:
    await plugin.register(ECHO)
    await hub.evaluate(f"oryn.hub.timeouts.{limit} = 50, 1")
    assert (await request(hub, plugin, type))["code"] == "TIMEOUT"
    late = await plugin.got(f"PLUGIN_{type}")
    answer = {"TOOL_CALL": "TOOL_RESULT", "TOOLS_LIST": "TOOLS_LIST_RESULT", "PING": "PONG"}[type]
    payload = {"result": 1, "tools": [], "healthy": True}
    reply = await plugin.say(f"PLUGIN_{answer}", payload, requestId=late["requestId"])
    assert reply is not None and reply["payload"]["code"] == "INVALID_ARGUMENTS"


async def test_unregistering_ends_open_calls(plugin: Plugin, hub: Background) -> None:
    await plugin.register(ECHO)
    await hub.evaluate(CALL.format(plugin.id, "TOOL_CALL", "{}") + SETTLED + ", 1")
    await plugin.got("PLUGIN_TOOL_CALL")
    await plugin.say("PLUGIN_UNREGISTER", {})
    assert (await hub.evaluate("asked"))["code"] == "NOT_REGISTERED"


# --- Health/Keepalive Messages ---


async def test_the_heartbeat_pings_and_counts(plugin: Plugin, hub: Background) -> None:
    await plugin.register(ECHO)
    await plugin.evaluate(ANSWERS)
    assert (await hub.until("chrome.alarms.get('hub.heartbeat')"))["periodInMinutes"] == 1
    await hub.evaluate("oryn.hub.heartbeat.beat()")
    assert (await plugin.got("PLUGIN_PING"))["payload"] == {}
    entry = "oryn.hub.registry.entries().then(([each]) => each)"
    before = await hub.evaluate(entry)
    assert before["missed"] == 0
    await plugin.evaluate("behave = {PLUGIN_PING: () => ['PLUGIN_PONG', {healthy: false, uptime: 3}]}, 1")
    for missed in (1, 2, 3):
        await hub.evaluate("oryn.hub.heartbeat.beat()")
        assert (await hub.evaluate(entry))["missed"] == missed
    assert await names(hub) == []
    await plugin.evaluate(ANSWERS)
    await hub.evaluate("oryn.hub.heartbeat.beat()")
    assert await names(hub) == [f"{plugin.id}::echo"]
    assert (await hub.evaluate(entry))["lastSeen"] > before["lastSeen"]


async def test_no_alarm_wakes_a_hub_without_plugins(plugin: Plugin, hub: Background) -> None:
    await plugin.register(ECHO)
    await hub.until("chrome.alarms.get('hub.heartbeat')")
    await plugin.say("PLUGIN_UNREGISTER", {})
    await hub.until("chrome.alarms.get('hub.heartbeat').then(alarm => !alarm)")


# --- after a suspension ---


async def test_the_registry_survives_the_end_of_the_background(
    browser: HubBrowser, plugin: Plugin, hub: Background
) -> None:
    await plugin.send("message('PLUGIN_REGISTER', described([]), {requestId: 'before'})")
    await plugin.register(ECHO)
    await browser.kill_worker()
    reply = await plugin.evaluate(f"say({json.dumps(plugin.hub)}, message('PLUGIN_PONG', {{healthy: true}}))")
    assert reply["payload"]["code"] == "INVALID_ARGUMENTS"  # it is registered, and no request waits
    replayed = "message('PLUGIN_REGISTER', described([]), {requestId: 'before'})"
    reply = await plugin.evaluate(f"say({json.dumps(plugin.hub)}, {replayed})")
    assert reply["payload"]["error"].startswith("ALREADY_REGISTERED")
    again = await browser.worker()
    assert await names(again) == [f"{plugin.id}::echo"]
    await again.detach()
