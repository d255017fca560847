// The live page: connects its parts with each other and with the daemon's events.

import { logIn, subscribe } from './api.js';
import * as command from './command.js';
import { announce, byId, formatDuration, setText } from './dom.js';
import * as elements from './elements.js';
import * as events from './events.js';
import * as history from './history.js';
import * as notes from './notes.js';
import * as picture from './picture.js';
import * as sessions from './sessions.js';
import * as takeover from './takeover.js';

const connection = byId('connection');
const activity = byId('activity');
const SESSION_EVENTS = {
  'session.opened': 'opened',
  'session.closed': 'closed',
  'session.taken_over': 'taken over by a person',
  'session.given_back': 'given back to the agent',
  'login.waiting': 'waits for a person to log in',
};
const STATES = { open: 'Connected', lost: 'Reconnecting', rejected: 'Not logged in' };

const refreshSessions = sessions.createRefresh((status) => {
  setText(byId('version'), status.version);
  history.showWriteError(status.history);
});

function showConnection(state) {
  const before = connection.dataset.state;
  if (state === before) return;
  connection.dataset.state = state;
  setText(connection, STATES[state]);
  if (state === 'rejected') {
    showLoginNotice();
  } else if (state === 'lost') {
    events.addConnectionLoss();
    announce('Connection to the daemon lost');
  } else {
    if (before === 'lost') announce('Connected to the daemon again');
    refreshSessions();
    history.search();
  }
}

function showLoginNotice() {
  const notice = byId('notice');
  notice.hidden = false;
  notice.textContent = 'This browser is no longer logged in: the daemon has restarted, or the login has expired. ' +
    "Run 'oryn open' in a terminal to log in.";
}

function handleEvent(event) {
  events.add(event);
  const { type, data } = event;
  if (type in SESSION_EVENTS) {
    announce(`Session ${data.session} ${SESSION_EVENTS[type]}`);
    refreshSessions();
  }
  if (data.session === sessions.current()) showActivity(type, data);
  if (type === 'session.noted' && data.session === sessions.current()) {
    notes.refresh();
    elements.refresh();
  }
  if (type === 'action.finish') {
    refreshSessions();
    history.addNewRow();
    if (data.session === sessions.current()) {
      elements.refresh();
      notes.refresh();
    }
  }
}

/** Show what the agent does, and announce what it has done. The commands of this page have an answer that does so. */
function showActivity(type, { action, ok, error_kind: kind, elapsed_ms: elapsed }) {
  if (type === 'action.start') {
    setText(activity, `${action} …`);
  } else if (type === 'action.finish') {
    const text = ok ? `${action} done in ${formatDuration(elapsed)}` : `${action} failed: ${kind?.replaceAll('_', ' ')}`;
    setText(activity, text);
    if (!command.isRunning()) announce(`Agent: ${text}`);
  }
}

function showSession(name) {
  setText(byId('stage-title'), name || 'No session');
  setText(byId('line-label'), name ? `Command for ${name}` : 'Command');
  document.title = name ? `${name} – Oryn` : 'Oryn';
  setText(activity, '');
  takeover.selectSession(name);
  picture.selectSession(name);
  elements.selectSession(name);
  notes.selectSession(name);
}

function showPageState({ url, title }) {
  const name = sessions.current();
  setText(byId('page-title'), title || '');
  takeover.showTitle(title);
  setText(byId('page-url'), url || '');
  if (name && url) sessions.setTitle(name, { url, title });
  if (url) picture.describe(`Picture of ${name}: ${title || url}`);
  document.title = name ? `${title ? `${title} – ` : ''}${name} – Oryn` : 'Oryn';
}

takeover.initialize(refreshSessions);
sessions.initialize(showSession, takeover.showStatus);
notes.initialize();
picture.initialize(
  elements.refresh,
  (number, isClicked) => {
    elements.hover(number);
    if (isClicked) command.prepareClick(number);
  },
  notes.showPicture,
);
elements.initialize((number, box) => {
  if (!notes.isMarking()) command.prepareClick(number);
  else if (box) notes.markBox(box);
}, showPageState);
events.initialize();
history.initialize(command.replay);
command.initialize(sessions.current);
document.addEventListener('visibilitychange', () => document.hidden || elements.refresh());

if (await logIn().catch(() => false)) {
  subscribe('/events', new AbortController().signal, handleEvent, showConnection);
} else {
  showConnection('rejected');
}
