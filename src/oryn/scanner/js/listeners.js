// Runs in the page's own world with the command line API, after dom.js and walk.js: which elements have a click
// listener of their own. `getEventListeners` tells only the listeners of the frame that it runs in, so the script runs
// in every frame of one origin; each run walks from the outermost frame, so that all positions count alike, and answers
// for its own document. A page can spoil the answer: the scanner takes it as a hint.

const CLICK_EVENTS = [
  'click',
  'mousedown',
  'mouseup',
  'pointerdown',
  'pointerup',
  'touchstart',
  'touchend',
  'dblclick',
];

function clickListeners() {
  const positions = [];
  const count = walk(
    outermostDocument(),
    (element, position) => {
      if (ownerOf(element) !== document) return;
      const listeners = getEventListeners(element);
      for (const kind of CLICK_EVENTS) {
        if (listeners[kind]) {
          const tag = tagOf(element);
          if (tag !== 'html' && tag !== 'body') positions.push(position);
          break;
        }
      }
    },
    () => {},
  );
  return { count, positions };
}

function outermostDocument() {
  let owner = document;
  try {
    for (let frame = windowOf(owner).frameElement; frame; frame = windowOf(owner).frameElement) owner = ownerOf(frame);
  } catch (error) {
    // The next frame out is of another origin.
  }
  return owner;
}
