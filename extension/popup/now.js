// How things stand: the status in words, the server's address, connecting and disconnecting.

import { byId, say, setText } from './dom.js';
import { tell } from './port.js';
import { permit } from './servers.js';
import { engineWords, statusOf } from './words.js';

let state = null;
let edited = false; // the address stands as the user left it, until it is used
let told = null; // the status that was last read aloud
let asked = false; // to connect, and the worker has not said what came of it

const endpoint = byId('endpoint');

export function begin() {
  endpoint.addEventListener('input', () => {
    edited = true;
  });
  endpoint.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !edited) return;
    // Escape would also close the popup.
    event.preventDefault();
    edited = false;
    endpoint.value = state?.settings.endpoint ?? '';
  });
  byId('server').addEventListener('submit', (event) => {
    event.preventDefault();
    connect();
  });
  byId('retry').addEventListener('click', connect);
  byId('disconnect').addEventListener('click', () => tell({ type: 'disconnect' }));
  byId('stop').addEventListener('click', () => tell({ type: 'stop' }));
  setInterval(() => state && words(), 1000);
}

function connect() {
  permit(endpoint.value.trim(), () => {
    const address = endpoint.value.trim();
    if (address !== state?.settings.endpoint) tell({ type: 'settings', changes: { endpoint: address } });
    edited = false;
    asked = true;
    tell({ type: 'connect' });
    if (state) show(state);
  });
}

/** The worker has gone, and with it what was asked of it. */
export function lost() {
  asked = false;
}

/** Whoever asked to connect was refused: the address stands as it was written. */
export function refused() {
  if (!asked) return;
  asked = false;
  edited = true;
  if (state) show(state);
  endpoint.focus();
}

export function show(next) {
  state = next;
  if (state.status !== 'disconnected' || state.detail || state.engine.state === 'failed') asked = false;
  const idle = state.status === 'disconnected';
  if (!edited && !asked && document.activeElement !== endpoint) endpoint.value = state.settings.endpoint;
  const hadFocus = byId('session').contains(document.activeElement) || byId('server').contains(document.activeElement);
  byId('server').hidden = !idle;
  byId('session').hidden = idle;
  setText(byId('connect'), asked ? 'Connecting' : 'Connect');
  byId('retry').hidden = state.status !== 'waiting';
  byId('stop').hidden = !state.activity.some(({ status }) => status === 'running');
  // What had the focus may be hidden now: the keyboard goes on with what has taken its place.
  if (hadFocus && !document.activeElement.checkVisibility?.()) byId(idle ? 'connect' : 'disconnect').focus();
  byId('state').dataset.status = state.status;
  words();
  announce();
  byId('warning').hidden = !state.warning;
  setText(byId('warning'), state.warning ?? '');
  setText(byId('version'), state.engine.version ?? '');
  setText(byId('engine'), engineWords(state.engine));
}

/** Each try to connect again is no news. */
function announce() {
  if (state.status === 'connecting' || state.status === told) return;
  if (told) say(byId('status').textContent);
  told = state.status;
}

function words() {
  const { title, detail } = statusOf(state, Date.now());
  setText(byId('status'), title);
  setText(byId('detail'), detail);
}
