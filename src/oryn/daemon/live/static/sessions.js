// The list of sessions, and the selected one. Its name is in the page's address, so that it survives a reload.

import { request } from './api.js';
import { byId, element, setText, throttle } from './dom.js';

const list = byId('sessions');
const REFRESH_INTERVAL_MS = 400;
const items = new Map(); // the nodes of each session by its name
const titles = new Map(); // `{url, title}` of a session's page by the session's name
let selected = null;
let sessions = [];
let onSelect = () => {};

let onStatus = () => {};

/** `select(name)` is called when another session is selected, `status(entry)` with the daemon's entry of the selected
 *  one. */
export function initialize(select, status) {
  onSelect = select;
  onStatus = status;
  addEventListener('hashchange', () => selectSession(nameInAddress()));
}

const nameInAddress = () => decodeURIComponent(location.hash.slice(1)) || null;

/** The name of the selected session, or null. */
export const current = () => selected;

function selectSession(name) {
  if (name === selected || !name) return;
  selected = name;
  history.replaceState(null, '', `#${encodeURIComponent(name)}`);
  markSelected();
  onSelect(name);
}

function markSelected() {
  for (const [name, { button }] of items) {
    if (name === selected) button.setAttribute('aria-current', 'true');
    else button.removeAttribute('aria-current');
  }
}

/** A function that requests the daemon's status, renders its sessions, and calls `onDaemon` with it. */
export const createRefresh = (onDaemon) =>
  throttle(REFRESH_INTERVAL_MS, async () => {
    const status = await request('/status').catch(() => null);
    if (!status) return;
    sessions = status.sessions;
    render();
    onDaemon(status);
  });

function render() {
  const names = new Set(sessions.map(({ name }) => name));
  for (const [name, { item }] of items) {
    if (names.has(name)) continue;
    item.remove();
    items.delete(name);
  }
  sessions.forEach(renderSession);
  byId('no-sessions').hidden = sessions.length > 0;
  const wanted = nameInAddress();
  if (!selected || !names.has(selected)) selectSession(names.has(wanted) ? wanted : sessions[0]?.name);
  markSelected();
  onStatus(sessions.find(({ name }) => name === selected));
  addOptions(byId('events-session'));
  addOptions(byId('search-session'));
}

function renderSession(session, index) {
  if (!items.has(session.name)) items.set(session.name, createItem(session.name));
  const { item, state, page, dot } = items.get(session.name);
  if (list.children[index] !== item) list.insertBefore(item, list.children[index] || null);
  setText(state, session.taken_over ? 'taken over' : session.login ? 'waits for a login' : session.state);
  setText(page, session.title || titleOf(session) || session.url || '');
  page.title = session.url || '';
  dot.dataset.state = session.state;
}

/** Show the title of a session's page. The daemon's status has none for a page that was not observed. */
export function setTitle(name, { url, title }) {
  titles.set(name, { url, title });
  render();
}

const titleOf = ({ name, url }) => (titles.get(name)?.url === url ? titles.get(name).title : null);

function createItem(name) {
  const dot = element('span', { className: 'dot', ariaHidden: 'true' });
  const state = element('span', { className: 'state' });
  const page = element('span', { className: 'page' });
  const button = element(
    'button',
    { type: 'button', onclick: () => selectSession(name) },
    dot,
    element('span', { className: 'name' }, name),
    state,
    page,
  );
  return { item: element('li', {}, button), button, dot, state, page };
}

/** Add the sessions to a select; sessions that have closed stay in it. */
function addOptions(select) {
  const present = new Set([...select.options].map((option) => option.value));
  for (const { name } of sessions) if (!present.has(name)) select.append(element('option', { value: name }, name));
}
