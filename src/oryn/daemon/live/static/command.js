// A command for the session that is looked at, and its answer.

import { ask } from './daemon.js';
import { byId, duration, say } from './dom.js';

const line = byId('line');
const answer = byId('answer');
let session = () => 'default';

/** `chosen()` is the name of the session that is looked at, or null. */
export function begin(chosen) {
  session = () => chosen() || 'default';
  byId('command').addEventListener('submit', (event) => {
    event.preventDefault();
    send(line.value);
    line.select();
  });
  byId('observe').addEventListener('click', () => send('observe'));
}

/** Send a line, and show what comes back. */
export const send = (text) => asked('/command', { line: text, session: session() });

async function asked(path, body) {
  answer.setAttribute('aria-busy', 'true');
  try {
    return show(await ask(path, { body }));
  } catch (error) {
    return show({ ok: false, action: 'command', text: `error: ${error.message}\n${error.hint || ''}`, error: error.message });
  } finally {
    answer.setAttribute('aria-busy', 'false');
  }
}

/** Do a row of the history again, in its session. */
export const again = (row) => asked(`/history/${encodeURIComponent(row.action_id)}/replay`, {});

/** Show the daemon's response. */
function show(response) {
  answer.textContent = response.text;
  answer.scrollTop = 0;
  answer.classList.toggle('bad', !response.ok);
  const took = response.elapsed_ms === undefined ? '' : ` in ${duration(response.elapsed_ms)}`;
  say(response.ok ? `${response.action} done${took}` : `${response.action} failed: ${response.error}`);
  return response;
}

/** Begin a command about an element. */
export function about(number) {
  line.value = `click ${number}`;
  line.focus();
  line.setSelectionRange(0, 'click'.length);
}
