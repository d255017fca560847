// The text of an editor as its document has it, with its line breaks: each block is a line, or a paragraph where the
// editor's own paste makes paragraphs at blank lines.

import {
  ELEMENT_NODE,
  FRAGMENT_NODE,
  TEXT_NODE,
  attribute,
  bodyOf,
  boxOf,
  closest,
  contains,
  dataOf,
  dispatch,
  documentElementOf,
  firstChildOf,
  frameDocument,
  hostOf,
  matches,
  nextSiblingOf,
  nodeTypeOf,
  parentOf,
  previousSiblingOf,
  tagOf,
  textContentOf,
} from '../dom/natives';
import { Refusal } from '../dom/refusal';
import { pause } from '../dom/timing';
import { queryAll } from '../dom/banner';
import { elementAbove, frameElementOf, isAttached } from '../dom/tree';
import { refreshCache } from '../dom/snapshot';
import { isStyledVisible, isVisible, styleOf } from '../geometry/visibility';
import { isEditable } from '../semantics/values';
import { TEXTLESS } from '../semantics/names';
import { isInEditing, keyTarget } from '../semantics/text_controls';
import { EDITOR_FAMILIES } from './editor_families';

/** What fills empty lines and marks cursors, and is no text. */
const EDITOR_FILLERS = /\ufeff|\u2060{7}/g;

/** One block of an editor while it is read: the texts of the blocks in it, and the line that has begun. */
class EditorBlock {
  constructor(node, parts) {
    this.isItem = tagOf(node) === 'li' || tagOf(node) === 'tr';
    this.parts = parts;
    this.line = null;
    this.endsWithBreak = false;
  }

  add(text, isExact) {
    if (text === '') return;
    const line = this.line || '';
    const flat = isExact || (line !== '' && !/[ \n]$/.test(line)) ? text : text.replace(/^ +/, '');
    if (flat === '' && this.line === null) return;
    this.line = line + flat;
    this.endsWithBreak = isExact && flat.endsWith('\n');
    this.isExact = isExact;
  }

  breakLine() {
    this.line = `${this.trimmed()}\n`;
    this.endsWithBreak = true;
  }

  trimmed() {
    const line = this.line || '';
    return this.isExact ? line : line.replace(/ +$/, '');
  }

  /** End the line that has begun, because a block follows or the block ends. A break at its end only fills the line. */
  endLine() {
    if (this.line === null) return;
    const line = this.endsWithBreak ? this.line.slice(0, -1) : this.trimmed();
    this.parts.push({ text: line.replace(/\u00a0/g, this.isExact ? '\u00a0' : ' '), isItem: this.isItem });
    this.line = null;
    this.endsWithBreak = false;
  }
}

/** The text in an editing host. */
function editorText({ root, family }) {
  const parts = [];
  const outer = new EditorBlock(root, parts);
  const pending = childNodesOf(root).map((node) => [node, outer]);
  while (pending.length) {
    const step = pending.pop();
    if (typeof step === 'function') step();
    else readEditorNode(...step, pending);
  }
  outer.endLine();
  const isSpaced = (at) => family && family.hasParagraphs && !parts[at].isItem && !parts[at - 1].isItem;
  return parts.map(({ text }, at) => (at ? (isSpaced(at) ? '\n\n' : '\n') : '') + text).join('');
}

/** The nodes below a node, the last first. */
function childNodesOf(node) {
  const nodes = [];
  for (let child = firstChildOf(node); child; child = nextSiblingOf(child)) nodes.push(child);
  return nodes.reverse();
}

function readEditorNode(node, block, pending) {
  if (nodeTypeOf(node) === TEXT_NODE) return readEditorText(node, block);
  if (nodeTypeOf(node) !== ELEMENT_NODE || TEXTLESS.has(tagOf(node))) return;
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
const isWidget = (node) => attribute(node, 'contenteditable') === 'false';

function readEditorText(node, block) {
  const { whiteSpace } = styleOf(parentOf(node));
  const text = dataOf(node).replace(EDITOR_FILLERS, '');
  if (text === '\u200b') return;
  const isExact = whiteSpace.startsWith('pre') || whiteSpace.startsWith('break');
  block.add(isExact ? text : text.replace(/[\t\n\f\r ]+/g, ' '), isExact);
}

// Text editors: which one a target means, what takes its keys, how text is pasted into it, and where its own object is.
// An editor is one of `EDITOR_FAMILIES`, or any editing host
// (https://html.spec.whatwg.org/multipage/interaction.html#editing-host).

const FIELD_SELECTOR = 'input:not([type=hidden]),textarea,[contenteditable]';

/**
 * The editor that an element belongs to, contains as its only field, or is the hidden source of: `{root, input,
 * family}`, or null. `family` is null for an editing host of no known family.
 */
export function editorOf(element) {
  const inner = editableBody(element);
  if (inner) return editorAt(inner);
  return editorAround(element) || editorInside(element) || editorBeside(element);
}

/** The body of the document in a frame element, if that is an editor: https://www.tiny.cloud/docs/ */
function editableBody(element) {
  const inner = frameDocument(element);
  const body = inner && bodyOf(inner);
  return body && isInEditing(body) ? body : null;
}

function editorAround(element) {
  for (const family of EDITOR_FAMILIES) {
    if (!family.input) continue;
    const root = closest(element, family.root);
    if (root) return editorWithin(root, family);
  }
  return isInEditing(element) ? editorAt(element) : null;
}

function editorWithin(root, family) {
  const input = queryAll(root, family.input)[0];
  return input ? { root, input, family } : null;
}

/** The editor whose host an element is, or lies in. */
function editorAt(element) {
  let host = element;
  for (let above = elementAbove(host); above && isInEditing(above); above = elementAbove(host)) host = above;
  const family = EDITOR_FAMILIES.find((each) => !each.input && matches(host, each.root)) || null;
  return { root: host, input: host, family };
}

/** The only editor inside an element that has no other field. */
function editorInside(element) {
  const found = [];
  for (const family of EDITOR_FAMILIES)
    if (family.input) for (const root of queryAll(element, family.root)) found.push(editorWithin(root, family));
  for (const frame of queryAll(element, 'iframe')) if (editableBody(frame)) found.push(editorAt(editableBody(frame)));
  const isOther = (field) => !found.some((each) => each && contains(each.root, field));
  const others = Array.from(queryAll(element, FIELD_SELECTOR)).filter((field) => isOther(field) && isVisible(field));
  const hosts = others.filter(isEditable).filter((host) => !isInEditing(elementAbove(host) || documentElementOf(document)));
  if (others.some((field) => !isInEditing(field))) return null;
  found.push(...hosts.map(editorAt));
  return found.length === 1 ? found[0] : null;
}

/** The editor that stands in for a hidden field, right after it. */
function editorBeside(element) {
  if (isStyledVisible(element)) return null;
  for (let next = nextSiblingOf(element); next; next = nextSiblingOf(next)) {
    if (nodeTypeOf(next) !== ELEMENT_NODE) continue;
    return editorAround(next) || editorInside(next);
  }
  return null;
}

/**
 * The way from this scanner's document to an element, for the page's own world: positions among elements, `shadow`,
 * `frame`.
 */
function pathTo(element) {
  const path = [];
  for (let node = element; node; ) {
    let position = 0;
    for (let before = previousSiblingOf(node); before; before = previousSiblingOf(before))
      if (nodeTypeOf(before) === ELEMENT_NODE) position++;
    path.push(position);
    const above = parentOf(node);
    if (nodeTypeOf(above) === ELEMENT_NODE) node = above;
    else if (nodeTypeOf(above) === FRAGMENT_NODE) {
      path.push('shadow');
      node = hostOf(above);
    } else {
      node = above === document ? null : frameElementOf(above);
      if (node) path.push('frame');
    }
  }
  return path.reverse();
}

/** What the engine needs to read and write an editor; `path` leads to an object in the page's own world, or is null. */
export const editorData = ({ root, family }) => ({
  code: Boolean(family && family.isCode),
  path: family && family.read ? pathTo(root) : null,
});

/** The text of an editor, or of the lines that it renders, if only its object has all. */
export function heldText(editor) {
  const { root, family } = editor;
  if (!family || !family.isCode) return editorText(editor);
  const top = new Map();
  for (const line of queryAll(root, family.lines)) top.set(line, boxOf(line).top);
  const lines = Array.from(top.keys()).sort((one, other) => top.get(one) - top.get(other));
  return lines.map((line) => textContentOf(line).replace(/\u00a0/g, ' ').replace(EDITOR_FILLERS, '')).join('\n');
}

/**
 * A paste, as the page's own scripts see it. `taken`: whether they have done it, at once or in a task of their own; a
 * script can't do the browser's part.
 */
export async function paste({ text }) {
  if (typeof text !== 'string') throw new Refusal('INVALID_REQUEST', 'text is required');
  const element = keyTarget();
  const editor = editorOf(element);
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  const html = editor && editor.family && editor.family.html ? editor.family.html(text) : null;
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
export function copy() {
  const clipboardData = new DataTransfer();
  const init = { bubbles: true, cancelable: true, composed: true, clipboardData };
  const isTaken = !dispatch(keyTarget(), new ClipboardEvent('copy', init));
  return { text: isTaken ? clipboardData.getData('text/plain') : null };
}
