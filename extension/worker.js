// The service worker, in Firefox the event page: hears everything from its first turn on, and starts the engine when somebody wants it.
//
// A popup that is open wants it, and `wanted` in storage.session, which the engine sets while it is to stay connected, or
// `agent`, which has a run that is under way: so it comes back after the browser has stopped the worker. Before anybody has
// set the former, the setting `auto_connect` decides.

import { boot } from './boot.js';
import { Host } from './chrome.js';
import { registerContentScripts } from './content_scripts.js';
import { hub } from './hub/hub.js';
import { Turns } from './turns.js';

const engine = {
  state: 'off', // loading, ready, failed
  version: chrome.runtime.getManifest().version_name ?? chrome.runtime.getManifest().version,
  how: null, // snapshot, cold
  ms: null, // since the worker's start
  error: null,
  browser: null, // Chrome/156.0.8078.79, Firefox/153.7.0
  debugger: Boolean(chrome.debugger), // whether the browser has one for extensions
  event_page: typeof document === 'object', // Firefox's, in the place of a service worker
};
const popups = new Set();
const host = Object.assign(new Host(opened, failed), { engine: () => JSON.stringify(engine) });
const turns = new Turns(failed);
let starting = null;

/** For debugging in the DevTools; nothing in the worker reads it. */
globalThis.oryn = { engine, startEngine, Host, hub };

/** A popup has opened, which needs the engine. It gets the state of the start until the engine sends its own. */
function opened(port) {
  popups.add(port);
  port.onDisconnect.addListener(() => popups.delete(port));
  port.onMessage.addListener(startEngine); // what the user does after a failure is the next attempt
  if (starting) sendState(port);
  else startEngine();
}

async function sendState(port) {
  const stored = await chrome.storage.sync.get();
  if (engine.state === 'ready' || !popups.has(port)) return;
  port.postMessage({ type: 'state', status: 'disconnected', ...UNKNOWN, settings: { ...SETTINGS, ...stored }, engine });
}

const SETTINGS = {
  endpoint: 'ws://localhost:8080',
  auto_connect: false,
  tab_scope: 'active',
  trusted_input: false,
  allowlist: [],
};
const UNKNOWN = {
  detail: '',
  endpoint: '',
  code: null,
  code_expires: null,
  retry_at: null,
  paired: [],
  activity: [],
  warning: null,
  controlled: [],
  agent: null,
};

/** Send the state to the popups, as long as the engine does not. */
function changed(values) {
  Object.assign(engine, values);
  for (const port of popups) sendState(port);
}

/** Start the engine unless it runs or is starting. If it fails, the next call tries again. */
function startEngine() {
  starting ??= start().catch(failed);
  return starting;
}

function failed(error) {
  console.error('the engine has failed:', error);
  host.detach();
  turns.stop();
  chrome.storage.session.set({ connected: false });
  starting = null;
  changed({ state: 'failed', error: String(error?.message ?? error) });
}

/** https://wicg.github.io/ua-client-hints/#getHighEntropyValues, and Firefox's own */
async function browserVersion() {
  if (chrome.runtime.getBrowserInfo) {
    const { name, version } = await chrome.runtime.getBrowserInfo();
    return `${name}/${version}`;
  }
  const { fullVersionList } = await navigator.userAgentData.getHighEntropyValues(['fullVersionList']);
  return `Chrome/${fullVersionList.find(({ brand }) => brand === 'Chromium')?.version ?? '0'}`;
}

const ALIVE_MS = 1000;

/** Await `work`, with calls meanwhile: Firefox ends an event page without calls and events. */
async function keepAwake(work) {
  const timer = engine.event_page && setInterval(() => chrome.runtime.getPlatformInfo(), ALIVE_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

async function start() {
  host.wake();
  changed({ state: 'loading', error: null });
  const [{ pyodide, how }, browser] = await keepAwake(Promise.all([boot(), browserVersion()]));
  pyodide.pyimport('oryn.extension.event_loop').install(turns);
  const main = pyodide.pyimport('oryn.extension.main');
  Object.assign(engine, { state: 'ready', how, browser, ms: Math.round(performance.now()) });
  main.start(host);
  globalThis.oryn.pyodide = pyodide;
}

/** Whether the engine is to stay connected, or has a run that is under way. */
async function isWanted() {
  const [{ auto_connect }, { wanted, agent }] = await Promise.all([
    chrome.storage.sync.get('auto_connect'),
    chrome.storage.session.get(['wanted', 'agent']),
  ]);
  return Boolean(agent || (wanted ?? auto_connect));
}

async function startIfWanted() {
  if (await isWanted()) startEngine();
  else if (!starting) host.rest();
}

registerContentScripts();
chrome.alarms.onAlarm.addListener(startIfWanted); // the engine's own, which it sets while it is to stay connected
startIfWanted();
