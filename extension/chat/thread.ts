// The conversation that the page shows: our own message in it, and what the model answers to that.
//
// Only what stands behind our message is an answer. Each message that we send begins and ends with a line that has a random
// token, so it is known wherever the page has put it and whatever it has made of it; what holds such a pair of lines is ours,
// with all the examples of commands and words of other pages that are in it, and never the model's.

import type { ChatMessage } from '../messages';
import { isSeen, textOf } from './text';

type Box = Element | null;
type Marks = Pick<ChatMessage, 'token' | 'keyword'>;

const ASIDE =
  'nav, aside, header, footer, a, button, dialog, textarea, title, script, style, template, [role="navigation"], ' +
  '[role="complementary"], [role="banner"], [role="contentinfo"], [role="dialog"], [role="alertdialog"], [role="alert"], ' +
  '[role="status"], [role="tooltip"], [role="menu"]';

/** Our message as the page shows it, or null: the first element that holds both its lines, else (the page has cut it
 *  off) the first line's. */
export function echo(token: string, box: Box): Element | null {
  const lines = linesWith(token, box);
  for (const line of lines) {
    const whole = around(line, (element) => timesIn(element.textContent, token) > 1, box);
    if (whole) return whole;
  }
  return lines[0] ?? null;
}

const timesIn = (text: string, token: string) => text.split(token).length - 1;

/** The elements right around the token, in the order of the document, but those that are no part of a conversation. */
function linesWith(token: string, box: Box): Element[] {
  const found: Element[] = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode as Text;
    if (!parentElement || !data.includes(token) || box?.contains(parentElement)) continue;
    if (!isAside(parentElement, box) && isSeen(parentElement)) found.push(parentElement);
  }
  return found;
}

/** A chat may be a dialog itself: what it shares with its box is no aside. */
function isAside(element: Element, box: Box): boolean {
  const found = element.closest(ASIDE);
  return found !== null && !(box && found.contains(box));
}

/** The closest element around, itself included, that fits, within what does not hold the box too. */
function around(element: Element, fits: (element: Element) => boolean, box: Box): Element | null {
  for (
    let each: Element | null = element;
    each && each !== document.body && !(box && each.contains(box));
    each = each.parentElement
  ) {
    if (fits(each)) return each;
  }
  return null;
}

/** What the model has answered so far to the message, whose echo this is. */
export function answer(message: ChatMessage, ours: Element, box: Box): string {
  const messages = message.site.message.flatMap((selector) => [...document.querySelectorAll(selector)]);
  const after = messages.filter((element) => isAfter(element, ours) && isAnswer(element, message, box));
  const outermost = after.filter((element) => !after.some((other) => other !== element && other.contains(element)));
  const [first, ...others] = outermost;
  return first ? writtenIn(last(first, others), message) : byStructure(message, ours, box);
}

const last = (first: Element, others: Element[]) =>
  others.reduce(
    (one, other) => (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? other : one),
    first,
  );

const isAfter = (element: Element, ours: Element) =>
  Boolean(ours.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) && !ours.contains(element);

function isAnswer(element: Element, message: Marks, box: Box): boolean {
  if (box && element.contains(box)) return false;
  return !isAside(element, box) && isSeen(element) && !isOurs(element.textContent, message);
}

/** Whether a text is a copy of our message, or of its end: a model has nothing to say behind the keyword. */
function isOurs(text: string, { token, keyword }: Marks): boolean {
  const end = text.lastIndexOf(keyword);
  return timesIn(text, token) > 1 || (end >= 0 && text.slice(end).includes(token));
}

/** What comes behind our message, at the level of the conversation's turns: that is the innermost one where the keyword
 *  stands, and before that the outermost. */
function byStructure(message: ChatMessage, ours: Element, box: Box): string {
  let found = '';
  for (
    let level: Element | null = ours;
    level && level !== document.body && !(box && level.contains(box));
    level = level.parentElement
  ) {
    const text = following(level)
      .filter((element) => isAnswer(element, message, box))
      .map((element) => writtenIn(element, message))
      .filter(Boolean)
      .join('\n');
    if (text.includes(message.keyword)) return text;
    found = text || found;
  }
  return found;
}

function following(element: Element): Element[] {
  const found: Element[] = [];
  for (let each = element.nextElementSibling; each; each = each.nextElementSibling) found.push(each);
  return found;
}

const writtenIn = (element: Element, { site }: ChatMessage) => textOf(element, site.ignore.join(', '));
