// The text nodes of a part of the page, in page order.

import { method } from './unbound';

const SHOW_TEXT = 4;
const walkerOf = method(Document.prototype, 'createTreeWalker');
const nextOf = method(TreeWalker.prototype, 'nextNode') as (texts: TreeWalker) => Text | null; // with SHOW_TEXT

/** Return what gives the next text node below `start` with each call, and null at the end. */
export function textsIn(owner: Document, start: Node): () => Text | null {
  const texts = walkerOf(owner, start, SHOW_TEXT);
  return () => nextOf(texts);
}
