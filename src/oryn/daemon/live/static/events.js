// The list of events, the newest first, in a box of fixed height, so that new events move nothing else.

import { byId, element, formatDuration, setText, timeElement } from './dom.js';

const list = byId('events');
const MAX_EVENTS = 300;

let events = [];
let pausedEvents = [];
let lostCount = 0;

export function initialize() {
  byId('events-pause').addEventListener('click', togglePause);
  for (const id of ['events-type', 'events-session']) byId(id).addEventListener('change', render);
}

const isPaused = () => byId('events-pause').getAttribute('aria-pressed') === 'true';

function togglePause() {
  byId('events-pause').setAttribute('aria-pressed', String(!isPaused()));
  if (!isPaused()) {
    pausedEvents.forEach(append);
    pausedEvents = [];
  }
  renderCounts();
}

/** Add an event of the daemon. */
export function add(event) {
  lostCount += event.lost || 0;
  if (isPaused()) {
    pausedEvents.push(event);
    // A page that stays paused must not grow.
    if (pausedEvents.length > MAX_EVENTS) {
      pausedEvents.shift();
      lostCount += 1;
    }
  } else {
    append(event);
  }
  renderCounts();
}

/** Mark a loss of the connection: the number of events that were missed is unknown. */
export function addConnectionLoss() {
  append({ type: 'connection lost', ts: new Date().toISOString(), data: {} });
}

function append(event) {
  events.push(event);
  if (events.length > MAX_EVENTS) events = events.slice(-MAX_EVENTS);
  if (!matchesFilter(event)) return;
  list.prepend(createRow(event));
  while (list.children.length > MAX_EVENTS) list.lastChild.remove();
  byId('no-events').hidden = true;
}

function matchesFilter({ type, data }) {
  const [selectedType, selectedSession] = [byId('events-type').value, byId('events-session').value];
  return (!selectedType || selectedType === type) && (!selectedSession || selectedSession === data.session);
}

function render() {
  list.replaceChildren(...events.filter(matchesFilter).reverse().map(createRow));
  byId('no-events').hidden = list.children.length > 0;
}

function createRow({ type, ts, data }) {
  const hasFailed = data.ok === false;
  const isFinished = type === 'action.finish';
  const symbol = isFinished ? (hasFailed ? '✕' : '✓') : '';
  const result = hasFailed ? data.error_kind?.replaceAll('_', ' ') : formatDuration(data.elapsed_ms);
  return element(
    'li',
    { className: hasFailed ? 'bad' : '' },
    timeElement(ts),
    element('span', { className: 'type' }, type),
    element(
      'span',
      { className: 'action' },
      [symbol, data.action].filter(Boolean).join(' '),
      isFinished ? element('span', { className: 'remark' }, ` ${result}`) : null,
    ),
    element('span', { className: 'session' }, data.session || ''),
  );
}

function renderCounts() {
  const parts = [];
  if (pausedEvents.length) parts.push(`${pausedEvents.length} waiting`);
  if (lostCount) parts.push(`${lostCount} lost`);
  setText(byId('events-lost'), parts.join(', '));
}
