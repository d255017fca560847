// event_paths (docs/spec/scanner-protocol.md#event_paths): which elements the events of an action begin at. Another world
// has to look for the listeners on their ways up: a world sees its own alone.

import {
  childrenOf,
  closest,
  closedRoots,
  documentElementOf,
  formOf,
  inputTypeOf,
  isDocument,
  isElement,
  matches,
  openShadowOf,
  parentOf,
  tagOf,
} from '../dom/natives';
import type { EventPathsRequest, EventPathsResponse, NodePath } from '../dom/protocol';
import { HOVERED, composedParent } from '../dom/tree';
import { innerControl, labelControlOf, labelsOf } from '../dom/labels';
import { isInEditing } from '../semantics/text_controls';
import { elementNumbered } from '../targets/candidates';
import { textWatch } from '../page/watch';

/** The element, its control and labels, what had the focus before the action, and what is under the mouse. */
export function eventPaths({ id, pressed }: EventPathsRequest): EventPathsResponse {
  const element = elementNumbered(id);
  if (!element) return { paths: null };
  const control = innerControl((tagOf(element) === 'label' && labelControlOf(element)) || element);
  if (pressed ? hasDefaultAction(control) : !takesValues(control)) return { paths: null };
  const places = new Set([element, control]);
  if (textWatch?.focused) places.add(textWatch.focused);
  if (pressed) for (const each of [...labelsOf(control), hoveredElement()]) if (each) places.add(each);
  const paths: NodePath[] = [];
  for (const place of places) {
    const path = pathOf(place);
    if (!path) return { paths: null };
    paths.push(path);
  }
  return { paths };
}

/** Whether the browser puts a value into the element without a change of the document that scripts could observe. */
const takesValues = (control: Element): boolean =>
  matches(control, 'input,textarea,select') && inputTypeOf(control) !== 'file' && !isInEditing(control);

const ACTIVE =
  'a,area,label,summary,option,iframe,frame,object,embed,video,audio,[popovertarget],[commandfor],[interestfor],[command]';
const PLAIN_INPUTS = new Set(['checkbox', 'radio', 'button', 'text', 'search', 'email', 'tel', 'url', 'password']);

/** Whether a press may have an effect by itself, such as a link's or a form's, besides the focus and a tick. */
function hasDefaultAction(control: Element): boolean {
  switch (tagOf(control)) {
    case 'input':
      return !PLAIN_INPUTS.has(inputTypeOf(control)) || matches(control, ACTIVE);
    case 'textarea':
      return false;
    case 'select':
      return true;
    case 'button':
      return formOf(control) !== null || closest(control, ACTIVE) !== null;
    default:
      return closest(control, ACTIVE) !== null || tagOf(control).includes('-') || isInEditing(control);
  }
}

function hoveredElement(): Element | null {
  let hovered: Element | null = null;
  let next: Element | null | undefined = documentElementOf(document);
  while (next && matches(next, HOVERED)) {
    hovered = next;
    const inner: ArrayLike<Element> = childrenOf(openShadowOf(next) ?? next);
    next = Array.prototype.find.call(inner, (child: Element) => matches(child, HOVERED)) as Element | undefined;
  }
  return hovered;
}

/** Null if listeners on the way up are out of sight: in a closed shadow root, or in the documents of frames. */
function pathOf(element: Element): NodePath | null {
  for (let node: Node | null = element; node; node = composedParent(node)) {
    if (!isElement(node) || openShadowOf(node)) continue;
    if (closedRoots.has(node) || (node !== element && tagOf(node).includes('-'))) return null;
  }
  const steps: number[] = [];
  let node: Element = element;
  for (;;) {
    const parent = parentOf(node);
    if (!parent) return null;
    steps.unshift(Array.prototype.indexOf.call(childrenOf(parent as Element), node));
    if (isElement(parent)) {
      node = parent;
    } else if (isDocument(parent)) {
      return parent === document ? { steps, tag: tagOf(element) } : null;
    } else {
      const host = (parent as ShadowRoot).host;
      if (openShadowOf(host) !== parent) return null;
      steps.unshift(-1);
      node = host;
    }
  }
}
