// The popup, which is also the settings page: passes the worker's messages to its parts.

import * as activity from './activity.js';
import * as agent from './agent.js';
import * as connection from './connection.js';
import { byId, setText } from './dom.js';
import * as pairing from './pairing.js';
import * as port from './port.js';
import * as servers from './servers.js';
import * as settings from './settings.js';

const PARTS = [connection, pairing, settings, servers, activity, agent];

/** Milliseconds without the worker before the popup reports it. A restart of the worker takes less. */
const GRACE_MS = 3000;
let lossTimer = null;
let isRejection = false; // the notice is a rejection, which stays until the user does something else

function handleMessage(message) {
  clearTimeout(lossTimer);
  if (message.type === 'state') {
    document.body.removeAttribute('aria-busy');
    showNotice(engineProblem(message));
    for (const part of PARTS) part.render(message);
  } else if (message.type === 'refused') {
    connection.handleRejection();
    showNotice(message.message, true);
  } else if (message.type === 'orphaned') {
    showNotice('The extension was reloaded. Close this page and open it again.');
  } else if (message.type === 'lost') {
    connection.handleLoss();
    lossTimer = setTimeout(() => {
      showNotice(`The extension does not respond. If this message stays, reload the extension at ${EXTENSIONS}.`);
    }, GRACE_MS);
  }
}

const EXTENSIONS = location.protocol === 'moz-extension:' ? 'about:debugging' : 'chrome://extensions';

const engineProblem = ({ engine }) =>
  engine.state === 'failed'
    ? `The engine did not start: ${engine.error || 'the browser reports no reason'}. Reload the extension at ` +
      `${EXTENSIONS}. If that does not help, restart the browser.`
    : '';

function showNotice(text, isNewRejection = false) {
  if (!text && isRejection) return;
  isRejection = isNewRejection;
  byId('notice').hidden = !text;
  setText(byId('notice'), text);
}

function clearRejection() {
  if (!isRejection) return;
  isRejection = false;
  showNotice('');
}

/** A popup has a fixed width. In a tab, the page has the tab's width, and no button that opens a tab. */
function applyLayout() {
  const isPopup = Boolean(chrome.extension?.getViews?.({ type: 'popup' }).includes(window));
  document.documentElement.classList.toggle('popup', isPopup);
  byId('open-in-tab').hidden = !isPopup;
  byId('open-in-tab').addEventListener('click', () => {
    chrome.runtime.openOptionsPage();
    window.close();
  });
}

applyLayout();
for (const type of ['input', 'submit', 'click', 'change']) {
  document.addEventListener(type, clearRejection, { capture: true });
}
for (const part of PARTS) part.initialize?.();
port.connect(handleMessage);
