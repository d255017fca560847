// The scripts that run in pages. They are registered while they are of use, so that the pages of a user who is not connected
// have none:
//
// * the scanner, the bar of controlled tabs, what reports the console, and `document.modelContext` in browsers that have
//   none: while a server is connected or an agent runs;
// * `window.agent`: while the hub has plugins, or a server is connected, which may have some.
//
// A page that was open before gets the scanner and the bar when a command needs it, and the others at once, after its own
// scripts: it finds them if it looks for them later, such as when the user does something.
// https://developer.chrome.com/docs/extensions/reference/api/scripting#method-registerContentScripts

import type { JsonObject } from './values';

type ContentScript = chrome.scripting.RegisteredContentScript & { matches: string[]; js: string[] };

const COMMON = {
  allFrames: true,
  matchOriginAsFallback: true,
  runAt: 'document_start',
  persistAcrossSessions: false,
} as const;
const WEB = ['http://*/*', 'https://*/*'];
const SCANNER: ContentScript = {
  ...COMMON,
  id: 'oryn.scanner',
  matches: ['<all_urls>'],
  js: ['scanner.js', 'content.js'],
};
const BANNER: ContentScript = {
  ...COMMON,
  id: 'oryn.banner',
  matches: ['<all_urls>'],
  js: ['banner.js'],
  allFrames: false,
};
const CONSOLE: ContentScript = { ...COMMON, id: 'oryn.console', matches: WEB, js: ['console.js'], world: 'MAIN' };
const MODEL_CONTEXT: ContentScript = {
  ...COMMON,
  id: 'oryn.model_context',
  matches: WEB,
  js: ['model_context.js'],
  world: 'MAIN',
};
const HUB: ContentScript[] = [
  { ...COMMON, id: 'oryn.agent_bridge', matches: WEB, js: ['hub/agent_bridge.js'] },
  { ...COMMON, id: 'oryn.agent_page', matches: WEB, js: ['hub/agent_page.js'], world: 'MAIN' },
];
/** The version of Chromium that has `document.modelContext`. */
const NATIVE = 146;
const isNative = Number(/Chrome\/(\d+)/.exec(navigator.userAgent)?.[1]) >= NATIVE;
const DRIVING = [SCANNER, BANNER, CONSOLE, ...(isNative ? [] : [MODEL_CONTEXT])];
const PLUGINS = 'hub.plugins'; // as `hub/registry.ts` stores them

let turn: Promise<void> = Promise.resolve();

/** What decides, in `storage.session` and `storage.local`. */
interface Session {
  connected?: boolean;
  agent?: JsonObject;
}
interface Local {
  [PLUGINS]?: JsonObject;
}

/** Register what is of use now and take the rest away, one change after the other. Call it in the worker's first turn. */
export function registerContentScripts(): Promise<void> {
  chrome.storage.session.onChanged.addListener(({ connected, agent }) => {
    if (connected || agent) void update();
  });
  chrome.storage.local.onChanged.addListener((changes) => {
    if (changes[PLUGINS]) void update();
  });
  return update();
}

function update(): Promise<void> {
  turn = turn.then(change).catch((error: unknown) => console.error('content scripts:', error));
  return turn;
}

async function change(): Promise<void> {
  const [{ connected, agent }, { [PLUGINS]: plugins }, registered] = await Promise.all([
    chrome.storage.session.get<Session>(['connected', 'agent']),
    chrome.storage.local.get<Local>(PLUGINS),
    chrome.scripting.getRegisteredContentScripts(),
  ]);
  const wanted = [
    ...(connected || agent ? DRIVING : []),
    ...(connected || Object.keys(plugins ?? {}).length ? HUB : []),
  ];
  const wantedIds = wanted.map(({ id }) => id);
  const ids = registered.map(({ id }) => id);
  const added = wanted.filter(({ id }) => !ids.includes(id));
  const removed = ids.filter((id) => !wantedIds.includes(id));
  if (added.length) await chrome.scripting.registerContentScripts(added);
  for (const script of added) if (![SCANNER, BANNER].includes(script)) await inject(script);
  if (removed.length) await chrome.scripting.unregisterContentScripts({ ids: removed });
}

/** Run a script in the pages that are open, without waiting for those that hang. */
async function inject({ js: files, world, matches: url }: ContentScript): Promise<void> {
  for (const { id: tabId } of await chrome.tabs.query({ url, discarded: false })) {
    if (tabId === undefined) continue;
    const injection: chrome.scripting.ScriptInjection<[], unknown> = {
      target: { tabId, allFrames: true },
      files,
      world: world ?? 'ISOLATED',
      injectImmediately: true,
    };
    chrome.scripting.executeScript(injection).catch(() => {}); // the tab has gone, or takes no scripts
  }
}
