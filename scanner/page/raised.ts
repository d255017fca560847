// What lies over the page, of the things that an action has changed: a report that must be cut begins with it.

import { bodyOf, closest, contains, hasAttribute, matches, ownerOf, tagOf } from '../dom/natives';
import type { RaisedElementsRequest, RaisedElementsResponse } from '../dom/protocol';
import { queryAll } from '../dom/banner';
import { elementAbove, holds } from '../dom/tree';
import { attachedElement } from '../dom/numbers';
import { styleOf } from '../geometry/styles';
import { DIALOG_SELECTOR } from '../semantics/roles';
import { focusedElement } from '../semantics/values';
import { isOpenPopover } from '../dom/top_layer';

const PAGE_PARTS = 'header,nav,main,aside,footer,[role=banner],[role=navigation],[role=main],[role=contentinfo]';
const PARTS = 'form,fieldset,section,[role=form],[role=group],[role=region]';
const LISTS = '[role=menu],[role=listbox],[role=tree],[role=grid]';

/**
 * raised_elements: those of `elements` that are in a layer over the page, of the topmost layer first; then those in the
 * same part of the page as one of them that has the focus.
 */
export function raisedElements({ elements }: RaisedElementsRequest): RaisedElementsResponse {
  const layers = new RaisedLayers();
  const changed = new Map(elements.map((number) => [number, attachedElement(number)]));
  const focused = focusedElement();
  const part = focused && [...changed.values()].includes(focused) ? closest(focused, PARTS) : null;
  const ranked: { number: number; rank: number }[] = [];
  for (const [number, element] of changed) {
    if (!element) continue;
    const rank = layers.rankOf(element) || (part && holds(part, element) ? 1 : 0);
    if (rank > 0) ranked.push({ number, rank });
  }
  ranked.sort((one, other) => other.rank - one.rank);
  return { elements: ranked.map(({ number }) => number) };
}

/** How far above the page elements are, each ancestor looked at once. */
export class RaisedLayers {
  private readonly ranks = new Map<Element, number>();
  private readonly focused = focusedElement();

  /** 0 in the page itself; more in a layer over it, the most in a dialog and where the focus is. */
  rankOf(element: Element): number {
    const known = this.ranks.get(element);
    if (known !== undefined) return known;
    const above = elementAbove(element);
    const own = isPageLevel(element) ? 0 : this.ownRank(element);
    const rank = Math.max(own, above ? this.rankOf(above) : 0);
    this.ranks.set(element, rank);
    return rank;
  }

  private ownRank(element: Element): number {
    const isDialog = matches(element, DIALOG_SELECTOR) || (hasAttribute(element, 'popover') && isOpenPopover(element));
    const hasFocus = this.focused !== null && holds(element, this.focused);
    const isOver = isDialog || isLifted(element, hasFocus);
    if (!isOver || (!isDialog && (matches(element, PAGE_PARTS) || queryAll(element, PAGE_PARTS).length))) return 0;
    return 1 + (isDialog || matches(element, LISTS) ? 1 : 0) + (hasFocus ? 2 : 0);
  }
}

const isPageLevel = (element: Element): boolean => {
  const body = bodyOf(ownerOf(element));
  return body === null || contains(element, body) || tagOf(element) === 'iframe';
};

function isLifted(element: Element, hasFocus: boolean): boolean {
  const { position, zIndex } = styleOf(element);
  return position === 'fixed' || (position === 'absolute' && (hasFocus || parseInt(zIndex, 10) > 0));
}
