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
} from '../dom/protocol';
import { Refusal, isPresent } from '../dom/refusal';
import { isOfPage, pageObserver, queryAll } from '../dom/banner';
import { changedElement, elementAbove, holds } from '../dom/tree';
import { elementOfNumber, numberOf, numberOfElement } from '../dom/numbers';
import { OBSERVED, allElements, currentCache } from '../dom/snapshot';
import { labelControlOf } from '../dom/labels';
import { isVisible } from '../geometry/visibility';
import { focusedElement, isDisabled, isReadOnly, valueOf } from '../semantics/values';
import { SET_INPUTS, isInEditing, isPlainText, isTextControl, isTypingField } from '../semantics/text_controls';
import { requestedElement } from '../targets/candidates';
import { focusOn } from '../input/events';
import { editorData, editorOf, heldText } from './editors';
import type { Editor } from './editors';
import { beginEntry } from './text_entry';

export function prepare(request: PrepareRequest): PrepareResponse {
  const named = (request.opened && attachedOrNot(request.id)) || requestedElement(request);
  const target = request.opened ? openedField(named) : named;
  const number = numberOf(named);
  const editor = editorOf(target);
  const element = editor ? enabledField(editor.input) : typingPlace(target);
  if (!isVisible(editor ? editor.root : element))
    throw new Refusal('ELEMENT_NOT_VISIBLE', 'the element is not visible');
  focusField(element);
  if (editor) return prepareEditor(editor, number, request.clear === true);
  const mode = takesKeys(element) ? 'keys' : 'set';
  const before = valueOf(element);
  const control = isTextControl(element);
  if (mode === 'keys') {
    placeCursor(element, request.clear === true);
    const front = control && request.compares !== false ? (request.clear === true ? '' : before) : null;
    const entry = beginEntry(number, element, front, request.again === true);
    if (request.guards && control) entry.guard();
  }
  return { mode, empty: before === '', control, lines: tagOf(element) === 'textarea' };
}

function prepareEditor(editor: Editor, number: number, selectsAll: boolean): PreparedEditor {
  const { input, family } = editor;
  if (!family?.isCode) placeCursor(input, selectsAll);
  beginEntry(number, input, null).editor = editor;
  const isMac = /^mac/i.test((windowOf(ownerOf(input)) || window).navigator.platform);
  return {
    mode: 'editor',
    empty: heldText(editor) === '',
    plain: isPlainText(input),
    mac: isMac,
    ...editorData(editor),
  };
}

/** Focus what is about to take keys. Unlike `focusOn`, it scrolls to an element of HTML. */
export function focusField(element: Element): void {
  if (isHtml(element)) nativeFocus(element);
  else focusOn(element);
}

/** The element with a number, also if a press has put a field in its place. */
const attachedOrNot = (number: number | null | undefined): Element | null =>
  (isPresent(number) && elementOfNumber.get(number)?.deref()) || null;

/** The field with the focus that a press on an element has opened: in it, around it, in its place, or one that is new. */
function openedField(element: Element): Element {
  const focused = focusedElement();
  const isOpened =
    focused !== null &&
    isTypingField(focused) &&
    (holds(element, focused) || holds(focused, element) || !numberOfElement.has(focused) || !isVisible(element));
  if (!isOpened) throw new Refusal('INVALID_ELEMENT_TYPE', `a ${tagOf(element)} can't be typed into`);
  return focused;
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
  return performance
    .getEntriesByType('resource')
    .filter(({ initiatorType, startTime }) => ASKING.has(initiatorType) && startTime >= moment)
    .map(({ name }) => name.replace(/[?#].*/s, ''));
}
