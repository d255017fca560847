// The agent in a chat: the form that starts it, its progress, its questions, and corrections.

import type {
  AgentPhase,
  AgentQuestion,
  AgentResult,
  AgentRun,
  AgentSettings,
  AgentState,
  AgentStep,
  AgentTab,
  WorkerState,
} from '../messages';
import { createStatusRow } from './activity';
import { announce, byId, control, element, setText, valueOf } from './dom';
import { parseEndpoint } from './endpoints';
import { listRenderer } from './lists';
import { send } from './port';

const PHASE_TEXTS: Record<AgentPhase, string> = {
  sending: 'Writing to the chat.',
  answer: 'The model is answering.',
  acting: "Running the model's commands.",
  watching: 'The model waits for a page to change.',
  draft: "The chat's input box contains your text. Send or clear it, and the agent continues.",
  gone: 'The chat shows another conversation. Return to this one, or stop the agent.',
  silent: 'No answer is visible. Check the chat: it may ask you something.',
};
const PHASES_FOR_USER: AgentPhase[] = ['draft', 'gone', 'silent']; // the agent waits until the user does something
const QUESTION_TEXT = 'The agent waits for your decision, one minute at most.';

type ListedTab = Pick<AgentTab, 'id' | 'title' | 'url'>;

const chatField = byId('agent-chat', HTMLSelectElement);
const goalField = byId('agent-goal', HTMLTextAreaElement);
const correctionField = byId('agent-correction', HTMLInputElement);
const toolForm = byId('agent-tool', HTMLFormElement);
const limitsForm = byId('agent-limits', HTMLFormElement);
const renderSteps = listRenderer<AgentStep>(
  'agent-steps',
  ({ number }) => String(number),
  (step) => createStatusRow(step),
);
const renderTabs = listRenderer<ListedTab>('agent-tabs', ({ id }) => String(id), createTabRow);
const renderTools = listRenderer<[name: string, url: string]>('agent-tools', ([name]) => name, createToolRow);
const initialTabs = new Set<number>(); // the browser's ids of the tabs that the agent starts with
let agent: AgentState | null = null;
let renderedChats = '';
let announced: string | null = null;

export function initialize(): void {
  byId('agent-form').addEventListener('submit', start);
  chatField.addEventListener('change', () => {
    if (agent) showTabs(agent);
  });
  limitsForm.addEventListener('submit', (event) => event.preventDefault());
  limitsForm.addEventListener('change', ({ target }) => {
    const changed = valueOf(target);
    if (changed) changeSettings({ [changed.name]: changed.value });
  });
  toolForm.addEventListener('submit', addTool);
  byId('agent-command').addEventListener('submit', sendCorrection);
  byId('agent-yes').addEventListener('click', () => answerQuestion(true));
  byId('agent-no').addEventListener('click', () => answerQuestion(false));
  byId('agent-stop').addEventListener('click', () => send({ type: 'agent_stop' }));
}

function start(event: Event): void {
  event.preventDefault();
  const chat = Number(chatField.value);
  const tabs = [...initialTabs].filter((tab) => tab !== chat);
  send({ type: 'agent_start', goal: goalField.value, chat, tabs });
}

function changeSettings(changes: Readonly<Record<string, unknown>>): void {
  send({ type: 'agent_settings', changes });
}

function addTool(event: Event): void {
  event.preventDefault();
  const name = control(toolForm, 'name', HTMLInputElement);
  const url = control(toolForm, 'url', HTMLInputElement);
  changeSettings({ tools: { ...agent?.settings.tools, [name.value]: url.value } });
  toolForm.reset();
  name.focus();
}

function sendCorrection(event: Event): void {
  event.preventDefault();
  send({ type: 'agent_command', text: correctionField.value });
  byId('agent-command', HTMLFormElement).reset();
}

/** Answer the question in the popup; the worker ignores the answer if that question has expired. */
function answerQuestion(agreed: boolean): void {
  send({ type: 'agent_answer', question: byId('agent-question').dataset.question ?? '', agreed });
}

export function render(state: WorkerState): void {
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
  renderSteps([...steps].reverse());
  byId('agent-steps-scroll').hidden = !steps.length;
  showChats(agent);
  showTabs(agent);
  showSettings(settings);
  if (hadFocus && !document.activeElement?.checkVisibility()) (run ? correctionField : goalField).focus();
}

/** The question takes no focus. A new one removes the focus from the buttons, so that no key press answers it by mistake. */
function showQuestion(question: AgentQuestion | null): void {
  const panel = byId('agent-question');
  const isNew = panel.dataset.question !== (question?.id ?? '');
  const focused = document.activeElement;
  if (isNew && focused instanceof HTMLElement && panel.contains(focused)) focused.blur();
  panel.hidden = !question;
  panel.dataset.question = question?.id ?? '';
  setText(byId('agent-question-command'), question?.command ?? '');
}

function showRun({ goal, chat, doing: phase, number, most: limit, corrections, question }: AgentRun): void {
  setText(byId('agent-goal-now'), goal);
  setText(byId('agent-status'), `Working with ${chat}`);
  showQuestion(question);
  const text = question ? QUESTION_TEXT : PHASE_TEXTS[phase];
  setText(byId('agent-doing'), `${text} Answer ${number + 1} of at most ${limit}.`.trim());
  byId('agent-waiting').hidden = !corrections;
  const count = corrections === 1 ? 'Your message is' : `${corrections} messages are`;
  setText(byId('agent-waiting'), `${count} sent with the next request.`);
  if (question) announceOnce(`The agent asks you whether it may run this command: ${question.command}`);
  else announceOnce(PHASES_FOR_USER.includes(phase) ? PHASE_TEXTS[phase] : `The agent is working with ${chat}.`);
}

function showResult({ answer, detail }: AgentResult): void {
  const isFinished = answer !== null;
  setText(byId('agent-end'), isFinished ? 'Finished' : `Ended: ${detail}.`);
  setText(byId('agent-answer'), answer ?? '');
  byId('agent-answer').hidden = !answer;
  if (announced) announceOnce(isFinished ? 'The agent has finished.' : `The agent has ended: ${detail}.`);
}

/** Announce a text unless it is the last one, or the first after the popup was opened. */
function announceOnce(text: string): void {
  if (announced !== null && announced !== text) announce(text);
  announced = text;
}

/** The tabs to choose the chat from. The default is a chat in the active tab, else the active tab, else any chat. */
function showChats({ tabs }: AgentState): void {
  const text = JSON.stringify(tabs);
  if (text === renderedChats) return;
  renderedChats = text;
  const before = Number(chatField.value);
  chatField.replaceChildren(
    ...tabs.map(({ id, title, url }) => element('option', { value: String(id) }, `${title || url} (${hostOf(url)})`)),
  );
  const selected =
    tabs.find(({ id }) => id === before) ??
    tabs.find(({ chat, active }) => chat && active) ??
    tabs.find(({ active }) => active) ??
    tabs.find(({ chat }) => chat) ??
    tabs[0];
  if (selected) chatField.value = String(selected.id);
  byId('agent-start', HTMLButtonElement).disabled = !selected;
}

function showTabs({ tabs }: AgentState): void {
  const chat = Number(chatField.value);
  const others = tabs.filter(({ id }) => id !== chat);
  for (const id of initialTabs) if (!others.some((tab) => tab.id === id)) initialTabs.delete(id);
  renderTabs(others.map(({ id, title, url }) => ({ id, title, url })));
  byId('agent-no-tabs').hidden = others.length > 0;
}

function showSettings({ tools, ...limits }: AgentSettings): void {
  for (const [name, value] of Object.entries(limits)) {
    const field = limitsForm.elements.namedItem(name);
    if (document.activeElement === field) continue;
    if (field instanceof HTMLInputElement && typeof value === 'boolean') field.checked = value;
    else if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.value = String(value);
  }
  renderTools(Object.entries(tools));
}

const hostOf = (url: string) => parseEndpoint(url)?.host ?? url;

function createTabRow({ id, title, url }: ListedTab): HTMLElement {
  const checkbox = element('input', { type: 'checkbox', checked: initialTabs.has(id) });
  checkbox.addEventListener('change', () => (checkbox.checked ? initialTabs.add(id) : initialTabs.delete(id)));
  const text = element('span', {}, title || url, ' ', element('span', { className: 'remark' }, hostOf(url)));
  return element('li', {}, element('label', { className: 'choice' }, checkbox, text));
}

function createToolRow([name, url]: [name: string, url: string]): HTMLElement {
  const remove = element('button', { type: 'button', className: 'quiet', 'aria-label': `Remove ${name}` }, 'Remove');
  remove.addEventListener('click', () => {
    const others = Object.entries(agent?.settings.tools ?? {}).filter(([other]) => other !== name);
    changeSettings({ tools: Object.fromEntries(others) });
  });
  const text = element('span', { className: 'tool' }, name, ' ', element('span', { className: 'remark address' }, url));
  return element('li', {}, text, remove);
}
