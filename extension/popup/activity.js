// What the server asked for and what became of it, the newest first, and the tabs that it controls.

import { byId, duration, element, time } from './dom.js';
import { renderer } from './lists.js';

const WORDS = { running: 'running', ok: 'done', error: 'failed' };

const activity = renderer('activity', ({ id, time: at }) => `${id} ${at}`, askedRow);
const controlled = renderer('controlled', ({ number }) => String(number), tabRow);

export function show(state) {
  const newest = state.activity.slice().sort((one, other) => moment(other) - moment(one) || other.id - one.id);
  activity(newest);
  byId('no-activity').hidden = newest.length > 0;
  byId('activity').parentElement.hidden = newest.length === 0;
  controlled(state.controlled);
  byId('tabs').hidden = state.controlled.length === 0;
}

const moment = ({ time: at }) => new Date(at).getTime();

function askedRow(asked) {
  const { line, status, tab, elapsed_ms: elapsed } = asked;
  const took = status === 'running' || elapsed === null || elapsed === undefined ? '' : duration(elapsed);
  return element(
    'li',
    { className: `asked ${status}` },
    element('span', { className: 'mark', role: 'img', 'aria-label': WORDS[status] ?? status }),
    element('code', { title: line }, line),
    element('span', { className: 'remark' }, [tab ? `tab ${tab}` : '', took].filter(Boolean).join(', ')),
    time(new Date(moment(asked)).toISOString()),
  );
}

function tabRow({ number, title, url }) {
  return element(
    'li',
    { className: 'tab' },
    element('span', { className: 'number' }, String(number)),
    element('span', { className: 'title' }, title || url || 'Untitled'),
    title ? element('span', { className: 'remark address' }, url) : null,
  );
}
