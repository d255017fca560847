// Runs in the page's own world with the command line API, after dom.js and walk.js: which elements have a click
// listener of their own. `getEventListeners` tells only the listeners of the frame that it runs in, so the script runs
// in every frame of one origin; each run walks from the frame that is asked about, `levels` above its own, so that all
// positions count alike, and answers for its own document. A page can spoil the answer: the scanner takes it as a hint.

// The root of an application whose framework listens to everything there (React does): that is no listener of its own.
const FRAMEWORK_KINDS = 40;

function clickListeners(levels) {
  const positions = [];
  let banners = 0; // which are no part of the page, and in this world known by their mark alone
  const count = walk(
    documentAbove(levels),
    (element, position) => {
      if (hasAttribute(element, 'data-oryn-banner')) banners++;
      if (ownerOf(element) !== document) return;
      const listeners = getEventListeners(element);
      if (!CLICK_EVENTS.some((kind) => listeners[kind])) return;
      const tag = tagOf(element);
      if (tag === 'html' || tag === 'body' || Object.keys(listeners).length > FRAMEWORK_KINDS) return;
      positions.push(position - banners);
    },
    () => {},
  );
  return { count: count - banners, positions };
}

function documentAbove(levels) {
  let owner = document;
  for (let left = levels; left > 0; left--) owner = ownerOf(windowOf(owner).frameElement);
  return owner;
}
