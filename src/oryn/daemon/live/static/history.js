// The history: searched by the daemon, a page at a time, the newest first. New rows come in by themselves while nobody is
// at work in the table; else a button says how many wait.

import { ask } from './daemon.js';
import { atMostEvery, byId, duration, element, say, setText, time } from './dom.js';

const body = byId('rows');
const PAGE = 50;
const COLUMNS = 6;

let rows = [];
let news = 0;
let asked = 0;
let searching = Promise.resolve();
/** Older rows were asked for: a new search would take them away. */
let isPaged = false;
let replayed = () => {};

/** `again(row)` does a row's command again. */
export function begin(again) {
  replayed = again;
  byId('search').addEventListener('submit', (event) => event.preventDefault());
  byId('search').addEventListener('input', search);
  byId('older').addEventListener('click', older);
  byId('history-new').addEventListener('click', () => {
    search();
    body.closest('.scroll').focus();
  });
}

function query(before) {
  const parameters = new URLSearchParams({ limit: String(PAGE) });
  const wanted = {
    text: byId('search-text').value,
    session: byId('search-session').value,
    action: byId('search-action').value.trim(),
    errors: byId('search-errors').checked ? '1' : '',
    before: before || '',
  };
  for (const [name, value] of Object.entries(wanted)) if (value) parameters.set(name, value);
  return `/history?${parameters}`;
}

export const search = () => (searching = searchNow());

const searchNow = atMostEvery(250, async () => {
  const mine = ++asked;
  const page = await ask(query()).catch(() => null);
  if (page === null || mine !== asked) return;
  rows = page.rows;
  news = 0;
  isPaged = false;
  body.replaceChildren(...rows.flatMap(shown));
  tell(page.more);
});

async function older() {
  await searching; // one that came after the older rows would take them away
  const mine = ++asked;
  isPaged = true;
  const page = await ask(query(rows.at(-1)?.action_id)).catch(() => null);
  if (page === null || mine !== asked) return;
  const first = rows.length;
  rows = rows.concat(page.rows);
  body.append(...page.rows.flatMap(shown));
  tell(page.more);
  body.querySelectorAll('button.open')[first]?.focus();
}

function tell(more) {
  byId('older').hidden = !more;
  byId('no-rows').hidden = rows.length > 0;
  byId('history-new').hidden = !news;
  setText(byId('history-new'), `Show ${news} new`);
}

/** A command has ended: there is a row more. */
export function grown() {
  const box = body.closest('.scroll');
  const isRead = isPaged || box.scrollTop > 0 || box.matches(':hover') || body.contains(document.activeElement);
  if (isRead || body.querySelector('[aria-expanded=true]')) {
    news += 1;
    tell(!byId('older').hidden);
  } else {
    search();
  }
}

/** Why the history can't be written, or null. */
export function failing(reason) {
  setText(byId('history-failing'), reason ? `can't be written: ${reason}` : '');
}

/** What was asked, in a line. */
export function spoken(row) {
  return row.line || row.args.line || [row.action, Object.keys(row.args).length ? JSON.stringify(row.args) : ''].join(' ').trim();
}

function shown(row) {
  const details = element('tr', { className: 'details', id: `details-${row.action_id}`, hidden: true });
  const open = element(
    'button',
    { type: 'button', className: 'open', ariaExpanded: 'false', 'aria-controls': details.id },
    spoken(row),
  );
  open.addEventListener('click', () => {
    details.hidden = !details.hidden;
    open.setAttribute('aria-expanded', String(!details.hidden));
    if (!details.hidden && !details.firstChild) details.append(element('td', { colSpan: COLUMNS }, facts(row)));
  });
  const line = element(
    'tr',
    { className: row.ok ? '' : 'failed' },
    element('td', {}, time(row.ts)),
    element('td', { className: 'wide' }, row.session),
    element('th', { scope: 'row', className: 'what' }, open),
    element('td', { className: 'wide number' }, duration(row.elapsed_ms)),
    element('td', {}, element('span', { className: row.ok ? 'good' : 'bad' }, row.ok ? 'done' : readable(row.error_kind))),
    element('td', {}, again(row)),
  );
  return [line, details];
}

const readable = (kind) => (kind || 'failed').replaceAll('_', ' ');

function again(row) {
  if (row.refused) {
    return element('span', { className: 'remark', title: row.refused }, row.withheld ? 'withheld' : 'not possible');
  }
  const button = element('button', { type: 'button', className: 'quiet' }, 'Replay');
  button.setAttribute('aria-label', `Replay ${spoken(row)}`);
  button.addEventListener('click', async () => {
    button.disabled = true;
    try {
      const { ok, error } = await replayed(row);
      say(ok ? `Done again: ${spoken(row)}` : `Failed again: ${error}`);
    } finally {
      button.disabled = false;
      button.focus();
    }
  });
  return button;
}

function facts(row) {
  const known = {
    Command: spoken(row),
    Session: row.session,
    Time: row.ts,
    Took: `${row.elapsed_ms} ms`,
    Error: row.error,
    Kind: row.error_kind,
    'No replay': row.refused,
    'Snapshot generation': row.snapshot_generation,
    'Repeats action': row.source_action_id,
    Action: row.action_id,
  };
  const list = element('dl');
  for (const [name, value] of Object.entries(known)) {
    if (value === null || value === undefined) continue;
    list.append(element('div', {}, element('dt', {}, name), element('dd', {}, String(value))));
  }
  return list;
}
