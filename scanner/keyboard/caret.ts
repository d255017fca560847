// Moves the caret, by character, word, line or to an end: https://w3c.github.io/selection-api/#dom-selection-modify
// In Firefox that moves the document's selection alone, and scrolls to it: a field has a selection of its own there.

import { inputValueOf, ownerOf, windowOf } from '../dom/natives';
import { isTextField } from '../controls/prepare';
import { isTextControl } from '../semantics/text_controls';

export type Direction = 'left' | 'right' | 'forward' | 'backward';

type TextField = HTMLInputElement | HTMLTextAreaElement;

const FIELDS_SELECT_APART = CSS.supports('-moz-appearance', 'none');
const WORD_CHARACTER = /[\p{L}\p{N}_]/u;

export const selectionOf = (element: Element): Selection | null => windowOf(ownerOf(element))?.getSelection() ?? null;

export function moveCaret(element: Element, alter: 'move' | 'extend', direction: Direction, unit: string): void {
  if (FIELDS_SELECT_APART && isTextControl(element)) {
    if (isTextField(element) && element.selectionStart !== null) moveInField(element, alter, direction, unit);
  } else selectionOf(element)?.modify(alter, direction, unit);
}

function moveInField(field: TextField, alter: 'move' | 'extend', direction: Direction, unit: string): void {
  const start = field.selectionStart ?? 0;
  const end = field.selectionEnd ?? start;
  const isBack = direction === 'left' || direction === 'backward';
  const isBackward = start < end && field.selectionDirection === 'backward';
  const [anchor, caret] = isBackward ? [end, start] : [start, end];
  const isCollapsing = alter === 'move' && start < end && unit === 'character';
  const to = isCollapsing ? (isBack ? start : end) : placeIn(inputValueOf(field), caret, isBack, unit);
  const from = alter === 'move' ? to : anchor;
  field.setSelectionRange(Math.min(from, to), Math.max(from, to), to < from ? 'backward' : 'forward');
}

/** Where the caret goes to from a place of a text; up from the first line to its start, down from the last to its end. */
function placeIn(text: string, at: number, isBack: boolean, unit: string): number {
  if (unit === 'character') return nextCharacter(text, at, isBack);
  if (unit === 'word') return nextWord(text, at, isBack);
  if (unit === 'documentboundary') return isBack ? 0 : text.length;
  const lineStart = at && text.lastIndexOf('\n', at - 1) + 1;
  const newline = text.indexOf('\n', at);
  const lineEnd = newline < 0 ? text.length : newline;
  if (unit === 'lineboundary') return isBack ? lineStart : lineEnd;
  if (isBack)
    return lineStart ? Math.min(text.lastIndexOf('\n', lineStart - 2) + 1 + at - lineStart, lineStart - 1) : 0;
  if (lineEnd === text.length) return lineEnd;
  const nextEnd = text.indexOf('\n', lineEnd + 1);
  return Math.min(lineEnd + 1 + at - lineStart, nextEnd < 0 ? text.length : nextEnd);
}

function nextCharacter(text: string, at: number, isBack: boolean): number {
  const isPair = (text.codePointAt(isBack ? at - 2 : at) ?? 0) > 0xffff;
  const to = at + (isBack ? -1 : 1) * (isPair ? 2 : 1);
  return Math.min(text.length, Math.max(0, to));
}

/** Over what is no word, and to the other end of the word behind it. */
function nextWord(text: string, at: number, isBack: boolean): number {
  const step = isBack ? -1 : 1;
  const next = (): string => text.charAt(isBack ? to - 1 : to);
  let to = at;
  while (next() && !WORD_CHARACTER.test(next())) to += step;
  while (WORD_CHARACTER.test(next())) to += step;
  return to;
}
