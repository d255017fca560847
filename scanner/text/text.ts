// The text that a page shows, as innerText gives it
// (https://html.spec.whatwg.org/multipage/dom.html#the-innertext-idl-attribute), and also through open shadow roots and
// same-origin frames.

import {
  SVG,
  bodyOf,
  dataOf,
  frameDocument,
  isElement,
  isText,
  namespaceOf,
  nextSiblingOf,
  optionsOf,
  tagOf,
} from '../dom/natives';
import { composedParent } from '../dom/tree';
import { isStyledVisible, styleOf } from '../geometry/styles';
import { TEXTLESS, flatChildren } from '../semantics/names';

/** A node to render, or what is to be done after the nodes before it. */
type Step = Node | (() => void);

/** The rendered text of an element. */
export function renderedText(element: Element): string {
  const rendering = new Rendering();
  const pending: Step[] = [element];
  for (let step = pending.pop(); step; step = pending.pop()) {
    if (typeof step === 'function') step();
    else renderNode(step, rendering, pending);
  }
  return rendering.finish();
}

class Rendering {
  private readonly parts: string[] = [];
  breaks = 0; // line breaks required before the next text
  private line = ''; // the line so far

  text(text: string): void {
    const flat =
      /^\s/.test(text) && (this.line === '' || this.breaks || /[\s]$/.test(this.line)) ? text.replace(/^ +/, '') : text;
    if (!flat) return;
    this.flush();
    this.line += flat;
  }

  exact(text: string): void {
    this.flush();
    this.line += text;
  }

  private flush(): void {
    if (!this.breaks) return;
    this.endLine();
    for (let extra = this.breaks; extra > 1 && this.parts.length; extra--) this.parts.push('');
    this.breaks = 0;
  }

  private endLine(): void {
    const line = this.line.replace(/ +$/, '');
    if (line || this.parts.length) this.parts.push(line);
    this.line = '';
  }

  block(lines: number): void {
    if (this.line.trim() || this.breaks) this.breaks = Math.max(this.breaks, lines);
    else this.line = '';
  }

  newline(): void {
    this.flush();
    this.parts.push(this.line.replace(/ +$/, ''));
    this.line = '';
  }

  finish(): string {
    if (this.line.trim()) this.parts.push(this.line.replace(/ +$/, ''));
    return this.parts.join('\n').replace(/^\n+|\n+$/g, '');
  }
}

// https://www.w3.org/TR/SVG2/struct.html#DescriptionAndTitleElements: never drawn, and not a tooltip either as titles are
const SVG_DESCRIPTIONS = new Set(['desc', 'metadata']);

function renderNode(node: Node, rendering: Rendering, pending: Step[]): void {
  if (isText(node)) return renderText(node, rendering);
  if (!isElement(node)) return;
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
  const nodes: ArrayLike<Node> = tag === 'select' ? optionsOf(node) : flatChildren(node);
  for (let index = nodes.length - 1; index >= 0; index--) {
    const child = nodes[index];
    if (tag === 'select') pending.push(() => rendering.block(1));
    if (child) pending.push(child);
  }
}

function blockLines(display: string): number {
  return display.startsWith('inline') ||
    display === 'contents' ||
    display === 'table-cell' ||
    display.startsWith('ruby')
    ? 0
    : 1;
}

function cellEnd(cell: Element, display: string, rendering: Rendering): (() => void) | null {
  if (display !== 'table-cell') return null;
  for (let next = nextSiblingOf(cell); next; next = nextSiblingOf(next)) {
    if (isElement(next) && styleOf(next).display === 'table-cell') {
      return () => {
        rendering.breaks = 0;
        rendering.exact('\t');
      };
    }
  }
  return null;
}

function renderText(node: Text, rendering: Rendering): void {
  const parent = composedParent(node);
  if (!parent || !isElement(parent)) return;
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

function transformed(text: string, transform: string): string {
  if (transform === 'uppercase') return text.toUpperCase();
  if (transform === 'lowercase') return text.toLowerCase();
  return transform === 'capitalize'
    ? text.replace(/(^|[\s("'-])(\p{L})/gu, (_all, before: string, letter: string) => before + letter.toUpperCase())
    : text;
}
