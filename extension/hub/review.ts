// The page to review plugins and permissions, and to revoke them.

import { byId, element, setText } from '../popup/dom';
import { api } from './browser';
import type { Grant, ReviewMessage, ReviewRequest, ReviewState } from './messages';
import { pluginCard, toolRow } from './plugin_card';
import type { PluginEntry } from './registry';
import { label, originText, visible } from './text';

const RETRY_MS = 200;
const KINDS: Record<Grant['kind'], string> = {
  always: 'always allowed',
  once: 'allowed until',
  deny: 'denied until',
  ignored: 'not answered, until',
  silenced: 'may not ask until',
};
const allowlistField = byId('allowlist', HTMLTextAreaElement);
let port: chrome.runtime.Port | null = null;

function connect(): void {
  port = api.runtime.connect({ name: 'hub.review' });
  port.onMessage.addListener((message: ReviewMessage) =>
    message.type === 'state' ? render(message) : fail(message.message),
  );
  port.onDisconnect.addListener(() => setTimeout(connect, RETRY_MS)); // the browser has suspended the background
}

function send(message: ReviewRequest): void {
  byId('error').hidden = true;
  port?.postMessage(message);
}

function fail(text: string): void {
  setText(byId('error'), visible(text));
  byId('error').hidden = false;
}

function render({ plugins, enabled, allowlist, grants }: ReviewState): void {
  byId('plugins').replaceChildren(
    ...plugins.map((entry) => pluginRow(entry, enabled.includes(entry.plugin.extensionId))),
  );
  byId('no-plugins').hidden = plugins.length > 0;
  const origins = [...new Set(grants.map(({ origin }) => origin))].sort();
  byId('grants').replaceChildren(...origins.map((origin) => originRow(origin, grants)));
  byId('no-grants').hidden = origins.length > 0;
  if (document.activeElement !== allowlistField) allowlistField.value = allowlist.join('\n');
}

function pluginRow({ plugin, disabled, missed }: PluginEntry, isEnabled: boolean): HTMLElement {
  const { extensionId: id, name, tools } = plugin;
  const off = disabled ? 'disabled' : isEnabled ? null : 'not in the allowlist';
  const state = off ?? (missed ? `has missed ${missed} pings` : 'answers');
  const count = `${tools.length} tool${tools.length === 1 ? '' : 's'}`;
  return pluginCard(
    plugin,
    element(
      'div',
      { className: 'actions' },
      button(disabled ? 'Enable' : 'Disable', name, () => send({ type: 'disable', id, disabled: !disabled })),
      button('Read its tools again', name, () => send({ type: 'refresh', id })),
      element('span', { className: off || missed ? 'badge' : 'badge plain' }, state),
    ),
    element(
      'details',
      { className: 'tools' },
      element('summary', {}, count),
      element('ul', {}, ...tools.map((tool) => toolRow(tool, tool.uiHints?.dangerous === true))),
    ),
  );
}

function originRow(origin: string, grants: Grant[]): HTMLElement {
  const rows = grants
    .filter((grant) => grant.origin === origin)
    .map(({ name, kind, until }) => {
      const time = until === null ? '' : ` ${new Date(until).toLocaleTimeString()}`;
      const tool = name === null ? 'all tools' : element('code', {}, visible(name));
      return element('li', {}, tool, ` ${KINDS[kind]}${time}`);
    });
  return element(
    'li',
    { className: 'panel' },
    element(
      'div',
      { className: 'origin' },
      element('h3', {}, originText(origin)),
      button('Revoke', origin, () => send({ type: 'revoke', origin })),
    ),
    element('ul', { className: 'grants' }, ...rows),
  );
}

function button(text: string, subject: string, action: () => void): HTMLElement {
  const about = { type: 'button', className: 'quiet', 'aria-label': `${text}: ${label(subject)}` };
  const created = element('button', about, text);
  created.addEventListener('click', action);
  return created;
}

byId('allowlist-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const ids = allowlistField.value.split(/\s+/).filter(Boolean);
  send({ type: 'allowlist', ids: [...new Set(ids)] });
});
connect();
