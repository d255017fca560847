import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { defineTool, ERROR_CODES, startPlugin, ToolError, VERSION } from "../src/index.js";
import { createEnvelope, MESSAGE_TYPES, REGISTRATION_MS } from "../src/protocol.js";
import { BrowserStandIn, HUB } from "./browser.js";

const echo = defineTool<{ message: string }>({
  name: "echo",
  title: "Echo",
  description: "Returns the message.",
  inputSchema: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
  run: ({ message }, { callingOrigin }) => ({ message, callingOrigin }),
});

const failing = defineTool<{ how: string }>({
  name: "fail",
  title: "Fail",
  description: "",
  inputSchema: { type: "object" },
  run: ({ how }) => {
    if (how === "code") throw new ToolError("INVALID_ARGUMENTS", "not so", { why: 1 });
    if (how === "own") throw new ToolError("OUT_OF_PAPER", "no sheets left");
    if (how === "error") throw new Error("broken");
    return undefined;
  },
});

function started(): BrowserStandIn {
  const api = new BrowserStandIn();
  startPlugin({ name: "Test", version: "1.2.3", author: "A", tools: [echo, failing], hubs: [HUB], api });
  return api;
}

test("the kit has the messages and codes that the hub publishes", async () => {
  const url = new URL("../../../../../extension/hub/harbor-plugin-v1.schema.json", import.meta.url);
  const schema = JSON.parse(await readFile(url, "utf8"));
  assert.deepEqual([...MESSAGE_TYPES].sort(), Object.keys(schema.$defs.payloads).sort());
  assert.deepEqual([...ERROR_CODES], schema.$defs.errorCode.anyOf[0].enum);
  assert.equal(VERSION, schema.properties.protocolVersion.const);
});

test("it registers at its start, when the browser starts, and at each alarm", () => {
  const api = started();
  const [first] = api.sent;
  assert.equal(first?.hub, HUB);
  assert.equal(first?.message.type, "PLUGIN_REGISTER");
  const { run: _, ...definition } = echo;
  assert.deepEqual((first?.message.payload["plugin"] as { tools: unknown[] }).tools[0], definition);
  const { tools: __, ...plugin } = first?.message.payload["plugin"] as Record<string, unknown>;
  assert.deepEqual(plugin, { extensionId: "plugin@test", name: "Test", version: "1.2.3", author: "A" });
  for (const listener of api.runtime.onStartup.all) listener();
  for (const listener of api.runtime.onInstalled.all) listener();
  for (const listener of api.alarms.onAlarm.all) for (const name of [...api.alarms.created, "other"]) listener({ name });
  assert.equal(api.sent.length, 4);
  assert.equal(new Set(api.sent.map(({ message }) => message.requestId)).size, 4);
});

test("a call has its result", async () => {
  const payload = { toolName: "echo", arguments: { message: "hi" }, callingOrigin: "https://a.example" };
  const answer = await started().ask("PLUGIN_TOOL_CALL", payload);
  assert.equal(answer.type, "PLUGIN_TOOL_RESULT");
  assert.deepEqual(answer.payload["result"], { message: "hi", callingOrigin: "https://a.example" });
  assert.ok((answer.payload["executionTimeMs"] as number) >= 0);
});

test("failures have codes", async () => {
  const api = started();
  const fail = (toolName: string, how: string) => api.ask("PLUGIN_TOOL_CALL", { toolName, arguments: { how } });
  assert.deepEqual((await fail("fail", "code")).payload, { code: "INVALID_ARGUMENTS", message: "not so", details: { why: 1 } });
  assert.deepEqual((await fail("fail", "error")).payload, { code: "EXECUTION_FAILED", message: "broken" });
  assert.equal((await fail("none", "")).payload["code"], "TOOL_NOT_FOUND");
  assert.equal((await fail("toString", "")).payload["code"], "TOOL_NOT_FOUND");
  assert.equal((await fail("fail", "nothing")).payload["result"], null);
  assert.equal((await fail("fail", "own")).payload["code"], "OUT_OF_PAPER");
});

test("it answers pings and lists its tools", async () => {
  const api = started();
  assert.equal((await api.ask("PLUGIN_PING", {})).payload["healthy"], true);
  const listed = (await api.ask("PLUGIN_TOOLS_LIST", {})).payload["tools"] as { name: string }[];
  assert.deepEqual(listed.map(({ name }) => name), ["echo", "fail"]);
});

test("only the hub's messages of this version count", async () => {
  const api = started();
  const before = api.sent.length;
  const message = { ...api.sent[0]?.message, type: "PLUGIN_PING", payload: {} };
  api.deliver(message, "other@test");
  for (const wrong of [null, 7, {}, { ...message, protocolVersion: "harbor-plugin/v2" }, { ...message, type: "X" }]) {
    api.deliver(wrong);
  }
  await api.ask("PLUGIN_PING", {});
  assert.equal(api.sent.length, before + 1);
});

test("it notices that the user disables it, and that a hub rejects it", () => {
  const api = new BrowserStandIn();
  const rejected: string[] = [];
  const onRejected = (hub: string, error: string) => rejected.push(`${hub} ${error}`);
  const plugin = startPlugin({ name: "Test", version: "1.0.0", tools: [], hubs: [HUB], api, onRejected });
  const notify = (type: string, payload: object) => api.deliver({ ...api.sent[0]?.message, type, payload });
  notify("PLUGIN_DISABLED", {});
  assert.equal(plugin.isEnabled, false);
  notify("PLUGIN_ENABLED", {});
  assert.equal(plugin.isEnabled, true);
  notify("PLUGIN_REGISTER_ACK", { success: false, error: "PLUGIN_NOT_ALLOWED: no" });
  assert.deepEqual(rejected, ["hub@test PLUGIN_NOT_ALLOWED: no"]);
});

function acknowledge(api: BrowserStandIn, index: number, payload: Record<string, unknown>): void {
  const { hub, message } = api.sent[index]!;
  api.deliver(createEnvelope("PLUGIN_REGISTER_ACK", payload, message.requestId), hub);
}

test("a registration has its answer, or none after five seconds, which is reported once until there is one", async () => {
  const timers: { run(value: undefined): void; milliseconds: number }[] = [];
  const setTimeout = globalThis.setTimeout;
  globalThis.setTimeout = ((run: () => void, milliseconds: number) => timers.push({ run, milliseconds })) as never;
  try {
    const api = new BrowserStandIn();
    let unanswered = 0;
    const onUnanswered = () => void (unanswered += 1);
    const hubs = [HUB, "second@test"];
    const plugin = startPlugin({ name: "Test", version: "1.0.0", tools: [], hubs, api, onRejected() {}, onUnanswered });
    const expire = () => timers.splice(0).forEach(({ run, milliseconds }) => milliseconds === REGISTRATION_MS && run(undefined));

    for (let attempt = 0; attempt < 2; attempt++) {
      const registration = plugin.register();
      expire();
      assert.equal(await registration, false);
    }
    assert.equal(unanswered, 1);

    const accepted = plugin.register();
    acknowledge(api, api.sent.length - 2, { success: true });
    expire(); // the second hub is not there
    assert.equal(await accepted, true);

    const rejected = plugin.register();
    for (const back of [1, 2]) acknowledge(api, api.sent.length - back, { success: false, error: "no" });
    assert.equal(await rejected, false);
    assert.equal(unanswered, 1);

    const lost = plugin.register();
    expire();
    assert.equal(await lost, false);
    assert.equal(unanswered, 2);
  } finally {
    globalThis.setTimeout = setTimeout;
  }
});

test("two tools have two names", () => {
  const api = new BrowserStandIn();
  assert.throws(() => startPlugin({ name: "T", version: "1.0.0", tools: [echo, echo], api }), TypeError);
});
