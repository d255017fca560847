import {
  allComponents, fluentButton, provideFluentDesignSystem,
} from '@fluentui/web-components';
import { CITIES, held, PLANS, ROWS, TAGS } from './record.js';

provideFluentDesignSystem().register(allComponents, fluentButton());
const options = (texts) => texts.map((text) => `<fluent-option>${text}</fluent-option>`).join('');
root.innerHTML = `
  <p><label id="plan-label">Plan</label><fluent-select aria-labelledby="plan-label" id="plan">${options(PLANS)}</fluent-select></p>
  <p><fluent-combobox aria-label="City" id="city" autocomplete="both">${options(CITIES)}</fluent-combobox></p>
  <p><fluent-listbox aria-label="Tags" id="tags">${options(TAGS)}</fluent-listbox></p>
  <p><fluent-checkbox id="news">News</fluent-checkbox></p>
  <p><fluent-switch id="alerts">Alerts</fluent-switch></p>
  <p><fluent-number-field id="seats">Seats</fluent-number-field></p>
  <p><fluent-button id="add">Add a note</fluent-button></p>
  <fluent-dialog id="dialog" hidden modal aria-label="New note">
    <fluent-text-field id="note">Note</fluent-text-field><fluent-button id="save">OK</fluent-button>
  </fluent-dialog>
  <table>${ROWS.map((id) => `<tr><td>${id}</td><td><fluent-button data-row="${id}">Delete</fluent-button></td></tr>`).join('')}</table>`;
plan.addEventListener('change', () => (held.plan = plan.currentValue ?? plan.value));
city.addEventListener('change', () => (held.city = city.value));
news.addEventListener('change', () => (held.news = news.checked));
alerts.addEventListener('change', () => (held.alerts = alerts.checked));
seats.addEventListener('input', () => (held.seats = Number(seats.value)));
add.addEventListener('click', () => (dialog.hidden = false));
save.addEventListener('click', () => {
  held.note = note.value;
  dialog.hidden = true;
});
root.addEventListener('click', (event) => {
  const row = event.target.closest('[data-row]');
  if (!row) return;
  held.deleted = row.dataset.row;
  row.closest('tr').remove();
});
