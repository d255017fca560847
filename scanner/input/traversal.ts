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
import { queryAll } from '../dom/banner';
import { holds, isFrame } from '../dom/tree';
import { allElements } from '../dom/snapshot';
import { queryPage } from '../dom/selectors';
import { isVisible } from '../geometry/visibility';
import { isFocusable } from '../semantics/roles';
import { focusedElement } from '../semantics/values';
import { isTextControl } from '../semantics/text_controls';
import { focusOn } from './events';

/** Where the mouse was pressed last: without a focus the way begins there. */
let startingPoint = null;

/** Begin there when the focus moves next. */
export function setStartingPoint(element) {
  startingPoint = element;
}

export function moveFocus(isBackward) {
  const all = allElements();
  const stops = tabStops(all);
  if (!stops.length) return;
  const focused = focusedElement();
  const stop = stopAfter(all, stops, focused, isBackward);
  startingPoint = stop;
  if (isHtml(stop)) nativeFocus(stop);
  else focusOn(stop);
  if (tagOf(stop) === 'input' && isTextControl(stop)) stop.select();
}

function stopAfter(all, stops, focused, isBackward) {
  const step = isBackward ? -1 : 1;
  const last = stops.length - 1;
  const at = stops.indexOf(focused);
  if (at >= 0) return stops[(at + step + stops.length) % stops.length];
  const hasFocus = focused && focused !== bodyOf(ownerOf(focused));
  const from = all.indexOf(hasFocus ? focused : startingPoint);
  if (from < 0) return stops[isBackward ? last : 0];
  const inPageOrder = stops.filter((stop) => tabIndexOf(stop) === 0);
  const next = isBackward
    ? inPageOrder.reverse().find((stop) => all.indexOf(stop) < from)
    : inPageOrder.find((stop) => all.indexOf(stop) > from);
  return next || stops[isBackward ? last : 0];
}

const tabIndexOf = (element) => (typeof element.tabIndex === 'number' ? element.tabIndex : -1);

/** The elements that the key stops at, in its order: those with a positive `tabindex` first. */
function tabStops(all) {
  const modal = queryPage('dialog[open]')
    .filter((dialog) => matches(dialog, ':modal'))
    .pop();
  const stops = all.filter((element) => isTabStop(element) && (!modal || holds(modal, element)));
  const inOrder = (element) => Math.max(0, tabIndexOf(element)) || Infinity;
  return stops.sort((one, other) => {
    const [first, second] = [inOrder(one), inOrder(other)];
    return first === second ? 0 : first - second;
  });
}

function isTabStop(element) {
  if (!isFocusable(element) || tabIndexOf(element) < 0 || matches(element, ':disabled')) return false;
  if (isFrame(element) && frameDocument(element)) return false; // what is inside it is
  if (closest(element, '[inert]') || !isVisible(element)) return false;
  return tagOf(element) !== 'input' || inputTypeOf(element) !== 'radio' || isStopOfItsGroup(element);
}

/** Of a group of radio buttons only the checked one, or where there is none, each. */
function isStopOfItsGroup(radio) {
  const name = attribute(radio, 'name');
  if (!name || checkedOf(radio)) return true;
  return !radioGroup(radio).some(checkedOf);
}

/** https://html.spec.whatwg.org/multipage/input.html#radio-button-group */
export function radioGroup(radio) {
  const [name, form] = [attribute(radio, 'name'), formOf(radio)];
  return Array.prototype.filter.call(
    queryAll(rootOf(radio), 'input'),
    (each) => inputTypeOf(each) === 'radio' && attribute(each, 'name') === name && formOf(each) === form,
  );
}
