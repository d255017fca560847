// The history: the daemon searches it, and returns it in pages, the newest rows first. New rows appear automatically
// unless the user works in the table; then a button shows their number.

import { request } from './api.js';
import { announce, byId, element, formatDuration, setText, throttle, timeElement } from './dom.js';

const body = byId('rows');
const PAGE_ROWS = 50;
const COLUMNS = 6;
const SEARCH_INTERVAL_MS = 250;
const PROGRAM_ACTIONS = ['program', 'run', 'run_intent'];
const MAX_PROGRAM_ROWS = 200;

let rows = [];
let newRows = 0;
let lastRequest = 0;
let searching = Promise.resolve();
let hasOlderPages = false; // the table has pages that a new search would remove
let replayRow = () => {};

/** `replay(row)` replays a row's command and returns the response. */
export function initialize(replay) {
  replayRow = replay;
  byId('search').addEventListener('submit', (event) => event.preventDefault());
  byId('search').addEventListener('input', search);
  byId('older').addEventListener('click', loadOlder);
  byId('history-new').addEventListener('click', () => {
    search();
    body.closest('.scroll').focus();
  });
}

function queryUrl(before) {
  const parameters = new URLSearchParams({ limit: String(PAGE_ROWS) });
  const filters = {
    text: byId('search-text').value,
    session: byId('search-session').value,
    action: byId('search-action').value.trim(),
    errors: byId('search-errors').checked ? '1' : '',
    before: before || '',
  };
  if (!filters.text && !filters.action && !filters.errors) filters.folded = '1';
  for (const [name, value] of Object.entries(filters)) if (value) parameters.set(name, value);
  return `/history?${parameters}`;
}

/** One page of rows; null if it can't be loaded, or a later request replaced this one. */
async function loadPage(before) {
  const current = ++lastRequest;
  const page = await request(queryUrl(before)).catch(() => null);
  return current === lastRequest ? page : null;
}

/** Search with the current filters, soon. */
export const search = () => (searching = searchSoon());

const searchSoon = throttle(SEARCH_INTERVAL_MS, async () => {
  const page = await loadPage();
  if (page === null) return;
  rows = page.rows;
  newRows = 0;
  hasOlderPages = false;
  body.replaceChildren(...rows.flatMap(createRows));
  renderControls(page.more);
});

async function loadOlder() {
  await searching; // a search that ends later would remove the older rows
  hasOlderPages = true;
  const page = await loadPage(rows.at(-1)?.action_id);
  if (page === null) return;
  const first = rows.length;
  rows = rows.concat(page.rows);
  body.append(...page.rows.flatMap(createRows));
  renderControls(page.more);
  body.querySelectorAll('button.open')[first]?.focus();
}

function renderControls(hasMore) {
  byId('older').hidden = !hasMore;
  byId('no-rows').hidden = rows.length > 0;
  byId('history-new').hidden = !newRows;
  setText(byId('history-new'), `Show ${newRows} new`);
}

/** A command has finished: the history has one more row. */
export function addNewRow() {
  const box = body.closest('.scroll');
  const isInUse = hasOlderPages || box.scrollTop > 0 || box.matches(':hover') || body.contains(document.activeElement);
  if (isInUse || body.querySelector('[aria-expanded=true]')) {
    newRows += 1;
    renderControls(!byId('older').hidden);
  } else {
    search();
  }
}

/** Show why the daemon can't save the history; null if it can. */
export function showWriteError(reason) {
  setText(byId('history-error'), reason ? `Oryn can't save the history: ${reason}` : '');
}

/** A row's command as one line. */
function commandText({ line, args, action }) {
  return line || args.line || [action, Object.keys(args).length ? JSON.stringify(args) : ''].join(' ').trim();
}

/** The row of a command, and the hidden row with its details. */
function createRows(row) {
  const details = element('tr', { className: 'details', id: `details-${row.action_id}`, hidden: true });
  const open = element(
    'button',
    { type: 'button', className: 'open', ariaExpanded: 'false', 'aria-controls': details.id },
    commandText(row),
  );
  open.addEventListener('click', () => {
    details.hidden = !details.hidden;
    open.setAttribute('aria-expanded', String(!details.hidden));
    if (!details.hidden && !details.firstChild) {
      const cell = element('td', { colSpan: COLUMNS }, createDetails(row));
      details.append(cell);
      if (PROGRAM_ACTIONS.includes(row.action)) addCommands(row, cell);
    }
  });
  const summary = element(
    'tr',
    {},
    element('td', {}, timeElement(row.ts)),
    element('td', { className: 'wide' }, row.session),
    element('th', { scope: 'row', className: row.program ? 'command-cell inner' : 'command-cell' }, open),
    element('td', { className: 'wide duration' }, formatDuration(row.elapsed_ms)),
    element('td', {}, createResult(row)),
    element('td', {}, createReplay(row)),
  );
  return [summary, details];
}

function createResult({ ok, error_kind: kind }) {
  const result = ok ? 'done' : (kind || 'failed').replaceAll('_', ' ');
  return element('span', { className: ok ? 'good' : 'bad' }, result);
}

/** Add the commands that a program has given, the oldest first. */
async function addCommands(row, cell) {
  const parameters = new URLSearchParams({ program: row.action_id, limit: String(MAX_PROGRAM_ROWS) });
  const page = await request(`/history?${parameters}`).catch(() => null);
  if (!page?.rows.length) return;
  if (page.more) cell.append(element('p', { className: 'remark' }, `The last ${MAX_PROGRAM_ROWS} commands:`));
  const items = page.rows.reverse().map((each) => {
    const parts = [element('code', {}, commandText(each)), createResult(each)];
    return element('li', { title: each.error || '' }, ...parts, createReplay(each));
  });
  const list = element('ol', { className: 'commands' }, ...items);
  list.setAttribute('aria-label', 'Commands of the program');
  cell.append(list);
}

/** The button that replays a row, or the reason why it can't be replayed. */
function createReplay(row) {
  if (row.refused) {
    return element('span', { className: 'remark', title: row.refused }, row.withheld ? 'secret hidden' : 'not replayable');
  }
  const button = element('button', { type: 'button', className: 'quiet' }, 'Replay');
  button.setAttribute('aria-label', `Replay ${commandText(row)}`);
  button.addEventListener('click', async () => {
    button.disabled = true;
    try {
      const { ok, error } = await replayRow(row);
      announce(ok ? `Replayed: ${commandText(row)}` : `Replay failed: ${error}`);
    } finally {
      button.disabled = false;
      button.focus();
    }
  });
  return button;
}

function createDetails(row) {
  const fields = {
    Command: commandText(row),
    Session: row.session,
    Time: row.ts,
    Duration: `${row.elapsed_ms} ms`,
    Error: row.error,
    'Error code': row.error_kind,
    'Not replayable': row.refused,
    'Snapshot generation': row.snapshot_generation,
    'Replay of': row.source_action_id,
    Program: row.program,
    'Action ID': row.action_id,
  };
  const list = element('dl');
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || value === undefined) continue;
    list.append(element('div', {}, element('dt', {}, name), element('dd', {}, String(value))));
  }
  return list;
}
