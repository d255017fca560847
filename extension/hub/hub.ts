// The hub of `harbor-plugin/v1`: gathers the tools of other extensions and offers them to pages, under the user's consent.
// All listeners are registered here, in the first turn, as both browsers demand of what shall wake a background.

import { api, isOwnPage, keepAwake } from './browser';
import { Calls } from './calls';
import { Grants } from './grants';
import { ALARM, Heartbeat } from './heartbeat';
import { Pages } from './pages';
import { PluginMessages } from './plugins';
import { isOfProtocol, TIMEOUTS } from './protocol';
import type { Message } from './protocol';
import { Questions } from './questions';
import { Registry } from './registry';
import { Review } from './review_port';
import { ServerPlugins } from './server';

const calls = new Calls();
let notifyEngine: () => void = () => {};
const registry = new Registry(() => {
  notifyEngine();
  heartbeat.schedule().catch(report);
  void review.update();
});
const grants = new Grants(() => void review.update());
const heartbeat = new Heartbeat(registry, calls);
const questions = new Questions();
const pages = new Pages(registry, calls, grants, questions);
const plugins = new PluginMessages(registry, calls);
const review = new Review(registry, calls, grants);
const server = new ServerPlugins(registry, calls, plugins);

const report = (error: unknown) => console.error('hub:', error);

/** For those who look in through the DevTools: nothing in the background reads it. */
export const hub = { registry, calls, grants, heartbeat, timeouts: TIMEOUTS };

/** For the engine (`chrome.ts`): what its agent may use. */
export const agentTools = {
  list: () => pages.listForAgent(),
  call: (id: string, name: unknown, values: unknown) => pages.callForAgent(id, name, values),
  cancel: (id: string) => pages.cancelForAgent(id),
};

/** For the engine: the plugins of the server that is connected. `send` sends to them, `changed` is called after each change
 *  of what is registered. */
export const serverPlugins = {
  connect: (send: (pluginId: string, message: Message) => void, changed: () => void): void => {
    calls.connectServer(send);
    notifyEngine = changed;
  },
  receive: (id: string, message: unknown) => server.receive(id, message),
  withdraw: () => server.withdraw(),
};

// Content scripts live in the processes of pages: none may write what a page was granted. Firefox gives them no storage.
const local = api.storage.local as Partial<typeof api.storage.local>;
local.setAccessLevel?.({ accessLevel: 'TRUSTED_CONTEXTS' }).catch(report);

api.runtime.onMessageExternal.addListener((message: unknown, sender, respond: (reply: Message | null) => void) => {
  if (!isOfProtocol(message)) return false;
  keepAwake(plugins.handle(message, sender.id)).then(respond, report);
  return true;
});

api.runtime.onConnect.addListener((port) => {
  if (port.name === 'hub.page') pages.connect(port);
  else if (!port.name.startsWith('hub.')) return;
  else if (!isOwnPage(port.sender)) port.disconnect();
  else if (port.name === 'hub.consent') questions.connect(port);
  else if (port.name === 'hub.review') review.connect(port);
});

api.alarms.onAlarm.addListener(({ name }) => {
  if (name === ALARM) keepAwake(heartbeat.beat()).catch(report);
});

// Plugins may have been removed while the browser or the hub was not running.
const check = () => {
  keepAwake(heartbeat.beat().then(() => heartbeat.schedule())).catch(report);
};
api.runtime.onStartup.addListener(check);
api.runtime.onInstalled.addListener(check);
