// What form controls hold: read live, through the native accessors.

import {
  activeElementOf,
  attribute,
  checkedOf,
  closest,
  contains,
  dataOf,
  designModeOf,
  elementWithId,
  firstChildOf,
  frameDocument,
  hasAttribute,
  inputFilesOf,
  inputTypeOf,
  inputValueOf,
  isElement,
  isMultiple,
  isText,
  matches,
  nextSiblingOf,
  optionSelected,
  optionText,
  optionsOf,
  ownerOf,
  parentElementOf,
  rootOf,
  selectValueOf,
  selectedIndexOf,
  shadowOf,
  tagOf,
  textContentOf,
  textareaValueOf,
} from '../dom/natives';
import type { Container, Root } from '../dom/natives';
import type { Modifier, OptionsData, SegmentKind, StateData } from '../dom/protocol';
import { collapse, wordSet } from '../dom/words';
import { queryAll } from '../dom/banner';
import { elementAbove } from '../dom/tree';
import { currentCache, remember, rememberBriefly } from '../dom/snapshot';
import { queryPage } from '../dom/selectors';
import { labelControlOf } from '../dom/labels';
import { isNativeBox, isVisible, placeInViewport, visibleBox } from '../geometry/visibility';
import { isStyledVisible, styleOf } from '../geometry/styles';
import { authoredRole, isDetailsSummary } from './roles';
import { isOpenPopover } from '../dom/top_layer';

export const FORM_FIELDS = 'input:not([type=hidden]),select,textarea';

/** What a control holds: what is typed or chosen, the text of an editor, a slider's position; '' for anything else. */
export function valueOf(element: Element): string {
  switch (tagOf(element)) {
    case 'input':
      return inputValueOf(element);
    case 'textarea':
      return textareaValueOf(element);
    case 'select':
      return selectValueOf(element);
    default:
      return isEditable(element)
        ? textContentOf(element)
        : attribute(element, 'aria-valuetext') || attribute(element, 'aria-valuenow') || '';
  }
}

/**
 * The value that an observation shows: what is typed, the chosen options' texts, a slider's position; never a
 * password.
 */
export function displayedValue(element: Element): string {
  const tag = tagOf(element);
  if (tag === 'select') return selectedTexts(element).join(', ');
  if (tag === 'textarea') return textareaValueOf(element);
  if (tag === 'input' && inputTypeOf(element) === 'file')
    return Array.from(inputFilesOf(element) || [], ({ name }) => name).join(', ');
  if (tag === 'input') return SILENT_INPUTS.has(inputTypeOf(element)) || isSecret(element) ? '' : inputValueOf(element);
  if (isEditable(element)) return collapse(editedText(element));
  if (isDateField(element)) return dateFieldText(element);
  const said = attribute(element, 'aria-valuetext') || attribute(element, 'aria-valuenow');
  return said || (TEXT_ROLES.has(authoredRole(element)) ? collapse(editedText(element)) : '');
}

/** What these hold is their value, also while it is not edited. */
const TEXT_ROLES = new Set(['textbox', 'searchbox']);

const SILENT_INPUTS = new Set(['checkbox', 'radio', 'submit', 'button', 'reset', 'image', 'hidden']);

/** https://html.spec.whatwg.org/multipage/interaction.html#editing-host */
export function isEditable(element: Element): boolean {
  const state = attribute(element, 'contenteditable');
  if (state !== null) return state.toLowerCase() !== 'false';
  return tagOf(element) === 'body' && designModeOf(ownerOf(element)) === 'on';
}

const EDITED_BLOCKS = wordSet(`
  address article aside blockquote br dd div dl dt figure h1 h2 h3 h4 h5 h6 hr li ol p pre section table tr ul
`);

const EDITED_NODES = 2000;

/** The text of an editing host with a blank at each line, by its tags alone: a scan can't afford their styles. */
export function editedText(host: Element): string {
  const parts: string[] = [];
  const pending: (Node | null)[] = [firstChildOf(host)];
  for (let left = EDITED_NODES; pending.length; left--) {
    const node = pending.pop();
    if (!node) continue;
    if (!left) return textContentOf(host);
    pending.push(nextSiblingOf(node));
    if (isText(node)) parts.push(dataOf(node));
    else if (isElement(node)) {
      if (EDITED_BLOCKS.has(tagOf(node))) parts.push(' ');
      pending.push(firstChildOf(node));
    }
  }
  return parts.join('').replace(/\ufeff|\u2060{7}/g, '');
}

/** What all fields hold, in one text, to be compared: a script sets it without an event. */
export function fieldStates(): string {
  const states: (string | boolean)[] = [];
  for (const { root } of currentCache().trees) {
    for (const field of queryAll(root, FORM_FIELDS)) {
      states.push(tagOf(field) === 'select' ? selectedTexts(field).join() : valueOf(field));
      if (tagOf(field) === 'input') states.push(checkedOf(field), isMixed(field));
    }
  }
  return states.join('\n');
}

/**
 * Whether a field holds a password, also while the page shows it: the page has changed its type ("Show password"), or
 * it never had that type (https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#autofill). What one
 * chooses from a list is not a password: `new-password` then only keeps the browser from filling it in.
 */
export function isSecret(element: Element): boolean {
  if (tagOf(element) !== 'input') return false;
  const type = inputTypeOf(element);
  if (type === 'password') passwordFields.add(element);
  if (passwordFields.has(element)) return true;
  if (type !== 'text') return false;
  const isSaid =
    attribute(element, 'role') !== 'combobox' && PASSWORD_AUTOCOMPLETE.test(attribute(element, 'autocomplete') || '');
  return isSaid || isDotted(element);
}

const passwordFields = new WeakSet<Element>();

/** What the field holds is secret from now on. */
export const keepSecret = (element: Element): void => {
  passwordFields.add(element);
};

const PASSWORD_AUTOCOMPLETE = /\b(current|new)-password\b/i;

/** Whether a field has held a password that the page shows now. */
export const isRevealed = (element: Element): boolean =>
  passwordFields.has(element) && inputTypeOf(element) !== 'password' && !isDotted(element);

/** Whether a style alone hides what a field holds. */
const isDotted = (element: Element): boolean => {
  const { webkitTextSecurity } = styleOf(element) as { webkitTextSecurity?: string };
  return !['', 'none', undefined].includes(webkitTextSecurity);
};

/** The texts of the chosen options. */
export function selectedTexts(select: Element): string[] {
  const options = optionsOf(select);
  if (!isMultiple(select)) {
    const chosen = options[selectedIndexOf(select)];
    return chosen ? [optionLabel(chosen)] : [];
  }
  return Array.prototype.filter
    .call<ArrayLike<Element>, [(option: Element) => boolean], Element[]>(options, optionSelected)
    .map(optionLabel);
}

/** What a select shows for an option. */
export const optionLabel = (option: Element): string => collapse(attribute(option, 'label') || optionText(option));

/** What a list of suggestions shows for an option, which often has no more than a value. */
export const suggestionLabel = (option: Element): string =>
  optionLabel(option) || collapse(attribute(option, 'value') || '');

export const MAX_LISTED_OPTIONS = 12;

/** Whether an option, or a group around it, is not shown in the list of its select. */
export function isOptionHidden(option: Element): boolean {
  for (let node: Element | null = option; node; node = parentElementOf(node)) {
    const tag = tagOf(node);
    if (tag === 'select' || tag === 'datalist') return false;
    if (styleOf(node).display === 'none') return true;
  }
  return false;
}

/** The options that a field suggests by its `datalist`; null for a field without one. */
export function suggestionsOf(field: Element): HTMLOptionElement[] | null {
  if (tagOf(field) !== 'input' || !hasAttribute(field, 'list')) return null;
  const list = elementWithId(rootOf(field), attribute(field, 'list') || '');
  return list && tagOf(list) === 'datalist' ? ([...queryAll(list, 'option')] as HTMLOptionElement[]) : null;
}

/** The first texts of the options that a select or a field with suggestions offers, and how many it has; or null. */
export function optionsData(element: Element): OptionsData | null {
  const isSelect = tagOf(element) === 'select';
  const options = isSelect ? optionsOf(element) : suggestionsOf(element);
  if (!options) return null;
  const cached = remember('options', () => new Map<Element, OptionsData>()); // their texts change by mutations alone
  let data = cached.get(element);
  if (!data) {
    const first: string[] = [];
    let count = 0;
    for (let index = 0; index < options.length; index++) {
      const option = options[index];
      if (!option || matches(option, ':disabled')) continue;
      // Style is slow to ask of thousands: beyond those that are listed, the attribute must do.
      if (first.length < MAX_LISTED_OPTIONS ? isOptionHidden(option) : hasAttribute(option, 'hidden')) continue;
      count++;
      if (first.length < MAX_LISTED_OPTIONS) first.push(isSelect ? optionLabel(option) : suggestionLabel(option));
    }
    data = { first, count };
    cached.set(element, data);
  }
  return data;
}

/** true (also where it is mixed, `isMixed`), false, or null where there is nothing to check. */
export function checkedState(element: Element): boolean | null {
  const role = authoredRole(element);
  if (isNativeBox(element)) return role && !CHECKABLE.has(role) ? null : isCheckedBox(element);
  const state = saidState(element, role);
  if (state === 'true' || state === 'mixed') return state === 'true' || !TWO_VALUED.has(role);
  if (state === 'false') return false;
  return CHECKABLE.has(role) ? false : null;
}

/** A box may say that it is pressed: a mistake that is common. */
const saidState = (element: Element, role: string): string | null =>
  attribute(element, 'aria-checked') ?? (CHECKABLE.has(role) ? attribute(element, 'aria-pressed') : null);

const CHECKABLE = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio']);

/** https://www.w3.org/TR/wai-aria-1.2/#aria-checked: of these `mixed` is `false`. */
const TWO_VALUED = new Set(['radio', 'switch', 'menuitemradio']);

/** Where the page draws a box, which is not seen itself, what the page says of it counts. */
function isCheckedBox(element: Element): boolean {
  const checked = checkedOf(element);
  const said = attribute(element, 'aria-checked');
  if ((said !== 'true' && said !== 'false') || (said === 'true') === checked || isStyledVisible(element))
    return checked;
  return !checked;
}

/** Whether a box is neither checked nor unchecked. A native one says so by its property alone. */
export const isMixed = (element: Element): boolean =>
  isNativeBox(element)
    ? isIndeterminate(element)
    : saidState(element, authoredRole(element)) === 'mixed' && !TWO_VALUED.has(authoredRole(element));

const isIndeterminate = (box: Element): boolean =>
  inputTypeOf(box) === 'checkbox' && authoredRole(box) !== 'switch' && (box as HTMLInputElement).indeterminate;

export function isDisabled(element: Element): boolean {
  // https://html.spec.whatwg.org/multipage/semantics-other.html#concept-element-disabled
  if (matches(element, ':disabled')) return true;
  const said = saidDisabled(element);
  if (said !== undefined) return said;
  const above = elementAbove(element);
  return above !== null && isPartDisabled(above);
}

function saidDisabled(element: Element): boolean | undefined {
  const state = attribute(element, 'aria-disabled');
  return state ? state === 'true' : undefined;
}

/** Whether a part of the page says that what it holds is disabled. */
function isPartDisabled(part: Element): boolean {
  const known = rememberBriefly('disabled parts', () => new Map<Element, boolean>());
  const passed: Element[] = [];
  let isOff = false;
  for (let node: Element | null = part; node; node = elementAbove(node)) {
    const found = known.get(node) ?? saidDisabled(node) ?? (tagOf(node) === 'body' ? false : undefined);
    if (found !== undefined) {
      isOff = found;
      break;
    }
    passed.push(node);
  }
  for (const node of passed) known.set(node, isOff);
  return isOff;
}

// https://html.spec.whatwg.org/multipage/input.html#input-type-attr-summary: where these attributes have no meaning
const NEVER_READONLY = wordSet('hidden range color checkbox radio file submit image reset button');
const NEVER_REQUIRED = wordSet('hidden range color submit image reset button');

export const isReadOnly = (element: Element): boolean =>
  attribute(element, 'aria-readonly') === 'true' ||
  (hasAttribute(element, 'readonly') &&
    (tagOf(element) === 'textarea' || (tagOf(element) === 'input' && !NEVER_READONLY.has(inputTypeOf(element))))) ||
  isCellOfReadOnly(element);

const GRID_CELLS = 'td:not([role]),[role=gridcell]';
const EDITED_GRIDS = '[role=grid],[role=treegrid]';

/** https://www.w3.org/TR/wai-aria-1.2/#aria-readonly: the cells of a grid have its state unless they say otherwise. */
function isCellOfReadOnly(element: Element): boolean {
  if (!hasReadOnlyGrid() || !matches(element, GRID_CELLS) || hasAttribute(element, 'aria-readonly')) return false;
  const grid = closest(element, EDITED_GRIDS);
  return grid !== null && attribute(grid, 'aria-readonly') === 'true';
}

const hasReadOnlyGrid = (): boolean =>
  remember('read-only grids', () => queryPage('[aria-readonly=true]').some((each) => matches(each, EDITED_GRIDS)));

export const isRequired = (element: Element): boolean =>
  attribute(element, 'aria-required') === 'true' ||
  (hasAttribute(element, 'required') &&
    (['textarea', 'select'].includes(tagOf(element)) ||
      (tagOf(element) === 'input' && !NEVER_REQUIRED.has(inputTypeOf(element)))));

export function isInvalid(element: Element, tag: string): boolean {
  const state = attribute(element, 'aria-invalid');
  if (state) return state !== 'false';
  return FIELDS.has(tag) && isUserInvalid(element);
}

const FIELDS = new Set(['input', 'select', 'textarea']);

/** Whether the browser shows a field as wrong, which it does after the user has left it or has tried to send it. */
function isUserInvalid(element: Element): boolean {
  try {
    return matches(element, ':user-invalid');
  } catch {
    return false; // an engine that does not know it
  }
}

/** The focused element, deep inside shadow roots and same-origin frames. */
export function focusedElement(): Element | null {
  let active = activeElementOf(document);
  while (active) {
    const inner: Root | null = shadowOf(active) || frameDocument(active);
    const deeper: Element | null = inner && activeElementOf(inner);
    if (!deeper) return active;
    active = deeper;
  }
  return null;
}

/**
 * Which way a toggle, a tab, a menu's button or a field stands, beyond checks:
 * https://www.w3.org/TR/wai-aria-1.2/#state_prop_def
 */
export function toggleStates(element: Element, tag: string): Modifier[] {
  const states: Modifier[] = [];
  const order = sortOrder(element);
  // What a custom element does not write, no selector finds.
  const isToggled = tag === 'summary' || tag.includes('-') || matches(element, TOGGLED);
  if (!isToggled) return order ? [order] : states;
  const expanded = expandedState(element, tag);
  if (expanded !== null) states.push(expanded ? 'expanded' : 'collapsed');
  if (attribute(element, 'aria-selected') === 'true') states.push('selected');
  const pressed = attribute(element, 'aria-pressed');
  if (pressed === 'true') states.push('pressed');
  if (pressed === 'mixed') states.push('mixed');
  const current = attribute(element, 'aria-current');
  if (current && current !== 'false') states.push('current');
  if (order) states.push(order);
  return states;
}

const TOGGLED = [
  ...['expanded', 'selected', 'pressed', 'current'].map((name) => `[aria-${name}]`),
  ...['popovertarget', 'commandfor'].map((name) => `[${name}]`),
].join();

/** Whether what an element opens is open, null where it opens nothing. */
function expandedState(element: Element, tag: string): boolean | null {
  const details = tag === 'summary' && isDetailsSummary(element) ? parentElementOf(element) : null;
  if (details) return hasAttribute(details, 'open');
  const said = attribute(element, 'aria-expanded');
  if (said === 'true' || said === 'false') return said === 'true';
  const opened = OPENERS.has(tag) ? openedBy(element) : null;
  return opened && isOpen(opened);
}

const OPENERS = new Set(['button', 'input']);
const OPENING_COMMANDS = new Set(['show-popover', 'toggle-popover', 'show-modal']);

/**
 * The popover or dialog that a button of HTML's own opens, or null.
 * https://html.spec.whatwg.org/multipage/popover.html#the-popover-target-attributes
 * https://html.spec.whatwg.org/multipage/form-elements.html#attr-button-command
 */
function openedBy(button: Element): Element | null {
  const commanded = attribute(button, 'commandfor');
  const id =
    commanded !== null && OPENING_COMMANDS.has((attribute(button, 'command') ?? '').toLowerCase())
      ? commanded
      : attribute(button, 'popovertargetaction') === 'hide'
        ? null
        : attribute(button, 'popovertarget');
  const opened = id ? elementWithId(rootOf(button), id) : null;
  return opened && (hasAttribute(opened, 'popover') || tagOf(opened) === 'dialog') ? opened : null;
}

const isOpen = (opened: Element): boolean =>
  (tagOf(opened) === 'dialog' && hasAttribute(opened, 'open')) || isOpenPopover(opened);

/** How the column is sorted whose header the element is, or is in. */
function sortOrder(element: Element): 'ascending' | 'descending' | null {
  if (!remember('sorted', () => queryPage('[aria-sort]').length > 0)) return null; // all elements ask
  const header = closest(element, '[aria-sort]');
  const order = header && attribute(header, 'aria-sort');
  return order === 'ascending' || order === 'descending' ? order : null;
}

export function stateOf(element: Element): StateData {
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

/** The types of inputs that are buttons, each with the text that it has by itself. */
export const BUTTON_INPUTS: Readonly<Record<string, string>> = {
  button: '',
  submit: 'Submit',
  reset: 'Reset',
  image: 'Submit',
};

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
export function takesLabel(element: Element): boolean {
  const tag = tagOf(element);
  const isField = tag === 'input' ? !(inputTypeOf(element) in BUTTON_INPUTS) : tag === 'select' || tag === 'textarea';
  return isField || LABELLED_ROLES.has(authoredRole(element));
}

/** The number in an attribute, or null. */
export function numberIn(element: Element, name: string): number | null {
  const written = attribute(element, name);
  return written !== null && written.trim() !== '' && isFinite(Number(written)) ? Number(written) : null;
}

// date_segments (docs/spec/scanner-protocol.md#date_segments): a field for a date or a time that the page builds of
// parts, each a spin button that is written into: month, day, year, hours.
// https://www.w3.org/WAI/ARIA/apg/patterns/spinbutton/examples/datepicker-spinbuttons/

export const SEGMENTS = '[role=spinbutton][contenteditable]:not([contenteditable=false i])';
const SEGMENT_LEVELS = 4;

const SEGMENT_WORDS: readonly (readonly [SegmentKind, RegExp])[] = [
  ['year', /^(?:year|yyyy)/i],
  ['month', /^(?:month|mm\b)/i],
  ['day', /^(?:day(?!\s*period)|date|dd\b)/i],
  ['hour', /^(?:hours?|hh\b)/i],
  ['minute', /^min/i],
  ['second', /^sec/i],
  ['half', /^(?:meridiem|day\s*period|am)/i],
];

export const segmentsIn = (element: Element): Element[] => [...queryAll(element, SEGMENTS)];

export const isDateField = (element: Element): boolean =>
  attribute(element, 'role') === 'group' && segmentsIn(element).length > 1;

/** What the field shows: its parts, with what is written between them. */
export function dateFieldText(field: Element): string {
  const segments = segmentsIn(field);
  const holdsAll = (outer: Element) => segments.every((each) => contains(outer, each));
  let around = segments[0] ?? field;
  while (around !== field && !holdsAll(around)) around = parentElementOf(around) ?? field;
  return collapse(textContentOf(around).replace(/[\u2066-\u2069]/g, ''));
}

/** The field that an element is, is part of, holds, or labels; or null. */
export function dateFieldAt(element: Element): Element | null {
  const id = attribute(element, 'id');
  const labelled =
    id && queryAll(rootOf(element) as Container, `[role=group][aria-labelledby~="${CSS.escape(id)}"]`)[0];
  const start = labelled || (tagOf(element) === 'label' && labelControlOf(element)) || element;
  if (segmentsIn(start).length > 1) return start;
  for (let node = elementAbove(start), level = 0; node && level < SEGMENT_LEVELS; node = elementAbove(node), level++) {
    if (['body', 'form', 'fieldset'].includes(tagOf(node))) return null;
    if (attribute(node, 'role') === 'group') return segmentsIn(node).length > 1 ? node : null;
  }
  return null;
}

/** What each part is for, by what its author calls it, or else by its range: `month`, `day`, `hour`, …, or ''. */
export function segmentKinds(segments: readonly Element[]): SegmentKind[] {
  const kinds = segments.map((each): SegmentKind => {
    const words = [attribute(each, 'data-type'), attribute(each, 'aria-label'), textContentOf(each)];
    return words.map((word) => (word ? kindByWord(word.trim()) : '')).find(Boolean) || '';
  });
  segments.forEach((each, at) => {
    if (!kinds[at]) kinds[at] = kindByRange(numberIn(each, 'aria-valuemin'), numberIn(each, 'aria-valuemax'), kinds);
  });
  return kinds;
}

const kindByWord = (word: string): SegmentKind => SEGMENT_WORDS.find(([, pattern]) => pattern.test(word))?.[0] ?? '';

function kindByRange(low: number | null, high: number | null, kinds: readonly SegmentKind[]): SegmentKind {
  if (high === null || high <= 1) return 'half';
  if (high > 99) return 'year';
  if (high > 31) return kinds.includes('minute') ? 'second' : 'minute';
  if (high > 23) return 'day';
  if (high === 12 && low === 1) return kinds.includes('month') ? 'hour' : 'month';
  return 'hour';
}
