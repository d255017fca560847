// The connection: its status as text, the server's address, and the buttons to connect and disconnect.

import type { ConnectionStatus, WorkerState } from '../messages';
import { announce, byId, setText } from './dom';
import { send } from './port';
import { requireAllowed } from './servers';
import { connectionText, engineText } from './status_text';

let state: WorkerState | null = null;
const SECOND_MS = 1000;
let isEdited = false; // the address in the field differs from the settings until it is used
let isRequested = false; // the user has pressed Connect, and the worker has not responded yet
let announcedStatus: ConnectionStatus | null = null;

const endpoint = byId('endpoint', HTMLInputElement);

export function initialize(): void {
  endpoint.addEventListener('input', () => {
    isEdited = true;
  });
  endpoint.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !isEdited) return;
    // Escape would also close the popup.
    event.preventDefault();
    isEdited = false;
    endpoint.value = state?.settings.endpoint ?? '';
  });
  byId('server').addEventListener('submit', (event) => {
    event.preventDefault();
    connect();
  });
  byId('retry').addEventListener('click', connect);
  byId('disconnect').addEventListener('click', () => send({ type: 'disconnect' }));
  byId('stop').addEventListener('click', () => send({ type: 'stop' }));
  setInterval(() => {
    if (state) renderText(state);
  }, SECOND_MS);
}

function connect(): void {
  requireAllowed(endpoint.value.trim(), () => {
    const address = endpoint.value.trim();
    if (address !== state?.settings.endpoint) send({ type: 'settings', changes: { endpoint: address } });
    isEdited = false;
    isRequested = true;
    send({ type: 'connect' });
    if (state) render(state);
  });
}

/** The worker has stopped, and no longer knows the request to connect. */
export function handleLoss(): void {
  isRequested = false;
}

/** The worker has rejected a message. If it was the request to connect, the address stays in the field. */
export function handleRejection(): void {
  if (!isRequested) return;
  isRequested = false;
  isEdited = true;
  if (state) render(state);
  endpoint.focus();
}

export function render(next: WorkerState): void {
  state = next;
  const isIdle = state.status === 'disconnected';
  if (!isIdle || state.detail || state.engine.state === 'failed') isRequested = false;
  if (!isEdited && !isRequested && document.activeElement !== endpoint) endpoint.value = state.settings.endpoint;
  const hadFocus = byId('session').contains(document.activeElement) || byId('server').contains(document.activeElement);
  byId('server').hidden = !isIdle;
  byId('session').hidden = isIdle;
  setText(byId('connect'), isRequested ? 'Connecting' : 'Connect');
  byId('retry').hidden = state.status !== 'waiting';
  byId('stop').hidden = !state.activity.some(({ status }) => status === 'running');
  // If the focused control is hidden now, the control in its place gets the focus.
  if (hadFocus && !document.activeElement?.checkVisibility()) byId(isIdle ? 'connect' : 'disconnect').focus();
  byId('state').dataset.status = state.status;
  renderText(state);
  announceStatus(state.status);
  byId('warning').hidden = !state.warning;
  setText(byId('warning'), state.warning ?? '');
  setText(byId('version'), state.engine.version);
  setText(byId('engine'), engineText(state.engine));
}

/** Announce a new status, but not each retry. */
function announceStatus(status: ConnectionStatus): void {
  if (status === 'connecting' || status === announcedStatus) return;
  if (announcedStatus) announce(byId('status').textContent);
  announcedStatus = status;
}

function renderText(state: WorkerState): void {
  const { title, detail } = connectionText(state, Date.now());
  setText(byId('status'), title);
  setText(byId('detail'), detail);
}
