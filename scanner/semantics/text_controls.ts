import {
  activeElementOf,
  attribute,
  bodyOf,
  contains,
  inputTypeOf,
  nodeTypeOf,
  ownerOf,
  rootOf,
  tagOf,
  textContentOf,
} from '../dom/natives';
import { elementAbove, isAttached, rootElement } from '../dom/tree';
import { authoredRole } from './roles';
import { focusedElement } from './values';

export const UNTYPED_INPUTS = new Set(['checkbox', 'radio', 'file', 'hidden', 'submit', 'button', 'reset', 'image']);
export const SET_INPUTS = new Set(['date', 'datetime-local', 'month', 'week', 'time', 'color', 'range']);

export function isTypingField(element) {
  const tag = tagOf(element);
  if (tag === 'textarea') return true;
  if (tag === 'input') return !UNTYPED_INPUTS.has(inputTypeOf(element));
  return isInEditing(element) || ['textbox', 'searchbox', 'combobox'].includes(authoredRole(element));
}

export function isInEditing(element) {
  for (let node = element; node; node = elementAbove(node)) {
    const state = attribute(node, 'contenteditable');
    if (state !== null) return state.toLowerCase() !== 'false';
  }
  return ownerOf(element).designMode === 'on';
}

export const isTextControl = (element) =>
  tagOf(element) === 'textarea' ||
  (tagOf(element) === 'input' && !UNTYPED_INPUTS.has(inputTypeOf(element)) && !SET_INPUTS.has(inputTypeOf(element)));

const LIMITED_INPUTS = new Set(['text', 'search', 'tel', 'url', 'email', 'password']);

/** https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#attr-fe-maxlength */
export function maxLengthOf(element) {
  if (tagOf(element) === 'input' && !LIMITED_INPUTS.has(inputTypeOf(element))) return Infinity;
  const most = /^\s*\d+/.exec(attribute(element, 'maxlength') || '');
  return most ? Number(most[0]) : Infinity;
}

/** What a field that takes keys holds. */
export const contentOf = (element) => (isTextControl(element) ? valueOf(element) : textContentOf(element));

/** `whole`, `formatted` (other characters between the same letters and digits), `limited` (by `maxlength`), or null. */
export function outcomeOf(element, wanted) {
  if (!isAttached(element)) return null;
  const held = contentOf(element);
  if (held === wanted) return 'whole';
  if (!isTextControl(element)) return withoutSpace(held) === withoutSpace(wanted) ? 'whole' : null;
  const letters = lettersOf(wanted);
  if (letters && lettersOf(held) === letters) return 'formatted';
  return held.length === maxLengthOf(element) && held === wanted.slice(0, held.length) ? 'limited' : null;
}

export const withoutSpace = (text) => text.replace(/[\s\u200b\ufeff]+/g, '');
export const lettersOf = (text) => text.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();

export function hasCursor(element) {
  const root = rootOf(element);
  const focused = activeElementOf(root);
  return focused === element || (!isTextControl(element) && focused !== null && contains(focused, element));
}

export const keyTarget = () => focusedElement() || bodyOf(document) || rootElement(document);
