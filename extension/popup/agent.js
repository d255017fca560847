// An agent in a chat: its goal, the chat whose model it has, what it may use, how far it is, what it asks, and corrections.

import { byId, element, say, setText, time } from './dom.js';
import { renderer } from './lists.js';
import { tell } from './port.js';

const DOING = {
  sending: 'Writing to the chat.',
  answer: 'The model is answering.',
  acting: 'Doing what the model said.',
  draft: 'The box of the chat has something of yours in it. Send it or clear it, and the agent goes on.',
  gone: 'The chat does not show this conversation. Go back to it, or stop.',
  silent: 'Nothing of an answer is to be seen. Look at the chat: it may ask you something.',
};
const ASKS = 'It waits for your yes or no, a minute at most.';
const MARKS = { running: 'running', ok: 'done', error: 'failed' };

const steps = renderer('agent-steps', ({ number }) => String(number), stepRow);
const given = renderer('agent-tabs', ({ id }) => String(id), tabRow);
const tools = renderer('agent-tools', ([name]) => name, toolRow);
const chosen = new Set(); // tabs to begin with, by the browser's ids
let agent = null;
let choices = ''; // of chats, as they stand there
let told = null; // what was last read aloud

export function begin() {
  byId('agent-form').addEventListener('submit', (event) => {
    event.preventDefault();
    const chat = Number(byId('agent-chat').value);
    tell({ type: 'agent_start', goal: byId('agent-goal').value, chat, tabs: [...chosen].filter((tab) => tab !== chat) });
  });
  byId('agent-chat').addEventListener('change', () => agent && showTabs());
  byId('agent-limits').addEventListener('submit', (event) => event.preventDefault());
  byId('agent-limits').addEventListener('change', ({ target }) => {
    tell({ type: 'agent_settings', changes: { [target.name]: valueOf(target) } });
  });
  byId('agent-tool').addEventListener('submit', (event) => {
    event.preventDefault();
    const { name, url } = event.target.elements;
    tell({ type: 'agent_settings', changes: { tools: { ...agent?.settings.tools, [name.value]: url.value } } });
    event.target.reset();
    name.focus();
  });
  byId('agent-command').addEventListener('submit', (event) => {
    event.preventDefault();
    tell({ type: 'agent_command', text: byId('agent-words').value });
    event.target.reset();
  });
  byId('agent-yes').addEventListener('click', () => answer(true));
  byId('agent-no').addEventListener('click', () => answer(false));
  byId('agent-stop').addEventListener('click', () => tell({ type: 'agent_stop' }));
}

export function show(state) {
  agent = state.agent;
  byId('agent').hidden = !agent;
  if (!agent) return;
  const { run, last, settings } = agent;
  const hadFocus = byId('agent-setup').contains(document.activeElement) || byId('agent-run').contains(document.activeElement);
  byId('agent-setup').hidden = Boolean(run);
  byId('agent-run').hidden = !run;
  byId('agent-last').hidden = Boolean(run) || !last;
  if (run) showRun(run);
  else showLast(last);
  steps(((run ?? last)?.steps ?? []).toReversed());
  byId('agent-steps').parentElement.hidden = !(run ?? last)?.steps.length;
  showChats();
  showTabs();
  showSettings(settings);
  if (hadFocus && !document.activeElement.checkVisibility?.()) byId(run ? 'agent-words' : 'agent-goal').focus();
}

const valueOf = ({ type, checked, value, valueAsNumber }) => ({ checkbox: checked, number: valueAsNumber })[type] ?? value;

/** Say yes or no to the question that is shown, which the worker may have dropped meanwhile. */
function answer(agreed) {
  tell({ type: 'agent_answer', question: byId('agent-question').dataset.question, agreed });
}

/** It takes no focus, and leaves none on its buttons: a key that was meant for something else is no yes. */
function showQuestion(question) {
  const panel = byId('agent-question');
  if (panel.dataset.question !== (question?.id ?? '') && panel.contains(document.activeElement)) document.activeElement.blur();
  panel.hidden = !question;
  panel.dataset.question = question?.id ?? '';
  setText(byId('agent-asked'), question?.command ?? '');
}

function showRun({ goal, chat, doing, number, most, corrections, question }) {
  setText(byId('agent-goal-now'), goal);
  setText(byId('agent-status'), `At work with ${chat}`);
  showQuestion(question);
  setText(byId('agent-doing'), `${question ? ASKS : (DOING[doing] ?? '')} ${number + 1} of ${most} answers at most.`.trim());
  byId('agent-waiting').hidden = !corrections;
  setText(byId('agent-waiting'), corrections === 1 ? 'Your command goes with the next message.' : `${corrections} commands go with the next message.`);
  if (question) aloud(`The agent asks you whether it may do this: ${question.command}`);
  else aloud(['draft', 'gone', 'silent'].includes(doing) ? DOING[doing] : `The agent is at work with ${chat}.`);
}

function showLast(last) {
  if (!last) return;
  const isDone = last.answer !== null;
  setText(byId('agent-end'), isDone ? 'Finished' : `Ended: ${last.detail}.`);
  setText(byId('agent-answer'), last.answer ?? '');
  byId('agent-answer').hidden = !last.answer;
  if (told) aloud(isDone ? 'The agent has finished.' : `The agent has ended: ${last.detail}.`);
}

function aloud(text) {
  if (told !== null && told !== text) say(text);
  told = text;
}

/** The chats to choose from. The first choice is the tab that the user looks at, where it can be one. */
function showChats() {
  const select = byId('agent-chat');
  const now = JSON.stringify(agent.tabs);
  if (now === choices) return;
  choices = now;
  const before = Number(select.value);
  const first = agent.tabs.find((tab) => tab.chat && tab.active) ?? agent.tabs.find((tab) => tab.active) ?? agent.tabs.find((tab) => tab.chat);
  const options = agent.tabs.map(({ id, title, url }) => element('option', { value: String(id) }, `${title || url} (${hostOf(url)})`));
  select.replaceChildren(...options);
  const kept = agent.tabs.find(({ id }) => id === before) ?? first ?? agent.tabs[0];
  if (kept) select.value = String(kept.id);
  byId('agent-start').disabled = !kept;
}

function showTabs() {
  const chat = Number(byId('agent-chat').value);
  const others = agent.tabs.filter(({ id }) => id !== chat);
  for (const id of chosen) if (!others.some((tab) => tab.id === id)) chosen.delete(id);
  given(others.map(({ id, title, url }) => ({ id, title, url })));
  byId('agent-no-tabs').hidden = others.length > 0;
}

function showSettings({ tools: saved, ...limits }) {
  const { elements } = byId('agent-limits');
  for (const [name, value] of Object.entries(limits)) {
    if (!elements[name] || document.activeElement === elements[name]) continue;
    if (typeof value === 'boolean') elements[name].checked = value;
    else elements[name].value = String(value);
  }
  tools(Object.entries(saved));
}

const hostOf = (url) => URL.parse?.(url)?.host ?? url;

function tabRow({ id, title, url }) {
  const box = element('input', { type: 'checkbox', checked: chosen.has(id) });
  box.addEventListener('change', () => (box.checked ? chosen.add(id) : chosen.delete(id)));
  return element('li', {}, element('label', { className: 'choice' }, box, element('span', {}, title || url, ' ', element('span', { className: 'remark' }, hostOf(url)))));
}

function toolRow([name, url]) {
  const remove = element('button', { type: 'button', className: 'quiet', 'aria-label': `Remove ${name}` }, 'Remove');
  remove.addEventListener('click', () => {
    const rest = Object.entries(agent.settings.tools).filter(([other]) => other !== name);
    tell({ type: 'agent_settings', changes: { tools: Object.fromEntries(rest) } });
  });
  return element('li', {}, element('span', { className: 'tool' }, name, ' ', element('span', { className: 'remark address' }, url)), remove);
}

function stepRow({ line, status, time: at }) {
  return element(
    'li',
    { className: `asked ${status}` },
    element('span', { className: 'mark', role: 'img', 'aria-label': MARKS[status] ?? status }),
    element('code', { title: line }, line),
    time(new Date(at).toISOString()),
  );
}
