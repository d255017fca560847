// Servers that are not on this computer and may be connected to, and servers that have been paired.

import { byId, element, setText } from './dom.js';
import { renderer } from './lists.js';
import { tell } from './port.js';
import { isHere, parsed } from './words.js';

const allowed = renderer('allowed', (endpoint) => endpoint, allowedRow);
const paired = renderer('paired', ({ endpoint }) => endpoint, pairedRow);
let known = [];
let wanted = null; // what is asked about: `{endpoint, then}`

export function begin() {
  byId('allow').addEventListener('submit', (event) => {
    event.preventDefault();
    ask(byId('allow-url').value.trim(), () => byId('allow').reset());
  });
  byId('allow-yes').addEventListener('click', () => {
    const { endpoint, then } = wanted;
    tell({ type: 'allow', endpoint });
    leave();
    then();
  });
  byId('allow-no').addEventListener('click', leave);
  byId('allow-sure').addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    leave();
  });
}

export function show(state) {
  known = state.settings.allowlist;
  allowed(known);
  paired(state.paired);
  byId('no-paired').hidden = state.paired.length > 0;
}

/** Do `then` with a server that may be connected to: for one that is elsewhere, when the user has said so. */
export function permit(endpoint, then) {
  const url = parsed(endpoint);
  // Whatever is no address of a server, the worker says why it is none.
  if (!url || url.protocol !== 'wss:' || isHere(endpoint) || known.includes(url.origin)) then();
  else ask(endpoint, then);
}

/** Nothing is added before the user has read what it means. */
function ask(endpoint, then) {
  wanted = { endpoint, then };
  setText(byId('allow-named'), parsed(endpoint)?.host ?? endpoint);
  byId('allow').hidden = true;
  byId('allow-sure').hidden = false;
  byId('allow-sure').scrollIntoView({ block: 'nearest' });
  byId('allow-no').focus();
}

function leave() {
  wanted = null;
  byId('allow').hidden = false;
  byId('allow-sure').hidden = true;
  byId('allow-url').focus();
}

function allowedRow(endpoint) {
  const remove = element('button', { type: 'button', className: 'quiet', 'aria-label': `Remove ${endpoint}` }, 'Remove');
  remove.addEventListener('click', () => {
    tell({ type: 'settings', changes: { allowlist: known.filter((each) => each !== endpoint) } });
  });
  return element('li', {}, element('span', { className: 'address' }, endpoint), remove);
}

function pairedRow({ endpoint, since, last_used: used }) {
  const revoke = element('button', { type: 'button', className: 'quiet', 'aria-label': `Revoke ${endpoint}` }, 'Revoke');
  revoke.addEventListener('click', () => tell({ type: 'revoke', endpoint }));
  const about = element('span', { className: 'remark' }, 'Since ', moment(since));
  if (used) about.append(', last used ', moment(used));
  return element('li', {}, element('span', { className: 'address' }, endpoint), revoke, about);
}

const WHEN = { dateStyle: 'medium', timeStyle: 'short' };

/** Of milliseconds since 1970, or of ISO 8601. */
function moment(at) {
  const date = new Date(at);
  return element('time', { dateTime: date.toISOString() }, date.toLocaleString([], WHEN));
}
