// Runs in the page's own world with the console's command line API, and says which elements have a click listener of
// their own. `getEventListeners` tells only the listeners of the frame that it runs in, so the script runs in every
// frame of one origin; each run walks from the frame that is asked about, `levels` above its own, so that all positions
// count alike, and answers for its own document. A page can spoil the answer: the scanner takes it as a hint.

import { hasAttribute, ownerOf, tagOf } from '../dom/natives';
import { queryAll } from '../dom/banner';
import { CLICK_EVENTS, frameElementOf, walk } from '../dom/tree';

/**
 * By kind of event. Of the command line API: https://developer.chrome.com/docs/devtools/console/utilities; backends
 * without one define it.
 */
declare function getEventListeners(element: Element): Record<string, unknown>;

// The root of an application whose framework listens to everything there (React does): that is no listener of its own.
const FRAMEWORK_KINDS = 40;

// Elements that are interactive, or are not, whatever they listen for.
const DECIDED_TAGS = new Set([
  'html',
  'body',
  'button',
  'select',
  'textarea',
  'input',
  'option',
  'script',
  'style',
  'meta',
  'link',
]);

/**
 * `{"count": n, "positions": [...]}`: the positions of the elements that listen, and how many were walked; null where
 * no frame is so far above.
 */
export default function clickListeners(levels: number): { count: number; positions: number[] } | null {
  const start = documentAbove(levels);
  if (!start) return null;
  const positions: number[] = [];
  const marked = new Set<Element>(); // the banners, which in this world have only this mark
  const listenersOf = getEventListeners; // the command line API looks its names up anew each time
  let banners = 0;
  let frame: Element | null | undefined; // of the element before: thousands in a row are in the same document
  let isOwn = false;
  const count = walk(
    start,
    (element, position, holder) => {
      if (marked.has(element)) banners++;
      if (holder !== frame) {
        frame = holder;
        isOwn = ownerOf(element) === document;
      }
      if (isOwn && !isDecided(element) && listensForClicks(listenersOf(element))) positions.push(position - banners);
    },
    (root) => {
      for (const element of queryAll(root, '[data-oryn-banner]')) marked.add(element);
    },
  );
  return { count: count - banners, positions };
}

function isDecided(element: Element): boolean {
  const tag = tagOf(element);
  return DECIDED_TAGS.has(tag) || (tag === 'a' && hasAttribute(element, 'href'));
}

function listensForClicks(listeners: Record<string, unknown>): boolean {
  let kinds = 0;
  let isFound = false;
  for (const kind in listeners) {
    kinds++;
    isFound ||= CLICK_KINDS.has(kind);
  }
  return isFound && kinds <= FRAMEWORK_KINDS;
}

const CLICK_KINDS = new Set(CLICK_EVENTS);

function documentAbove(levels: number): Document | null {
  let owner = document;
  for (let left = levels; left > 0; left--) {
    const frame = frameElementOf(owner);
    if (!frame) return null;
    owner = ownerOf(frame);
  }
  return owner;
}
