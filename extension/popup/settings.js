// The settings. The worker saves them: the form sends changes, and shows the worker's state.

import { byId } from './dom.js';
import { send } from './port.js';

const form = byId('settings');

export function initialize() {
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('change', ({ target }) => {
    send({ type: 'settings', changes: { [target.name]: target.type === 'checkbox' ? target.checked : target.value } });
  });
}

export function render({ settings, engine }) {
  // Firefox has no debugger for extensions.
  for (const id of ['trusted', 'about-trusted']) byId(id).hidden = engine.debugger === false;
  form.elements.auto_connect.checked = settings.auto_connect;
  form.elements.trusted_input.checked = settings.trusted_input;
  form.elements.tab_scope.value = settings.tab_scope;
}
