// prepare (docs/spec/scanner-protocol.md#prepare): an element made ready for typed text.

import {
  addListener,
  attribute,
  closest,
  contains,
  elementWithId,
  inputTypeOf,
  isElement,
  isHtml,
  matches,
  nativeFocus,
  ownerOf,
  removeListener,
  rootOf,
  tagOf,
  windowOf,
} from '../dom/natives';
import type { Root } from '../dom/natives';
import type {
  PrepareRequest,
  PrepareResponse,
  PreparedEditor,
  ReactionRequest,
  ReactionResponse,
  TypedContent,
  TypedRequest,
  TypedResponse,
} from '../dom/protocol';
import { Refusal } from '../dom/refusal';
import { isOfPage, pageObserver, queryAll } from '../dom/banner';
import { changedElement, elementAbove, isAttached, isFrame } from '../dom/tree';
import { OBSERVED, allElements, currentCache } from '../dom/snapshot';
import { labelControlOf } from '../dom/labels';
import { isVisible } from '../geometry/visibility';
import { focusedElement, isDisabled, isReadOnly, isSecret, valueOf } from '../semantics/values';
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
import { focusOn } from '../input/events';
import { shortDescription } from '../input/locate';
import { editorData, editorOf, heldText } from './editors';
import type { Editor } from './editors';

export function prepare(request: PrepareRequest): PrepareResponse {
  const target = requestedElement(request);
  const editor = editorOf(target);
  const element = editor ? enabledField(editor.input) : typingPlace(target);
  if (!isVisible(editor ? editor.root : element))
    throw new Refusal('ELEMENT_NOT_VISIBLE', 'the element is not visible');
  focusField(element);
  if (editor) return prepareEditor(editor, request.clear === true);
  const mode = takesKeys(element) ? 'keys' : 'set';
  const before = valueOf(element);
  if (mode === 'keys') {
    placeCursor(element, request.clear === true);
    watchFocus(element, request.clear === true ? '' : before);
  }
  return { mode, empty: before === '', control: isTextControl(element), lines: tagOf(element) === 'textarea' };
}

function prepareEditor(editor: Editor, selectsAll: boolean): PreparedEditor {
  const { input, family } = editor;
  if (!family?.isCode) placeCursor(input, selectsAll);
  watchFocus(input, null);
  const isMac = /^mac/i.test((windowOf(ownerOf(input)) || window).navigator.platform);
  return { mode: 'editor', empty: heldText(editor) === '', mac: isMac, ...editorData(editor) };
}

/** Focus what is about to take keys. Unlike `focusOn`, it scrolls to an element of HTML. */
export function focusField(element: Element): void {
  if (isHtml(element)) nativeFocus(element);
  else focusOn(element);
}

/** The element itself, or the only field inside it; refuses what can't be typed into. */
export function typingPlace(element: Element): Element {
  let field = isTypingField(element) ? element : null;
  // A combo box that is no field itself holds the field.
  if (field && !isTextField(field) && !isInEditing(field)) field = null;
  if (!field && tagOf(element) === 'label') field = labelControlOf(element);
  if (!field) {
    const inside = queryAll(element, 'input:not([type=hidden]),textarea,[contenteditable]');
    if (inside.length === 1) field = inside[0] ?? null;
    else if (isTypingField(element)) field = element;
  }
  if (!field || !isTypingField(field))
    throw new Refusal('INVALID_ELEMENT_TYPE', `a ${tagOf(element)} can't be typed into`);
  return enabledField(field);
}

function enabledField(field: Element): Element {
  if (isDisabled(field)) throw new Refusal('ELEMENT_DISABLED', 'the field is disabled');
  if (isReadOnly(field)) throw new Refusal('ELEMENT_DISABLED', 'the field is read-only');
  return field;
}

export const isInput = (element: Element): element is HTMLInputElement => tagOf(element) === 'input';

export const isTextField = (element: Element): element is HTMLInputElement | HTMLTextAreaElement =>
  isInput(element) || tagOf(element) === 'textarea';

/** Whether a field takes its value whole: a date, a colour, a range. */
export const takesWhole = (element: Element): element is HTMLInputElement =>
  isInput(element) && SET_INPUTS.has(inputTypeOf(element));

export const takesKeys = (element: Element): boolean => !takesWhole(element);

export function placeCursor(element: Element, selectAll: boolean): void {
  if (isTextField(element)) {
    const end = valueOf(element).length;
    if (selectAll) element.select();
    else if (element.selectionStart !== null) element.setSelectionRange(end, end);
    return;
  }
  const selection = windowOf(ownerOf(element))?.getSelection();
  if (!selection) return;
  selection.selectAllChildren(element);
  if (!selectAll) selection.collapseToEnd();
}

interface Keyed {
  /** The field that keys are sent to. */
  element: Element | null;
  /** What it had in front of them; null if that does not matter. */
  before: string | null;
  /** It has lost the focus since. */
  lost: boolean;
}

let keyed: Keyed = { element: null, before: null, lost: false };

function watchFocus(element: Element, before: string | null): void {
  if (keyed.element) removeListener(keyed.element, 'blur', focusLost, true);
  keyed = { element, before, lost: false };
  addListener(element, 'blur', focusLost, true);
}

function focusLost(): void {
  keyed.lost = true;
}

/**
 * What became of the text that was sent as keys after `prepare`. If its field has lost the focus: `held` of its
 * `length` characters have come into it, and where the focus is. Else how the content of a form's field differs.
 */
export function typed({ text }: TypedRequest): TypedResponse {
  if (typeof text !== 'string') throw new Refusal('INVALID_REQUEST', 'text is required');
  const field = keyed.element;
  if (!field || !isAttached(field)) return { lost: false };
  return !keyed.lost && hasCursor(field) ? typedContent(field, text) : lostText(field, text);
}

function typedContent(field: Element, text: string): TypedContent {
  if (keyed.before === null || !isTextControl(field)) return { lost: false };
  const wanted = keyed.before + text.replace(/\r\n?/g, '\n');
  const held = contentOf(field);
  const outcome = outcomeOf(field, wanted) || 'other';
  const content = outcome === 'other' && !isSecret(field) ? { held_text: held, wanted_text: wanted } : {};
  return { lost: false, outcome, length: held.length, wanted: wanted.length, ...content };
}

function lostText(field: Element, text: string): TypedResponse {
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
function beginningHeld(content: string, sent: string): number {
  let least = 0;
  let most = sent.length;
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (content.includes(sent.slice(0, middle))) least = middle;
    else most = middle - 1;
  }
  return least;
}

// What a page does about a query and the key that should start the search: changes outside of the field and its
// suggestions (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/), a form that is submitted, requests. A list that
// opens while one types, or closes at the key, is no search.

let reaction: Reaction | null = null;

/**
 * reaction (docs/spec/scanner-protocol.md#reaction): `watch` the field `id` from now on; `arm` before the key is pressed;
 * `report` what was since then, and with `end` no longer. `restless`: the page changes by itself, so what has changed
 * already no longer counts.
 */
export function reactionTo(request: ReactionRequest): ReactionResponse {
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

const SUGGESTIONS = '[role=listbox],[role=option],datalist,[role=menu]';

class Reaction {
  private armed: number | null = null; // since when
  private typed = false;
  private reacted = false;
  private submitted = false;
  private restless: ReadonlySet<Element> = new Set();
  private earlier: ReadonlySet<string> = new Set();
  private readonly touched = new Set<Element>();
  private readonly roots = new Set<Root>();
  private readonly observer = pageObserver((records) => this.note(records));
  private readonly onSubmit = () => {
    this.submitted = true;
  };

  constructor(private readonly field: Element) {
    this.watchTrees();
  }

  private watchTrees(): void {
    allElements();
    for (const { root } of currentCache().trees) {
      if (this.roots.has(root)) continue;
      this.roots.add(root);
      this.observer.observe(root, OBSERVED);
      addListener(root, 'submit', this.onSubmit, { capture: true, passive: true });
    }
  }

  arm(restless: boolean): void {
    this.note(this.observer.takeRecords().filter(isOfPage));
    this.restless = restless ? new Set(this.touched) : new Set();
    this.earlier = new Set(requestsSince(0));
    this.armed = performance.now();
    this.submitted = false;
    this.watchTrees();
  }

  private note(records: readonly MutationRecord[]): void {
    for (const record of records) {
      const element = changedElement(record.target);
      if (!element || !this.isOutside(record, element)) continue;
      if (this.armed === null) {
        this.typed = true;
        this.touched.add(element);
      } else if (!this.isRestless(element)) this.reacted = true;
    }
  }

  private isRestless(element: Element): boolean {
    for (let each: Element | null = element; each; each = elementAbove(each)) if (this.restless.has(each)) return true;
    return false;
  }

  /** Whether a change is neither the field's own nor one of its suggestions. */
  private isOutside({ type, addedNodes, removedNodes }: MutationRecord, element: Element): boolean {
    if (element === this.field || contains(this.field, element)) return false;
    if (type === 'attributes' && contains(element, this.field)) return false;
    if (closest(element, SUGGESTIONS)) return false;
    for (const list of this.lists()) if (list === element || contains(list, element)) return false;
    if (type === 'attributes') return !holdsSuggestions(element);
    if (type !== 'childList') return true;
    const moved = [...addedNodes, ...removedNodes].filter(isElement);
    return moved.length === 0 || !moved.every((each) => matches(each, SUGGESTIONS) || holdsSuggestions(each));
  }

  /** What the field names as its list, where it is a field with a list. */
  private lists(): Element[] {
    const box = closest(this.field, '[role=combobox]') || this.field;
    const completes = /^(list|both)$/i.test(attribute(this.field, 'aria-autocomplete') || '');
    if (attribute(box, 'role') !== 'combobox' && !completes) return [];
    const names = ['aria-controls', 'aria-owns'].flatMap((name) => [
      ...(attribute(box, name) || '').split(/\s+/),
      ...(attribute(this.field, name) || '').split(/\s+/),
    ]);
    const root = rootOf(this.field);
    return names.map((name) => (name ? elementWithId(root, name) : null)).filter((list) => list !== null);
  }

  report(): ReactionResponse {
    this.note(this.observer.takeRecords().filter(isOfPage));
    this.watchTrees();
    const { armed } = this;
    return {
      typed: this.typed,
      reacted: this.reacted,
      submitted: this.submitted,
      requested: armed !== null && requestsSince(armed).some((url) => !this.earlier.has(url)),
    };
  }

  end(): void {
    this.observer.disconnect();
    for (const root of this.roots) removeListener(root, 'submit', this.onSubmit, { capture: true });
  }
}

const holdsSuggestions = (element: Element): boolean => queryAll(element, SUGGESTIONS).length > 0;

const ASKING = new Set(['fetch', 'xmlhttprequest', 'script', 'iframe']);

/** Where scripts have asked since a moment, without what is asked: a poll asks the same place again and again. */
function requestsSince(moment: number): string[] {
  return (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
    .filter(({ initiatorType, startTime }) => ASKING.has(initiatorType) && startTime >= moment)
    .map(({ name }) => name.replace(/[?#].*/s, ''));
}
