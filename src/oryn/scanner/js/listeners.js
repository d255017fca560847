// Runs in the page's own world with the command line API, after dom.js and walk.js: which elements have a click
// listener of their own. `getEventListeners` tells only the listeners of the frame that it runs in, so the script runs
// in every frame of one origin; each run walks from the frame that is asked about, `levels` above its own, so that all
// positions count alike, and answers for its own document. A page can spoil the answer: the scanner takes it as a hint.

// The root of an application whose framework listens to everything there (React does): that is no listener of its own.
const FRAMEWORK_KINDS = 40;

function clickListeners(levels) {
  const positions = [];
  const marked = new Set(); // banners are no part of the page, and in this world known by their mark alone
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
      if (isOwn && listensForClicks(element)) positions.push(position - banners);
    },
    (root) => queryAll(root, '[data-oryn-banner]').forEach((element) => marked.add(element)),
  );
  return { count: count - banners, positions };
}

function listensForClicks(element) {
  let kinds = 0;
  let isFound = false;
  for (const kind in getEventListeners(element)) {
    kinds++;
    isFound ||= CLICK_KINDS.has(kind);
  }
  return isFound && kinds <= FRAMEWORK_KINDS && tagOf(element) !== 'html' && tagOf(element) !== 'body';
}

const CLICK_KINDS = new Set(CLICK_EVENTS);

function documentAbove(levels) {
  let owner = document;
  for (let left = levels; left > 0; left--) owner = ownerOf(windowOf(owner).frameElement);
  return owner;
}
