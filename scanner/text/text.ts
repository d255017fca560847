// The text that a page shows, as innerText gives it
// (https://html.spec.whatwg.org/multipage/dom.html#the-innertext-idl-attribute), and also through open shadow roots and
// same-origin frames.

import {
  ELEMENT_NODE,
  SVG,
  TEXT_NODE,
  bodyOf,
  dataOf,
  frameDocument,
  namespaceOf,
  nextSiblingOf,
  nodeTypeOf,
  optionsOf,
  tagOf,
} from '../dom/natives';
import { composedParent } from '../dom/tree';
import { isStyledVisible, styleOf } from '../geometry/visibility';
import { TEXTLESS, flatChildren } from '../semantics/names';

// https://www.w3.org/TR/SVG2/struct.html#DescriptionAndTitleElements: never drawn, and not a tooltip either as titles are
const SVG_DESCRIPTIONS = new Set(['desc', 'metadata']);

class Rendering {
  constructor() {
    this.parts = [];
    this.breaks = 0; // line breaks required before the next text
    this.line = ''; // the line so far
  }

  text(text) {
    const flat =
      /^\s/.test(text) && (this.line === '' || this.breaks || /[\s]$/.test(this.line)) ? text.replace(/^ +/, '') : text;
    if (!flat) return;
    this.flush();
    this.line += flat;
  }

  exact(text) {
    this.flush();
    this.line += text;
  }

  flush() {
    if (!this.breaks) return;
    this.endLine();
    for (let extra = this.breaks; extra > 1 && this.parts.length; extra--) this.parts.push('');
    this.breaks = 0;
  }

  endLine() {
    const line = this.line.replace(/ +$/, '');
    if (line || this.parts.length) this.parts.push(line);
    this.line = '';
  }

  block(lines) {
    if (this.line.trim() || this.breaks) this.breaks = Math.max(this.breaks, lines);
    else this.line = '';
  }

  newline() {
    this.flush();
    this.parts.push(this.line.replace(/ +$/, ''));
    this.line = '';
  }

  finish() {
    if (this.line.trim()) this.parts.push(this.line.replace(/ +$/, ''));
    return this.parts.join('\n').replace(/^\n+|\n+$/g, '');
  }
}

/** The rendered text of an element, or of a document's body. */
export function renderedText(element) {
  const rendering = new Rendering();
  const pending = [element];
  while (pending.length) {
    const step = pending.pop();
    if (typeof step === 'function') step();
    else renderNode(step, rendering, pending);
  }
  return rendering.finish();
}

function renderNode(node, rendering, pending) {
  if (nodeTypeOf(node) === TEXT_NODE) return renderText(node, rendering);
  if (nodeTypeOf(node) !== ELEMENT_NODE) return;
  const tag = tagOf(node);
  const inner = frameDocument(node);
  if (inner) {
    const body = bodyOf(inner);
    if (!body || !isStyledVisible(node)) return;
    rendering.block(1);
    pending.push(() => rendering.block(1), body);
    return;
  }
  if (TEXTLESS.has(tag) || tag === 'textarea' || tag === 'input') return;
  if (SVG_DESCRIPTIONS.has(tag) && namespaceOf(node) === SVG) return;
  const { display } = styleOf(node);
  if (display === 'none') return;
  if (tag === 'br') return rendering.newline();
  const lines = tag === 'p' ? 2 : blockLines(display);
  const after = tag === 'select' ? null : cellEnd(node, display, rendering);
  if (lines) rendering.block(lines);
  if (lines || after) pending.push(() => (after ? after() : rendering.block(lines)));
  const nodes = tag === 'select' ? optionsOf(node) : flatChildren(node);
  for (let index = nodes.length - 1; index >= 0; index--) {
    if (tag === 'select') pending.push(() => rendering.block(1));
    pending.push(nodes[index]);
  }
}

function blockLines(display) {
  return display.startsWith('inline') ||
    display === 'contents' ||
    display === 'table-cell' ||
    display.startsWith('ruby')
    ? 0
    : 1;
}

function cellEnd(node, display, rendering) {
  if (display !== 'table-cell') return null;
  for (let next = nextSiblingOf(node); next; next = nextSiblingOf(next)) {
    if (nodeTypeOf(next) === ELEMENT_NODE && styleOf(next).display === 'table-cell') {
      return () => {
        rendering.breaks = 0;
        rendering.exact('\t');
      };
    }
  }
  return null;
}

function renderText(node, rendering) {
  const parent = composedParent(node);
  if (!parent || nodeTypeOf(parent) !== ELEMENT_NODE) return;
  const { visibility, whiteSpace, textTransform } = styleOf(parent);
  if (visibility !== 'visible') return;
  const data = transformed(dataOf(node), textTransform);
  if (!whiteSpace.startsWith('pre') && !whiteSpace.startsWith('break'))
    return rendering.text(data.replace(/[\t\n\f\r ]+/g, ' '));
  const lines = (whiteSpace === 'pre-line' ? data.replace(/[\t\f\r ]+/g, ' ') : data).split(/\r?\n/);
  lines.forEach((line, index) => {
    if (index) rendering.newline();
    if (line) rendering.exact(line);
  });
}

function transformed(text, transform) {
  if (transform === 'uppercase') return text.toUpperCase();
  if (transform === 'lowercase') return text.toLowerCase();
  return transform === 'capitalize'
    ? text.replace(/(^|[\s("'-])(\p{L})/gu, (all, before, letter) => before + letter.toUpperCase())
    : text;
}
