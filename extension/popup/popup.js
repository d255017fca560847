// The popup, which is also the page of settings: its parts, and what the worker tells them.

import * as activity from './activity.js';
import * as agent from './agent.js';
import { byId, setText } from './dom.js';
import * as now from './now.js';
import * as pairing from './pairing.js';
import * as port from './port.js';
import * as servers from './servers.js';
import * as settings from './settings.js';

const PARTS = [now, pairing, settings, servers, activity, agent];

/** How long the worker may be away before anybody hears of it: a restart of it takes less. */
const PATIENCE = 3000;
let missing = null;

function heard(message) {
  clearTimeout(missing);
  if (message.type === 'state') {
    document.body.removeAttribute('aria-busy');
    notice(problemOf(message));
    for (const part of PARTS) part.show(message);
  } else if (message.type === 'refused') {
    now.refused();
    notice(message.message, true);
  } else if (message.type === 'orphaned') {
    notice('The extension was loaded anew. Close this page and open it again.');
  } else if (message.type === 'lost') {
    now.lost();
    missing = setTimeout(() => {
      notice('The extension does not answer. If this stays, load it anew at chrome://extensions.');
    }, PATIENCE);
  }
}

const problemOf = ({ engine }) =>
  engine.state === 'failed'
    ? `The engine did not start: ${engine.error || 'the browser does not say why'}. Load the extension anew at chrome://extensions; ` +
      'if that does not help, restart the browser.'
    : '';

let isRefusal = false; // which stays until the user does something else

function notice(text, refusal = false) {
  if (!text && isRefusal) return;
  isRefusal = refusal;
  byId('notice').hidden = !text;
  setText(byId('notice'), text);
}

function answered() {
  if (!isRefusal) return;
  isRefusal = false;
  notice('');
}

/** As a popup it is as wide as it likes to be; as a tab it takes what there is, and needs no way into one. */
function place() {
  const isPopup = Boolean(chrome.extension?.getViews?.({ type: 'popup' }).includes(window));
  document.documentElement.classList.toggle('popup', isPopup);
  byId('whole').hidden = !isPopup;
  byId('whole').addEventListener('click', () => {
    chrome.runtime.openOptionsPage();
    window.close();
  });
}

place();
for (const type of ['input', 'submit', 'click', 'change']) document.addEventListener(type, answered, { capture: true });
for (const part of PARTS) part.begin?.();
port.begin(heard);
