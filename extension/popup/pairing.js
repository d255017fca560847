// The code that a server has to know: big, with the time that it has left and what to do with it.

import { byId, say, setText } from './dom.js';
import { tell } from './port.js';
import { clock, commandFor, otherwiseFor, shortName } from './words.js';

const LASTS = 300_000;
const COPIED = 2000;

let state = null;
let shown = null; // the code that is shown

export function begin() {
  byId('new-code').addEventListener('click', () => tell({ type: 'new_code' }));
  byId('copy').addEventListener('click', copy);
  setInterval(() => state?.code && left(), 1000);
}

export function show(next) {
  state = next;
  const { code } = state;
  const endpoint = state.endpoint || state.settings.endpoint;
  const isPaired = state.paired.some((each) => each.endpoint === endpoint);
  byId('with-code').hidden = !code;
  if (code) showCode(code, endpoint);
  else showNone(isPaired);
}

function showCode(code, endpoint) {
  byId('pairing').hidden = state.status === 'connected';
  byId('new-code').hidden = false;
  setText(byId('pairing-why'), 'A server gets in only when it knows this code. Give it to one that you trust, to no other.');
  // Two groups are easier to carry in the head than six characters.
  setText(byId('code'), `${code.slice(0, 3)} ${code.slice(3)}`);
  byId('code').setAttribute('aria-label', [...code].join(' '));
  setText(byId('pair-command'), commandFor(endpoint, code));
  setText(byId('pair-else'), otherwiseFor(endpoint, code));
  if (shown !== code && !byId('pairing').hidden) say(`Pairing code ${[...code].join(' ')}`);
  shown = code;
  left();
}

function showNone(isPaired) {
  shown = null;
  const isTrying = state.status === 'waiting' || state.status === 'pairing';
  byId('pairing').hidden = state.status === 'connected' || (isPaired && !isTrying);
  const name = shortName(state.endpoint || state.settings.endpoint);
  setText(
    byId('pairing-why'),
    isPaired
      ? `${name} was paired. If it does not know this browser any more, pair it again.`
      : `${name} is not paired with this browser. Connect, and a code shows here that you give to the server.`,
  );
  newCode('Get a code', !isPaired);
  byId('new-code').hidden = !isTrying;
}

function newCode(text, isNext) {
  setText(byId('new-code'), text);
  byId('new-code').className = isNext ? 'primary' : 'quiet';
}

function left() {
  const milliseconds = state.code_expires - Date.now();
  const expired = milliseconds <= 0;
  byId('pairing').classList.toggle('expired', expired);
  byId('code-time').value = Math.min(LASTS, Math.max(0, milliseconds)) / 1000;
  setText(byId('code-left'), expired ? 'This code has expired. Make a new one.' : `Good once, for ${clock(milliseconds)}`);
  byId('copy').disabled = expired;
  newCode('New code', expired);
}

async function copy() {
  const button = byId('copy');
  try {
    await navigator.clipboard.writeText(byId('pair-command').textContent);
    setText(button, 'Copied');
    say('Copied');
  } catch (error) {
    // Refused by a policy of the browser: what is selected can be copied by hand.
    getSelection().selectAllChildren(byId('pair-command'));
    setText(button, 'Selected');
  }
  setTimeout(() => setText(button, 'Copy'), COPIED);
}
