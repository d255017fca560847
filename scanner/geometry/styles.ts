// What styles let be seen, wherever it lies.

import { checkVisibility, hasAttribute, isElement, tagOf } from '../dom/natives';
import { rememberBriefly } from '../dom/snapshot';
import { composedParent } from '../dom/tree';
import { imageOf } from './image_maps';

/** Where something begins and ends, in the viewport of its own frame. */
export interface Edges {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface Box extends Edges {
  readonly width: number;
  readonly height: number;
}

export const styleOf = getComputedStyle.bind(window);

/** Pixels of the smallest side that a person sees. */
export const SMALLEST_SIDE = 2;

// https://drafts.csswg.org/cssom-view/#dom-element-checkvisibility: the older names, which all browsers know.
const VISIBILITY = { checkOpacity: true, checkVisibilityCSS: true };
const OPACITY = { checkOpacity: true };

/** Whether styles let an element be seen, wherever it lies; an area of a picture is seen with that. */
export const isStyledVisible = (element: Element): boolean =>
  (checkVisibility ? checkVisibility(element, VISIBILITY) : hasBox(element) && isVisibleByStyle(element)) ||
  isVisibleWithoutBox(element);

const isVisibleByStyle = (element: Element): boolean => styleOf(element).visibility === 'visible';

/** Whether an element has a box that is not transparent. */
function hasBox(element: Element): boolean {
  if (checkVisibility) return checkVisibility(element, OPACITY);
  for (let node: Node | null = element; node && isElement(node); node = composedParent(node)) {
    const { display, opacity } = styleOf(node);
    if (display === 'none' || (display !== 'contents' && opacity === '0')) return false;
  }
  return styleOf(element).display !== 'contents';
}

/** Whether an element that is rendered itself does not render what it holds. */
const hidesContent = (element: Element, child: Element): boolean =>
  tagOf(element) === 'details'
    ? !hasAttribute(element, 'open') && tagOf(child) !== 'summary'
    : styleOf(element).contentVisibility === 'hidden';

/**
 * Whether an element without a box is seen: one with `display: contents`, as every slot has, by its content in the box
 * around it, and an area by its picture.
 */
function isVisibleWithoutBox(element: Element): boolean {
  if (tagOf(element) === 'area') {
    const image = imageOf(element);
    return image !== null && isStyledVisible(image);
  }
  return renderingOf(element) === 'contents' && isVisibleByStyle(element);
}

/** Whether an element is rendered in a box of its own, or without one (`display: contents`), or not at all. */
type Rendering = 'box' | 'contents' | 'none';

/**
 * How an element is rendered, its visibility apart. Styles are asked from the outside inwards, and once of what hides
 * many, as they are slow to ask for of what is not rendered.
 */
export function renderingOf(element: Element): Rendering {
  const renderings = rememberBriefly('renderings', () => new Map<Element, Rendering>());
  const without: Element[] = [];
  let around: Element | null = null;
  let rendering: Rendering = 'none';
  for (let node: Node | null = element; node && isElement(node); node = composedParent(node)) {
    const known = renderings.get(node) ?? (hasBox(node) ? 'box' : null);
    if (known) {
      around = node;
      rendering = known;
      break;
    }
    without.push(node);
  }
  if (around) renderings.set(around, rendering);
  for (let node = without.pop(); node; node = without.pop()) {
    const isHidden = !around || rendering === 'none' || (rendering === 'box' && hidesContent(around, node));
    rendering = !isHidden && styleOf(node).display === 'contents' ? 'contents' : 'none';
    renderings.set(node, rendering);
    around = node;
  }
  return rendering;
}
