// The chosen session's picture, as it changes, and the numbers of its elements over it. A hidden page looks at nothing.

import { follow } from './daemon.js';
import { byId, element, setText } from './dom.js';

const canvas = byId('picture');
const view = byId('view');
const note = byId('picture-note');
const badge = byId('picture-state');
const marks = byId('marks');
const pen = canvas.getContext('2d');
const boxes = new Map();

/** Pixels that a mark's number needs above it. */
const HIGH = 16;

let session = null;
let looking = null;
let drawing = Promise.resolve();
let changed = () => {};

const STATES = { live: 'Live', none: 'No picture', paused: 'Paused', lost: 'Reconnecting', connecting: 'Connecting' };

/** `pictureChanged` is called with each new picture; `touched(number, chosen)` when a mark is pointed at, or clicked. */
export function begin(pictureChanged, touched) {
  changed = pictureChanged;
  document.addEventListener('visibilitychange', resume);
  byId('numbers').addEventListener('change', (event) => marks.classList.toggle('off', !event.target.checked));
  marks.addEventListener('pointerover', ({ target }) => target.dataset.number && touched(+target.dataset.number, false));
  marks.addEventListener('pointerleave', () => touched(null, false));
  marks.addEventListener('click', ({ target }) => target.dataset.number && touched(+target.dataset.number, true));
}

export function watch(name) {
  session = name;
  draw([]);
  blank('No picture yet.');
  resume();
}

/** What the picture shows, for those who do not see it. */
export function describe(text) {
  canvas.setAttribute('aria-label', text);
}

function resume() {
  looking?.abort();
  looking = null;
  if (!session) return;
  if (document.hidden) {
    tell('paused');
    return;
  }
  tell('connecting');
  const mine = new AbortController();
  looking = mine;
  const take = (message) => {
    // One after the other: the last one to come is the one that stays.
    drawing = drawing.then(() => (mine.signal.aborted ? null : show(message))).catch(() => tell('lost'));
  };
  follow(`/sessions/${encodeURIComponent(session)}/picture`, mine.signal, take, (state) => {
    if (state === 'lost' || state === 'refused') tell('lost');
  });
}

async function show({ image }) {
  if (image === null) {
    blank('Nothing to see: its browser is not running. The next command starts it.');
    tell('none');
    return;
  }
  const bytes = Uint8Array.from(atob(image), (character) => character.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/jpeg' }));
  if (canvas.width !== bitmap.width || canvas.height !== bitmap.height) {
    canvas.width = bitmap.width;
    canvas.height = bitmap.height;
    view.style.setProperty('--ratio', String(bitmap.width / bitmap.height));
  }
  pen.drawImage(bitmap, 0, 0);
  bitmap.close();
  canvas.dataset.pictures = String(Number(canvas.dataset.pictures || 0) + 1);
  note.hidden = true;
  view.classList.add('shown');
  tell('live');
  changed();
}

function blank(text) {
  pen.clearRect(0, 0, canvas.width, canvas.height);
  view.classList.remove('shown');
  note.hidden = false;
  setText(note, text);
  describe('No picture');
}

function tell(state) {
  badge.dataset.state = state;
  setText(badge, STATES[state]);
}

/** Draw marks where elements are: `box` is `[x, y, width, height]` in a viewport of this size. */
export function draw(elements, viewport) {
  const seen = new Set();
  for (const { number, box, told } of elements) {
    if (!box || !viewport) continue;
    seen.add(number);
    if (!boxes.has(number)) {
      const made = element('div', { className: 'mark' }, element('span', {}, String(number)));
      made.dataset.number = made.firstChild.dataset.number = String(number);
      boxes.set(number, made);
      marks.append(made);
    }
    const { style, classList } = boxes.get(number);
    classList.toggle('untold', !told);
    classList.toggle('high', box[1] < (HIGH / view.clientHeight) * viewport[1]);
    style.left = `${(box[0] / viewport[0]) * 100}%`;
    style.top = `${(box[1] / viewport[1]) * 100}%`;
    style.width = `${(box[2] / viewport[0]) * 100}%`;
    style.height = `${(box[3] / viewport[1]) * 100}%`;
  }
  for (const [number, mark] of boxes) {
    if (seen.has(number)) continue;
    mark.remove();
    boxes.delete(number);
  }
}

/** Set one element off from the others; null is none. */
export function highlight(number) {
  marks.classList.toggle('one', boxes.has(number));
  for (const [each, mark] of boxes) mark.classList.toggle('chosen', each === number);
}
