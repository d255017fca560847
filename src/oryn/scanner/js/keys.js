// keys (docs/spec/scanner-protocol.md#keys): the keyboard, dispatched for browsers without trusted input, on whatever
// has the focus when each key comes. What a browser then does by itself is in `key_actions.js`.
// https://w3c.github.io/uievents/#events-keyboard-event-order

/** The button or box that the space bar holds down: it is pressed when that goes up. */
let heldBySpace = null;

async function keys(request) {
  const { events } = request;
  if (!Array.isArray(events)) throw new Refusal('INVALID_REQUEST', 'events must be a list');
  const effects = { opened: [], chooser: false };
  for (let done = 0; done < events.length; done++) {
    const element = keyTarget();
    if (isFrame(element) && !frameDocument(element)) return { done, frame: exposeFrame(element), ...effects };
    const event = { modifiers: [], text: '', ...events[done], effects };
    if (!Object.prototype.hasOwnProperty.call(KEY_KINDS, event.kind))
      throw new Refusal('INVALID_REQUEST', `no such kind: ${event.kind}`);
    const missing = KEY_KINDS[event.kind](element, event);
    if (missing) return { done: done + 1, frame: null, missing, ...effects };
    await turn();
  }
  return { done: events.length, frame: null, ...effects };
}

const KEY_KINDS = { down: keyDown, up: keyUp, insert: (element, { text }) => insertText(element, text) };

const keyTarget = () => focusedElement() || bodyOf(document) || rootElement(document);

/** Answers what the key wants and a script can't do (`clipboard`), or nothing. */
function keyDown(element, event) {
  if (event.key !== ' ') heldBySpace = null;
  if (!fireKey(element, 'keydown', event)) return;
  // The page may have moved the focus meanwhile.
  const target = keyTarget();
  if (event.text && !fireKey(target, 'keypress', event)) return;
  return keyAction(target, event);
}

function keyUp(element, event) {
  const goesOn = fireKey(element, 'keyup', event);
  if (event.key !== ' ') return;
  const held = heldBySpace;
  heldBySpace = null;
  if (goesOn && held === element && isAttached(element))
    withEffects(element, event.effects, () => nativeClick(element));
}

function fireKey(element, kind, { key, code, key_code: number, location, modifiers, text, repeat = false }) {
  // https://w3c.github.io/uievents/#determine-keypress-keycode
  const character = kind === 'keypress' ? text.charCodeAt(0) : 0;
  const init = {
    bubbles: true,
    cancelable: true,
    composed: true,
    view: windowOf(ownerOf(element)),
    key,
    code,
    location,
    repeat,
    keyCode: character || number,
    which: character || number,
    charCode: character,
    ctrlKey: modifiers.includes('control'),
    shiftKey: modifiers.includes('shift'),
    altKey: modifiers.includes('alt'),
    metaKey: modifiers.includes('meta'),
  };
  return dispatch(element, new KeyboardEvent(kind, init));
}
