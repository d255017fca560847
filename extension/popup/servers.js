// The list of remote servers that the user allows, and the list of paired servers.

import { byId, element, setText } from './dom.js';
import { isLocal, parseEndpoint } from './endpoints.js';
import { listRenderer } from './lists.js';
import { send } from './port.js';

const renderAllowed = listRenderer('allowed', (endpoint) => endpoint, createAllowedRow);
const renderPaired = listRenderer('paired', ({ endpoint }) => endpoint, createPairedRow);
let allowlist = [];
let pending = null; // `{endpoint, onAllowed}` of the server that waits for the user's confirmation

export function initialize() {
  byId('allow').addEventListener('submit', (event) => {
    event.preventDefault();
    askToAllow(byId('allow-url').value.trim(), () => byId('allow').reset());
  });
  byId('allow-yes').addEventListener('click', () => {
    const { endpoint, onAllowed } = pending;
    send({ type: 'allow', endpoint });
    closeConfirmation();
    onAllowed();
  });
  byId('allow-no').addEventListener('click', closeConfirmation);
  byId('allow-confirmation').addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    closeConfirmation();
  });
}

export function render({ settings, paired }) {
  allowlist = settings.allowlist;
  renderAllowed(allowlist);
  renderPaired(paired);
  byId('no-paired').hidden = paired.length > 0;
}

/** Call `onAllowed` if the server is allowed, or as soon as the user has allowed it. */
export function requireAllowed(endpoint, onAllowed) {
  const url = parseEndpoint(endpoint);
  // The worker rejects invalid addresses, and says why.
  if (!url || url.protocol !== 'wss:' || isLocal(endpoint) || allowlist.includes(url.origin)) onAllowed();
  else askToAllow(endpoint, onAllowed);
}

/** Nothing is added before the user has read the warning. */
function askToAllow(endpoint, onAllowed) {
  pending = { endpoint, onAllowed };
  setText(byId('allow-host'), parseEndpoint(endpoint)?.host ?? endpoint);
  byId('allow').hidden = true;
  byId('allow-confirmation').hidden = false;
  byId('allow-confirmation').scrollIntoView({ block: 'nearest' });
  byId('allow-no').focus();
}

function closeConfirmation() {
  pending = null;
  byId('allow').hidden = false;
  byId('allow-confirmation').hidden = true;
  byId('allow-url').focus();
}

function createAllowedRow(endpoint) {
  const remove = element('button', { type: 'button', className: 'quiet', 'aria-label': `Remove ${endpoint}` }, 'Remove');
  remove.addEventListener('click', () => {
    send({ type: 'settings', changes: { allowlist: allowlist.filter((each) => each !== endpoint) } });
  });
  return element('li', {}, element('span', { className: 'address' }, endpoint), remove);
}

function createPairedRow({ endpoint, since, last_used: lastUsed }) {
  const revoke = element('button', { type: 'button', className: 'quiet', 'aria-label': `Revoke ${endpoint}` }, 'Revoke');
  revoke.addEventListener('click', () => send({ type: 'revoke', endpoint }));
  const remark = element('span', { className: 'remark' }, 'Since ', dateElement(since));
  if (lastUsed) remark.append(', last used ', dateElement(lastUsed));
  return element('li', {}, element('span', { className: 'address' }, endpoint), revoke, remark);
}

const DATE_FORMAT = { dateStyle: 'medium', timeStyle: 'short' };

/** A `<time>` for epoch milliseconds, or ISO 8601. */
function dateElement(timestamp) {
  const date = new Date(timestamp);
  return element('time', { dateTime: date.toISOString() }, date.toLocaleString([], DATE_FORMAT));
}
