// A person takes the selected session over: their connection, and what they see of it besides the picture. The takeover
// lasts as long as the connection. `surface.js` has mouse and keyboard.

import { openSocket, setTakeover } from './api.js';
import { announce, byId, element, setText } from './dom.js';
import * as surface from './surface.js';

const button = byId('take-over');
const panel = byId('person');
const note = byId('person-note');
const call = byId('person-call');
const dialog = byId('page-dialog');

const HELP = 'Mouse and keys go to the page while the picture has the focus. F6 leaves the picture.';

let session = null;
let status = null; // the daemon's entry of the session
let socket = null;
let isTaken = false;
let failure = '';
let progress = '';
let onEnd = () => {};

/** `end()` is called when a takeover has ended. */
export function initialize(end) {
  onEnd = end;
  button.addEventListener('click', () => (socket ? giveBack() : takeOver()));
  byId('person-call-button').addEventListener('click', takeOver);
  dialog.addEventListener('submit', (event) => {
    event.preventDefault();
    answerDialog(true);
  });
  byId('page-dialog-dismiss').addEventListener('click', () => answerDialog(false));
  dialog.addEventListener('keydown', (event) => event.key === 'Escape' && answerDialog(false));
  surface.initialize(send, () => button.focus());
}

/** Show another session; a takeover of the one before ends. */
export function selectSession(name) {
  if (name === session) return;
  socket?.close();
  leave();
  session = name;
  status = null;
  failure = '';
  render();
}

/** Show what the daemon's status says of the selected session. */
export function showStatus(entry) {
  status = entry ?? null;
  render();
}

function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function takeOver() {
  if (socket || !session || status?.taken_over) return;
  failure = '';
  progress = 'Connecting.';
  const current = openSocket(`/sessions/${encodeURIComponent(session)}/takeover`);
  socket = current;
  current.addEventListener('message', ({ data }) => socket === current && handle(JSON.parse(data)));
  current.addEventListener('close', () => {
    if (socket !== current) return;
    if (!failure) failure = isTaken ? 'The connection is lost: the agent has the session again.' : 'The daemon did not answer.';
    leave();
  });
  render();
}

/** Give the session back, or cancel while waiting for it. The daemon closes the connection when it has the input before. */
function giveBack() {
  if (isTaken) send({ type: 'give_back' });
  else socket.close();
  leave();
}

/** Show that there is no takeover any more. */
function leave() {
  const wasTaken = isTaken;
  if (wasTaken && status) status.taken_over = null;
  socket = null;
  isTaken = false;
  setTakeover(null);
  if (wasTaken) {
    // Hiding the element with the focus would leave it to the document.
    if ([panel, dialog, surface].some((part) => part.contains(document.activeElement))) button.focus();
    surface.hide();
    announce(`The agent has ${session} again. ${failure}`.trim());
  }
  showDialog(null);
  render();
  if (wasTaken) onEnd();
}

function handle(message) {
  if (message.type === 'waiting') {
    progress = "Waiting until the agent's command has ended.";
    render();
  } else if (message.type === 'taken') {
    isTaken = true;
    setTakeover(message.token);
    render();
    surface.show(session);
    announce(`You have ${session}; the agent waits. ${HELP}`);
  } else if (message.type === 'page') {
    showTabs(message.tabs);
    showDialog(message.dialog);
  } else if (message.type === 'error') {
    // An open dialog is shown already.
    if (message.error_kind !== 'dialog_open') setText(note, [message.error, message.hint].filter(Boolean).join(' '));
  } else if (message.type === 'ended') {
    failure = [message.error, message.hint].filter(Boolean).join(' ');
    leave();
  }
}

function render() {
  const isWaiting = Boolean(socket) && !isTaken;
  const hasOther = !socket && Boolean(status?.taken_over);
  button.hidden = !session;
  button.ariaDisabled = String(hasOther); // `disabled` would take the focus away
  setText(button, isTaken ? 'Give back' : isWaiting ? 'Cancel' : 'Take over');
  button.classList.toggle('primary', isTaken);
  button.classList.toggle('quiet', !isTaken);
  panel.hidden = !isTaken && !isWaiting && !hasOther && !failure;
  byId('person-tools').hidden = !isTaken;
  byId('view').classList.toggle('taken', isTaken);
  if (isTaken) setText(note, `You have this session; the agent's commands wait. ${HELP}`);
  else if (isWaiting) setText(note, progress);
  else if (hasOther) setText(note, `Another person has had this session since ${new Date(status.taken_over).toLocaleTimeString()}.`);
  else setText(note, failure);
  const isCalled = Boolean(status?.login) && !socket && !hasOther;
  call.hidden = !isCalled;
  if (isCalled) setText(byId('person-call-text'), `A person is to log in here: ${status.login}`);
}

// --- tabs and dialogs of the page ---

/** Show the title of the current tab, which no event of the browser reports. */
export function showTitle(title) {
  const current = byId('tabs').querySelector('[aria-pressed=true]');
  if (current && title) setText(current, title);
}

function showTabs(tabs) {
  byId('tabs').replaceChildren(
    ...tabs.map(({ number, title, url, current }) =>
      element(
        'button',
        {
          type: 'button',
          className: 'quiet',
          ariaPressed: String(current),
          title: url,
          onclick: () => send({ type: 'tab', number }),
        },
        title || url,
      ),
    ),
  );
  byId('tabs').hidden = tabs.length < 2;
}

const DIALOG_TITLES = {
  alert: 'The page says',
  confirm: 'The page asks',
  prompt: 'The page asks',
  beforeunload: 'Leave the page?',
};

function showDialog(pageDialog) {
  const hadFocus = dialog.contains(document.activeElement);
  dialog.hidden = !pageDialog;
  if (!pageDialog) {
    if (hadFocus && isTaken) surface.focus();
    return;
  }
  setText(byId('page-dialog-title'), DIALOG_TITLES[pageDialog.kind] || 'The page asks');
  setText(byId('page-dialog-text'), pageDialog.message);
  const input = byId('page-dialog-input');
  input.hidden = pageDialog.kind !== 'prompt';
  input.value = pageDialog.default;
  byId('page-dialog-dismiss').hidden = pageDialog.kind === 'alert';
  (pageDialog.kind === 'prompt' ? input : byId('page-dialog-accept')).focus();
}

function answerDialog(accept) {
  const input = byId('page-dialog-input');
  send({ type: 'dialog', accept, ...(accept && !input.hidden ? { text: input.value } : {}) });
}
