// Pages raise what the mouse is over by putting it into the document again, as SVG draws the last child on top. The
// mouse then enters the parent in the browser's view, and the element once more with the next event, before that event
// (https://www.w3.org/TR/pointerevents3/#firing-events-using-the-pointerevent-interface). A page that raises it each
// time would let no press reach it: during a press, it is notified only once that the mouse is over an element.

import { addListener, hostsOf, ownerOf, removeListener, shadowOf, windowOf } from '../dom/natives';

const PRESS_TIME = 1000; // milliseconds after which a press is no longer expected
let expectedPress: ExpectedPress | null = null;

/** Expect the mouse to press an element `count` times within the next second. */
export function expectPress(element: Element, count: number): void {
  if (expectedPress) expectedPress.end();
  expectedPress = new ExpectedPress(element, count);
}

// What takes back what.
const OVER_KIND_OF = new Map([
  ['pointerout', 'pointerover'],
  ['pointerleave', 'pointerenter'],
  ['mouseout', 'mouseover'],
  ['mouseleave', 'mouseenter'],
]);

class ExpectedPress {
  private readonly deadline = performance.now() + PRESS_TIME;
  private readonly entered = new Map([...OVER_KIND_OF.values()].map((kind) => [kind, new Set<EventTarget>()]));
  private latest: Event | null = null;
  private readonly onEvent = (event: Event): void => this.take(event as MouseEvent);
  private readonly places: readonly EventTarget[];
  private readonly kinds = [...this.entered.keys(), ...OVER_KIND_OF.keys(), 'mouseup'];

  constructor(
    element: Element,
    private left: number,
  ) {
    // Events that enter an element in a shadow root do not pass the window.
    const places = [windowOf(ownerOf(element)), ...hostsOf(element).map(shadowOf)];
    this.places = places.filter((place) => place !== null);
    for (const place of this.places) for (const kind of this.kinds) addListener(place, kind, this.onEvent, true);
  }

  private take(event: MouseEvent): void {
    if (performance.now() > this.deadline) return this.end();
    if (!event.isTrusted || event === this.latest) return;
    this.latest = event;
    if (event.type === 'mouseup') {
      if (--this.left < 1) this.end();
    } else if (this.isRepeated(event)) event.stopImmediatePropagation();
  }

  /** Whether the page has been notified of the same before, or was not notified of what the event takes back. */
  private isRepeated(event: MouseEvent): boolean {
    const [target] = event.composedPath();
    const taken = OVER_KIND_OF.get(event.type);
    const entered = this.entered.get(taken ?? event.type);
    if (!target || !entered) return false;
    if (taken) {
      entered.delete(target);
      return event.relatedTarget !== null && entered.has(event.relatedTarget);
    }
    if (entered.has(target)) return true;
    if (event.type.endsWith('over')) entered.clear();
    entered.add(target);
    return false;
  }

  end(): void {
    for (const place of this.places) for (const kind of this.kinds) removeListener(place, kind, this.onEvent, true);
    expectedPress = null;
  }
}
