// The consent window: one question, and buttons that work only once the user had time to read it.
//
// A window of its own can't be framed or covered by a page's elements. What a page still could do is open it under a click
// that is on its way, so the buttons wait, and wait again whenever the window comes to the front.

import { byId, element, setText } from '../popup/dom';
import { argumentTable } from './argument_table';
import { api } from './browser';
import type { ConsentAnswer, ConsentMessage, Question, QuestionTool } from './messages';
import { pluginCard, toolRow } from './plugin_card';
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
  setText(byId('kind'), question.origin.includes('://') ? 'A page of this site asks' : 'In this browser');
  setText(byId('origin'), originText(question.origin));
  setText(byId('wish'), wishOf(question));
  byId('tools').replaceChildren(...cardsOf(question));
  showArguments(question);
  byId('danger').hidden = !question.isDangerous;
  all.checked = question.isAll;
  byId('all-label').hidden = question.isDangerous || question.isAll;
  setText(byId('once'), question.isDangerous ? 'Allow this call' : 'Allow for 10 minutes');
  byId('insecure').hidden = question.isDangerous || question.canPersist;
  byId('always').hidden = question.isDangerous || !question.canPersist;
  byId('question').hidden = false;
  byId('waiting').hidden = true;
  arm();
}

/** In the product's own words only: no name of a plugin or tool, which could be a sentence. */
const wishOf = ({ isAll, names, argumentsText, tools }: Question) =>
  isAll
    ? tools.length
      ? 'wants to use all tools of your plugins. These are there now:'
      : 'wants to use all tools of your plugins. There are none now.'
    : argumentsText === null
      ? `wants to use ${names?.length === 1 ? 'this tool' : `these ${names?.length} tools`}:`
      : 'wants to call this tool:';

/** A card for each plugin with the tools in question, and one for the names that no plugin has. */
function cardsOf({ plugins, tools }: Question): HTMLElement[] {
  const cards = plugins.map((plugin) => {
    const own = tools.filter(({ pluginId }) => pluginId === plugin.extensionId);
    return pluginCard(plugin, element('ul', { className: 'tools' }, ...own.map(rowFor)));
  });
  const unknown = tools.filter(({ pluginId }) => pluginId === null);
  if (unknown.length) {
    const rows = unknown.map(({ name }) =>
      element('li', {}, element('code', {}, visible(name)), ' (no plugin has this tool)'),
    );
    cards.push(element('li', { className: 'panel' }, element('ul', {}, ...rows)));
  }
  return cards;
}

const rowFor = ({ name, title, description, isDangerous }: QuestionTool) =>
  toolRow({ name, title: title ?? name, description }, isDangerous);

/** A table if the arguments are complete; the JSON, behind a fold, has all that was sent. */
function showArguments({ argumentsText, omitted }: Question): void {
  byId('arguments-section').hidden = argumentsText === null;
  const isEmpty = argumentsText === '{}';
  const table = argumentTable(argumentsText ?? '');
  byId('argument-rows').replaceChildren(...(table?.rows ?? []));
  byId('arguments-table').hidden = table === null;
  byId('no-arguments').hidden = !isEmpty;
  const raw = byId('raw', HTMLDetailsElement);
  raw.hidden = isEmpty;
  raw.open = table === null;
  setText(byId('arguments'), visible(argumentsText ?? '', true));
  const rest = omitted
    ? `${omitted} more characters are not displayed.`
    : table?.omitted
      ? `${table.omitted} more values are in the JSON below.`
      : '';
  byId('omitted').hidden = !rest;
  setText(byId('omitted'), rest);
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
    byId('deny').focus({ preventScroll: true });
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
