// What the agent knows of the page, with its numbers: a list to walk through with the arrow keys, in step with the marks
// over the picture. https://www.w3.org/WAI/ARIA/apg/patterns/listbox/

import { ask } from './daemon.js';
import { atMostEvery, byId, element, setText } from './dom.js';
import * as picture from './picture.js';

const list = byId('elements');
const PAGE = 10;
const NOTHING = { observed: false, references: 0, elements: [], url: null };

let session = null;
let shown = [];
let shape = '';
let active = null;
let chosen = () => {};
let seen = () => {};

/** `take(number)` is called when an element is chosen, `told(sight)` whenever there is something new to say. */
export function begin(take, told) {
  chosen = take;
  seen = told;
  list.addEventListener('keydown', walk);
  list.addEventListener('focus', () => activate(active ?? shown[0]?.number ?? null));
  list.addEventListener('blur', () => picture.highlight(null));
  list.addEventListener('pointerover', ({ target }) => picture.highlight(numberOf(target) ?? active));
  list.addEventListener('pointerleave', () => picture.highlight(document.activeElement === list ? active : null));
  list.addEventListener('click', ({ target }) => {
    const number = numberOf(target);
    if (number !== null) activate(number);
  });
  list.addEventListener('dblclick', () => active !== null && chosen(active));
}

const numberOf = (node) => {
  const row = node.closest?.('[role=option]');
  return row ? Number(row.dataset.number) : null;
};

export function watch(name) {
  session = name;
  active = null;
  show(NOTHING);
  refresh();
}

/** Look again, soon. */
export const refresh = atMostEvery(600, async () => {
  const name = session;
  if (!name || document.hidden) return;
  const sight = await ask(`/sessions/${encodeURIComponent(name)}/sight`).catch(() => null);
  if (name === session) show(sight || NOTHING);
});

function show(sight) {
  seen(sight);
  const rows = sight.elements;
  // A page that can't be asked where its elements are leaves them where they were.
  if (sight.viewport || !rows.length) picture.draw(rows, sight.viewport);
  setText(byId('elements-count'), rows.length ? String(rows.length) : '');
  setText(byId('elements-note'), note(sight));
  byId('elements-note').hidden = rows.length > 0;
  const isNumbered = sight.observed && (rows.length > 0 || !sight.references);
  byId('observe').hidden = isNumbered || sight.url === null;
  list.hidden = !rows.length;
  const anew = JSON.stringify(rows.map((each) => ({ ...each, box: !each.box })));
  if (anew === shape) return;
  shape = anew;
  shown = rows;
  list.replaceChildren(...rows.map(row));
  if (!rows.some(({ number }) => number === active)) active = null;
  if (document.activeElement === list) activate(active ?? rows[0]?.number ?? null);
}

function note({ url, observed, references }) {
  if (url === null) return 'No page is open.';
  if (references) return `The agent has a snapshot of this page: @e1 to @e${references}. Nothing has a number.`;
  if (observed) return 'Nothing on this page can be acted on.';
  return 'The agent has not looked at this page yet: nothing has a number.';
}

function row({ number, kind, name, state, told, box }) {
  const remarks = [...state];
  if (!box) remarks.push('out of sight');
  if (!told) remarks.push('not told to the agent');
  const made = element(
    'div',
    { role: 'option', id: `element-${number}`, ariaSelected: 'false' },
    element('span', { className: 'n' }, String(number)),
    ' ',
    element('span', { className: 'label' }, name || 'no name'),
    ' ',
    element('span', { className: 'kind' }, kind),
    remarks.length ? element('span', { className: 'remark' }, ` ${remarks.join(', ')}`) : null,
  );
  made.dataset.number = String(number);
  made.classList.toggle('nameless', !name);
  return made;
}

/** Make an element the active one of the list. */
export function activate(number) {
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

/** A mark over the picture was pointed at. */
export function point(number) {
  list.querySelector('.pointed')?.classList.remove('pointed');
  const option = number === null ? null : byId(`element-${number}`);
  option?.classList.add('pointed');
  if (option) list.scrollTop = option.offsetTop - list.clientHeight / 2;
  picture.highlight(number);
}

function walk(event) {
  const place = shown.findIndex(({ number }) => number === active);
  const steps = {
    ArrowDown: place + 1,
    ArrowUp: place - 1,
    PageDown: place + PAGE,
    PageUp: place - PAGE,
    Home: 0,
    End: shown.length - 1,
  };
  if (event.key in steps && shown.length) {
    event.preventDefault();
    activate(shown[Math.max(0, Math.min(shown.length - 1, steps[event.key]))].number);
  } else if (event.key === 'Enter' && active !== null) {
    event.preventDefault();
    chosen(active);
  }
}
