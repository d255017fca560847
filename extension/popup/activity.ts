// The server's commands with their results, the newest first, and the tabs that the server controls.

import type { AgentStep, CommandStatus, ControlledTab, ServerCommand, WorkerState } from '../messages';
import { byId, element, formatDuration, timeElement } from './dom';
import { listRenderer } from './lists';

const STATUS_TEXTS: Record<CommandStatus, string> = { running: 'running', ok: 'done', error: 'failed' };

const renderCommands = listRenderer<ServerCommand>('activity', ({ id, time }) => `${id} ${time}`, createCommandRow);
const renderTabs = listRenderer<ControlledTab>('controlled', ({ number }) => String(number), createTabRow);

export function render({ activity, controlled }: WorkerState): void {
  const commands = activity.slice().sort((one, other) => startOf(other) - startOf(one) || other.id - one.id);
  renderCommands(commands);
  byId('no-activity').hidden = commands.length > 0;
  byId('activity-scroll').hidden = commands.length === 0;
  renderTabs(controlled);
  byId('tabs').hidden = controlled.length === 0;
}

const startOf = ({ time }: ServerCommand) => new Date(time).getTime();

function createCommandRow({ line, status, tab, time, elapsed_ms: elapsed }: ServerCommand): HTMLElement {
  const duration = status === 'running' || typeof elapsed !== 'number' ? '' : formatDuration(elapsed);
  const remarks = [tab ? `tab ${tab}` : '', duration];
  return createStatusRow(
    { line, status, time },
    element('span', { className: 'remark' }, remarks.filter(Boolean).join(', ')),
  );
}

/** A row for a command with its status and time, and optional remarks. */
export function createStatusRow(
  { line, status, time }: Pick<AgentStep, 'line' | 'status' | 'time'>,
  remark: HTMLElement | null = null,
): HTMLElement {
  return element(
    'li',
    { className: `command ${status}` },
    element('span', { className: 'mark', role: 'img', 'aria-label': STATUS_TEXTS[status] }),
    element('code', { title: line }, line),
    remark,
    timeElement(new Date(time).toISOString()),
  );
}

function createTabRow({ number, title, url }: ControlledTab): HTMLElement {
  return element(
    'li',
    { className: 'tab' },
    element('span', { className: 'number' }, String(number)),
    element('span', { className: 'title' }, title || url || 'Untitled'),
    title ? element('span', { className: 'remark address' }, url) : null,
  );
}
