// The live page: its parts, and what they tell each other.

import * as command from './command.js';
import { enter, follow } from './daemon.js';
import { byId, say, setText } from './dom.js';
import * as elements from './elements.js';
import * as events from './events.js';
import * as history from './history.js';
import * as picture from './picture.js';
import * as sessions from './sessions.js';

const connection = byId('connection');
const STATES = { open: 'Connected', lost: 'Reconnecting', refused: 'Not let in' };

const refresh = sessions.refresher((status) => {
  setText(byId('version'), status.version);
  history.failing(status.history);
});

function connected(state) {
  const before = connection.dataset.state;
  if (state === before) return;
  connection.dataset.state = state;
  setText(connection, STATES[state]);
  if (state === 'refused') return outside();
  if (state === 'lost') {
    events.interrupted();
    say('The connection to the daemon is lost');
  } else {
    if (before === 'lost') say('The daemon is there again');
    refresh();
    history.search();
  }
}

function outside() {
  const notice = byId('notice');
  notice.hidden = false;
  notice.textContent = 'This browser is not let in any more: the daemon has ended since, or its link is too old. ' +
    "Run 'oryn open' in a terminal.";
}

function happened(event) {
  events.take(event);
  const { type, data } = event;
  if (type.startsWith('session.')) {
    say(`Session ${data.session} ${type === 'session.opened' ? 'opened' : 'closed'}`);
    refresh();
  }
  if (type === 'action.finish') {
    refresh();
    history.grown();
    if (data.session === sessions.current()) elements.refresh();
  }
}

function look(name) {
  setText(byId('stage-title'), name || 'No session');
  setText(byId('line-label'), name ? `Command for ${name}` : 'Command');
  document.title = name ? `${name} – Oryn` : 'Oryn';
  picture.watch(name);
  elements.watch(name);
}

function tellOfPage({ url, title }) {
  const name = sessions.current();
  setText(byId('page-title'), title || '');
  setText(byId('page-url'), url || '');
  if (name && url) sessions.learn(name, { url, title });
  if (url) picture.describe(`Picture of ${name}: ${title || url}`);
  document.title = name ? `${title ? `${title} – ` : ''}${name} – Oryn` : 'Oryn';
}

sessions.begin(look);
picture.begin(elements.refresh, (number, isChosen) => {
  elements.point(number);
  if (isChosen) command.about(number);
});
elements.begin(command.about, tellOfPage);
events.begin();
history.begin(command.again);
command.begin(sessions.current);
document.addEventListener('visibilitychange', () => document.hidden || elements.refresh());

if (await enter().catch(() => false)) {
  follow('/events', new AbortController().signal, happened, connected);
} else {
  connected('refused');
}
