// The server's commands with their results, the newest first, and the tabs that the server controls.

import { byId, element, formatDuration, timeElement } from './dom.js';
import { listRenderer } from './lists.js';

const STATUS_TEXTS = { running: 'running', ok: 'done', error: 'failed' };

const renderCommands = listRenderer('activity', ({ id, time }) => `${id} ${time}`, createCommandRow);
const renderTabs = listRenderer('controlled', ({ number }) => String(number), createTabRow);

export function render({ activity, controlled }) {
  const commands = activity.slice().sort((one, other) => startOf(other) - startOf(one) || other.id - one.id);
  renderCommands(commands);
  byId('no-activity').hidden = commands.length > 0;
  byId('activity').parentElement.hidden = commands.length === 0;
  renderTabs(controlled);
  byId('tabs').hidden = controlled.length === 0;
}

const startOf = ({ time }) => new Date(time).getTime();

function createCommandRow({ line, status, tab, time, elapsed_ms: elapsed }) {
  const hasDuration = status !== 'running' && elapsed !== null && elapsed !== undefined;
  const remarks = [tab ? `tab ${tab}` : '', hasDuration ? formatDuration(elapsed) : ''];
  return createStatusRow({ line, status, time }, element('span', { className: 'remark' }, remarks.filter(Boolean).join(', ')));
}

/** A row for a command with its status and time, and optional remarks. */
export function createStatusRow({ line, status, time }, remark = null) {
  return element(
    'li',
    { className: `command ${status}` },
    element('span', { className: 'mark', role: 'img', 'aria-label': STATUS_TEXTS[status] ?? status }),
    element('code', { title: line }, line),
    remark,
    timeElement(new Date(time).toISOString()),
  );
}

function createTabRow({ number, title, url }) {
  return element(
    'li',
    { className: 'tab' },
    element('span', { className: 'number' }, String(number)),
    element('span', { className: 'title' }, title || url || 'Untitled'),
    title ? element('span', { className: 'remark address' }, url) : null,
  );
}
