// The service worker, in Firefox the event page: hears everything from its first turn on, and starts the engine when somebody wants it.
//
// A popup that is open wants it, and `wanted` in storage.session, which the engine sets while it is to stay connected, or
// `agent`, which has a run that is under way: so it comes back after the browser has stopped the worker. Before anybody has
// set the former, the setting `auto_connect` decides.

import { boot } from './boot';
import { Host } from './chrome';
import { registerContentScripts } from './content_scripts';
import { releaseDebuggers, wakeForDebuggers } from './debuggers';
import { messageOf } from './errors';
import { hub } from './hub/hub';
import type { EngineState, Settings, WorkerState } from './messages';
import { Turns } from './turns';

/** `oryn.extension.event_loop` and `oryn.extension.main`, as far as they are called here. */
interface EventLoop {
  install(turns: Turns): void;
}
interface Main {
  start(host: Host): void;
}

const manifest = chrome.runtime.getManifest();
const engine: EngineState = {
  state: 'off',
  version: manifest.version_name ?? manifest.version,
  how: null,
  ms: null,
  error: null,
  browser: null,
  debugger: Boolean(chrome.debugger),
  event_page: typeof document === 'object', // Firefox's, in the place of a service worker
};
const popups = new Set<chrome.runtime.Port>();
const host = new Host(opened, failed, () => JSON.stringify(engine));
const turns = new Turns(failed);
let starting: Promise<void> | null = null;

/** For debugging in the DevTools; nothing in the worker reads it. */
const debugging: Record<string, unknown> = { engine, startEngine, Host, hub };
Object.assign(globalThis, { oryn: debugging });

/** A popup has opened, which needs the engine. It gets the state of the start until the engine sends its own. */
function opened(port: chrome.runtime.Port): void {
  popups.add(port);
  port.onDisconnect.addListener(() => popups.delete(port));
  port.onMessage.addListener(() => void startEngine()); // what the user does after a failure is the next attempt
  if (starting) void sendState(port);
  else void startEngine();
}

async function sendState(port: chrome.runtime.Port): Promise<void> {
  const stored = await chrome.storage.sync.get<Partial<Settings>>();
  if (engine.state === 'ready' || !popups.has(port)) return;
  const settings: Settings = { ...SETTINGS, ...stored };
  port.postMessage({ type: 'state', status: 'disconnected', ...UNKNOWN, settings, engine } satisfies WorkerState);
}

const SETTINGS: Settings = {
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
  notes: { mark: null, rows: [] },
};

/** Send the state to the popups, as long as the engine does not. */
function changed(values: Partial<EngineState>): void {
  Object.assign(engine, values);
  for (const port of popups) void sendState(port);
}

/** Start the engine unless it runs or is starting. If it fails, the next call tries again. */
function startEngine(): Promise<void> {
  starting ??= start().catch(failed);
  return starting;
}

function failed(error: unknown): void {
  console.error('the engine has failed:', error);
  host.detach();
  turns.stop();
  void releaseDebuggers();
  void chrome.storage.session.set({ connected: false });
  starting = null;
  changed({ state: 'failed', error: messageOf(error) });
}

/** https://wicg.github.io/ua-client-hints/#getHighEntropyValues, and Firefox's own */
async function browserVersion(): Promise<string> {
  if (chrome.runtime.getBrowserInfo) {
    const { name, version } = await chrome.runtime.getBrowserInfo();
    return `${name}/${version}`;
  }
  const hints = await navigator.userAgentData?.getHighEntropyValues(['fullVersionList']);
  return `Chrome/${hints?.fullVersionList?.find(({ brand }) => brand === 'Chromium')?.version ?? '0'}`;
}

const ALIVE_MS = 1000;

/** Await `work`, with calls meanwhile: Firefox ends an event page without calls and events. */
async function keepAwake<T>(work: Promise<T>): Promise<T> {
  const timer = engine.event_page ? setInterval(() => void chrome.runtime.getPlatformInfo(), ALIVE_MS) : undefined;
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

async function start(): Promise<void> {
  host.wake();
  changed({ state: 'loading', error: null });
  const [{ pyodide, how }, browser] = await keepAwake(Promise.all([boot(), browserVersion()]));
  (pyodide.pyimport('oryn.extension.event_loop') as EventLoop).install(turns);
  const main = pyodide.pyimport('oryn.extension.main') as Main;
  Object.assign(engine, { state: 'ready', how, browser, ms: Math.round(performance.now()) });
  main.start(host);
  debugging.pyodide = pyodide;
}

/** Whether the engine is to stay connected, or has a run that is under way. */
async function isWanted(): Promise<boolean> {
  const [{ auto_connect }, { wanted, agent }] = await Promise.all([
    chrome.storage.sync.get<Partial<Settings>>('auto_connect'),
    chrome.storage.session.get<{ wanted?: boolean; agent?: object }>(['wanted', 'agent']),
  ]);
  return Boolean(agent || (wanted ?? auto_connect));
}

async function startIfWanted(): Promise<void> {
  if (await isWanted()) void startEngine();
  else if (!starting) host.rest();
}

wakeForDebuggers();
void registerContentScripts();
chrome.alarms.onAlarm.addListener(() => void startIfWanted()); // the engine's own, which it sets while it is to stay connected
void startIfWanted();
