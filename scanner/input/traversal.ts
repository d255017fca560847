// Where the tab key takes the focus.
// https://html.spec.whatwg.org/multipage/interaction.html#sequential-focus-navigation

import {
  attribute,
  bodyOf,
  checkedOf,
  closest,
  formOf,
  frameDocument,
  inputTypeOf,
  isHtml,
  matches,
  nativeFocus,
  ownerOf,
  rootOf,
  tagOf,
} from '../dom/natives';
import type { Root } from '../dom/natives';
import { queryAll } from '../dom/banner';
import { holds, isFrame } from '../dom/tree';
import { allElements } from '../dom/snapshot';
import { isVisible } from '../geometry/visibility';
import { isFocusable } from '../semantics/roles';
import { focusedElement } from '../semantics/values';
import { isTextControl } from '../semantics/text_controls';
import { focusOn } from './events';
import { modalDialogs } from '../dom/top_layer';

/** Where the mouse was pressed last: without a focus the way begins there. */
let startingPoint: Element | null = null;

/** Begin there when the focus moves next. */
export function setStartingPoint(element: Element): void {
  startingPoint = element;
}

export function moveFocus(isBackward: boolean): void {
  const all = allElements();
  const stops = tabStops(all);
  const stop = stopAfter(all, stops, focusedElement(), isBackward);
  if (!stop) return;
  startingPoint = stop;
  if (isHtml(stop)) nativeFocus(stop);
  else focusOn(stop);
  if (tagOf(stop) === 'input' && isTextControl(stop)) (stop as HTMLInputElement).select();
}

/** The stop that comes next; after the last one, the first. */
function stopAfter(
  all: readonly Element[],
  stops: readonly Element[],
  focused: Element | null,
  isBackward: boolean,
): Element | undefined {
  const step = isBackward ? -1 : 1;
  const first = stops.at(isBackward ? -1 : 0);
  const at = focused ? stops.indexOf(focused) : -1;
  if (at >= 0) return stops[(at + step + stops.length) % stops.length];
  const start = focused && focused !== bodyOf(ownerOf(focused)) ? focused : startingPoint;
  const from = start ? all.indexOf(start) : -1;
  if (from < 0) return first;
  const inPageOrder = stops.filter((stop) => tabIndexOf(stop) === 0);
  const next = isBackward
    ? inPageOrder.reverse().find((stop) => all.indexOf(stop) < from)
    : inPageOrder.find((stop) => all.indexOf(stop) > from);
  return next || first;
}

/** The tab index of an HTML or SVG element, else -1; a form may have a field of that name. */
function tabIndexOf(element: Element): number {
  const { tabIndex } = element as { tabIndex?: unknown } & Element;
  return typeof tabIndex === 'number' ? tabIndex : -1;
}

/** The elements that the key stops at, in its order: those with a positive `tabindex` first. */
function tabStops(all: readonly Element[]): Element[] {
  const modal = modalDialogs().at(-1);
  const stops = all.filter((element) => isTabStop(element) && (!modal || holds(modal, element)));
  const inOrder = (element: Element): number => Math.max(0, tabIndexOf(element)) || Infinity;
  return stops.sort((one, other) => {
    const [first, second] = [inOrder(one), inOrder(other)];
    return first === second ? 0 : first - second;
  });
}

function isTabStop(element: Element): boolean {
  if (!isFocusable(element) || tabIndexOf(element) < 0 || matches(element, ':disabled')) return false;
  if (isFrame(element) && frameDocument(element)) return false; // what is inside it is
  if (closest(element, '[inert]') || !isVisible(element)) return false;
  return tagOf(element) !== 'input' || inputTypeOf(element) !== 'radio' || isStopOfItsGroup(element);
}

/** Of a group of radio buttons only the checked one, or where there is none, each. */
function isStopOfItsGroup(radio: Element): boolean {
  const name = attribute(radio, 'name');
  if (!name || checkedOf(radio)) return true;
  return !radioGroup(radio).some(checkedOf);
}

/** https://html.spec.whatwg.org/multipage/input.html#radio-button-group */
export function radioGroup(radio: Element): HTMLInputElement[] {
  const [name, form] = [attribute(radio, 'name'), formOf(radio)];
  const isOfGroup = (each: Element): each is HTMLInputElement =>
    inputTypeOf(each) === 'radio' && attribute(each, 'name') === name && formOf(each) === form;
  return Array.from(queryAll(rootOf(radio) as Root | Element, 'input')).filter(isOfGroup);
}
