// Where the words that a command names stand in an element: a person presses the words, not the middle of their block.

import { boxesOfRange, dataOf, isElement, matches, ownerOf } from '../dom/natives';
import { textsIn } from '../dom/texts';
import { composedParent, elementAbove, holds } from '../dom/tree';
import { fold } from '../dom/words';
import { isStyledVisible, styleOf } from '../geometry/styles';
import type { Box } from '../geometry/styles';
import { factsOf } from './candidates';
import { placesIn as textPlaces } from './text_fit';

const MAX_CHARACTERS = 20000;

/**
 * The boxes of words in the visible text of an element, one for each line that they take; none if it has them not. What
 * a link in the text has of them is left out: a press on it would be of another element.
 */
export function placesOfWords(element: Element, words: string): Box[] {
  const places = placesIn(element, words);
  const place = places.find((nodes) => !standApart(element, nodes)) ?? places[0];
  if (!place) return [];
  const free = freeOf(element, place);
  const parts = free.length < place.length ? free.map((piece) => [piece]) : [place];
  return parts.flatMap(boxesOf).filter(({ width, height }) => width >= 1 && height >= 1);
}

/**
 * Whether an element has words only in parts that stand apart from each other: in several rows, or in a control of
 * which the next word is no part. Nobody reads them as one text, and a press on the first would be of another element.
 */
export function hasWordsApart(element: Element, words: string): boolean {
  if (!/\s/.test(words)) return false;
  const places = placesIn(element, words);
  return places.length > 0 && places.every((pieces) => standApart(element, pieces));
}

/** A part of a text node. */
interface TextPiece {
  node: Text;
  from: number;
  to: number;
}

/** Where words stand in an element, each place as the pieces of text that it takes, those of whole words first. */
function placesIn(element: Element, words: string): TextPiece[][] {
  const wanted = fold(words);
  if (!wanted) return [];
  const { text, origins } = visibleText(element);
  const places = textPlaces(text, wanted);
  const whole = places.filter(({ tier }) => tier === 'contains');
  return (whole.length ? whole : places).map(({ at }) => piecesOf(text, origins, at, at + wanted.length));
}

function piecesOf(text: string, origins: readonly TextPiece[], start: number, end: number): TextPiece[] {
  const pieces: TextPiece[] = [];
  for (let at = start; at < end; at++) {
    const origin = origins[at];
    if (!origin || text[at] === ' ') continue;
    const last = pieces.at(-1);
    if (last?.node === origin.node) last.to = origin.to;
    else pieces.push({ ...origin });
  }
  return pieces;
}

function boxesOf(pieces: readonly TextPiece[]): Box[] {
  const [first, last] = [pieces[0], pieces.at(-1)];
  if (!first || !last) return [];
  const range = ownerOf(first.node).createRange();
  range.setStart(first.node, first.from);
  range.setEnd(last.node, last.to);
  return Array.from(boxesOfRange(range));
}

const ROWS =
  'tr,li,article,' + ['row', 'listitem', 'option', 'treeitem', 'article'].map((role) => `[role=${role}]`).join();

function standApart(element: Element, pieces: readonly TextPiece[]): boolean {
  if (pieces.length < 2) return false;
  const parts = pieces.flatMap((piece) => partsAround(element, piece, pieces));
  if (parts.some(isSeparateControl) || !freeOf(element, pieces).length) return true;
  return parts.some((part) => matches(part, ROWS)) && !isOneLine(boxesOf(pieces));
}

/** The elements below `element` that hold one of some pieces, and not all of them. */
function partsAround(element: Element, { node }: TextPiece, pieces: readonly TextPiece[]): Element[] {
  const parts: Element[] = [];
  for (let above = composedParent(node); above && above !== element; above = composedParent(above)) {
    if (!isElement(above)) continue;
    const part = above;
    if (pieces.every((piece) => holdsText(part, piece.node))) break;
    parts.push(part);
  }
  return parts;
}

function holdsText(part: Element, node: Text): boolean {
  const parent = composedParent(node);
  return parent !== null && isElement(parent) && holds(part, parent);
}

/** A link may be a part of a sentence, as may whatever else stands in its line; a button is none. */
function isSeparateControl(element: Element): boolean {
  const { passive, type } = factsOf(element);
  return !passive && type !== 'link' && styleOf(element).display !== 'inline';
}

/** The pieces that no control has which has not all of them. */
const freeOf = (element: Element, pieces: readonly TextPiece[]): TextPiece[] =>
  pieces.filter((piece) => partsAround(element, piece, pieces).every((part) => factsOf(part).passive));

function isOneLine(boxes: readonly Box[]): boolean {
  const [first, last] = [boxes[0], boxes.at(-1)];
  return !first || !last || (first.top < last.bottom && last.top < first.bottom);
}

/** The visible text of an element, folded, and where each of its characters comes from. */
function visibleText(element: Element): { text: string; origins: TextPiece[] } {
  let text = '';
  const origins: TextPiece[] = [];
  let block: Element | null = null;
  const next = textsIn(ownerOf(element), element);
  for (let node = next(); node && text.length < MAX_CHARACTERS; node = next()) {
    const parent = composedParent(node);
    if (!parent || !isElement(parent) || !isStyledVisible(parent)) continue;
    const around = blockAround(parent, element);
    if (block && around !== block && text && !text.endsWith(' ')) {
      text += ' ';
      origins.push({ node, from: 0, to: 0 });
    }
    block = around;
    // A letter with the marks after it is folded as one.
    for (const { 0: letter, index } of dataOf(node).matchAll(/\P{M}\p{M}*|\p{M}+/gsu)) {
      const folded = /^\s/.test(letter) ? (text && !text.endsWith(' ') ? ' ' : '') : fold(letter);
      text += folded;
      for (let unit = 0; unit < folded.length; unit++) origins.push({ node, from: index, to: index + letter.length });
    }
  }
  return { text, origins };
}

/** The block within `element` that a text is in. */
function blockAround(parent: Element, element: Element): Element {
  let block = parent;
  for (let above = elementAbove(block); block !== element && above; above = elementAbove(block)) {
    if (!/^(inline|contents)/.test(styleOf(block).display)) break;
    block = above;
  }
  return block;
}
