// The list of remote servers that the user allows, and the list of paired servers.

import type { PairedServer, WorkerState } from '../messages';
import { byId, element, setText } from './dom';
import { isLocal, parseEndpoint } from './endpoints';
import { listRenderer } from './lists';
import { send } from './port';

const renderAllowed = listRenderer<string>('allowed', (endpoint) => endpoint, createAllowedRow);
const renderPaired = listRenderer<PairedServer>('paired', ({ endpoint }) => endpoint, createPairedRow);
/** A server that waits for the user's confirmation. */
interface Pending {
  endpoint: string;
  onAllowed: () => void;
}
const form = byId('allow', HTMLFormElement);
const urlField = byId('allow-url', HTMLInputElement);
let allowlist: string[] = [];
let pending: Pending | null = null;

export function initialize(): void {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    askToAllow(urlField.value.trim(), () => form.reset());
  });
  byId('allow-yes').addEventListener('click', () => {
    if (!pending) return;
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

export function render({ settings, paired }: WorkerState): void {
  allowlist = settings.allowlist;
  renderAllowed(allowlist);
  renderPaired(paired);
  byId('no-paired').hidden = paired.length > 0;
}

/** Call `onAllowed` if the server is allowed, or as soon as the user has allowed it. */
export function requireAllowed(endpoint: string, onAllowed: () => void): void {
  const url = parseEndpoint(endpoint);
  // The worker rejects invalid addresses, and says why.
  if (!url || url.protocol !== 'wss:' || isLocal(endpoint) || allowlist.includes(url.origin)) onAllowed();
  else askToAllow(endpoint, onAllowed);
}

/** Nothing is added before the user has read the warning. */
function askToAllow(endpoint: string, onAllowed: () => void): void {
  pending = { endpoint, onAllowed };
  setText(byId('allow-host'), parseEndpoint(endpoint)?.host ?? endpoint);
  form.hidden = true;
  byId('allow-confirmation').hidden = false;
  byId('allow-confirmation').scrollIntoView({ block: 'nearest' });
  byId('allow-no').focus();
}

function closeConfirmation(): void {
  pending = null;
  form.hidden = false;
  byId('allow-confirmation').hidden = true;
  urlField.focus();
}

function createAllowedRow(endpoint: string): HTMLElement {
  const remove = element(
    'button',
    { type: 'button', className: 'quiet', 'aria-label': `Remove ${endpoint}` },
    'Remove',
  );
  remove.addEventListener('click', () => {
    send({ type: 'settings', changes: { allowlist: allowlist.filter((each) => each !== endpoint) } });
  });
  return element('li', {}, element('span', { className: 'address' }, endpoint), remove);
}

function createPairedRow({ endpoint, since, last_used: lastUsed }: PairedServer): HTMLElement {
  const revoke = element(
    'button',
    { type: 'button', className: 'quiet', 'aria-label': `Revoke ${endpoint}` },
    'Revoke',
  );
  revoke.addEventListener('click', () => send({ type: 'revoke', endpoint }));
  const remark = element('span', { className: 'remark' }, 'Since ', dateElement(since));
  if (lastUsed) remark.append(', last used ', dateElement(lastUsed));
  return element('li', {}, element('span', { className: 'address' }, endpoint), revoke, remark);
}

const DATE_FORMAT = { dateStyle: 'medium', timeStyle: 'short' } as const;

/** A `<time>` for epoch milliseconds. */
function dateElement(timestamp: number): HTMLElement {
  const date = new Date(timestamp);
  return element('time', { dateTime: date.toISOString() }, date.toLocaleString([], DATE_FORMAT));
}
