// The screencast of the selected session, and the numbers of its elements over it. A hidden page has no screencast.

import { subscribe } from './api.js';
import { byId, element, setText } from './dom.js';

const canvas = byId('picture');
const view = byId('view');
const note = byId('picture-note');
const badge = byId('picture-state');
const marks = byId('marks');
const pins = byId('note-pins');
const context = canvas.getContext('2d');
const marksByNumber = new Map(); // by the number, or by the text of a reference

/** The pixels that a mark's number needs above the mark. */
const LABEL_PIXELS = 16;

const STATES = { live: 'Live', none: 'No picture', paused: 'Paused', lost: 'Reconnecting', connecting: 'Connecting' };

let session = null;
let subscription = null; // the `AbortController` of the current screencast
let drawing = Promise.resolve();
let viewport = null; // `[width, height]` of the page in the picture, in CSS pixels
let onPicture = () => {};
let onAvailable = () => {};

/** `shown(isShown)` is called when there is a picture, or none any more. `picture()` is called after each new picture, `pointed(number, isClicked)` if the pointer is over a mark or clicks it
 *  (`@e3` for that of a reference), with null when it leaves the marks. */
export function initialize(picture, pointed, shown) {
  onPicture = picture;
  onAvailable = shown;
  document.addEventListener('visibilitychange', restart);
  byId('numbers').addEventListener('change', ({ target }) => marks.classList.toggle('off', !target.checked));
  marks.addEventListener('pointerover', ({ target }) => target.dataset.number && pointed(keyOfMark(target), false));
  marks.addEventListener('pointerleave', () => pointed(null, false));
  marks.addEventListener('click', ({ target }) => target.dataset.number && pointed(keyOfMark(target), true));
}

const keyOfMark = ({ dataset: { number } }) => (number.startsWith('@') ? number : Number(number));

/** Show another session; null for no session. */
export function selectSession(name) {
  session = name;
  drawMarks([]);
  clear('No picture yet.');
  restart();
}

/** Describe the picture for screen readers. */
export function describe(text) {
  canvas.setAttribute('aria-label', text);
}

function restart() {
  subscription?.abort();
  subscription = null;
  if (!session) return;
  if (document.hidden) {
    showState('paused');
    return;
  }
  showState('connecting');
  const current = new AbortController();
  subscription = current;
  const onMessage = (message) => {
    // One after the other, so that the last picture to arrive stays.
    drawing = drawing.then(() => (current.signal.aborted ? null : draw(message))).catch(() => showState('lost'));
  };
  subscribe(`/sessions/${encodeURIComponent(session)}/picture`, current.signal, onMessage, (state) => {
    if (state !== 'open') showState('lost');
  });
}

/** The point of the page that the mouse is over, also beside the picture; null without a picture. */
export function pointOnPage({ clientX, clientY }) {
  const place = canvas.getBoundingClientRect();
  if (!viewport || !place.width) return null;
  const x = ((clientX - place.left) / place.width) * viewport[0];
  const y = ((clientY - place.top) / place.height) * viewport[1];
  return { x: Math.round(x * 10) / 10, y: Math.round(y * 10) / 10 };
}

async function draw({ image, viewport: size }) {
  if (image === null) {
    clear("No picture: the session's browser is not running. The next command starts it.");
    showState('none');
    return;
  }
  const bytes = Uint8Array.from(atob(image), (character) => character.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/jpeg' }));
  if (canvas.width !== bitmap.width || canvas.height !== bitmap.height) {
    canvas.width = bitmap.width;
    canvas.height = bitmap.height;
    view.style.setProperty('--ratio', String(bitmap.width / bitmap.height));
  }
  context.drawImage(bitmap, 0, 0);
  viewport = size ?? [bitmap.width, bitmap.height];
  bitmap.close();
  canvas.dataset.pictures = String(Number(canvas.dataset.pictures || 0) + 1);
  note.hidden = true;
  view.classList.add('visible');
  onAvailable(true);
  showState('live');
  onPicture();
}

function clear(text) {
  viewport = null;
  context.clearRect(0, 0, canvas.width, canvas.height);
  view.classList.remove('visible');
  pins.replaceChildren();
  onAvailable(false);
  note.hidden = false;
  setText(note, text);
  describe('No picture');
}

function showState(state) {
  badge.dataset.state = state;
  setText(badge, STATES[state]);
}

/** Draw marks around elements: `box` is `[x, y, width, height]` in a viewport of this size. `reference`: the number is that
 *  of a reference (`@e3`). */
export function drawMarks(elements, viewport) {
  const visible = elements.filter(({ box }) => box && viewport);
  const keyOf = ({ number, reference }) => (reference ? `@e${number}` : number);
  for (const each of visible) {
    const { box, told: isReported } = each;
    const { style, classList } = marksByNumber.get(keyOf(each)) ?? createMark(keyOf(each));
    classList.toggle('unreported', !isReported);
    classList.toggle('label-inside', box[1] < (LABEL_PIXELS / view.clientHeight) * viewport[1]);
    style.left = `${(box[0] / viewport[0]) * 100}%`;
    style.top = `${(box[1] / viewport[1]) * 100}%`;
    style.width = `${(box[2] / viewport[0]) * 100}%`;
    style.height = `${(box[3] / viewport[1]) * 100}%`;
  }
  const numbers = new Set(visible.map(keyOf));
  for (const [number, mark] of marksByNumber) {
    if (numbers.has(number)) continue;
    mark.remove();
    marksByNumber.delete(number);
  }
}

/** Draw where notes of a person belong: `box` as that of an element. */
export function drawPins(notes, viewport) {
  pins.replaceChildren(
    ...notes.map(({ number, box: [left, top, width, height] }) => {
      const pin = element('div', { className: 'mark' }, element('span', {}, `✎ ${number}`));
      pin.style.left = `${(left / viewport[0]) * 100}%`;
      pin.style.top = `${(top / viewport[1]) * 100}%`;
      pin.style.width = `${(width / viewport[0]) * 100}%`;
      pin.style.height = `${(height / viewport[1]) * 100}%`;
      pin.classList.toggle('label-inside', top < (LABEL_PIXELS / view.clientHeight) * viewport[1]);
      return pin;
    }),
  );
}

function createMark(number) {
  const mark = element('div', { className: 'mark' }, element('span', {}, String(number)));
  mark.dataset.number = mark.firstChild.dataset.number = String(number);
  marksByNumber.set(number, mark);
  marks.append(mark);
  return mark;
}

/** Highlight the mark of one element; null for none. */
export function highlight(number) {
  marks.classList.toggle('has-selection', marksByNumber.has(number));
  for (const [each, mark] of marksByNumber) mark.classList.toggle('selected', each === number);
}
