// A person points at the picture and writes what they want: the marking layer, the form, and the list of notes with the
// agent's answers. The session's page has nothing of it: marks are drawn over its picture.

import { fetchBlob, request } from './api.js';
import { announce, byId, element, setText, throttle } from './dom.js';
import { pointOnPage } from './picture.js';

const button = byId('mark');
const layer = byId('marking');
const band = byId('marking-band');
const form = byId('note');
const words = byId('note-words');
const part = byId('notes-part');
const list = byId('notes');
const REFRESH_INTERVAL_MS = 300;
/** A drag over less than this is a press. */
const MIN_DRAG_PIXELS = 6;

let session = null;
let start = null; // the `PointerEvent` that a press or drag has begun with
let mark = null; // the mark that waits for its words
let pictures = new Map(); // object URLs by note
let rendered = '';

/** Listen to the person. */
export function initialize() {
  button.addEventListener('click', () => setMarking(!isMarking()));
  layer.addEventListener('pointerdown', begin);
  layer.addEventListener('pointermove', drag);
  layer.addEventListener('pointerup', end);
  layer.addEventListener('pointercancel', () => showBand(null));
  document.addEventListener('keydown', (event) => event.key === 'Escape' && (isMarking() || mark) && cancel());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });
  words.addEventListener('keydown', (event) => event.key === 'Enter' && (event.ctrlKey || event.metaKey) && void send());
  byId('note-cancel').addEventListener('click', cancel);
}

/** Show another session; null for no session. */
export function selectSession(name) {
  session = name;
  setMarking(false);
  closeForm();
  render([]);
  button.hidden = !name;
  void refresh();
}

/** Whether the next press on the picture marks what is there. */
export const isMarking = () => !layer.hidden;

/** Allow marking while the session has a picture. */
export function showPicture(isShown) {
  button.disabled = !isShown;
  if (!isShown) setMarking(false);
}

const pathOf = (rest) => `/sessions/${encodeURIComponent(session)}/${rest}`;

function setMarking(isOn) {
  if (isOn === isMarking()) return;
  layer.hidden = !isOn;
  button.setAttribute('aria-pressed', String(isOn));
  byId('marking-help').hidden = !isOn;
  showBand(null);
  if (isOn) announce('Press an element of the picture, or drag over a region. Or choose one in the list of elements.');
}

function cancel() {
  setMarking(false);
  closeForm();
  button.focus();
}

// --- pointing ---

function begin(event) {
  if (event.button !== 0) return;
  event.preventDefault();
  layer.setPointerCapture(event.pointerId);
  start = event;
}

function drag(event) {
  if (start) showBand(boxBetween(start, event));
}

function end(event) {
  if (!start) return;
  const [from, to] = [pointOnPage(start), pointOnPage(event)];
  const box = boxBetween(start, event);
  start = null;
  showBand(null);
  if (!from || !to) return;
  if (Math.max(box.width, box.height) < MIN_DRAG_PIXELS) void place(from);
  else {
    const [x, y] = [Math.min(from.x, to.x), Math.min(from.y, to.y)];
    void place({ x, y, width: Math.abs(from.x - to.x), height: Math.abs(from.y - to.y) });
  }
}

function boxBetween(one, other) {
  const view = layer.getBoundingClientRect();
  return {
    left: Math.min(one.clientX, other.clientX) - view.left,
    top: Math.min(one.clientY, other.clientY) - view.top,
    width: Math.abs(one.clientX - other.clientX),
    height: Math.abs(one.clientY - other.clientY),
  };
}

function showBand(box) {
  if (!box) start = null;
  band.hidden = !box;
  if (box) for (const [name, value] of Object.entries(box)) band.style[name] = `${value}px`;
}

/** Mark the element in the middle of a box of the page, `[x, y, width, height]`. */
export const markBox = ([x, y, width, height]) => place({ x: x + width / 2, y: y + height / 2 });

async function place(area) {
  const name = session;
  try {
    const found = await request(pathOf('marks'), { body: area });
    if (name !== session) return;
    setMarking(false);
    openForm(found);
  } catch (error) {
    showProblem(error);
  }
}

// --- the form ---

function openForm(found) {
  mark = found.mark;
  setText(byId('note-label'), found.label);
  const image = byId('note-picture');
  image.hidden = !found.picture;
  if (found.picture) showBytes(image, Uint8Array.from(atob(found.picture), (character) => character.charCodeAt(0)));
  showProblem(null);
  form.hidden = false;
  words.focus();
}

function showBytes(image, bytes) {
  const url = URL.createObjectURL(new Blob([bytes]));
  image.addEventListener('load', () => URL.revokeObjectURL(url), { once: true });
  image.src = url;
}

function closeForm() {
  mark = null;
  form.hidden = true;
  words.value = '';
  showProblem(null);
}

/** The words stay in the form if they are rejected. */
async function send() {
  if (!mark) return;
  try {
    const { number, label } = await request(pathOf('notes'), { body: { mark, text: words.value } });
    closeForm();
    button.focus();
    announce(`Note ${number} is written: ${label}`);
    await refresh();
  } catch (error) {
    showProblem(error);
    words.focus();
  }
}

function showProblem(error) {
  const problem = byId('note-problem');
  problem.hidden = !error;
  setText(problem, error ? [`${error.message}.`, error.hint].filter(Boolean).join(' ') : '');
}

// --- the list ---

/** Request the notes soon. */
export const refresh = throttle(REFRESH_INTERVAL_MS, async () => {
  const name = session;
  if (!name) return;
  const found = await request(pathOf('notes')).catch(() => null);
  if (found && name === session) render(found.notes);
});

function render(notes) {
  const text = JSON.stringify([session, notes]);
  if (text === rendered) return;
  rendered = text;
  part.hidden = !notes.length;
  const open = notes.filter(({ state }) => state === 'open').length;
  setText(byId('notes-count'), open ? `${open} open` : '');
  const drafts = new Map([...list.querySelectorAll('input')].map((field) => [field.id, field.value]));
  const focused = document.activeElement?.id;
  const former = pictures;
  pictures = new Map();
  list.replaceChildren(...notes.map((note) => createItem(note, former)));
  for (const [key, url] of former) if (!pictures.has(key)) URL.revokeObjectURL(url);
  for (const field of list.querySelectorAll('input')) field.value = drafts.get(field.id) ?? '';
  if (focused?.startsWith('note-')) byId(focused)?.focus();
}

function createItem(note, former) {
  const { number, label, text, state, present: isPresent, told: isTold, answers, picture: hasPicture } = note;
  const status = [state === 'done' ? 'done' : isTold ? 'read by the agent' : 'open', ...(isPresent ? [] : ['gone'])];
  const image = element('img', { alt: '', className: 'note-cut' });
  image.hidden = !hasPicture;
  if (hasPicture) void showPictureOf(number, image, former);
  const item = element(
    'li',
    { className: state === 'done' ? 'done' : '' },
    element('p', { className: 'about' }, element('span', { className: 'number' }, String(number)), ` ${label}`),
    image,
    element('p', { className: 'words' }, text),
    element('p', { className: 'remark' }, status.join(', ')),
    element('ul', {}, ...answers.map((each) => element('li', {}, `${each.author === 'agent' ? 'Agent' : 'You'}: ${each.text}`))),
    createReply(number, state),
  );
  item.querySelector('ul').hidden = !answers.length;
  return item;
}

function createReply(number, state) {
  const field = element('input', { type: 'text', id: `note-reply-${number}`, ariaLabel: `Answer to note ${number}` });
  const change = (body) => act(number, { body });
  const reply = element(
    'form',
    { className: 'entry', ariaLabel: `Note ${number}` },
    field,
    element('button', { type: 'submit', className: 'quiet' }, 'Answer'),
    state === 'done' ? null : createButton(number, 'Done', () => change({ done: true })),
    createButton(number, 'Remove', () => act(number, { method: 'DELETE' })),
  );
  reply.addEventListener('submit', (event) => {
    event.preventDefault();
    const { value } = field;
    field.value = '';
    void change({ text: value });
  });
  return reply;
}

const createButton = (number, word, onclick) =>
  element('button', { type: 'button', className: 'quiet', id: `note-${word}-${number}`, ariaLabel: `${word}: note ${number}`, onclick }, word);

async function act(number, init) {
  try {
    await request(pathOf(`notes/${number}`), init);
    showProblem(null);
  } catch (error) {
    announce(error.message);
  }
  await refresh();
}

async function showPictureOf(number, image, former) {
  const key = `${session} ${number}`;
  const url = former.get(key) ?? (await fetchBlob(pathOf(`notes/${number}/picture`)).then(URL.createObjectURL, () => null));
  if (!url) {
    image.hidden = true;
    return;
  }
  pictures.set(key, url);
  image.src = url;
}
