// The service worker: hears everything from its first turn on, and starts the engine when somebody wants it.
//
// Wanted is it by a popup that is open, by the setting `auto_connect` (storage.sync), and by `wanted` (storage.session),
// which the engine sets while it is to stay connected: so it comes back when the browser has stopped the worker.

import { boot } from "./boot.js";
import { Host } from "./chrome.js";

const started = performance.timeOrigin;
const engine = { state: "off", version: chrome.runtime.getManifest().version, how: null, ms: null, error: null, started };
const popups = new Set();
const host = new Host(opened);
let starting = null;

// For the tests and the benchmark, which look in through the DevTools protocol; nothing else in the worker reads it.
globalThis.oryn = { engine, host, want };

/** A port has opened. Until the engine speaks for itself, the popup is told how it comes up. */
function opened(port) {
  if (port.name !== "popup") return;
  popups.add(port);
  port.onDisconnect.addListener(() => popups.delete(port));
  if (engine.state !== "ready") tell(port);
  want();
}

async function tell(port) {
  const { endpoint = "ws://localhost:8080", auto_connect = false, tab_scope = "active", trusted_input = false, allowlist = [] } =
    await chrome.storage.sync.get();
  if (engine.state === "ready" || !popups.has(port)) return;
  const settings = { endpoint, auto_connect, tab_scope, trusted_input, allowlist };
  const nothing = { detail: "", code: null, code_expires: null, retry_at: null, paired: [], activity: [], warning: null };
  port.postMessage({ type: "state", status: "disconnected", endpoint, settings, ...nothing, controlled: [], engine });
}

function changed(values) {
  Object.assign(engine, values);
  for (const port of popups) tell(port);
}

/** Start the engine unless it runs or is starting. It fails quietly: the next wish tries again. */
function want() {
  starting ??= start().catch((error) => {
    console.error("the engine did not start:", error);
    changed({ state: "failed", error: String(error?.message ?? error) });
    host.detach();
    starting = null;
  });
  return starting;
}

async function start() {
  changed({ state: "loading", error: null });
  const { pyodide, how } = await boot();
  const main = pyodide.pyimport("oryn.extension.main");
  // Before `main` is told of the world: it shows this to the popup.
  Object.assign(engine, { state: "ready", how, ms: Math.round(performance.now()) });
  main.start(host);
  globalThis.oryn.pyodide = pyodide;
}

async function wanted() {
  const [{ auto_connect }, { wanted }] = await Promise.all([
    chrome.storage.sync.get("auto_connect"),
    chrome.storage.session.get("wanted"),
  ]);
  if (auto_connect || wanted) want();
}

wanted();
