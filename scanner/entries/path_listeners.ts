// Runs in the page's own world with the console's command line API, and says what listens to the events of an action on
// their way from some elements up to the window. A page can spoil the answer, which decides only how long it is waited
// for.

import { childrenOf, isElement, openShadowOf, parentOf, slotOf, tagOf } from '../dom/natives';
import type { NodePath } from '../dom/protocol';
import { wordSet } from '../dom/words';

/** By kind of event: https://developer.chrome.com/docs/devtools/console/utilities */
declare function getEventListeners(target: EventTarget): Record<string, { listener: unknown }[]>;

// What focusing a field and giving it a value dispatches, by keys or at once; that it comes into view included.
const ENTRY_EVENTS = wordSet(`
  focus focusin focusout blur keydown keypress keyup beforeinput textInput input change select selectionchange
  selectstart invalid scroll scrollend compositionstart compositionupdate compositionend paste
`);
const PRESS_EVENTS = wordSet(`
  pointerdown pointerup pointermove pointerover pointerout pointerenter pointerleave pointerrawupdate
  gotpointercapture lostpointercapture mousedown mouseup mousemove mouseover mouseout mouseenter mouseleave
  click dblclick auxclick contextmenu touchstart touchend dragstart
`);
const MAX_SOURCE = 200;

/**
 * A text that is the same for the same listeners of both kinds, empty if none hears of the action; null if an element is
 * not where it was.
 */
export default function pathListeners(paths: readonly NodePath[], pressed: boolean): string | null {
  const listenersOf = getEventListeners; // the command line API looks its names up anew each time
  const seen = new Set<EventTarget>([window]);
  for (const path of paths) {
    let node: Node | null = elementAt(path);
    if (!node) return null;
    for (; node && !seen.has(node); node = nextTarget(node)) seen.add(node);
  }
  const found = new Set<string>();
  let isHeard = false;
  for (const target of seen) {
    const listeners = listenersOf(target);
    for (const kind in listeners) {
      const isPress = PRESS_EVENTS.has(kind);
      if (!isPress && !ENTRY_EVENTS.has(kind)) continue;
      isHeard ||= pressed || !isPress;
      for (const { listener } of listeners[kind] ?? []) found.add(`${kind} ${sourceOf(listener)}`);
    }
  }
  return isHeard ? digest([...found].sort().join('\n')) : '';
}

function elementAt({ steps, tag }: NodePath): Element | null {
  let node: Document | ShadowRoot | Element = document;
  for (const step of steps) {
    const next: ShadowRoot | Element | null | undefined =
      step < 0 ? openShadowOf(node as Element) : childrenOf(node)[step];
    if (!next) return null;
    node = next;
  }
  return isElement(node) && tagOf(node) === tag ? node : null;
}

/** Where an event goes next: https://dom.spec.whatwg.org/#get-the-parent */
function nextTarget(node: Node): Node | null {
  return (isElement(node) && slotOf(node)) || parentOf(node) || (node as Partial<ShadowRoot>).host || null;
}

function sourceOf(listener: unknown): string {
  if (typeof listener !== 'function') return typeof listener;
  const source = Function.prototype.toString.call(listener);
  return `${source.length} ${source.slice(0, MAX_SOURCE)}`;
}

function digest(text: string): string {
  let hash = 0x811c9dc5; // FNV-1a
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return `${text.length}-${(hash >>> 0).toString(36)}`;
}
