import '@material/web/all.js';
import { CITIES, held, PLANS, ROWS } from './record.js';

const options = (texts) =>
  texts.map((text) => `<md-select-option value="${text.toLowerCase()}"><div slot="headline">${text}</div></md-select-option>`).join('');
root.innerHTML = `
  <div><md-outlined-select id="plan" label="Plan">${options(PLANS)}</md-outlined-select></div>
  <div><md-filled-select id="city" label="City">${options(CITIES)}</md-filled-select></div>
  <p><label><md-checkbox id="news" touch-target="wrapper"></md-checkbox> News</label></p>
  <p><label>Alerts <md-switch id="alerts" aria-label="Alerts"></md-switch></label></p>
  <p><md-slider id="seats" aria-label="Seats" min="0" max="20"></md-slider></p>
  <p><md-filled-button id="add">Add a note</md-filled-button></p>
  <md-dialog id="dialog"><div slot="headline">New note</div>
    <form slot="content" id="form" method="dialog"><md-outlined-text-field id="note" label="Note"></md-outlined-text-field></form>
    <div slot="actions"><md-text-button id="save" form="form">OK</md-text-button></div></md-dialog>
  <table>${ROWS.map((id) => `<tr><td>${id}</td><td><md-text-button data-row="${id}">Delete</md-text-button></td></tr>`).join('')}</table>`;
const textOf = (select) => select.displayText ?? null;
plan.addEventListener('change', () => (held.plan = textOf(plan)));
city.addEventListener('change', () => (held.city = textOf(city)));
news.addEventListener('change', () => (held.news = news.checked));
alerts.addEventListener('change', () => (held.alerts = alerts.selected));
seats.addEventListener('input', () => (held.seats = seats.value));
add.addEventListener('click', () => dialog.show());
save.addEventListener('click', () => (held.note = note.value));
root.addEventListener('click', (event) => {
  const row = event.target.closest('[data-row]');
  if (!row) return;
  held.deleted = row.dataset.row;
  row.closest('tr').remove();
});
