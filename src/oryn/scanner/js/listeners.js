// Runs in the page's own world with the command line API, after dom.js and walk.js: which elements have a click listener of their own.
// A page can spoil the answer, so the scanner takes it as a hint.

const CLICK_EVENTS = ['click', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'touchstart', 'touchend', 'dblclick'];

function clickListeners(document) {
  const positions = [];
  const count = walk(document, (element, position) => {
    const listeners = getEventListeners(element);
    for (const kind of CLICK_EVENTS) {
      if (listeners[kind]) {
        const tag = tagOf(element);
        if (tag !== 'html' && tag !== 'body') positions.push(position);
        break;
      }
    }
  }, () => {});
  return { count, positions };
}
