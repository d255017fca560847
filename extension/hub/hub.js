// The hub of `harbor-plugin/v1`: gathers the tools of other extensions and offers them to pages, under the user's consent.
// All listeners are registered here, in the first turn, as both browsers demand of what shall wake a background.

import { api, isOwnPage, keepAwake } from './browser.js';
import { Calls } from './calls.js';
import { Grants } from './grants.js';
import { ALARM, Heartbeat } from './heartbeat.js';
import { Pages } from './pages.js';
import { PluginMessages } from './plugins.js';
import { isOfProtocol, TIMEOUTS } from './protocol.js';
import { Questions } from './questions.js';
import { Registry } from './registry.js';
import { Review } from './review_port.js';
import { ServerPlugins } from './server.js';

const calls = new Calls();
let notifyEngine = () => {};
const registry = new Registry(() => {
  notifyEngine();
  heartbeat.schedule().catch(report);
  review.update();
});
const grants = new Grants(() => review.update());
const heartbeat = new Heartbeat(registry, calls);
const questions = new Questions();
const pages = new Pages(registry, calls, grants, questions);
const plugins = new PluginMessages(registry, calls);
const review = new Review(registry, calls, grants);
const server = new ServerPlugins(registry, calls, plugins);

const report = (error) => console.error('hub:', error);

/** For those who look in through the DevTools: nothing in the background reads it. */
export const hub = { registry, calls, grants, heartbeat, timeouts: TIMEOUTS };

/** For the engine (`chrome.js`): what its agent may use. */
export const agentTools = {
  list: () => pages.listForAgent(),
  call: (id, name, values) => pages.callForAgent(id, name, values),
  cancel: (id) => pages.cancelForAgent(id),
};

/** For the engine: the plugins of the server that is connected. `send` sends to them, `changed` is called after each change
 *  of what is registered. */
export const serverPlugins = {
  connect: (send, changed) => {
    calls.connectServer(send);
    notifyEngine = changed;
  },
  receive: (id, message) => server.receive(id, message),
  withdraw: () => server.withdraw(),
};

// Content scripts live in the processes of pages: none may write what a page was granted. Firefox gives them no storage.
api.storage.local.setAccessLevel?.({ accessLevel: 'TRUSTED_CONTEXTS' }).catch(report);

api.runtime.onMessageExternal.addListener((message, sender, respond) => {
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
for (const event of [api.runtime.onStartup, api.runtime.onInstalled]) {
  event.addListener(() => keepAwake(heartbeat.beat().then(() => heartbeat.schedule())).catch(report));
}
