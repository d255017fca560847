// Elements that take typed text: which they are, what they hold, and whether the cursor is in one.

import {
  activeElementOf,
  attribute,
  bodyOf,
  closest,
  contains,
  inputTypeOf,
  ownerOf,
  rootOf,
  tagOf,
  textContentOf,
} from '../dom/natives';
import type { Root } from '../dom/natives';
import { elementAbove, rootElement } from '../dom/tree';
import { authoredRole } from './roles';
import { focusedElement, valueOf } from './values';

export const UNTYPED_INPUTS = new Set(['checkbox', 'radio', 'file', 'hidden', 'submit', 'button', 'reset', 'image']);
export const SET_INPUTS = new Set(['date', 'datetime-local', 'month', 'week', 'time', 'color', 'range']);

/** Whether keys write into the element. */
export function isTypingField(element: Element): boolean {
  const tag = tagOf(element);
  if (tag === 'textarea') return true;
  if (tag === 'input') return !UNTYPED_INPUTS.has(inputTypeOf(element));
  return isInEditing(element) || ['textbox', 'searchbox', 'combobox'].includes(authoredRole(element));
}

/** Whether its text is edited: it is in an editing host, or in a document that is one. */
export function isInEditing(element: Element): boolean {
  for (let node: Element | null = element; node; node = elementAbove(node)) {
    const state = attribute(node, 'contenteditable');
    if (state !== null) return state.toLowerCase() !== 'false';
  }
  return ownerOf(element).designMode === 'on';
}

/** Whether its editing host takes text alone (https://w3c.github.io/editing/docs/execCommand/#dom-contenteditable). */
export const isPlainText = (element: Element): boolean =>
  attribute(closest(element, '[contenteditable]') ?? element, 'contenteditable')?.toLowerCase() === 'plaintext-only';

/** Whether it is a field of HTML's own that takes any typed text. */
export const isTextControl = (element: Element): boolean =>
  tagOf(element) === 'textarea' ||
  (tagOf(element) === 'input' && !UNTYPED_INPUTS.has(inputTypeOf(element)) && !SET_INPUTS.has(inputTypeOf(element)));

const LIMITED_INPUTS = new Set(['text', 'search', 'tel', 'url', 'email', 'password']);

/** https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#attr-fe-maxlength */
export function maxLengthOf(element: Element): number {
  if (tagOf(element) === 'input' && !LIMITED_INPUTS.has(inputTypeOf(element))) return Infinity;
  const most = /^\s*\d+/.exec(attribute(element, 'maxlength') || '');
  return most ? Number(most[0]) : Infinity;
}

/** What a field that takes keys holds. */
export const contentOf = (element: Element): string =>
  isTextControl(element) ? valueOf(element) : textContentOf(element);

/** Whether the cursor of the element's own document is in it. */
export function hasCursor(element: Element): boolean {
  const focused = activeElementOf(rootOf(element) as Root);
  return focused === element || (!isTextControl(element) && focused !== null && contains(focused, element));
}

/** What the next key reaches. */
export const keyTarget = (): Element => focusedElement() || bodyOf(document) || rootElement(document);
