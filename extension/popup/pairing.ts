// The pairing code, with its remaining time and the command that gives it to the server.

import type { WorkerState } from '../messages';
import { announce, byId, setText } from './dom';
import { commandFor, programHint, shortName } from './endpoints';
import { send } from './port';
import { formatCountdown } from './status_text';

const CODE_LIFETIME_MS = 300_000;
const COPIED_MS = 2000;
const SECOND_MS = 1000;

const copyButton = byId('copy', HTMLButtonElement);
const timeLeft = byId('code-time', HTMLProgressElement);
let state: WorkerState | null = null;
let announcedCode: string | null = null;

export function initialize(): void {
  byId('new-code').addEventListener('click', () => send({ type: 'new_code' }));
  copyButton.addEventListener('click', () => void copyCommand());
  setInterval(() => {
    if (state?.code) renderRemainingTime(state);
  }, SECOND_MS);
}

export function render(next: WorkerState): void {
  state = next;
  const endpoint = state.endpoint || state.settings.endpoint;
  byId('with-code').hidden = !state.code;
  if (state.code) renderCode(state, state.code, endpoint);
  else renderWithoutCode(state, endpoint);
}

function renderCode(state: WorkerState, code: string, endpoint: string): void {
  byId('pairing').hidden = state.status === 'connected';
  byId('new-code').hidden = false;
  setText(
    byId('pairing-why'),
    'A server can connect only with this code. Give the code only to a server that you trust.',
  );
  // Two groups of three are easier to remember than six characters.
  setText(byId('code'), `${code.slice(0, 3)} ${code.slice(3)}`);
  byId('code').setAttribute('aria-label', [...code].join(' '));
  setText(byId('pair-command'), commandFor(endpoint, code));
  setText(byId('pair-else'), programHint(endpoint, code));
  if (announcedCode !== code && !byId('pairing').hidden) announce(`Pairing code ${[...code].join(' ')}`);
  announcedCode = code;
  renderRemainingTime(state);
}

function renderWithoutCode(state: WorkerState, endpoint: string): void {
  announcedCode = null;
  const isPaired = state.paired.some((each) => each.endpoint === endpoint);
  const isTrying = state.status === 'waiting' || state.status === 'pairing';
  byId('pairing').hidden = state.status === 'connected' || (isPaired && !isTrying);
  const name = shortName(endpoint);
  setText(
    byId('pairing-why'),
    isPaired
      ? `${name} was paired before. If it has lost its key for this browser, pair it again.`
      : `${name} is not paired with this browser. Press Connect to get a code, and give the code to the server.`,
  );
  renderNewCodeButton('Get a code', !isPaired);
  byId('new-code').hidden = !isTrying;
}

function renderNewCodeButton(text: string, isPrimary: boolean): void {
  setText(byId('new-code'), text);
  byId('new-code').className = isPrimary ? 'primary' : 'quiet';
}

function renderRemainingTime({ code_expires: expires }: WorkerState): void {
  const remaining = (expires ?? 0) - Date.now();
  const isExpired = remaining <= 0;
  byId('pairing').classList.toggle('expired', isExpired);
  timeLeft.value = Math.min(CODE_LIFETIME_MS, Math.max(0, remaining)) / SECOND_MS;
  setText(
    byId('code-left'),
    isExpired ? 'This code has expired. Press New code.' : `Valid once, for ${formatCountdown(remaining)}`,
  );
  copyButton.disabled = isExpired;
  renderNewCodeButton('New code', isExpired);
}

async function copyCommand(): Promise<void> {
  try {
    await navigator.clipboard.writeText(byId('pair-command').textContent);
    setText(copyButton, 'Copied');
    announce('Copied');
  } catch {
    // A policy of the browser forbids it: the user can copy a selection.
    getSelection()?.selectAllChildren(byId('pair-command'));
    setText(copyButton, 'Selected');
  }
  setTimeout(() => setText(copyButton, 'Copy'), COPIED_MS);
}
