// Libraries that turn a `select` or field of the page into a widget of theirs.
import 'select2/dist/css/select2.css';
import 'choices.js/public/assets/styles/choices.css';
import 'tom-select/dist/css/tom-select.css';
import 'flatpickr/dist/flatpickr.css';
import jQuery from 'jquery';
import select2 from 'select2/dist/js/select2.full.js';
import Choices from 'choices.js';
import TomSelect from 'tom-select';
import flatpickr from 'flatpickr';
import { CITIES, day, held, PLANS, TAGS } from './record.js';

jQuery.isFunction ??= (value) => typeof value === 'function';
jQuery.isArray ??= Array.isArray;
jQuery.trim ??= (text) => String(text).trim();
const options = (texts) => texts.map((text) => `<option value="${text.toLowerCase()}">${text}</option>`).join('');
root.innerHTML = `
  <p><label for="plan">Plan</label><select id="plan">${options(PLANS)}</select></p>
  <p><label for="city">City</label><select id="city"><option></option>${options(CITIES)}</select></p>
  <p><label for="tags">Tags</label><select id="tags" multiple>${options(TAGS)}</select></p>
  <p><label for="start">Start</label><input id="start"></p>`;
const texts = (select) => Array.from(select.selectedOptions, (option) => option.text);
const library = new URLSearchParams(location.search).get('library');
if (library === 'select2') {
  if (!jQuery.fn.select2) select2(window, jQuery);
  jQuery('select').select2({ width: '300px', placeholder: 'Choose' });
} else if (library === 'choices') for (const id of ['plan', 'city', 'tags']) new Choices(`#${id}`, { shouldSort: false });
else if (library === 'tom-select') for (const id of ['plan', 'city', 'tags']) new TomSelect(`#${id}`, {});
flatpickr('#start', { onChange: ([date]) => (held.start = day(date)) });
const update = () => {
  held.plan = texts(plan)[0];
  held.city = texts(city)[0] || null;
  held.tags = texts(tags);
};
jQuery('select').on('change', update);
