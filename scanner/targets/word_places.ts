// Where the words that a command names stand in an element: a person presses the words, not the middle of their block.

import { dataOf, isElement, ownerOf } from '../dom/natives';
import { textsIn } from '../dom/texts';
import { composedParent } from '../dom/tree';
import { fold } from '../dom/words';
import { isStyledVisible } from '../geometry/styles';
import type { Box } from '../geometry/styles';
import { placeIn } from './text_fit';

const MAX_CHARACTERS = 20000;

/** Where each character of a text that was folded comes from. */
interface Origin {
  node: Text;
  from: number;
  to: number;
}

/** The boxes of words in the visible text of an element, one for each line that they take; none if it has them not. */
export function placesOfWords(element: Element, words: string): Box[] {
  const wanted = fold(words);
  if (!wanted) return [];
  const { text, origins } = visibleText(element);
  const place = placeIn(text, wanted);
  const [first, last] = place ? [origins[place.at], origins[place.at + wanted.length - 1]] : [];
  if (!first || !last) return [];
  const range = ownerOf(element).createRange();
  range.setStart(first.node, first.from);
  range.setEnd(last.node, last.to);
  return Array.from(range.getClientRects()).filter(({ width, height }) => width >= 1 && height >= 1);
}

/** The visible text of an element, folded, and where each of its characters comes from. */
function visibleText(element: Element): { text: string; origins: Origin[] } {
  let text = '';
  const origins: Origin[] = [];
  const next = textsIn(ownerOf(element), element);
  for (let node = next(); node && text.length < MAX_CHARACTERS; node = next()) {
    const parent = composedParent(node);
    if (!parent || !isElement(parent) || !isStyledVisible(parent)) continue;
    // A letter with the marks after it is folded as one.
    for (const { 0: letter, index } of dataOf(node).matchAll(/\P{M}\p{M}*|\p{M}+/gsu)) {
      const folded = /^\s/.test(letter) ? (text && !text.endsWith(' ') ? ' ' : '') : fold(letter);
      text += folded;
      for (let unit = 0; unit < folded.length; unit++) origins.push({ node, from: index, to: index + letter.length });
    }
  }
  return { text, origins };
}
