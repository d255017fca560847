// Texts that come and go while an action is waited for: a message of a quarter of a second, a number that the page takes
// back. When the page is read, nothing is left of them.

import { attribute, closest, isConnected, isElement, shadowOf, tagOf, textContentOf } from '../dom/natives';
import { collapse, wordSet } from '../dom/words';
import { queryAll } from '../dom/banner';
import { changedElement } from '../dom/tree';
import { startTimer } from '../dom/timing';
import { isStyledVisible } from '../geometry/styles';
import { textKind } from '../text/units';
import type { TextKind } from '../text/units';
import { renderedText } from '../text/text';
import { textRow } from '../text/comparison';
import type { TextRow } from '../text/comparison';

/** A text of a few words, and how long it was seen. */
interface Flash {
  text: string;
  kind: TextKind;
  seen: number;
  gone: number | null;
  reported: boolean;
}

const MAX_WATCHED = 24; // elements of one action
const MAX_LENGTH = 120;
const SHORTEST = 100; // milliseconds: what is there for less is a step of drawing
const MAX_ROWS = 2;
const MAX_BUTTONS = 2; // `Undo` and `×`
const LAST_LOOK = 300;
const LOOKS = [60, 150, LAST_LOOK]; // milliseconds after a change, for what fades in, and what nothing announces

const REVEALING = wordSet('class style hidden open aria-hidden');
const NO_MESSAGES =
  'button,select,textarea,option,script,style,noscript,template,title,[role=option],[role=menuitem],[role=menu],[role=listbox],[role=tooltip],[aria-busy=true]';
const UNDER_WAY = /(?:…|\.\.\.)$|^(?:loading|saving|searching|sending|please wait)\b/i;

/** The short texts that changed or came into sight since an action began. */
export class Flashes {
  private readonly watched = new Map<Element, Flash | null>(); // null: not seen yet
  private readonly known = new Set<string>();
  private isLooking = false;

  /** An action begins, with these texts on the page. */
  begin(texts: Iterable<string>): void {
    this.watched.clear();
    this.known.clear();
    for (const text of texts) this.known.add(text);
  }

  forgetReported(): void {
    for (const [element, flash] of this.watched) if (flash?.reported) this.watched.delete(element);
  }

  markReported(): void {
    for (const flash of this.watched.values()) if (flash) flash.reported = true;
  }

  /** Note mutations of the page while an action is waited for. */
  note(records: readonly MutationRecord[]): void {
    for (const { type, target, attributeName, addedNodes } of records) {
      if (type === 'attributes') {
        if (isElement(target) && REVEALING.has(attributeName ?? '')) this.watch(target);
        continue;
      }
      for (const node of addedNodes) if (isElement(node)) this.watch(node);
      const place = changedElement(target);
      if (place && (type === 'characterData' || [...addedNodes].some((node) => !isElement(node)))) this.watch(place);
    }
    this.lookOften();
  }

  /** Something may have come into sight, or gone, without a mutation, as a popover. */
  notice(element: Element): void {
    this.watch(element);
    this.lookOften();
  }

  private lookOften(): void {
    this.look();
    if (!this.watched.size || this.isLooking) return;
    this.isLooking = true;
    for (const delay of LOOKS) startTimer(() => this.look(), delay);
    startTimer(() => (this.isLooking = false), Math.max(...LOOKS));
  }

  private watch(element: Element): void {
    if (this.watched.has(element) || this.watched.size >= MAX_WATCHED || !mayFlash(element)) return;
    const text = shortText(element);
    if (text && !this.known.has(text)) this.watched.set(element, null);
  }

  private look(): void {
    const now = performance.now();
    for (const [element, flash] of this.watched) {
      if (flash?.gone) continue;
      const text = isConnected(element) && isStyledVisible(element) ? shortText(element) : '';
      if (flash && (!text || text !== flash.text)) flash.gone = now;
      else if (!flash && text && !this.known.has(text))
        this.watched.set(element, { text, kind: textKind(element), seen: now, gone: null, reported: false });
    }
  }

  /** Rows of the texts that have come and gone; `visible` are the page's texts now, by their elements. */
  rows(visible: ReadonlyMap<Element, string>, isFeed: (element: Element) => boolean): TextRow[] {
    this.look();
    const texts = [...visible.values()];
    const rows: TextRow[] = [];
    for (const [element, flash] of this.watched) {
      if (!flash?.gone || flash.gone - flash.seen < SHORTEST || UNDER_WAY.test(flash.text)) continue;
      const present = visible.get(element);
      if (present !== undefined && !this.known.has(present)) continue; // it goes on with another text
      if (texts.some((text) => text.includes(flash.text)) || isFeed(element)) continue;
      if (rows.every(({ text }) => !text.includes(flash.text)))
        rows.push({ ...textRow('new', flash.kind, flash.text), vanished: true });
    }
    return rows.slice(0, MAX_ROWS);
  }
}

function mayFlash(element: Element): boolean {
  return closest(element, NO_MESSAGES) === null && !(attribute(element, 'role') ?? '').startsWith('progress');
}

/** What an element says, if that is short; '' otherwise. */
function shortText(element: Element): string {
  const content = textContentOf(element);
  const isHost = tagOf(element).includes('-') && shadowOf(element) !== null;
  if (content.length > 4 * MAX_LENGTH || queryAll(element, NO_MESSAGES).length > MAX_BUTTONS) return '';
  const text = collapse(isHost ? renderedText(element) : content);
  return text.length <= MAX_LENGTH && /[\p{L}\p{N}]/u.test(text) ? text : '';
}
