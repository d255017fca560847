// The window in which the user writes what they want of something that they have marked (`banner.ts`), and sees what the
// agent has answered. A window of the extension's own: what is typed in a page, its scripts may hear.

import type { NotesState, PopupRequest, UserNote } from '../messages';
import { byId, element, setText } from './dom';
import * as port from './port';

const form = byId('note', HTMLFormElement);
const words = byId('words', HTMLTextAreaElement);
const list = byId('notes');
let mark: string | null = null;
let rendered = '';

function render({ mark: pending, rows }: NotesState): void {
  if (!pending || pending.id !== mark) {
    mark = pending?.id ?? null;
    form.hidden = !pending;
    if (pending) showMark(pending.label, pending.picture);
  }
  byId('none').hidden = rows.length > 0 || mark !== null;
  const text = JSON.stringify(rows);
  if (text === rendered) return;
  rendered = text;
  const drafts = new Map([...list.querySelectorAll('input')].map((field) => [field.id, field.value]));
  list.replaceChildren(...rows.map(itemOf));
  for (const field of list.querySelectorAll('input')) field.value = drafts.get(field.id) ?? '';
}

function showMark(label: string, picture: string | null): void {
  words.value = '';
  showProblem('');
  setText(byId('label'), label);
  const image = byId('picture', HTMLImageElement);
  image.hidden = !picture;
  if (picture) {
    const bytes = Uint8Array.from(atob(picture), (character) => character.charCodeAt(0));
    const url = URL.createObjectURL(new Blob([bytes]));
    image.addEventListener('load', () => URL.revokeObjectURL(url), { once: true });
    image.src = url;
  }
  words.focus();
}

function itemOf(note: UserNote): HTMLElement {
  const { number, label, text, state, told, present, answers } = note;
  const status = [state === 'done' ? 'done' : told ? 'read by the agent' : 'open', ...(present ? [] : ['gone'])];
  return element(
    'li',
    { className: state === 'done' ? 'panel done' : 'panel' },
    element('p', { className: 'about' }, element('b', {}, String(number)), ` ${label}`),
    element('p', { className: 'words' }, text),
    element('p', { className: 'remark' }, status.join(', ')),
    answers.length ? element('ul', {}, ...answers.map((each) => replyItem(each.author, each.text))) : null,
    replyForm(number, state),
  );
}

const replyItem = (author: string, text: string) =>
  element('li', {}, `${author === 'agent' ? 'Agent' : 'You'}: ${text}`);

function replyForm(number: number, state: string): HTMLElement {
  const field = element('input', { type: 'text', id: `reply-${number}`, ariaLabel: `Answer to note ${number}` });
  const reply = element(
    'form',
    { className: 'entry' },
    field,
    element('button', { type: 'submit', className: 'quiet' }, 'Answer'),
    state === 'done' ? null : changeButton('Done', { type: 'note_done', number }),
    changeButton('Remove', { type: 'note_remove', number }),
  );
  reply.addEventListener('submit', (event) => {
    event.preventDefault();
    const { value } = field;
    field.value = '';
    send({ type: 'note_answer', number, text: value });
  });
  return reply;
}

function changeButton(word: string, request: PopupRequest & { number: number }): HTMLElement {
  const name = `${word}: note ${request.number}`;
  const created = element('button', { type: 'button', className: 'quiet', ariaLabel: name }, word);
  created.addEventListener('click', () => send(request));
  return created;
}

function send(request: PopupRequest): void {
  showProblem('');
  port.send(request);
}

function showProblem(text: string): void {
  byId('problem').hidden = !text;
  setText(byId('problem'), text);
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (mark !== null) send({ type: 'note_add', mark, text: words.value });
});
port.connect((message) => {
  if (message.type === 'state') {
    if (message.notes) render(message.notes);
  } else if (message.type === 'refused') showProblem(message.message);
  else if (message.type === 'orphaned') showProblem('The extension was reloaded. Close this window.');
});
