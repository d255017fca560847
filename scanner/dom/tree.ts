// The order of everything: document order, where a shadow root's tree comes after its host and before the host's own
// children, and a same-origin frame's document right after the frame. The script that collects listener hints in the
// page's own world is this file too, so its positions and the scanner's agree.

import {
  DOCUMENT_NODE,
  ELEMENT_NODE,
  FRAGMENT_NODE,
  documentElementOf,
  frameDocument,
  hostOf,
  isConnected,
  isElement,
  isText,
  nodeTypeOf,
  ownerOf,
  parentOf,
  shadowOf,
  slotOf,
  tagOf,
  windowOf,
} from './natives';
import type { Root } from './natives';
import { Refusal } from './refusal';
import { queryAll } from './banner';
import { frameElementOfWindow } from './windows';

/**
 * The parent in the flat tree: the slot of a slotted node, the host of a shadow root's child, the frame of a document.
 */
export function composedParent(node: Node): Node | null {
  if (isElement(node)) {
    const slot = slotOf(node);
    if (slot) return slot;
  }
  const parent = parentOf(node);
  if (!parent) return null;
  return nodeTypeOf(parent) === FRAGMENT_NODE ? hostOf(parent) : parent;
}

/** The parent element across shadow roots and same-origin frames, or null at the top. */
export function elementAbove(element: Node): Element | null {
  const parent = composedParent(element);
  return parent && holderOf(parent);
}

/** The element that a parent node is or belongs to: a shadow root to its host, a document to its frame; or null. */
export function holderOf(parent: Node): Element | null {
  switch (nodeTypeOf(parent)) {
    case ELEMENT_NODE:
      return parent as Element;
    case FRAGMENT_NODE:
      return hostOf(parent);
    case DOCUMENT_NODE:
      return frameElementOf(parent as Document);
    default:
      return null;
  }
}

/** The element whose content a mutation has changed: itself, or the one around a text or a shadow root; or null. */
export function changedElement(target: Node): Element | null {
  const node = isText(target) ? parentOf(target) : target;
  return node && holderOf(node);
}

/** The frame element that shows this document, when it is of the same origin. */
export function frameElementOf(document: Document): Element | null {
  const view = windowOf(document);
  if (!view) return null;
  try {
    return frameElementOfWindow(view);
  } catch {
    return null;
  }
}

/** Whether an element is in a document that is shown, which a removed frame's is not. */
export function isAttached(element: Element): boolean {
  for (let node: Element | null = element; node; node = frameElementOf(ownerOf(node))) {
    if (!isConnected(node) || !windowOf(ownerOf(node))) return false;
    if (ownerOf(node) === document) return true;
  }
  return false;
}

/** The root of a document, which the page may have removed. */
export function rootElement(owner: Document): HTMLElement {
  const root = documentElementOf(owner);
  if (!root) throw new Refusal('ELEMENT_NOT_FOUND', 'the document has no elements');
  return root;
}

/** Whether one element holds another across shadow roots and frames. */
export function holds(container: Element, element: Element | null): boolean {
  for (let node = element; node; node = elementAbove(node)) if (node === container) return true;
  return false;
}

export const isFrame = (element: Element): boolean => tagOf(element) === 'iframe' || tagOf(element) === 'frame';

/** In quirks mode `:hover` alone is for links: https://quirks.spec.whatwg.org/#the-active-and-hover-quirk */
export const HOVERED = ':is(:hover)';

// What makes an element that listens for it clickable.
export const CLICK_EVENTS = [
  'click',
  'mousedown',
  'mouseup',
  'pointerdown',
  'pointerup',
  'touchstart',
  'touchend',
  'dblclick',
];

/** The elements of one tree that are still to be visited. */
interface Level {
  nodes: ArrayLike<Element>;
  next: number;
  frame: Element | null;
}

/**
 * Visit every element below `root` (a document or shadow root), deep frames and shadow trees included, without
 * recursion. `enter(root, frame)` is told each tree before its elements; `frame` is the element that holds the tree's
 * document, or null. Returns the number of elements visited.
 */
export function walk(
  root: Root,
  visit: (element: Element, position: number, frame: Element | null) => void,
  enter: (root: Root, frame: Element | null) => void,
): number {
  const pending: Level[] = [{ nodes: queryAll(root, '*'), next: 0, frame: null }];
  let position = 0;
  enter(root, null);
  for (let level = pending.at(-1); level; level = pending.at(-1)) {
    const element = level.nodes[level.next++];
    if (!element) {
      pending.pop();
      continue;
    }
    visit(element, position++, level.frame);
    const shadow = shadowOf(element);
    if (shadow) {
      enter(shadow, level.frame);
      pending.push({ nodes: queryAll(shadow, '*'), next: 0, frame: level.frame });
      continue;
    }
    const inner = frameDocument(element);
    if (inner) {
      enter(inner, element);
      pending.push({ nodes: queryAll(inner, '*'), next: 0, frame: element });
    }
  }
  return position;
}
