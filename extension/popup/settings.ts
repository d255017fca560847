// The settings. The worker saves them: the form sends changes, and shows the worker's state.

import type { WorkerState } from '../messages';
import { byId, control, valueOf } from './dom';
import { send } from './port';

const form = byId('settings', HTMLFormElement);

export function initialize(): void {
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('change', ({ target }) => {
    const changed = valueOf(target);
    if (changed) send({ type: 'settings', changes: { [changed.name]: changed.value } });
  });
}

export function render({ settings, engine }: WorkerState): void {
  // Firefox has no debugger for extensions.
  for (const id of ['trusted', 'about-trusted']) byId(id).hidden = engine.debugger === false;
  control(form, 'auto_connect', HTMLInputElement).checked = settings.auto_connect;
  control(form, 'trusted_input', HTMLInputElement).checked = settings.trusted_input;
  control(form, 'tab_scope', RadioNodeList).value = settings.tab_scope;
}
