// prepare (docs/spec/scanner-protocol.md#prepare): an element made ready for typed text.

import {
  ELEMENT_NODE,
  addListener,
  attribute,
  elementWithId,
  closest,
  contains,
  inputTypeOf,
  matches,
  nativeFocus,
  nodeTypeOf,
  ownerOf,
  removeListener,
  rootOf,
  tagOf,
  windowOf,
} from '../dom/natives';
import { Refusal } from '../dom/refusal';
import { isOfPage, pageObserver, queryAll } from '../dom/banner';
import { changedElement, elementAbove, isAttached, isFrame } from '../dom/tree';
import { OBSERVED, allElements, currentCache } from '../dom/snapshot';
import { labelControlOf } from '../dom/labels';
import { isVisible } from '../geometry/visibility';
import { focusedElement, isDisabled, isReadOnly, isSecret } from '../semantics/values';
import {
  SET_INPUTS,
  contentOf,
  hasCursor,
  isInEditing,
  isTextControl,
  isTypingField,
  lettersOf,
  outcomeOf,
  withoutSpace,
} from '../semantics/text_controls';
import { requestedElement } from '../targets/candidates';
import { shortDescription } from '../input/locate';
import { editorData, editorOf, heldText } from './editors';

export function prepare(request) {
  const target = requestedElement(request);
  const editor = editorOf(target);
  const element = editor ? enabledField(editor.input) : typingPlace(target);
  if (!isVisible(editor ? editor.root : element))
    throw new Refusal('ELEMENT_NOT_VISIBLE', 'the element is not visible');
  nativeFocus(element);
  if (editor) return prepareEditor(editor, request.clear === true);
  const mode = takesKeys(element) ? 'keys' : 'set';
  const before = valueOf(element);
  if (mode === 'keys') {
    placeCursor(element, request.clear === true);
    watchFocus(element, request.clear === true ? '' : before);
  }
  return { mode, empty: before === '', control: isTextControl(element), lines: tagOf(element) === 'textarea' };
}

function prepareEditor(editor, selectsAll) {
  const { input, family } = editor;
  if (!family || !family.isCode) placeCursor(input, selectsAll);
  watchFocus(input, null);
  const isMac = /^mac/i.test(windowOf(ownerOf(input)).navigator.platform);
  return { mode: 'editor', empty: heldText(editor) === '', mac: isMac, ...editorData(editor) };
}

/** The field that keys are sent to, what it had in front of them, and whether it has lost the focus since. */
let keyed = { element: null, before: null, lost: false };

function watchFocus(element, before) {
  if (keyed.element) removeListener(keyed.element, 'blur', focusLost, true);
  keyed = { element, before, lost: false };
  addListener(element, 'blur', focusLost, true);
}

function focusLost() {
  keyed.lost = true;
}

/**
 * What became of the text that was sent as keys after `prepare`. If its field has lost the focus: `held` of its
 * `length` characters have come into it, and where the focus is. Else how the content of a form's field differs.
 */
export function typed({ text }) {
  if (typeof text !== 'string') throw new Refusal('INVALID_REQUEST', 'text is required');
  const field = keyed.element;
  if (!field || !isAttached(field)) return { lost: false };
  return !keyed.lost && hasCursor(field) ? typedContent(field, text) : lostText(field, text);
}

function typedContent(field, text) {
  if (keyed.before === null || !isTextControl(field)) return { lost: false };
  const wanted = keyed.before + text.replace(/\r\n?/g, '\n');
  const held = contentOf(field);
  const outcome = outcomeOf(field, wanted) || 'other';
  const content = outcome === 'other' && !isSecret(field) ? { held_text: held, wanted_text: wanted } : {};
  return { lost: false, outcome, length: held.length, wanted: wanted.length, ...content };
}

function lostText(field, text) {
  // Whatever a field puts between what was typed.
  const plainly = lettersOf(text) ? lettersOf : withoutSpace;
  const sent = plainly(text);
  const held = beginningHeld(plainly(contentOf(field)), sent);
  if (held === sent.length) return { lost: false };
  const place = focusedElement();
  return {
    lost: true,
    held,
    length: sent.length,
    place: place && place !== field ? shortDescription(place) : null,
    frame: place !== null && isFrame(place),
  };
}

/** How many characters of the beginning of `sent` a field holds. */
function beginningHeld(content, sent) {
  let least = 0;
  let most = sent.length;
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (content.includes(sent.slice(0, middle))) least = middle;
    else most = middle - 1;
  }
  return least;
}

/** The element itself, or the only field inside it; refuses what can't be typed into. */
export function typingPlace(element) {
  let field = isTypingField(element) ? element : null;
  // A combo box that is no field itself holds the field.
  if (field && tagOf(field) !== 'input' && tagOf(field) !== 'textarea' && !isInEditing(field)) field = null;
  if (!field && tagOf(element) === 'label') field = labelControlOf(element);
  if (!field) {
    const inside = queryAll(element, 'input:not([type=hidden]),textarea,[contenteditable]');
    if (inside.length === 1) field = inside[0];
    else if (isTypingField(element)) field = element;
  }
  if (!field || !isTypingField(field))
    throw new Refusal('INVALID_ELEMENT_TYPE', `a ${tagOf(element)} can't be typed into`);
  return enabledField(field);
}

function enabledField(field) {
  if (isDisabled(field)) throw new Refusal('ELEMENT_DISABLED', 'the field is disabled');
  if (isReadOnly(field)) throw new Refusal('ELEMENT_DISABLED', 'the field is read-only');
  return field;
}

export const takesKeys = (element) => tagOf(element) !== 'input' || !SET_INPUTS.has(inputTypeOf(element));

export function placeCursor(element, selectAll) {
  const tag = tagOf(element);
  if (tag === 'input' || tag === 'textarea') {
    const end = valueOf(element).length;
    if (selectAll) element.select();
    else if (element.selectionStart !== null) element.setSelectionRange(end, end);
    return;
  }
  const selection = windowOf(ownerOf(element)).getSelection();
  if (!selection) return;
  selection.selectAllChildren(element);
  if (!selectAll) selection.collapseToEnd();
}

// What a page does about a query and the key that should start the search: changes outside of the field and its
// suggestions (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/), a form that is submitted, requests. A list that
// opens while one types, or closes at the key, is no search.

const SUGGESTIONS = '[role=listbox],[role=option],datalist,[role=menu]';
const ASKING = new Set(['fetch', 'xmlhttprequest', 'script', 'iframe']);
let reaction = null;

/**
 * reaction: `watch` the field `id` from now on; `arm` before the key is pressed; `report` what was since then, and with
 * `end` no longer. `restless`: the page changes by itself, so what has changed already counts no more.
 */
export function reactionTo(request) {
  if (request.stage === 'watch') {
    if (reaction) reaction.end();
    reaction = new Reaction(requestedElement(request));
    return {};
  }
  if (!reaction) return { typed: false, reacted: false, submitted: false, requested: false };
  if (request.stage === 'arm') {
    reaction.arm(request.restless === true);
    return {};
  }
  const status = reaction.report();
  if (request.end) {
    reaction.end();
    reaction = null;
  }
  return status;
}

class Reaction {
  constructor(field) {
    this.field = field;
    this.armed = null;
    this.typed = false;
    this.reacted = false;
    this.submitted = false;
    this.touched = new Set();
    this.restless = new Set();
    this.earlier = new Set();
    this.roots = new Set();
    this.observer = pageObserver((records) => this.note(records));
    this.onSubmit = () => {
      this.submitted = true;
    };
    this.watchTrees();
  }

  watchTrees() {
    allElements();
    for (const { root } of currentCache().trees) {
      if (this.roots.has(root)) continue;
      this.roots.add(root);
      this.observer.observe(root, OBSERVED);
      addListener(root, 'submit', this.onSubmit, { capture: true, passive: true });
    }
  }

  arm(restless) {
    this.note(this.observer.takeRecords().filter(isOfPage));
    this.restless = restless ? new Set(this.touched) : new Set();
    this.earlier = new Set(requestsSince(0));
    this.armed = performance.now();
    this.submitted = false;
    this.watchTrees();
  }

  note(records) {
    for (const record of records) {
      const node = changedElement(record.target);
      if (!node || !this.isOutside(record, node)) continue;
      if (this.armed === null) {
        this.typed = true;
        this.touched.add(node);
      } else if (!this.isRestless(node)) this.reacted = true;
    }
  }

  isRestless(node) {
    for (let each = node; each; each = elementAbove(each)) if (this.restless.has(each)) return true;
    return false;
  }

  /** Whether a change is neither the field's own nor one of its suggestions. */
  isOutside({ type, addedNodes, removedNodes }, node) {
    if (node === this.field || contains(this.field, node)) return false;
    if (type === 'attributes' && contains(node, this.field)) return false;
    if (closest(node, SUGGESTIONS)) return false;
    for (const list of this.lists()) if (list === node || contains(list, node)) return false;
    if (type === 'attributes') return !holdsSuggestions(node);
    if (type !== 'childList') return true;
    const moved = [...addedNodes, ...removedNodes].filter((each) => nodeTypeOf(each) === ELEMENT_NODE);
    return moved.length === 0 || !moved.every((each) => matches(each, SUGGESTIONS) || holdsSuggestions(each));
  }

  /** What the field names as its list, where it is a field with a list. */
  lists() {
    const box = closest(this.field, '[role=combobox]') || this.field;
    const completes = /^(list|both)$/i.test(attribute(this.field, 'aria-autocomplete') || '');
    if (attribute(box, 'role') !== 'combobox' && !completes) return [];
    const names = ['aria-controls', 'aria-owns'].flatMap((name) => [
      ...(attribute(box, name) || '').split(/\s+/),
      ...(attribute(this.field, name) || '').split(/\s+/),
    ]);
    const root = rootOf(this.field);
    return names.map((name) => name && elementWithId(root, name)).filter(Boolean);
  }

  report() {
    this.note(this.observer.takeRecords().filter(isOfPage));
    this.watchTrees();
    return {
      typed: this.typed,
      reacted: this.reacted,
      submitted: this.submitted,
      requested: this.armed !== null && requestsSince(this.armed).some((url) => !this.earlier.has(url)),
    };
  }

  end() {
    this.observer.disconnect();
    for (const root of this.roots) removeListener(root, 'submit', this.onSubmit, { capture: true });
  }
}

const holdsSuggestions = (element) => queryAll(element, SUGGESTIONS).length > 0;

/** Where scripts have asked since a moment, without what is asked: a poll asks the same place again and again. */
function requestsSince(moment) {
  return performance
    .getEntriesByType('resource')
    .filter(({ initiatorType, startTime }) => ASKING.has(initiatorType) && startTime >= moment)
    .map(({ name }) => name.split(/[?#]/, 1)[0]);
}
