// What form controls hold: read live, through the native accessors.

import {
  DOCUMENT_NODE,
  ELEMENT_NODE,
  TEXT_NODE,
  activeElementOf,
  attribute,
  checkedOf,
  closest,
  contains,
  dataOf,
  designModeOf,
  firstChildOf,
  frameDocument,
  hasAttribute,
  inputFilesOf,
  inputTypeOf,
  inputValueOf,
  isMultiple,
  matches,
  nextSiblingOf,
  nodeTypeOf,
  optionSelected,
  optionText,
  optionsOf,
  ownerOf,
  parentElementOf,
  rootOf,
  selectedIndexOf,
  shadowOf,
  tagOf,
  textContentOf,
  textareaValueOf,
} from '../dom/natives';
import { collapse } from '../dom/words';
import { queryAll } from '../dom/banner';
import { elementAbove } from '../dom/tree';
import { currentCache, remember } from '../dom/snapshot';
import { queryPage } from '../dom/selectors';
import { labelControlOf } from '../dom/labels';
import { isStyledVisible, isVisible, placeInViewport, styleOf, visibleBox } from '../geometry/visibility';
import { authoredRole, isDetailsSummary } from './roles';

export const BUTTON_INPUTS = { button: '', submit: 'Submit', reset: 'Reset', image: 'Submit' };

const LABELLED_ROLES = new Set([
  'checkbox',
  'radio',
  'switch',
  'textbox',
  'combobox',
  'listbox',
  'slider',
  'spinbutton',
]);

/** Whether the text beside the element names it, which is so for fields. */
export function takesLabel(element) {
  const tag = tagOf(element);
  const isField = tag === 'input' ? !(inputTypeOf(element) in BUTTON_INPUTS) : tag === 'select' || tag === 'textarea';
  return isField || LABELLED_ROLES.has(authoredRole(element));
}

/** The number in an attribute, or null. */
export function numberIn(element, name) {
  const written = attribute(element, name);
  return written !== null && written.trim() !== '' && isFinite(Number(written)) ? Number(written) : null;
}

export const FORM_FIELDS = 'input:not([type=hidden]),select,textarea';
export const MAX_LISTED_OPTIONS = 12;

/**
 * The value that an observation shows: what is typed, the chosen options' texts, a slider's position; never a
 * password.
 */
export function displayedValue(element) {
  const tag = tagOf(element);
  if (tag === 'select') return selectedTexts(element).join(', ');
  if (tag === 'textarea') return textareaValueOf(element);
  if (tag === 'input' && inputTypeOf(element) === 'file')
    return Array.from(inputFilesOf(element), ({ name }) => name).join(', ');
  if (tag === 'input') return SILENT_INPUTS.has(inputTypeOf(element)) || isSecret(element) ? '' : inputValueOf(element);
  if (isEditable(element)) return collapse(editedText(element));
  if (isDateField(element)) return dateFieldText(element);
  return attribute(element, 'aria-valuetext') || attribute(element, 'aria-valuenow') || '';
}

/** What all fields hold, in one text, to be compared: a script sets it without an event. */
export function fieldStates() {
  const states = [];
  for (const { root } of currentCache().trees) {
    for (const field of queryAll(root, FORM_FIELDS)) {
      states.push(tagOf(field) === 'select' ? selectedTexts(field).join() : valueOf(field));
      if (tagOf(field) === 'input') states.push(checkedOf(field), isMixed(field));
    }
  }
  return states.join('\n');
}

const passwordFields = new WeakSet();

/**
 * Whether a field holds a password, also while the page shows it: the page has changed its type ("Show password"), or
 * it never had that type (https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#autofill). What is chosen
 * from a list is no password: `new-password` is then only to keep the browser from filling it in.
 */
export function isSecret(element) {
  if (tagOf(element) !== 'input') return false;
  const type = inputTypeOf(element);
  if (type === 'password') passwordFields.add(element);
  if (passwordFields.has(element)) return true;
  if (type !== 'text') return false;
  const isSaid = attribute(element, 'role') !== 'combobox' && PASSWORD_AUTOCOMPLETE.test(attribute(element, 'autocomplete') || '');
  return isSaid || isDotted(element);
}

const PASSWORD_AUTOCOMPLETE = /\b(current|new)-password\b/i;
export const isRevealed = (element) => passwordFields.has(element) && inputTypeOf(element) !== 'password' && !isDotted(element);

/** Whether a style alone hides what a field holds. */
const isDotted = (element) => !['', 'none', undefined].includes(styleOf(element).webkitTextSecurity);

const EDITED_BLOCKS = new Set(
  'address article aside blockquote br dd div dl dt figure h1 h2 h3 h4 h5 h6 hr li ol p pre section table tr ul'.split(' '),
);

const EDITED_NODES = 2000;

/** The text of an editing host with a blank at each line, by its tags alone: a scan can't afford their styles. */
export function editedText(host) {
  const parts = [];
  const pending = [firstChildOf(host)];
  for (let left = EDITED_NODES; pending.length; left--) {
    const node = pending.pop();
    if (!node) continue;
    if (!left) return textContentOf(host);
    pending.push(nextSiblingOf(node));
    if (nodeTypeOf(node) === TEXT_NODE) parts.push(dataOf(node));
    else if (nodeTypeOf(node) === ELEMENT_NODE) {
      if (EDITED_BLOCKS.has(tagOf(node))) parts.push(' ');
      pending.push(firstChildOf(node));
    }
  }
  return parts.join('').replace(/\ufeff|\u2060{7}/g, '');
}

const SILENT_INPUTS = new Set(['checkbox', 'radio', 'submit', 'button', 'reset', 'image', 'hidden']);

/** https://html.spec.whatwg.org/multipage/interaction.html#editing-host */
export function isEditable(element) {
  const state = attribute(element, 'contenteditable');
  if (state !== null) return state.toLowerCase() !== 'false';
  return tagOf(element) === 'body' && designModeOf(ownerOf(element)) === 'on';
}

export function selectedTexts(select) {
  const options = optionsOf(select);
  if (!isMultiple(select)) {
    const chosen = options[selectedIndexOf(select)];
    return chosen ? [optionLabel(chosen)] : [];
  }
  return Array.prototype.filter.call(options, optionSelected).map(optionLabel);
}

export const optionLabel = (option) => collapse(attribute(option, 'label') || optionText(option));

export function optionsData(select) {
  const cached = remember('options', () => new Map()); // their texts change by mutations alone
  let data = cached.get(select);
  if (!data) {
    const options = optionsOf(select);
    const first = [];
    for (let index = 0; index < options.length && index < MAX_LISTED_OPTIONS; index++) first.push(optionLabel(options[index]));
    data = { first, count: options.length };
    cached.set(select, data);
  }
  return data;
}

/** true, false, or null where there is nothing to check. */
export function checkedState(element) {
  if (tagOf(element) === 'input') {
    const type = inputTypeOf(element);
    if (type === 'checkbox' || type === 'radio') return isCheckedBox(element);
  }
  const state = attribute(element, 'aria-checked');
  if (state === 'true' || state === 'mixed') return true;
  if (state === 'false') return false;
  return CHECKABLE.has(authoredRole(element)) ? false : null;
}

/** Of a box that is not seen itself, because the page draws it, what the page says counts. */
function isCheckedBox(element) {
  const checked = checkedOf(element);
  const said = attribute(element, 'aria-checked');
  if ((said !== 'true' && said !== 'false') || (said === 'true') === checked || isStyledVisible(element)) return checked;
  return !checked;
}

const CHECKABLE = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio']);

export function isDisabled(element) {
  // https://html.spec.whatwg.org/multipage/semantics-other.html#concept-element-disabled
  if (matches(element, ':disabled')) return true;
  for (let node = element; node; node = elementAbove(node)) {
    const state = attribute(node, 'aria-disabled');
    if (state) return state === 'true';
    if (node !== element && tagOf(node) === 'body') break;
  }
  return false;
}

export const isReadOnly = (element) =>
  attribute(element, 'aria-readonly') === 'true' ||
  (hasAttribute(element, 'readonly') && (tagOf(element) === 'input' || tagOf(element) === 'textarea'));

export const isRequired = (element) =>
  attribute(element, 'aria-required') === 'true' ||
  (hasAttribute(element, 'required') && ['input', 'textarea', 'select'].includes(tagOf(element)));

/** The focused element, deep inside shadow roots and same-origin frames. */
export function focusedElement() {
  let active = activeElementOf(document);
  while (active) {
    const inner = shadowOf(active) || frameDocument(active);
    const deeper = inner && activeElementOf(inner);
    if (!deeper) return active;
    active = deeper;
  }
  return null;
}

const FIELDS = new Set(['input', 'select', 'textarea']);

/**
 * Which way a toggle, a tab, a menu's button or a field stands, beyond checks:
 * https://www.w3.org/TR/wai-aria-1.2/#state_prop_def
 */
export function toggleStates(element, tag) {
  const states = [];
  const order = sortOrder(element);
  if (tag !== 'summary' && !matches(element, TOGGLED)) return order ? [order] : states;
  const expanded =
    tag === 'summary' && isDetailsSummary(element)
      ? String(hasAttribute(parentElementOf(element), 'open'))
      : attribute(element, 'aria-expanded');
  if (expanded === 'true') states.push('expanded');
  if (expanded === 'false') states.push('collapsed');
  if (attribute(element, 'aria-selected') === 'true') states.push('selected');
  const pressed = attribute(element, 'aria-pressed');
  if (pressed === 'true') states.push('pressed');
  if (pressed === 'mixed') states.push('mixed');
  const current = attribute(element, 'aria-current');
  if (current && current !== 'false') states.push('current');
  if (order) states.push(order);
  return states;
}

const TOGGLED = ['expanded', 'selected', 'pressed', 'current'].map((name) => `[aria-${name}]`).join();

/** How the column is sorted whose header the element is, or is in. */
function sortOrder(element) {
  if (!remember('sorted', () => queryPage('[aria-sort]').length > 0)) return null; // all elements ask
  const header = closest(element, '[aria-sort]');
  const order = header && attribute(header, 'aria-sort');
  return order === 'ascending' || order === 'descending' ? order : null;
}

export const isMixed = (element) =>
  attribute(element, 'aria-checked') === 'mixed' || (tagOf(element) === 'input' && element.indeterminate);

export function isInvalid(element, tag) {
  const state = attribute(element, 'aria-invalid');
  if (state) return state !== 'false';
  return FIELDS.has(tag) && isUserInvalid(element);
}

/** Whether the browser shows a field as wrong, which it does after the user has left it or has tried to send it. */
function isUserInvalid(element) {
  try {
    return matches(element, ':user-invalid');
  } catch (error) {
    return false; // an engine that does not know it
  }
}

export function stateOf(element) {
  const box = isVisible(element) ? visibleBox(element) : null;
  return {
    visible: box !== null,
    enabled: !isDisabled(element),
    focused: focusedElement() === element,
    checked: checkedState(element),
    value: isSecret(element) ? null : valueOf(element) || null,
    in_viewport: box !== null && placeInViewport(element, box) !== 'outside',
  };
}

// date_segments (docs/spec/scanner-protocol.md#date_segments): a field for a date or a time that the page builds of
// parts, each a spin button that is written into: month, day, year, hours.
// https://www.w3.org/WAI/ARIA/apg/patterns/spinbutton/examples/datepicker-spinbuttons/

export const SEGMENTS = '[role=spinbutton][contenteditable]:not([contenteditable=false i])';
const SEGMENT_LEVELS = 4;

const SEGMENT_WORDS = {
  year: /^(?:year|yyyy)/i, month: /^(?:month|mm\b)/i, day: /^(?:day(?!\s*period)|date|dd\b)/i, hour: /^(?:hours?|hh\b)/i,
  minute: /^min/i, second: /^sec/i, half: /^(?:meridiem|day\s*period|am)/i,
}; // prettier-ignore

export const segmentsIn = (element) => [...queryAll(element, SEGMENTS)];
export const isDateField = (element) => attribute(element, 'role') === 'group' && segmentsIn(element).length > 1;

/** What the field shows: its parts, with what is written between them. */
export function dateFieldText(field) {
  const segments = segmentsIn(field);
  let around = segments[0];
  while (!segments.every((each) => contains(around, each))) around = parentElementOf(around);
  return collapse(textContentOf(around).replace(/[\u2066-\u2069]/g, ''));
}

/** The field that an element is, is part of, holds, or labels; or null. */
export function dateFieldAt(element) {
  const labelled = attribute(element, 'id') && queryAll(rootOf(element), `[role=group][aria-labelledby~="${CSS.escape(attribute(element, 'id'))}"]`)[0];
  const start = labelled || (tagOf(element) === 'label' && labelControlOf(element)) || element;
  if (segmentsIn(start).length > 1) return start;
  for (let node = elementAbove(start), level = 0; node && level < SEGMENT_LEVELS; node = elementAbove(node), level++) {
    if (['body', 'form', 'fieldset'].includes(tagOf(node))) return null;
    if (attribute(node, 'role') === 'group') return segmentsIn(node).length > 1 ? node : null;
  }
  return null;
}

/** What each part is for, by what its author calls it, or else by its range: `month`, `day`, `hour`, …, or ''. */
export function segmentKinds(segments) {
  const kinds = segments.map((each) => {
    const words = [attribute(each, 'data-type'), attribute(each, 'aria-label'), textContentOf(each)].filter(Boolean);
    const named = (word) => Object.keys(SEGMENT_WORDS).find((kind) => SEGMENT_WORDS[kind].test(word.trim()));
    return words.map(named).find(Boolean) || '';
  });
  segments.forEach((each, at) => {
    if (!kinds[at]) kinds[at] = kindByRange(numberIn(each, 'aria-valuemin'), numberIn(each, 'aria-valuemax'), kinds);
  });
  return kinds;
}

function kindByRange(low, high, kinds) {
  if (high === null || high <= 1) return 'half';
  if (high > 99) return 'year';
  if (high > 31) return kinds.includes('minute') ? 'second' : 'minute';
  if (high > 23) return 'day';
  if (high === 12 && low === 1) return kinds.includes('month') ? 'hour' : 'month';
  return 'hour';
}
