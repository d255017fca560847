// Mouse and keyboard of a person on the picture: a text field over it takes both, also from input methods and the
// keyboards of phones, and text that is pasted.

import { byId } from './dom.js';
import { pointOnPage } from './picture.js';

const field = byId('surface');
const BUTTONS = ['left', 'middle', 'right'];
const MODIFIERS = new Set(['Control', 'Shift', 'Alt', 'Meta']);
/** Keys that stay the browser's own. */
const BROWSER_KEYS = new Set(['F11', 'F12']);
/** Keys that are parts of characters: the text follows as input. */
const PARTIAL_KEYS = new Set(['Dead', 'Process', 'Unidentified']);
const LINE_PIXELS = 40;
// The page's browser takes Control for shortcuts on every system.
const isMac = navigator.platform.startsWith('Mac');

let send = () => {};
let leave = () => {};
let pendingMove = null;
const held = new Set();

/** `deliver(message)` sends input to the session; `exit()` is called when the person leaves the picture by key. */
export function initialize(deliver, exit) {
  send = deliver;
  leave = exit;
  field.addEventListener('pointerdown', (event) => field.setPointerCapture(event.pointerId));
  field.addEventListener('mousedown', press);
  field.addEventListener('mouseup', release);
  field.addEventListener('mousemove', move);
  field.addEventListener('wheel', turnWheel, { passive: false });
  field.addEventListener('contextmenu', (event) => event.preventDefault());
  field.addEventListener('keydown', pressKey);
  field.addEventListener('keyup', releaseKey);
  field.addEventListener('blur', releaseModifiers);
  field.addEventListener('paste', paste);
  field.addEventListener('input', ({ isComposing }) => isComposing || sendText());
  field.addEventListener('compositionend', sendText);
}

/** Take input for a session. */
export function show(session) {
  field.hidden = false;
  field.setAttribute('aria-label', `Mouse and keyboard of ${session}`);
  field.focus({ preventScroll: true });
}

/** Take no more input. */
export function hide() {
  releaseModifiers();
  field.hidden = true;
}

export const contains = (element) => field.contains(element);
export const focus = () => field.focus({ preventScroll: true });

function press(event) {
  event.preventDefault();
  focus();
  flushMove();
  const point = pointOnPage(event);
  if (point) send({ type: 'press', ...point, button: BUTTONS[event.button] ?? 'left', count: Math.min(3, event.detail || 1) });
}

function release(event) {
  event.preventDefault();
  flushMove();
  const point = pointOnPage(event);
  if (point) send({ type: 'release', ...point });
}

/** At most one move for each picture that the screen shows. */
function move(event) {
  if (!pendingMove) requestAnimationFrame(flushMove);
  pendingMove = event;
}

function flushMove() {
  const point = pendingMove && pointOnPage(pendingMove);
  pendingMove = null;
  if (point) send({ type: 'move', ...point });
}

function turnWheel(event) {
  event.preventDefault();
  const point = pointOnPage(event);
  const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE_PIXELS;
  if (point) send({ type: 'wheel', ...point, dx: event.deltaX * unit, dy: event.deltaY * unit });
}

function pressKey(event) {
  const { key } = event;
  if (event.isComposing || PARTIAL_KEYS.has(key) || BROWSER_KEYS.has(key)) return;
  if (key === 'F6') {
    event.preventDefault();
    leave();
  } else if (MODIFIERS.has(key)) {
    event.preventDefault();
    const name = isMac && key === 'Meta' ? 'Control' : key;
    held.add(name);
    send({ type: 'key', key: name, down: true });
  } else if (event.getModifierState('AltGraph')) {
    if ([...key].length !== 1) return;
    event.preventDefault();
    releaseModifiers(); // some systems report AltGr as Control and Alt
    send({ type: 'text', text: key });
  } else if (!((event.ctrlKey || event.metaKey) && key.toLowerCase() === 'v')) {
    event.preventDefault();
    send({ type: 'key', key, down: true });
  }
}

function releaseKey(event) {
  const name = isMac && event.key === 'Meta' ? 'Control' : event.key;
  if (!held.delete(name)) return;
  event.preventDefault();
  send({ type: 'key', key: name, down: false });
}

function releaseModifiers() {
  for (const key of held) send({ type: 'key', key, down: false });
  held.clear();
}

function paste(event) {
  event.preventDefault();
  const text = event.clipboardData.getData('text/plain');
  if (text) send({ type: 'paste', text });
}

function sendText() {
  const text = field.value;
  field.value = '';
  if (text) send({ type: 'text', text });
}
