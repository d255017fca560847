// The text that is being written into a field: which fields its keys may reach, what they held before, and what became
// of it (docs/spec/scanner-protocol.md#verify). One at a time, from `prepare` or `insert` on.

import {
  addListener,
  attribute,
  boxOf,
  inputTypeOf,
  ownerOf,
  parentElementOf,
  removeListener,
  tagOf,
  textContentOf,
  windowOf,
} from '../dom/natives';
import type { ValueExpectation, VerifyResponse, WriteOutcome, WrittenValue } from '../dom/protocol';
import { collapse } from '../dom/words';
import { holds, isAttached, isFrame } from '../dom/tree';
import { numberOf, numberOfElement } from '../dom/numbers';
import { isVisible } from '../geometry/visibility';
import { shortDescription } from '../input/reception';
import { authoredRole } from '../semantics/roles';
import {
  contentOf,
  hasCursor,
  isInEditing,
  isTextControl,
  isTypingField,
  maxLengthOf,
} from '../semantics/text_controls';
import { focusedElement, isSecret, valueOf } from '../semantics/values';
import { monthNames } from './calendar';
import { editorOf, heldText } from './editors';
import type { Editor } from './editors';
import { lettersOf, numberForms, writtenOutcome } from './written_value';
import type { FieldTraits } from './written_value';

const GUARD_MILLISECONDS = 1500; // without a key, after which keys are the user's own
const NARROW = 100; // pixels of a box for a few characters
const TOKEN_LEVELS = 3;
const MAX_TOKEN_TEXT = 5000;

interface Box {
  element: Element;
  /** What it held before. */
  readonly former: string;
}

export class TextEntry {
  /** The fields that take the text, in order: more than one where a page moves the focus on from box to box. */
  readonly boxes: [Box, ...Box[]];
  /** Keys that would have reached something else, and were kept from it. */
  strays = 0;
  /** What the focus went to without being asked for. */
  private place: Element | null = null;
  private hasLostFocus = false;
  private hasInput = false;
  private guardedUntil = 0;
  private readonly shownAround: string;
  /** What the field should hold, where the text that was asked for does not say. */
  intended: string | null = null;
  /** The editor that the text goes into. */
  editor: Editor | null = null;

  /**
   * number: of the element that was asked for. before: what stands in front of the text; null if the field's content is
   * not compared. others: the fields that the page has handed the same text on to before.
   */
  constructor(
    readonly number: number,
    element: Element,
    readonly before: string | null,
    former = fieldContent(element),
    private readonly others: Box[] = [],
  ) {
    this.boxes = [{ element, former }];
    this.shownAround = this.textAround();
    addListener(element, 'blur', this.onBlur, true);
    addListener(element, 'input', this.onInput, true);
  }

  /** All fields that have taken of the text. */
  get taken(): Box[] {
    return [...this.boxes, ...this.others];
  }

  /** The field that takes the next key. */
  private get last(): Box {
    return this.boxes.at(-1) ?? this.boxes[0];
  }

  private readonly onBlur = (): void => {
    this.hasLostFocus = true;
  };

  private readonly onInput = (): void => {
    this.hasInput = true;
  };

  // --- where keys may go ---

  /** Keep keys from what takes the focus without being meant. */
  guard(): void {
    this.guardedUntil = performance.now() + GUARD_MILLISECONDS;
    for (const view of this.views()) for (const kind of GUARDED) addListener(view, kind, this.onKey, true);
  }

  endGuard(): void {
    this.guardedUntil = 0;
    for (const view of this.views()) for (const kind of GUARDED) removeListener(view, kind, this.onKey, true);
  }

  end(): void {
    this.endGuard();
    const { element } = this.boxes[0];
    removeListener(element, 'blur', this.onBlur, true);
    removeListener(element, 'input', this.onInput, true);
  }

  private views(): Set<Window> {
    const view = windowOf(ownerOf(this.boxes[0].element));
    return new Set(view ? [window, view] : [window]);
  }

  private readonly onKey = (event: Event): void => {
    if (!event.isTrusted || this.takesKey(focusedElement())) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };

  /** Whether a key may reach the element with the focus. */
  takesKey(focused: Element | null): boolean {
    const now = performance.now();
    if (now > this.guardedUntil) {
      if (this.guardedUntil) this.endGuard();
      return true;
    }
    this.guardedUntil = now + GUARD_MILLISECONDS;
    const { element } = this.last;
    if (focused && (focused === element || holds(element, focused))) return true;
    if (focused && this.isSuccessor(focused)) {
      const known = this.others.find((box) => box.element === focused);
      this.boxes.push({ element: focused, former: known?.former ?? fieldContent(focused) });
      return true;
    }
    this.strays++;
    this.place = focused;
    return false;
  }

  /**
   * Whether the page hands the text on to another field: to one that has replaced this one, that it has only just shown,
   * or that comes next where this one is full.
   */
  private isSuccessor(focused: Element): boolean {
    const { element } = this.last;
    if (!isTypingField(focused)) return false;
    if (!isAttached(element) || !isVisible(element) || !numberOfElement.has(focused)) return true;
    if (!isTextControl(focused) || !isTextControl(element)) return false;
    const { length } = contentOf(element);
    if (length > 0 && length >= maxLengthOf(element)) return true;
    const [one, other] = [boxOf(element).width, boxOf(focused).width];
    const isAlike = one <= NARROW && Math.abs(one - other) <= 2 && inputTypeOf(element) === inputTypeOf(focused);
    return length > 0 && isAlike;
  }

  // --- what became of the text ---

  /** An element that has taken the place of the field. */
  replaceField(heir: Element): void {
    if (isAttached(this.boxes[0].element)) return;
    if (this.editor) this.editor = editorOf(heir) ?? this.editor;
    this.boxes[0].element = this.editor?.input ?? heir;
  }

  /** Take what a field holds now for what was to be written. */
  take(element: Element): void {
    this.others.push(...this.boxes.splice(1));
    this.boxes[0].element = element;
    this.strays = 0;
    this.intended = this.held();
  }

  /** More fields that take of the text, behind the first. */
  spread(elements: readonly Element[]): void {
    for (const element of elements) this.boxes.push({ element, former: fieldContent(element) });
  }

  /** Take what these fields, one for each that takes of the text, hold now for what was to be written. */
  takeAll(elements: readonly Element[]): void {
    for (const [at, box] of this.boxes.entries()) box.element = elements[at] ?? box.element;
    this.strays = 0;
    this.intended = this.held();
  }

  /** All of the text that the field should hold. */
  wanted(text: string | null): string {
    if (text === null) return this.intended ?? '';
    return (this.before ?? '') + text.replace(/\r\n?/g, '\n');
  }

  /** What the fields hold, one after the other; without those that have been replaced. */
  private held(): string {
    if (this.editor) return isAttached(this.editor.root) ? heldText(this.editor) : '';
    const attached = this.boxes.filter(({ element }) => isAttached(element));
    return (attached.length ? attached : [this.last]).map(({ element }) => fieldContent(element)).join('');
  }

  report(text: string | null): WrittenValue {
    this.endGuard();
    const { element } = this.boxes[0];
    const wanted = this.wanted(text);
    const held = this.held();
    const outcome = this.outcome(wanted, held);
    const focused = focusedElement();
    const isHidden = this.boxes.some((box) => isSecret(box.element));
    const isAway = outcome === 'other' && this.hasLostFocus && !hasCursor(this.last.element);
    const place = this.place ?? (isAway && focused !== element ? focused : null);
    return {
      outcome,
      length: held.length,
      wanted: wanted.length,
      held_text: isHidden ? null : held,
      wanted_text: isHidden ? null : wanted,
      unchanged: this.boxes.every((box) => fieldContent(box.element) === box.former && !isUnread(box.element)),
      taken: this.hasInput,
      attached: isAttached(element),
      away: isAway || this.strays > 0,
      place: place && shortDescription(place),
      frame: place !== null && isFrame(place),
      forms: outcome === 'other' && text !== null && !this.before ? numberForms(text) : [],
    };
  }

  private outcome(wanted: string, held: string): WriteOutcome | 'other' {
    const { element } = this.last;
    if (this.editor) {
      const [text, all] = [withoutSpace(wanted), withoutSpace(held)];
      return this.editor.family?.isCode || (text ? all.includes(text) : all === '') ? 'whole' : 'other';
    }
    if (this.before === null) {
      const isLost = this.hasLostFocus && !hasCursor(element) && !lettersOf(held).includes(lettersOf(wanted));
      const isUntouched = wanted !== '' && !this.hasInput && held === this.boxes[0].former;
      return isLost || isUntouched || this.strays ? 'other' : 'whole';
    }
    if (this.boxes.length > 1) {
      if (held === wanted) return 'whole';
      return lettersOf(held) === lettersOf(wanted) && lettersOf(wanted) !== '' ? 'formatted' : 'other';
    }
    const outcome = outcomeOf(element, wanted);
    if (outcome) return outcome === 'limited' && this.others.length ? 'other' : outcome;
    return this.isCompleted(wanted, held) || this.isTokenised(wanted, held) ? 'whole' : 'other';
  }

  /** Whether the page has completed the text, and has selected what it added: the next key replaces that. */
  private isCompleted(wanted: string, held: string): boolean {
    const { selectionStart, selectionEnd } = this.last.element as HTMLInputElement;
    if (selectionStart !== wanted.length || selectionEnd !== held.length) return false;
    return held.toLowerCase().startsWith(wanted.toLowerCase());
  }

  /** Whether the page has made tokens of the text, or of all but its end, which stand beside the field. */
  private isTokenised(wanted: string, held: string): boolean {
    const parts = wanted
      .split(/[,;\n\t]/)
      .map(collapse)
      .filter(Boolean);
    if (!parts.length || held.length >= wanted.length || isSecret(this.last.element)) return false;
    const around = this.textAround();
    if (parts.at(-1) === collapse(held)) parts.pop();
    else if (held.trim() !== '') return false;
    return parts.length > 0 && parts.every((part) => around.includes(part) && !this.shownAround.includes(part));
  }

  /** The text around the field, as far up as it is short. */
  private textAround(): string {
    const { element } = this.boxes[0];
    if (!isTextControl(element)) return '';
    let text = '';
    let above = parentElementOf(element);
    for (let level = 0; above && level < TOKEN_LEVELS; level++, above = parentElementOf(above)) {
      const longer = textContentOf(above);
      if (longer.length > MAX_TOKEN_TEXT) break;
      text = longer;
    }
    return collapse(text);
  }
}

const GUARDED = ['keydown', 'beforeinput'] as const;

// --- the entries of the last command, of a form's fields one after the other ---

const MAX_ENTRIES = 50;
const entries = new Map<number, TextEntry>();
let current: TextEntry | null = null;

/** again: the same text is written once more, so that what the field held before it remains what it held. */
export function beginEntry(number: number, element: Element, before: string | null, again = false): TextEntry {
  const earlier = again ? entries.get(number) : undefined;
  current?.end();
  current = new TextEntry(number, element, before, earlier?.boxes[0].former, earlier?.taken.slice(1));
  entries.delete(number);
  entries.set(number, current);
  for (const oldest of entries.keys()) if (entries.size > MAX_ENTRIES) entries.delete(oldest);
  return current;
}

/** The entry into an element, or the last one into any. */
export const entryOf = (element?: Element): TextEntry | null =>
  element ? (entries.get(numberOf(element)) ?? null) : current;

/** The field that text went into in the place of an element that has left the page, or null. */
export function fieldInPlaceOf(number: number): Element | null {
  const element = entries.get(number)?.boxes[0].element;
  return element && isAttached(element) ? element : null;
}

/** Whether a key that a script dispatches may reach the element with the focus. */
export const takesKey = (focused: Element): boolean => current?.takesKey(focused) ?? true;

/** How a field holds the text that was to be written, or null if it does not. */
export function outcomeOf(element: Element, wanted: string): WriteOutcome | null {
  if (!isAttached(element)) return null;
  const held = fieldContent(element);
  if (tagOf(element) === 'input' || tagOf(element) === 'textarea')
    return writtenOutcome(wanted, held, traitsOf(element));
  return withoutSpace(held) === withoutSpace(wanted) ? 'whole' : null;
}

/** Whether a number field shows something that it does not take for a number, and so has no value. */
const isUnread = (element: Element): boolean =>
  tagOf(element) === 'input' && (element as HTMLInputElement).validity?.badInput;

/** What it holds that takes its value whole, or by keys. */
export const fieldContent = (element: Element): string =>
  tagOf(element) === 'input' ? valueOf(element) : contentOf(element);

const withoutSpace = (text: string): string => text.replace(/[\s\u200b\ufeff]+/g, '');

function traitsOf(element: Element): FieldTraits {
  const type = tagOf(element) === 'input' ? inputTypeOf(element) : '';
  const said = `${attribute(element, 'autocomplete') ?? ''} ${attribute(element, 'inputmode') ?? ''}`;
  const isNumber = type === 'number' || authoredRole(element) === 'spinbutton';
  const kind = isNumber
    ? 'number'
    : type === 'color'
      ? 'color'
      : /\btel\b/.test(`${type} ${said}`)
        ? 'telephone'
        : 'text';
  return { kind, maxLength: maxLengthOf(element), monthNamed: (text) => monthNames().named(text) };
}

/** The field holds the text that was written into it, or, without `text`, what it held once that was done. */
export function verifyValue(element: Element, { text }: ValueExpectation): VerifyResponse {
  let entry = current?.boxes[0].element === element ? current : entryOf(element);
  entry?.replaceField(element);
  if (!entry) {
    if (text === null || (!isTypingField(element) && !isInEditing(element))) return { holds: false, gone: true };
    entry = new TextEntry(numberOf(element), element, '');
    entry.end();
  }
  const written = entry.report(text);
  const isDone = written.outcome !== 'other';
  return isDone ? { holds: true, written } : { holds: false, again: true, written };
}
