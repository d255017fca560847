// Selectors in both directions: elements by CSS (through open shadow roots and same-origin frames) and XPath, and an
// element's own.

import {
  attribute,
  evaluateXPath,
  isDocument,
  isElement,
  isHtml,
  localNameOf,
  nextSiblingOf,
  parentOf,
  previousSiblingOf,
  rootOf,
} from './natives';
import type { Root } from './natives';
import { Refusal } from './refusal';
import { isBanner, queryAll } from './banner';
import { allElements, currentCache } from './snapshot';

const escapeCss = CSS.escape.bind(CSS);
const SNAPSHOT = 7; // XPathResult.ORDERED_NODE_SNAPSHOT_TYPE
const STABLE_ATTRIBUTES = ['data-testid', 'data-test', 'name', 'aria-label', 'placeholder'];

/** All elements that match, in walk order. */
export function queryPage(css: string): Element[] {
  const found: Element[] = [];
  allElements();
  for (const tree of currentCache().trees) {
    try {
      for (const element of queryAll(tree.root, css)) found.push(element);
    } catch {
      throw new Refusal('SELECTOR_INVALID', `not a CSS selector: ${css}`);
    }
  }
  return found.length > 1 && currentCache().trees.length > 1 ? inWalkOrder(found) : found;
}

export function queryFirst(css: string): Element | null {
  return queryPage(css)[0] || null;
}

function inWalkOrder(elements: readonly Element[]): Element[] {
  const wanted = new Set(elements);
  return allElements().filter((element) => wanted.has(element));
}

export function queryXPath(expression: string): Element[] {
  const found: Element[] = [];
  allElements();
  for (const tree of currentCache().trees) {
    if (!isDocument(tree.root)) continue;
    let result;
    try {
      result = evaluateXPath(tree.root, expression, tree.root, null, SNAPSHOT, null);
    } catch {
      throw new Refusal('SELECTOR_INVALID', `not an XPath expression: ${expression}`);
    }
    for (let index = 0; index < result.snapshotLength; index++) {
      const node = result.snapshotItem(index);
      if (node && isElement(node) && !isBanner(node)) found.push(node);
    }
  }
  return found;
}

/** A CSS selector that finds this element and no other in its tree: by id, by a telling attribute, else by its path. */
export function selectorOf(element: Element): string {
  const root = rootOf(element) as Root | Element;
  const unique = (css: string) => queryAll(root, css).length === 1;
  const id = attribute(element, 'id');
  if (id && unique(`#${escapeCss(id)}`)) return `#${escapeCss(id)}`;
  const tag = escapeCss(localNameOf(element));
  for (const name of STABLE_ATTRIBUTES) {
    const value = attribute(element, name);
    const css = value && value.length < 100 && `${tag}[${name}="${escapeString(value)}"]`;
    if (css && unique(css)) return css;
  }
  const steps = [];
  for (let node: Node | null = element; node && isElement(node); node = parentOf(node)) {
    const own = attribute(node, 'id');
    if (node !== element && own && unique(`#${escapeCss(own)}`)) {
      steps.unshift(`#${escapeCss(own)}`);
      break;
    }
    steps.unshift(stepOf(node));
  }
  return steps.join(' > ');
}

const escapeString = (text: string): string =>
  text.replace(/["\\]/g, '\\$&').replace(/[\n\r\f]/g, (character) => `\\${character.charCodeAt(0).toString(16)} `);

function stepOf(element: Element): string {
  const tag = escapeCss(localNameOf(element));
  const { index, count } = placeAmongSiblings(element);
  return count > 1 ? `${tag}:nth-of-type(${index})` : tag;
}

function placeAmongSiblings(element: Element): { index: number; count: number } {
  let index = 1;
  let count = 1;
  const tag = localNameOf(element);
  for (let node = previousSiblingOf(element); node; node = previousSiblingOf(node)) {
    if (isElement(node) && localNameOf(node) === tag) index++;
  }
  count = index;
  for (let node = nextSiblingOf(element); node; node = nextSiblingOf(node)) {
    if (isElement(node) && localNameOf(node) === tag) count++;
  }
  return { index, count };
}

/** The XPath from the root of the element's tree; elements outside the HTML namespace are found by local name. */
export function xpathOf(element: Element): string {
  const steps = [];
  for (let node: Node | null = element; node && isElement(node); node = parentOf(node)) {
    const { index, count } = placeAmongSiblings(node);
    const name = isHtml(node) ? localNameOf(node) : `*[local-name()="${localNameOf(node)}"]`;
    steps.unshift(count > 1 ? `${name}[${index}]` : name);
  }
  return `/${steps.join('/')}`;
}
