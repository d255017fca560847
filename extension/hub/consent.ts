// The consent window: one question, and buttons that work only once the user had time to read it.
//
// A window of its own can't be framed or covered by a page's elements. What a page still could do is open it under a click
// that is on its way, so the buttons wait, and wait again whenever the window comes to the front.

import { byId, element, setText } from '../popup/dom';
import { api } from './browser';
import type { ConsentAnswer, ConsentMessage, Question, QuestionTool } from './messages';
import { originText, visible } from './text';

const READING_MS = 1000;
const RETRY_MS = 200;

let port: chrome.runtime.Port | null = null;
let current: ({ id: number } & Question) | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

function connect(): void {
  port = api.runtime.connect({ name: 'hub.consent' });
  port.onMessage.addListener((message: ConsentMessage) =>
    message.type === 'question' ? show(message) : window.close(),
  );
  port.onDisconnect.addListener(() => {
    hide();
    setTimeout(connect, RETRY_MS); // the browser has suspended the background
  });
}

function show(question: { id: number } & Question): void {
  current = question;
  setText(byId('origin'), originText(question.origin));
  setText(byId('wish'), wishOf(question));
  byId('tools').replaceChildren(...question.tools.map((tool) => rowFor(tool)));
  byId('arguments-section').hidden = question.argumentsText === null;
  setText(byId('arguments'), visible(question.argumentsText ?? '', true));
  byId('omitted').hidden = question.omitted === 0;
  setText(byId('omitted'), `${question.omitted} more characters are not displayed.`);
  byId('danger').hidden = !question.isDangerous;
  all.checked = question.isAll;
  byId('all-label').hidden = question.isDangerous || question.isAll;
  setText(byId('once'), question.isDangerous ? 'Allow this call' : 'Allow for 10 minutes');
  byId('always').hidden = question.isDangerous || !question.canPersist;
  byId('question').hidden = false;
  byId('waiting').hidden = true;
  arm();
}

const wishOf = ({ isAll, names, argumentsText }: Question) =>
  isAll
    ? 'asks to use all tools of your plugins. These are there now:'
    : argumentsText === null
      ? `asks to use ${names?.length === 1 ? 'this tool' : 'these tools'}:`
      : 'asks to call this tool:';

function rowFor({ name, title, description, plugin, isDangerous }: QuestionTool): HTMLElement {
  if (title === null) return element('li', {}, element('code', {}, visible(name)), ' (no plugin has this tool)');
  const remark = `${plugin ?? ''}: ${description ?? ''}`;
  return element(
    'li',
    {},
    element('strong', {}, visible(title)),
    isDangerous ? ' (asked at each call)' : null,
    element('code', { className: 'remark' }, visible(name)),
    element('span', { className: 'remark' }, visible(remark)),
  );
}

function hide(): void {
  current = null;
  arm();
  byId('question').hidden = true;
  byId('waiting').hidden = false;
}

const buttons = ['deny', 'once', 'always'].map((id) => byId(id, HTMLButtonElement));
const all = byId('all', HTMLInputElement);

/** Disable the buttons, and enable them after a time in which the window has the focus. */
function arm(): void {
  clearTimeout(timer);
  for (const button of buttons) button.disabled = true;
  if (!current || !document.hasFocus() || document.visibilityState !== 'visible') return;
  timer = setTimeout(() => {
    for (const button of buttons) button.disabled = false;
    byId('deny').focus();
  }, READING_MS);
}

for (const event of ['focus', 'blur', 'resize']) window.addEventListener(event, arm);
document.addEventListener('visibilitychange', arm);
for (const button of buttons) {
  button.addEventListener('click', (event) => {
    if (!event.isTrusted || !current) return;
    port?.postMessage({ id: current.id, choice: button.id, all: all.checked } satisfies ConsentAnswer);
    hide();
  });
}
connect();
