// Runs in the page's own world with the command line API, which elements have a click
// listener of their own. `getEventListeners` tells only the listeners of the frame that it runs in, so the script runs
// in every frame of one origin; each run walks from the frame that is asked about, `levels` above its own, so that all
// positions count alike, and answers for its own document. A page can spoil the answer: the scanner takes it as a hint.

import { hasAttribute, ownerOf, tagOf, windowOf } from '../dom/natives';
import { queryAll } from '../dom/banner';
import { CLICK_EVENTS, walk } from '../dom/tree';

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
 * `{"count": n, "positions": [...]}`: the positions of the elements that listen, and how many were walked.
 */
export default function clickListeners(levels) {
  const positions = [];
  const marked = new Set(); // banners are no part of the page, and in this world known by their mark alone
  const listenersOf = getEventListeners; // the command line API looks its names up anew each time
  let banners = 0;
  let frame; // of the element before: thousands in a row are in the same document
  let isOwn = false;
  const count = walk(
    documentAbove(levels),
    (element, position, holder) => {
      if (marked.has(element)) banners++;
      if (holder !== frame) {
        frame = holder;
        isOwn = ownerOf(element) === document;
      }
      if (isOwn && !isDecided(element) && listensForClicks(listenersOf(element))) positions.push(position - banners);
    },
    (root) => queryAll(root, '[data-oryn-banner]').forEach((element) => marked.add(element)),
  );
  return { count: count - banners, positions };
}

function isDecided(element) {
  const tag = tagOf(element);
  return DECIDED_TAGS.has(tag) || (tag === 'a' && hasAttribute(element, 'href'));
}

function listensForClicks(listeners) {
  let kinds = 0;
  let isFound = false;
  for (const kind in listeners) {
    kinds++;
    isFound ||= CLICK_KINDS.has(kind);
  }
  return isFound && kinds <= FRAMEWORK_KINDS;
}

const CLICK_KINDS = new Set(CLICK_EVENTS);

function documentAbove(levels) {
  let owner = document;
  for (let left = levels; left > 0; left--) owner = ownerOf(windowOf(owner).frameElement);
  return owner;
}
