// Settings. The worker keeps them: what is changed here is said to it, and what it says stands here.

import { byId } from './dom.js';
import { tell } from './port.js';

const form = byId('settings');

export function begin() {
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('change', ({ target }) => {
    tell({ type: 'settings', changes: { [target.name]: target.type === 'checkbox' ? target.checked : target.value } });
  });
}

export function show({ settings }) {
  form.elements.auto_connect.checked = settings.auto_connect;
  form.elements.trusted_input.checked = settings.trusted_input;
  form.elements.tab_scope.value = settings.tab_scope;
}
