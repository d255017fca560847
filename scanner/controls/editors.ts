// Text editors: which one a target means, what takes its keys, how text is pasted into it, and where its own object is.
// An editor is one of `EDITOR_FAMILIES`, or any editing host
// (https://html.spec.whatwg.org/multipage/interaction.html#editing-host).

import {
  attribute,
  bodyOf,
  boxOf,
  closest,
  contains,
  dataOf,
  dispatch,
  firstChildOf,
  frameDocument,
  hostOf,
  isDocument,
  isElement,
  isText,
  matches,
  nextSiblingOf,
  parentElementOf,
  parentOf,
  previousSiblingOf,
  tagOf,
  textContentOf,
} from '../dom/natives';
import type { EditorData, EditorStep, EditorTextResponse, PasteRequest, PasteResponse } from '../dom/protocol';
import { Refusal } from '../dom/refusal';
import { pause } from '../dom/timing';
import { queryAll } from '../dom/banner';
import { elementAbove, frameElementOf, isAttached } from '../dom/tree';
import { refreshCache } from '../dom/snapshot';
import { isStyledVisible, styleOf } from '../geometry/styles';
import { isVisible } from '../geometry/visibility';
import { isEditable } from '../semantics/values';
import { TEXTLESS } from '../semantics/names';
import { isInEditing, isPlainText, keyTarget } from '../semantics/text_controls';
import { EDITOR_FAMILIES } from './editor_families';
import type { CodeFamily, EditorFamily } from './editor_families';

export interface Editor {
  readonly root: Element;
  /** What takes the keys. */
  readonly input: Element;
  /** Null for an editing host of no known family. */
  readonly family: EditorFamily | null;
}

const FIELD_SELECTOR = 'input:not([type=hidden]),textarea,[contenteditable]';

/** The editor that an element belongs to, contains as its only field, or is the hidden source of; or null. */
export function editorOf(element: Element): Editor | null {
  const inner = editableBody(element);
  if (inner) return editorAt(inner);
  return editorAround(element) || editorInside(element) || editorBeside(element);
}

/** The body of the document in a frame element, if that is an editor: https://www.tiny.cloud/docs/ */
function editableBody(element: Element): Element | null {
  const inner = frameDocument(element);
  const body = inner && bodyOf(inner);
  return body && isInEditing(body) ? body : null;
}

function editorAround(element: Element): Editor | null {
  for (const family of EDITOR_FAMILIES) {
    if (!family.isCode) continue;
    const root = closest(element, family.root);
    if (root) return editorWithin(root, family);
  }
  return isInEditing(element) ? editorAt(element) : null;
}

function editorWithin(root: Element, family: CodeFamily): Editor | null {
  const input = queryAll(root, family.input)[0];
  return input ? { root, input, family } : null;
}

/** The editor whose host an element is, or lies in. */
function editorAt(element: Element): Editor {
  let host = element;
  for (let above = elementAbove(host); above && isInEditing(above); above = elementAbove(host)) host = above;
  const family = EDITOR_FAMILIES.find((each) => !each.isCode && matches(host, each.root)) || null;
  return { root: host, input: host, family };
}

/** The only editor inside an element that has no other field. */
function editorInside(element: Element): Editor | null {
  const found: (Editor | null)[] = [];
  for (const family of EDITOR_FAMILIES)
    if (family.isCode) for (const root of queryAll(element, family.root)) found.push(editorWithin(root, family));
  for (const frame of queryAll(element, 'iframe')) {
    const body = editableBody(frame);
    if (body) found.push(editorAt(body));
  }
  const isOther = (field: Element) => !found.some((each) => each && contains(each.root, field));
  const others = Array.from(queryAll(element, FIELD_SELECTOR)).filter((field) => isOther(field) && isVisible(field));
  const hosts = others.filter(isEditable).filter((host) => !isInEditing(elementAbove(host) || element));
  if (others.some((field) => !isInEditing(field))) return null;
  found.push(...hosts.map(editorAt));
  return (found.length === 1 && found[0]) || null;
}

/** The editor that stands in for a hidden field, right after it. */
function editorBeside(element: Element): Editor | null {
  if (isStyledVisible(element)) return null;
  for (let next = nextSiblingOf(element); next; next = nextSiblingOf(next)) {
    if (!isElement(next)) continue;
    return editorAround(next) || editorInside(next);
  }
  return null;
}

/** What the engine needs to read and write an editor; `path` leads to an object in the page's own world, or is null. */
export const editorData = ({ root, family }: Editor): EditorData => ({
  code: Boolean(family?.isCode),
  path: family?.isCode ? pathTo(root) : null,
});

/** The way from this scanner's document to an element, for the page's own world. */
function pathTo(element: Element): EditorStep[] {
  const path: EditorStep[] = [];
  for (let node: Element | null = element; node;) {
    let position = 0;
    for (let before = previousSiblingOf(node); before; before = previousSiblingOf(before))
      if (isElement(before)) position++;
    path.push(position);
    const above: Node | null = parentOf(node);
    if (!above) break;
    if (isElement(above)) node = above;
    else if (isDocument(above)) {
      node = above === document ? null : frameElementOf(above);
      if (node) path.push('frame');
    } else {
      path.push('shadow');
      node = hostOf(above);
    }
  }
  return path.reverse();
}

/**
 * A paste, as the page's own scripts see it. `taken`: whether they have done it, at once or in a task of their own; a
 * script can't do the browser's part.
 */
export async function paste({ text }: PasteRequest): Promise<PasteResponse> {
  if (typeof text !== 'string') throw new Refusal('INVALID_REQUEST', 'text is required');
  const element = keyTarget();
  const editor = editorOf(element);
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  const html = editor?.family?.html?.(text) ?? null;
  if (html !== null) clipboardData.setData('text/html', html);
  const before = editor && heldText(editor);
  const init = { bubbles: true, cancelable: true, composed: true, clipboardData };
  if (!dispatch(element, new ClipboardEvent('paste', init))) return { taken: true };
  await pause(PASTE_TASK);
  refreshCache();
  return { taken: editor !== null && isAttached(editor.root) && heldText(editor) !== before };
}

/** Milliseconds in which a paste that the page has not prevented may still be done by its scripts. */
const PASTE_TASK = 20;

/** The selected text of the editor that has the focus, as its own scripts copy it; null if they don't. */
export function copy(): EditorTextResponse {
  const clipboardData = new DataTransfer();
  const init = { bubbles: true, cancelable: true, composed: true, clipboardData };
  const isTaken = !dispatch(keyTarget(), new ClipboardEvent('copy', init));
  return { text: isTaken ? clipboardData.getData('text/plain') : null };
}

/** What fills empty lines and marks cursors, and is no text. */
const EDITOR_FILLERS = /\ufeff|\u2060{7}/g;

/** The text of an editor, or of the lines that it renders, if only its object has all. */
export function heldText(editor: Editor): string {
  const { root, family } = editor;
  if (!family?.isCode) return textOfEditor(editor);
  const lines = Array.from(queryAll(root, family.lines), (line) => ({ line, top: boxOf(line).top }));
  lines.sort((one, other) => one.top - other.top);
  const textOf = (line: Element) =>
    textContentOf(line)
      .replace(/\u00a0/g, ' ')
      .replace(EDITOR_FILLERS, '');
  return lines.map(({ line }) => textOf(line)).join('\n');
}

// The text of an editor as its document has it, with its line breaks: each block is a line, or a paragraph where the
// editor's own paste makes paragraphs at blank lines.

/** The text of a block, without the blocks in it. */
interface Part {
  readonly text: string;
  readonly isItem: boolean;
}

/** A node that is still to be read, with the block that it is in, or the end of a block. */
type Pending = [node: Node, block: EditorBlock] | (() => void);

/** The text in an editing host. */
function textOfEditor({ root, family }: Editor): string {
  const parts: Part[] = [];
  const outer = new EditorBlock(root, parts);
  const pending = childNodesOf(root).map((node): Pending => [node, outer]);
  for (let step = pending.pop(); step; step = pending.pop()) {
    if (typeof step === 'function') step();
    else readEditorNode(...step, pending);
  }
  outer.endLine();
  const isSpaced = (before: Part, part: Part) => family?.hasParagraphs && !part.isItem && !before.isItem;
  const texts = parts.map((part, at) => {
    const before = parts[at - 1];
    return (before ? (isSpaced(before, part) ? '\n\n' : '\n') : '') + part.text;
  });
  return texts.join('');
}

/** The nodes below a node, the last first. */
function childNodesOf(node: Node): Node[] {
  const nodes: Node[] = [];
  for (let child = firstChildOf(node); child; child = nextSiblingOf(child)) nodes.push(child);
  return nodes.reverse();
}

function readEditorNode(node: Node, block: EditorBlock, pending: Pending[]): void {
  if (isText(node)) return readEditorText(node, block);
  if (!isElement(node) || TEXTLESS.has(tagOf(node))) return;
  if (tagOf(node) === 'br') return block.breakLine();
  const { display } = styleOf(node);
  if (display === 'none') return;
  if (display.startsWith('inline') || display === 'contents' || display === 'table-cell') {
    for (const child of childNodesOf(node)) pending.push([child, block]);
    return;
  }
  block.endLine();
  const inner = new EditorBlock(node, block.parts);
  const { length } = block.parts;
  pending.push(() => {
    inner.endLine();
    if (inner.parts.length === length && !isWidget(node)) inner.parts.push({ text: '', isItem: inner.isItem });
  });
  for (const child of childNodesOf(node)) pending.push([child, inner]);
}

/** An island of the editor's own, such as a button beside an image. */
const isWidget = (element: Element): boolean => attribute(element, 'contenteditable') === 'false';

function readEditorText(node: Text, block: EditorBlock): void {
  const parent = parentElementOf(node);
  const text = dataOf(node).replace(EDITOR_FILLERS, '');
  if (!parent || text === '\u200b') return;
  const { whiteSpace } = styleOf(parent);
  const isExact = whiteSpace.startsWith('pre') || whiteSpace.startsWith('break') || isPlainText(parent);
  block.add(isExact ? text : text.replace(/[\t\n\f\r ]+/g, ' '), isExact);
}

/** One block of an editor while it is read: the texts of the blocks in it, and the line that has begun. */
class EditorBlock {
  readonly isItem: boolean;
  private line: string | null = null;
  private endsWithBreak = false;
  private isExact = false;

  constructor(
    element: Element,
    readonly parts: Part[],
  ) {
    this.isItem = tagOf(element) === 'li' || tagOf(element) === 'tr';
  }

  add(text: string, isExact: boolean): void {
    if (text === '') return;
    const line = this.line || '';
    const flat = isExact || (line !== '' && !/[ \n]$/.test(line)) ? text : text.replace(/^ +/, '');
    if (flat === '' && this.line === null) return;
    this.line = line + flat;
    this.endsWithBreak = isExact && flat.endsWith('\n');
    this.isExact = isExact;
  }

  breakLine(): void {
    this.line = `${this.trimmed()}\n`;
    this.endsWithBreak = true;
  }

  private trimmed(): string {
    const line = this.line || '';
    return this.isExact ? line : line.replace(/ +$/, '');
  }

  /** End the line that has begun, because a block follows or the block ends. A break at its end only fills the line. */
  endLine(): void {
    if (this.line === null) return;
    const line = this.endsWithBreak ? this.line.slice(0, -1) : this.trimmed();
    this.parts.push({ text: line.replace(/\u00a0/g, this.isExact ? '\u00a0' : ' '), isItem: this.isItem });
    this.line = null;
    this.endsWithBreak = false;
  }
}
