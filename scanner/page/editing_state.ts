// What is selected, and how the text of editors is formatted: changes of a page that no other text shows.

import {
  attribute,
  bodyOf,
  closest,
  dataOf,
  isDocument,
  isElement,
  matches,
  ownerOf,
  parentElementOf,
  parentOf,
  tagOf,
  windowOf,
} from '../dom/natives';
import { method } from '../dom/unbound';
import type { Root } from '../dom/natives';
import type { TextChange } from '../dom/protocol';
import { collapse } from '../dom/words';
import { queryAll } from '../dom/banner';
import { allElements, currentCache } from '../dom/snapshot';
import { isStyledVisible, styleOf } from '../geometry/styles';
import { isInEditing } from '../semantics/text_controls';
import { blockAround } from '../text/units';
import { focusedElement, isEditable, isSecret } from '../semantics/values';
import { textsIn } from '../dom/texts';

/** A part of an editor's text that is formatted alike. */
interface Run {
  readonly text: string;
  readonly formats: readonly string[];
  readonly block: Element;
}

export interface EditingState {
  /** The selected text of the page, or of the field that has the focus. */
  readonly selection: string;
  /** The field that has the focus, if the selection is in it. */
  readonly field: Element | null;
  readonly editors: ReadonlyMap<Element, readonly Run[]>;
}

const MAX_SELECTION = 80;
const MAX_EDITORS = 4;
const MAX_TEXTS = 400; // of one editor
const MAX_ROWS = 4;

/** What is selected now, and how the text of the editors is formatted. */
export function editingState(): EditingState {
  allElements();
  const field = focusedField();
  const editors = new Map<Element, readonly Run[]>();
  for (const host of editingHosts()) editors.set(host, runsOf(host));
  return { selection: shortened(field ? selectedInField(field) : selectedInPage()), field, editors };
}

const EDITING = '[contenteditable]:not([contenteditable=false i])';

function editingHosts(): Element[] {
  const hosts: Element[] = [];
  for (const { root } of currentCache().trees) {
    const body = isDocument(root) ? bodyOf(root) : null;
    if (body && isEditable(body)) hosts.push(body);
    for (const host of queryAll(root, EDITING)) {
      if (hosts.length >= MAX_EDITORS) return hosts;
      if (host !== body && !isInEditor(host) && isStyledVisible(host)) hosts.push(host);
    }
  }
  return hosts;
}

const isInEditor = (host: Element): boolean => {
  const above = parentElementOf(host);
  return above !== null && isInEditing(above);
};

type TextField = HTMLInputElement | HTMLTextAreaElement;

function focusedField(): TextField | null {
  const focused = focusedElement();
  return focused && (tagOf(focused) === 'input' || tagOf(focused) === 'textarea') ? (focused as TextField) : null;
}

function selectedInField(field: TextField): string {
  if (isSecret(field)) return '';
  try {
    return field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0);
  } catch {
    return ''; // a field of numbers has none
  }
}

const selectionOf = method(Document.prototype, 'getSelection');

/** A shadow root has a selection of its own in some browsers. */
const shadowSelectionOf = (root: Root): Selection | null =>
  (root as ShadowRoot & { getSelection?(): Selection | null }).getSelection?.() ?? null;

function selectedInPage(): string {
  for (const { root } of currentCache().trees) {
    const selection = isDocument(root) ? windowOf(root) && selectionOf(root) : shadowSelectionOf(root);
    if (selection && !selection.isCollapsed) {
      const text = collapse(String(selection));
      if (text) return text;
    }
  }
  return '';
}

const shortened = (text: string): string => {
  const line = collapse(text);
  return line.length > MAX_SELECTION ? `${line.slice(0, MAX_SELECTION - 1)}…` : line;
};

function runsOf(host: Element): Run[] {
  const runs: Run[] = [];
  const known = new Map<Element, readonly string[]>();
  const next = textsIn(ownerOf(host), host);
  for (let node = next(), left = MAX_TEXTS; node && left > 0; node = next(), left--) {
    const parent = parentOf(node);
    if (!parent || !isElement(parent)) continue;
    const text = dataOf(node).replace(/[\s\ufeff\u200b\u2060]+/g, ' ');
    if (!text.trim()) continue;
    const formats = known.get(parent) ?? formatsOf(parent, host);
    known.set(parent, formats);
    runs.push({ text, formats, block: blockAround(parent) });
  }
  return runs;
}

const INLINE_TAGS: Readonly<Record<string, string>> = { a: 'link', code: 'code', sup: 'superscript', sub: 'subscript' };
const BLOCK_TAGS: Readonly<Record<string, string>> = { blockquote: 'quote', pre: 'code block' };
const BOLD = 600;

function formatsOf(parent: Element, host: Element): readonly string[] {
  const formats = new Set<string>();
  let isHeading = false;
  for (let node: Element | null = parent; node && node !== host; node = parentElementOf(node)) {
    const tag = tagOf(node);
    const format = INLINE_TAGS[tag] ?? BLOCK_TAGS[tag];
    if (format) formats.add(format);
    if (/^h[1-6]$/.test(tag)) {
      isHeading = true;
      formats.add(`heading ${tag.slice(1)}`);
    }
    if (tag === 'li') formats.add(listFormat(node));
    const { textDecorationLine: line } = styleOf(node);
    if (tag !== 'a' && line.includes('underline')) formats.add('underlined');
    if (line.includes('line-through')) formats.add('struck through');
  }
  addStyles(formats, parent, host, isHeading);
  return [...formats];
}

function addStyles(formats: Set<string>, parent: Element, host: Element, isHeading: boolean): void {
  const [style, around] = [styleOf(parent), styleOf(host)];
  const isBold = (weight: string): boolean => parseInt(weight, 10) >= BOLD;
  if (!isHeading && isBold(style.fontWeight) && !isBold(around.fontWeight)) formats.add('bold');
  if (style.fontStyle !== 'normal' && around.fontStyle === 'normal') formats.add('italic');
  if (!isHeading && style.fontSize !== around.fontSize) formats.add(`size ${style.fontSize}`);
  if (style.color !== around.color && !formats.has('link')) formats.add(`color ${style.color}`);
  const align = style.textAlign;
  if (align !== around.textAlign && /center|right|end|justify/.test(align)) formats.add(`aligned ${align}`);
}

function listFormat(item: Element): string {
  const said = attribute(item, 'data-list'); // Quill's, whose lists are all ordered by their tag
  if (said) return `${said} list`;
  const list = closest(item, 'ol,ul');
  return list && matches(list, 'ol') ? 'numbered list' : 'bullet list';
}

/** Rows of what is selected now, and of the texts that are formatted otherwise than before. */
export function editingRows(before: EditingState, now: EditingState): TextChange[] {
  const rows: TextChange[] = [];
  if (now.selection && now.selection !== before.selection && (!now.field || now.field === before.field))
    rows.push({ change: 'changed', kind: 'selection', text: now.selection });
  for (const [host, runs] of now.editors) {
    const former = before.editors.get(host);
    if (former) rows.push(...formatRows(former, runs));
  }
  return rows.slice(0, MAX_ROWS);
}

/** Rows of the parts of the same text whose formats differ. */
function formatRows(before: readonly Run[], now: readonly Run[]): TextChange[] {
  const former = [...charactersOf(before)];
  const present = [...charactersOf(now)];
  if (former.length !== present.length || former.some(({ character }, at) => character !== present[at]?.character))
    return [];
  const rows: TextChange[] = [];
  let part = '';
  let change = '';
  const close = (): void => {
    if (change) rows.push({ change: 'changed', kind: 'format', text: shortened(part), format: change });
    part = '';
  };
  present.forEach(({ character, formats, follows }, at) => {
    const difference = differenceOf(former[at]?.formats ?? [], formats);
    if (difference !== change) close();
    change = difference;
    part += follows ? ` ${character}` : character;
  });
  close();
  return rows;
}

interface Character {
  readonly character: string;
  readonly formats: readonly string[];
  /** Whether a blank or a line's end is before it. */
  readonly follows: boolean;
}

function* charactersOf(runs: readonly Run[]): Generator<Character> {
  let block: Element | null = null;
  let follows = false;
  for (const run of runs) {
    follows ||= block !== run.block;
    block = run.block;
    for (const character of run.text) {
      if (character !== ' ') yield { character, formats: run.formats, follows };
      follows = character === ' ';
    }
  }
}

const differenceOf = (before: readonly string[], now: readonly string[]): string =>
  [
    ...now.filter((format) => !before.includes(format)),
    ...before.filter((format) => !now.includes(format)).map((format) => `not ${format}`),
  ].join(', ');
