// The top layer: modal dialogs and open popovers. https://drafts.csswg.org/css-position-4/#top-layer

import { hasAttribute, isHtml, matches, ownerOf, tagOf } from './natives';
import { queryPage } from './selectors';

/** Whether an element matches; not in a browser that does not know the selector. */
export function isMatched(element: Element, selector: string): boolean {
  try {
    return matches(element, selector);
  } catch {
    return false;
  }
}

export const isOpenPopover = (element: Element): element is HTMLElement =>
  hasAttribute(element, 'popover') && isHtml(element) && isMatched(element, ':popover-open');

export const isModal = (element: Element): element is HTMLDialogElement =>
  tagOf(element) === 'dialog' && hasAttribute(element, 'open') && isMatched(element, ':modal');

/** The open modal dialogs of a document, or without one of the whole page, in walk order. */
export const modalDialogs = (owner?: Document): HTMLDialogElement[] =>
  queryPage('dialog[open]')
    .filter(isModal)
    .filter((dialog) => !owner || ownerOf(dialog) === owner);
