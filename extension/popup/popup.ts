// The popup, which is also the settings page: passes the worker's messages to its parts.

import type { WorkerState } from '../messages';
import * as activity from './activity';
import * as agent from './agent';
import * as connection from './connection';
import { byId, setText } from './dom';
import * as pairing from './pairing';
import * as port from './port';
import type { PortMessage } from './port';
import * as servers from './servers';
import * as settings from './settings';

/** A part of the page. */
interface Part {
  initialize?: () => void;
  render: (state: WorkerState) => void;
}

const PARTS: Part[] = [connection, pairing, settings, servers, activity, agent];

/** Milliseconds without the worker before the popup reports it. A restart of the worker takes less. */
const GRACE_MS = 3000;
let lossTimer: ReturnType<typeof setTimeout> | undefined;
let isRejection = false; // the notice is a rejection, which stays until the user does something else

function handleMessage(message: PortMessage): void {
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
  } else {
    connection.handleLoss();
    lossTimer = setTimeout(() => {
      showNotice(`The extension does not respond. If this message stays, reload the extension at ${EXTENSIONS}.`);
    }, GRACE_MS);
  }
}

const EXTENSIONS = location.protocol === 'moz-extension:' ? 'about:debugging' : 'chrome://extensions';

const engineProblem = ({ engine }: WorkerState) =>
  engine.state === 'failed'
    ? `The engine did not start: ${engine.error || 'the browser reports no reason'}. Reload the extension at ` +
      `${EXTENSIONS}. If that does not help, restart the browser.`
    : '';

function showNotice(text: string, isNewRejection = false): void {
  if (!text && isRejection) return;
  isRejection = isNewRejection;
  byId('notice').hidden = !text;
  setText(byId('notice'), text);
}

function clearRejection(): void {
  if (!isRejection) return;
  isRejection = false;
  showNotice('');
}

/** A popup has a fixed width. In a tab, the page has the tab's width, and no button that opens a tab. */
function applyLayout(): void {
  // Tests show the page without its extension.
  const extension = chrome.extension as typeof chrome.extension | undefined;
  const isPopup = Boolean(extension?.getViews({ type: 'popup' }).includes(window));
  document.documentElement.classList.toggle('popup', isPopup);
  byId('open-in-tab').hidden = !isPopup;
  byId('open-in-tab').addEventListener('click', () => {
    void chrome.runtime.openOptionsPage();
    window.close();
  });
}

applyLayout();
for (const type of ['input', 'submit', 'click', 'change']) {
  document.addEventListener(type, clearRejection, { capture: true });
}
for (const part of PARTS) part.initialize?.();
port.connect(handleMessage);
