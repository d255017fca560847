// The list of sessions, and which of them is looked at. The choice stands in the address, so it outlives a reload.

import { ask } from './daemon.js';
import { atMostEvery, byId, element, setText } from './dom.js';

const list = byId('sessions');
const items = new Map();
const titles = new Map();
let chosen = null;
let known = [];
let choose = () => {};

/** `chosenAnew` is called with the session's name, or null, whenever another one is looked at. */
export function begin(chosenAnew) {
  choose = chosenAnew;
  addEventListener('hashchange', () => look(named()));
}

const named = () => decodeURIComponent(location.hash.slice(1)) || null;

export const current = () => chosen;

function look(name) {
  if (name === chosen || !name) return;
  chosen = name;
  history.replaceState(null, '', `#${encodeURIComponent(name)}`);
  mark();
  choose(name);
}

function mark() {
  for (const [name, { button }] of items) {
    if (name === chosen) button.setAttribute('aria-current', 'true');
    else button.removeAttribute('aria-current');
  }
}

/** Ask the daemon which sessions there are; `told` takes its status. */
export const refresher = (told) =>
  atMostEvery(400, async () => {
    const status = await ask('/status').catch(() => null);
    if (!status) return;
    show(status.sessions);
    told(status);
  });

function show(sessions) {
  known = sessions;
  const names = new Set(sessions.map(({ name }) => name));
  for (const [name, { item }] of items) {
    if (names.has(name)) continue;
    item.remove();
    items.delete(name);
  }
  sessions.forEach((session, place) => {
    if (!items.has(session.name)) items.set(session.name, made(session.name));
    const { item, state, about, dot } = items.get(session.name);
    if (list.children[place] !== item) list.insertBefore(item, list.children[place] || null);
    setText(state, session.state);
    setText(about, session.title || titleOf(session) || session.url || '');
    about.title = session.url || '';
    dot.dataset.state = session.state;
  });
  byId('no-sessions').hidden = sessions.length > 0;
  const wanted = named();
  if (!chosen || !names.has(chosen)) look(names.has(wanted) ? wanted : sessions[0]?.name);
  mark();
  offer(byId('events-session'));
  offer(byId('search-session'));
}

/** The daemon asks no page for its title; who looks at one knows it. */
export function learn(name, { url, title }) {
  titles.set(name, { url, title });
  show(known);
}

const titleOf = ({ name, url }) => (titles.get(name)?.url === url ? titles.get(name).title : null);

function made(name) {
  const dot = element('span', { className: 'dot', ariaHidden: 'true' });
  const state = element('span', { className: 'state' });
  const about = element('span', { className: 'about' });
  const button = element(
    'button',
    { type: 'button', onclick: () => look(name) },
    dot,
    element('span', { className: 'name' }, name),
    state,
    about,
  );
  return { item: element('li', {}, button), button, dot, state, about };
}

/** Every name that is or was open can be chosen in a select. */
function offer(select) {
  const there = new Set([...select.options].map((option) => option.value));
  for (const { name } of known) if (!there.has(name)) select.append(element('option', { value: name }, name));
}
