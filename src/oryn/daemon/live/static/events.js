// The stream of events: the newest on top, in a box of its own, so that nothing else moves when one comes.

import { byId, duration, element, setText, time } from './dom.js';

const list = byId('events');
const MOST = 300;

let kept = [];
let waiting = [];
let lost = 0;

export function begin() {
  byId('events-pause').addEventListener('click', ({ currentTarget }) => {
    const paused = currentTarget.getAttribute('aria-pressed') !== 'true';
    currentTarget.setAttribute('aria-pressed', String(paused));
    if (!paused) {
      const held = waiting;
      waiting = [];
      held.forEach(add);
    }
    tell();
  });
  for (const id of ['events-type', 'events-session']) byId(id).addEventListener('change', render);
}

const isPaused = () => byId('events-pause').getAttribute('aria-pressed') === 'true';

/** Take an event of the daemon. */
export function take(event) {
  lost += event.lost || 0;
  if (isPaused()) {
    waiting.push(event);
    // A page that is forgotten in this state must not grow.
    if (waiting.length > MOST) {
      waiting.shift();
      lost += 1;
    }
  } else {
    add(event);
  }
  tell();
}

/** Events may have come while there was no connection: nobody knows how many. */
export function interrupted() {
  add({ type: 'connection lost', ts: new Date().toISOString(), data: {} });
}

function add(event) {
  kept.push(event);
  if (kept.length > MOST) kept = kept.slice(-MOST);
  if (!fits(event)) return;
  list.prepend(row(event));
  while (list.children.length > MOST) list.lastChild.remove();
  byId('no-events').hidden = true;
}

function fits({ type, data }) {
  const [wanted, session] = [byId('events-type').value, byId('events-session').value];
  return (!wanted || wanted === type) && (!session || session === data.session);
}

function render() {
  list.replaceChildren(...kept.filter(fits).reverse().map(row));
  byId('no-events').hidden = list.children.length > 0;
}

function row({ type, ts, data }) {
  const failed = data.ok === false;
  const finished = type === 'action.finish';
  const mark = finished ? (failed ? '✕' : '✓') : '';
  const made = element(
    'li',
    { className: failed ? 'bad' : '' },
    time(ts),
    element('span', { className: 'type' }, type),
    element(
      'span',
      { className: 'what' },
      [mark, data.action].filter(Boolean).join(' '),
      finished ? element('span', { className: 'remark' }, ` ${failed ? data.error_kind.replaceAll('_', ' ') : duration(data.elapsed_ms)}`) : null,
    ),
    element('span', { className: 'whose' }, data.session || ''),
  );
  return made;
}

function tell() {
  const parts = [];
  if (waiting.length) parts.push(`${waiting.length} waiting`);
  if (lost) parts.push(`${lost} lost`);
  setText(byId('events-lost'), parts.join(', '));
}
