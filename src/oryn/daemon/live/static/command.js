// The command line of the selected session, and its answer.

import { request } from './api.js';
import { announce, byId, formatDuration } from './dom.js';

const line = byId('line');
const answer = byId('answer');
let selectedSession = () => null;
let running = 0;

/** `getSession()` is the name of the selected session, or null. */
export function initialize(getSession) {
  selectedSession = getSession;
  byId('command').addEventListener('submit', (event) => {
    event.preventDefault();
    run(line.value);
    line.select();
  });
  byId('observe').addEventListener('click', () => run('observe'));
  byId('page-back').addEventListener('click', () => run('back'));
  byId('page-reload').addEventListener('click', () => run('refresh'));
}

const run = (text) => execute('/command', { line: text, session: selectedSession() || 'default' });

/** Whether a command of this page runs. */
export const isRunning = () => running > 0;

/** Replay a row of the history in its session, and return the response. */
export const replay = (row) => execute(`/history/${encodeURIComponent(row.action_id)}/replay`, {});

/** Write a command for an element into the command line. */
export function prepareClick(number) {
  line.value = `click ${number}`;
  line.focus();
  line.setSelectionRange(0, 'click'.length);
}

async function execute(path, body) {
  answer.setAttribute('aria-busy', 'true');
  let response;
  running += 1;
  try {
    response = await request(path, { body });
  } catch (error) {
    const text = `error: ${error.message}\n${error.hint || ''}`;
    response = { ok: false, action: 'command', text, error: error.message };
  }
  running -= 1;
  answer.setAttribute('aria-busy', 'false');
  showResponse(response);
  return response;
}

function showResponse({ ok, action, text, error, elapsed_ms: elapsed }) {
  answer.textContent = text;
  answer.scrollTop = 0;
  answer.classList.toggle('bad', !ok);
  const duration = elapsed === undefined ? '' : ` in ${formatDuration(elapsed)}`;
  announce(ok ? `${action} done${duration}` : `${action} failed: ${error}`);
}
