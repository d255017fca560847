// The elements that the agent has observed, with its numbers: a list for the arrow keys, in step with the marks over the
// picture. https://www.w3.org/WAI/ARIA/apg/patterns/listbox/

import { request } from './api.js';
import { byId, element, setText, throttle } from './dom.js';
import * as picture from './picture.js';

const list = byId('elements');
const PAGE_ROWS = 10;
const REFRESH_INTERVAL_MS = 600;
const EMPTY_STATE = { observed: false, references: 0, reference_boxes: [], elements: [], url: null };

let session = null;
let rows = [];
let renderedRows = '';
let active = null; // the number of the active element
let onChoose = () => {};
let onPageState = () => {};

/** `choose(number, box)` is called when the user chooses an element, null for the box of one that is not visible;
 *  `pageState(state)` with each state of the page. */
export function initialize(choose, pageState) {
  onChoose = choose;
  onPageState = pageState;
  list.addEventListener('keydown', handleKey);
  list.addEventListener('focus', () => activate(active ?? rows[0]?.number ?? null));
  list.addEventListener('blur', () => picture.highlight(null));
  list.addEventListener('pointerover', ({ target }) => picture.highlight(numberOf(target) ?? active));
  list.addEventListener('pointerleave', () => picture.highlight(document.activeElement === list ? active : null));
  list.addEventListener('click', ({ target }) => {
    const number = numberOf(target);
    if (number !== null) activate(number);
  });
  list.addEventListener('dblclick', choose);
}

const numberOf = (node) => {
  const option = node.closest?.('[role=option]');
  return option ? Number(option.dataset.number) : null;
};

/** Show the elements of another session; null for no session. */
export function selectSession(name) {
  session = name;
  active = null;
  render(EMPTY_STATE);
  refresh();
}

/** Request the page's state soon. */
export const refresh = throttle(REFRESH_INTERVAL_MS, async () => {
  const name = session;
  if (!name || document.hidden) return;
  const state = await request(`/sessions/${encodeURIComponent(name)}/sight`).catch(() => null);
  if (name === session) render(state || EMPTY_STATE);
});

function render(state) {
  onPageState(state);
  const found = state.elements;
  const marks = found.length ? found : state.reference_boxes.map((each) => ({ ...each, reference: true, told: true }));
  // If the page does not respond, the marks keep their places.
  if (state.viewport || !(found.length || state.references)) picture.drawMarks(marks, state.viewport);
  if (state.viewport) picture.drawPins(state.notes, state.viewport);
  setText(byId('elements-count'), found.length ? String(found.length) : '');
  setText(byId('elements-note'), noteFor(state));
  byId('elements-note').hidden = found.length > 0;
  const isNumbered = state.observed && (found.length > 0 || !state.references);
  byId('observe').hidden = isNumbered || state.url === null;
  list.hidden = !found.length;
  renderRows(found);
}

/** Replace the rows if any changed; where an element is does not matter here, only whether it is visible. */
function renderRows(found) {
  const text = JSON.stringify(found.map((each) => ({ ...each, box: !each.box })));
  if (text === renderedRows) return;
  renderedRows = text;
  rows = found;
  list.replaceChildren(...rows.map(createRow));
  if (!rows.some(({ number }) => number === active)) active = null;
  if (document.activeElement === list) activate(active ?? rows[0]?.number ?? null);
}

function noteFor({ url, observed, references }) {
  if (url === null) return 'No page is open.';
  if (references) {
    return `The agent has a snapshot of this page with the references @e1 to @e${references}, which the picture shows.`;
  }
  if (observed) return 'This page has no interactive elements.';
  return 'The agent has not observed this page yet, so its elements have no numbers.';
}

function createRow({ number, kind, name, state, told: isReported, box }) {
  const remarks = [...state];
  if (!box) remarks.push('not visible');
  if (!isReported) remarks.push('not reported to the agent');
  const row = element(
    'div',
    { role: 'option', id: `element-${number}`, ariaSelected: 'false' },
    element('span', { className: 'number' }, String(number)),
    ' ',
    element('span', { className: 'label' }, name || 'no name'),
    ' ',
    element('span', { className: 'kind' }, kind),
    remarks.length ? element('span', { className: 'remark' }, ` ${remarks.join(', ')}`) : null,
  );
  row.dataset.number = String(number);
  row.classList.toggle('nameless', !name);
  return row;
}

function activate(number) {
  byId(`element-${active}`)?.setAttribute('aria-selected', 'false');
  active = number;
  const option = number === null ? null : byId(`element-${number}`);
  option?.setAttribute('aria-selected', 'true');
  if (option) {
    list.setAttribute('aria-activedescendant', option.id);
    if (document.activeElement === list) option.scrollIntoView({ block: 'nearest' });
  } else {
    list.removeAttribute('aria-activedescendant');
  }
  picture.highlight(number);
}

function choose() {
  const row = rows.find(({ number }) => number === active);
  if (row) onChoose(row.number, row.box);
}

/** Highlight the row of a mark that the pointer is over; null for no mark. */
export function hover(number) {
  list.querySelector('.hovered')?.classList.remove('hovered');
  const option = number === null ? null : byId(`element-${number}`);
  option?.classList.add('hovered');
  if (option) list.scrollTop = option.offsetTop - list.clientHeight / 2;
  picture.highlight(number);
}

function handleKey(event) {
  const index = rows.findIndex(({ number }) => number === active);
  const targets = {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    PageDown: index + PAGE_ROWS,
    PageUp: index - PAGE_ROWS,
    Home: 0,
    End: rows.length - 1,
  };
  if (event.key in targets && rows.length) {
    event.preventDefault();
    activate(rows[Math.max(0, Math.min(rows.length - 1, targets[event.key]))].number);
  } else if (event.key === 'Enter' && active !== null) {
    event.preventDefault();
    choose();
  }
}
