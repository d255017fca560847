// The pairing code, with its remaining time and the command that gives it to the server.

import { announce, byId, setText } from './dom.js';
import { commandFor, programHint, shortName } from './endpoints.js';
import { send } from './port.js';
import { formatCountdown } from './status_text.js';

const CODE_LIFETIME_MS = 300_000;
const COPIED_MS = 2000;
const SECOND_MS = 1000;

let state = null;
let announcedCode = null;

export function initialize() {
  byId('new-code').addEventListener('click', () => send({ type: 'new_code' }));
  byId('copy').addEventListener('click', copyCommand);
  setInterval(() => state?.code && renderRemainingTime(), SECOND_MS);
}

export function render(next) {
  state = next;
  const endpoint = state.endpoint || state.settings.endpoint;
  byId('with-code').hidden = !state.code;
  if (state.code) renderCode(state.code, endpoint);
  else renderWithoutCode(endpoint);
}

function renderCode(code, endpoint) {
  byId('pairing').hidden = state.status === 'connected';
  byId('new-code').hidden = false;
  setText(byId('pairing-why'), 'A server can connect only with this code. Give the code only to a server that you trust.');
  // Two groups of three are easier to remember than six characters.
  setText(byId('code'), `${code.slice(0, 3)} ${code.slice(3)}`);
  byId('code').setAttribute('aria-label', [...code].join(' '));
  setText(byId('pair-command'), commandFor(endpoint, code));
  setText(byId('pair-else'), programHint(endpoint, code));
  if (announcedCode !== code && !byId('pairing').hidden) announce(`Pairing code ${[...code].join(' ')}`);
  announcedCode = code;
  renderRemainingTime();
}

function renderWithoutCode(endpoint) {
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

function renderNewCodeButton(text, isPrimary) {
  setText(byId('new-code'), text);
  byId('new-code').className = isPrimary ? 'primary' : 'quiet';
}

function renderRemainingTime() {
  const remaining = state.code_expires - Date.now();
  const isExpired = remaining <= 0;
  byId('pairing').classList.toggle('expired', isExpired);
  byId('code-time').value = Math.min(CODE_LIFETIME_MS, Math.max(0, remaining)) / SECOND_MS;
  setText(byId('code-left'), isExpired ? 'This code has expired. Press New code.' : `Valid once, for ${formatCountdown(remaining)}`);
  byId('copy').disabled = isExpired;
  renderNewCodeButton('New code', isExpired);
}

async function copyCommand() {
  const button = byId('copy');
  try {
    await navigator.clipboard.writeText(byId('pair-command').textContent);
    setText(button, 'Copied');
    announce('Copied');
  } catch (error) {
    // A policy of the browser forbids it: the user can copy a selection.
    getSelection().selectAllChildren(byId('pair-command'));
    setText(button, 'Selected');
  }
  setTimeout(() => setText(button, 'Copy'), COPIED_MS);
}
