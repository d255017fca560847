// Reports that somebody uses a page: a person, or a program that has the browser make its input. A page can't make a
// trusted event (https://dom.spec.whatwg.org/#dom-event-istrusted), and nothing of what was pressed or typed is reported.
// Who turns the wheel only looks.

export type InputKind = 'press' | 'key';

const KINDS: readonly (readonly [string, InputKind])[] = [
  ['pointerdown', 'press'],
  ['keydown', 'key'],
];

/** For a world that the page's scripts can't reach: call `report` for each press and each key. It listens at the window and
 *  before the page, so that this can't keep it from hearing; without a timer, which would count as one of the page's. */
export function reportTrustedInput(report: (kind: InputKind) => void): void {
  const onInput = (event: Event, kind: InputKind): void => {
    if (event.isTrusted && !(event instanceof KeyboardEvent && event.repeat)) report(kind);
  };
  for (const [type, kind] of KINDS)
    window.addEventListener(type, (event) => onInput(event, kind), { capture: true, passive: true });
}
