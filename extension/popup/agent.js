// The agent in a chat: the form that starts it, its progress, its questions, and corrections.

import { createStatusRow } from './activity.js';
import { announce, byId, element, setText } from './dom.js';
import { listRenderer } from './lists.js';
import { send } from './port.js';

const PHASE_TEXTS = {
  sending: 'Writing to the chat.',
  answer: 'The model is answering.',
  acting: "Running the model's commands.",
  watching: 'The model waits for a page to change.',
  draft: "The chat's input box contains your text. Send or clear it, and the agent continues.",
  gone: 'The chat shows another conversation. Return to this one, or stop the agent.',
  silent: 'No answer is visible. Check the chat: it may ask you something.',
};
const PHASES_FOR_USER = ['draft', 'gone', 'silent']; // the agent waits until the user does something
const QUESTION_TEXT = 'The agent waits for your decision, one minute at most.';

const renderSteps = listRenderer('agent-steps', ({ number }) => String(number), createStatusRow);
const renderTabs = listRenderer('agent-tabs', ({ id }) => String(id), createTabRow);
const renderTools = listRenderer('agent-tools', ([name]) => name, createToolRow);
const initialTabs = new Set(); // the browser's ids of the tabs that the agent starts with
let agent = null;
let renderedChats = '';
let announced = null;

export function initialize() {
  byId('agent-form').addEventListener('submit', start);
  byId('agent-chat').addEventListener('change', () => agent && showTabs());
  byId('agent-limits').addEventListener('submit', (event) => event.preventDefault());
  byId('agent-limits').addEventListener('change', ({ target }) => changeSettings({ [target.name]: valueOf(target) }));
  byId('agent-tool').addEventListener('submit', addTool);
  byId('agent-command').addEventListener('submit', sendCorrection);
  byId('agent-yes').addEventListener('click', () => answerQuestion(true));
  byId('agent-no').addEventListener('click', () => answerQuestion(false));
  byId('agent-stop').addEventListener('click', () => send({ type: 'agent_stop' }));
}

function start(event) {
  event.preventDefault();
  const chat = Number(byId('agent-chat').value);
  const tabs = [...initialTabs].filter((tab) => tab !== chat);
  send({ type: 'agent_start', goal: byId('agent-goal').value, chat, tabs });
}

function changeSettings(changes) {
  send({ type: 'agent_settings', changes });
}

const valueOf = ({ type, checked, value, valueAsNumber }) => ({ checkbox: checked, number: valueAsNumber })[type] ?? value;

function addTool(event) {
  event.preventDefault();
  const { name, url } = event.target.elements;
  changeSettings({ tools: { ...agent?.settings.tools, [name.value]: url.value } });
  event.target.reset();
  name.focus();
}

function sendCorrection(event) {
  event.preventDefault();
  send({ type: 'agent_command', text: byId('agent-correction').value });
  event.target.reset();
}

/** Answer the question in the popup; the worker ignores the answer if that question has expired. */
function answerQuestion(agreed) {
  send({ type: 'agent_answer', question: byId('agent-question').dataset.question, agreed });
}

export function render(state) {
  agent = state.agent;
  byId('agent').hidden = !agent;
  if (!agent) return;
  const { run, last, settings } = agent;
  const focused = document.activeElement;
  const hadFocus = byId('agent-setup').contains(focused) || byId('agent-run').contains(focused);
  byId('agent-setup').hidden = Boolean(run);
  byId('agent-run').hidden = !run;
  byId('agent-last').hidden = Boolean(run) || !last;
  if (run) showRun(run);
  else if (last) showResult(last);
  const steps = (run ?? last)?.steps ?? [];
  renderSteps(steps.toReversed());
  byId('agent-steps').parentElement.hidden = !steps.length;
  showChats();
  showTabs();
  showSettings(settings);
  if (hadFocus && !document.activeElement.checkVisibility?.()) byId(run ? 'agent-correction' : 'agent-goal').focus();
}

/** The question takes no focus. A new one removes the focus from the buttons, so that no key press answers it by mistake. */
function showQuestion(question) {
  const panel = byId('agent-question');
  const isNew = panel.dataset.question !== (question?.id ?? '');
  if (isNew && panel.contains(document.activeElement)) document.activeElement.blur();
  panel.hidden = !question;
  panel.dataset.question = question?.id ?? '';
  setText(byId('agent-question-command'), question?.command ?? '');
}

function showRun({ goal, chat, doing: phase, number, most: limit, corrections, question }) {
  setText(byId('agent-goal-now'), goal);
  setText(byId('agent-status'), `Working with ${chat}`);
  showQuestion(question);
  const text = question ? QUESTION_TEXT : (PHASE_TEXTS[phase] ?? '');
  setText(byId('agent-doing'), `${text} Answer ${number + 1} of at most ${limit}.`.trim());
  byId('agent-waiting').hidden = !corrections;
  const count = corrections === 1 ? 'Your message is' : `${corrections} messages are`;
  setText(byId('agent-waiting'), `${count} sent with the next request.`);
  if (question) announceOnce(`The agent asks you whether it may run this command: ${question.command}`);
  else announceOnce(PHASES_FOR_USER.includes(phase) ? PHASE_TEXTS[phase] : `The agent is working with ${chat}.`);
}

function showResult({ answer, detail }) {
  const isFinished = answer !== null;
  setText(byId('agent-end'), isFinished ? 'Finished' : `Ended: ${detail}.`);
  setText(byId('agent-answer'), answer ?? '');
  byId('agent-answer').hidden = !answer;
  if (announced) announceOnce(isFinished ? 'The agent has finished.' : `The agent has ended: ${detail}.`);
}

/** Announce a text unless it is the last one, or the first after the popup was opened. */
function announceOnce(text) {
  if (announced !== null && announced !== text) announce(text);
  announced = text;
}

/** The tabs to choose the chat from. The default is a chat in the active tab, else the active tab, else any chat. */
function showChats() {
  const { tabs } = agent;
  const select = byId('agent-chat');
  const text = JSON.stringify(tabs);
  if (text === renderedChats) return;
  renderedChats = text;
  const before = Number(select.value);
  select.replaceChildren(
    ...tabs.map(({ id, title, url }) => element('option', { value: String(id) }, `${title || url} (${hostOf(url)})`)),
  );
  const selected = tabs.find(({ id }) => id === before)
    ?? tabs.find(({ chat, active }) => chat && active)
    ?? tabs.find(({ active }) => active)
    ?? tabs.find(({ chat }) => chat)
    ?? tabs[0];
  if (selected) select.value = String(selected.id);
  byId('agent-start').disabled = !selected;
}

function showTabs() {
  const chat = Number(byId('agent-chat').value);
  const others = agent.tabs.filter(({ id }) => id !== chat);
  for (const id of initialTabs) if (!others.some((tab) => tab.id === id)) initialTabs.delete(id);
  renderTabs(others.map(({ id, title, url }) => ({ id, title, url })));
  byId('agent-no-tabs').hidden = others.length > 0;
}

function showSettings({ tools, ...limits }) {
  const { elements } = byId('agent-limits');
  for (const [name, value] of Object.entries(limits)) {
    if (!elements[name] || document.activeElement === elements[name]) continue;
    if (typeof value === 'boolean') elements[name].checked = value;
    else elements[name].value = String(value);
  }
  renderTools(Object.entries(tools));
}

const hostOf = (url) => URL.parse?.(url)?.host ?? url;

function createTabRow({ id, title, url }) {
  const checkbox = element('input', { type: 'checkbox', checked: initialTabs.has(id) });
  checkbox.addEventListener('change', () => (checkbox.checked ? initialTabs.add(id) : initialTabs.delete(id)));
  const text = element('span', {}, title || url, ' ', element('span', { className: 'remark' }, hostOf(url)));
  return element('li', {}, element('label', { className: 'choice' }, checkbox, text));
}

function createToolRow([name, url]) {
  const remove = element('button', { type: 'button', className: 'quiet', 'aria-label': `Remove ${name}` }, 'Remove');
  remove.addEventListener('click', () => {
    const others = Object.entries(agent.settings.tools).filter(([other]) => other !== name);
    changeSettings({ tools: Object.fromEntries(others) });
  });
  const text = element('span', { className: 'tool' }, name, ' ', element('span', { className: 'remark address' }, url));
  return element('li', {}, text, remove);
}
