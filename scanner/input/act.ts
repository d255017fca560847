// click, hover, focus, submit, scroll (docs/spec/scanner-protocol.md#commands-that-act) with dispatched events: for
// browsers without trusted input.

import {
  addListener,
  boxOf,
  dispatch,
  formOf,
  hasAttribute,
  isHtml,
  nativeClick,
  ownerOf,
  removeListener,
  scrollIntoView,
  tagOf,
  windowOf,
} from '../dom/natives';
import { method } from '../dom/unbound';
import type {
  ClickRequest,
  ClickResponse,
  FocusRequest,
  FocusResponse,
  HoverRequest,
  HoverResponse,
  ScrollRequest,
  ScrollResponse,
  SubmitRequest,
  SubmitResponse,
} from '../dom/protocol';
import { Refusal, isPresent, wholeNumber } from '../dom/refusal';
import { wholeFrame } from '../dom/timing';
import { pageObserver, queryAll } from '../dom/banner';
import { elementAbove, holds, isAttached, rootElement } from '../dom/tree';
import { numberOf } from '../dom/numbers';
import { OBSERVED, allElements, currentCache, refreshCache, scope } from '../dom/snapshot';
import { queryFirst, queryPage, selectorOf } from '../dom/selectors';
import { pointInFrameOf } from '../geometry/frames';
import { isVisible } from '../geometry/visibility';
import { hitIn, isScrollable, scrollData } from '../geometry/boxes';
import { focusedElement, isDisabled } from '../semantics/values';
import { nameOf } from '../semantics/labels';
import { shorten } from '../semantics/names';
import { isSubmit } from '../semantics/interactive';
import { elementOf, requestedElement } from '../targets/candidates';
import { pageScroller } from '../page/scrolling';
import { locate, pressable } from './locate';
import { BUTTON_NUMBERS, clickEvents, focusOn, hoverEvents, requestSubmit } from './events';
import { viewSizeOf } from '../dom/windows';

const checkValidity = method(HTMLFormElement.prototype, 'checkValidity');
const submitForm = method(HTMLFormElement.prototype, 'submit');

export async function click(request: ClickRequest): Promise<ClickResponse> {
  const { button = 'left', click_count: count = 1, modifiers = [] } = request;
  if (!Object.prototype.hasOwnProperty.call(BUTTON_NUMBERS, button))
    throw new Refusal('INVALID_REQUEST', `no such button: ${button}`);
  const element = pressable(requestedElement(request));
  const place = await locate(request);
  const point = pointInFrameOf(element, place);
  const target = request.force ? element : hitIn(ownerOf(element), point.x, point.y) || element;
  const effects = watchEffects();
  clickEvents(target, point, { button, count, modifiers });
  const { navigation, changes } = await effects();
  return {
    action: 'click',
    id: numberOf(element),
    selector: isAttached(element) ? selectorOf(element) : null,
    x: place.x,
    y: place.y,
    navigation,
    changes,
  };
}

/** Start watching; the returned function waits for two frames and answers what happened. */
function watchEffects(): () => Promise<Pick<ClickResponse, 'navigation' | 'changes'>> {
  const changes = { added: 0, removed: 0, modified: 0 };
  const url = location.href;
  let leaving = false;
  const leave = () => {
    leaving = true;
  };
  const watch = pageObserver((records) => {
    for (const record of records) {
      changes.added += record.addedNodes.length;
      changes.removed += record.removedNodes.length;
      if (record.type !== 'childList') changes.modified++;
    }
  });
  allElements();
  for (const tree of currentCache().trees) watch.observe(tree.root, OBSERVED);
  addListener(window, 'beforeunload', leave);
  return async () => {
    await wholeFrame();
    watch.disconnect();
    removeListener(window, 'beforeunload', leave);
    refreshCache();
    return { navigation: leaving || location.href !== url, changes };
  };
}

export async function hover(request: HoverRequest): Promise<HoverResponse> {
  const element = pressable(requestedElement(request));
  const place = await locate({ ...request, purpose: 'hover' });
  hoverEvents(element, pointInFrameOf(element, place), []);
  return { action: 'hover', id: numberOf(element), x: place.x, y: place.y };
}

export function focus(request: FocusRequest): FocusResponse {
  const element = requestedElement(request);
  if (isDisabled(element)) throw new Refusal('ELEMENT_DISABLED', 'the element is disabled');
  focusOn(element);
  const isFocused = focusedElement() === element;
  if (!isFocused && !isVisible(element)) throw new Refusal('ELEMENT_NOT_VISIBLE', 'the element is not visible');
  if (!isFocused && !holds(element, focusedElement() || rootElement(document))) {
    throw new Refusal('ELEMENT_NOT_INTERACTABLE', `a ${tagOf(element)} does not take the focus`);
  }
  return { action: 'focus', id: numberOf(element), focused: true };
}

export function submit(request: SubmitRequest): SubmitResponse {
  const named = isPresent(request.id) || request.selector;
  const element = named ? requestedElement(request) : focusedElement();
  const form = (element && (isForm(element) ? element : formOf(element))) || (named ? null : onlyForm());
  if (!form)
    throw new Refusal('INVALID_ELEMENT_TYPE', named ? 'the element is in no form' : 'no field of a form has the focus');
  const button = element && isHtml(element) && isSubmit(element, tagOf(element)) ? element : defaultButtonOf(form);
  const isValid =
    checkValidity(form) ||
    hasAttribute(form, 'novalidate') ||
    (button !== undefined && hasAttribute(button, 'formnovalidate'));
  let sent = false;
  const note = () => {
    sent = true;
  };
  addListener(form, 'submit', note, true);
  if (button && !isDisabled(button)) nativeClick(button);
  else if (requestSubmit) requestSubmit(form);
  else if (dispatch(form, new Event('submit', { bubbles: true, cancelable: true }))) submitForm(form);
  removeListener(form, 'submit', note, true);
  return { action: 'submit', id: numberOf(form), valid: isValid, sent, ...(!isValid && invalidField(form)) };
}

/** The first field that keeps a form from being sent, and what the browser says of it. */
function invalidField(form: HTMLFormElement): Pick<SubmitResponse, 'field' | 'reason'> {
  const field = Array.from(queryAll(form, ':invalid:not(fieldset)'))[0];
  if (!field) return {};
  const { validationMessage } = field as Element & { validationMessage?: unknown };
  return { field: shorten(nameOf(field)), reason: typeof validationMessage === 'string' ? validationMessage : '' };
}

const isForm = (element: Element): element is HTMLFormElement => tagOf(element) === 'form';

/** The form that `submit` means where no field has the focus: there is but one. */
function onlyForm(): HTMLFormElement | null {
  const [form, ...others] = queryPage('form').filter(isForm).filter(isVisible);
  return form && !others.length ? form : null;
}

/** https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#default-button */
export const defaultButtonOf = (form: HTMLFormElement): HTMLElement | undefined =>
  Array.from(queryAll(form, SUBMIT_BUTTONS)).find(isHtml);

const SUBMIT_BUTTONS = 'button:not([type=button]):not([type=reset]),input[type=submit],input[type=image]';

export const SCROLL_SHARE = 0.8; // of a screenful
const DIRECTIONS = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] } as const;

export function scroll(request: ScrollRequest): ScrollResponse {
  const { direction, behavior = 'instant' } = request;
  if (isPresent(request.element)) {
    const element = elementOf(wholeNumber(request.element, 'element'));
    const box = boxOf(element);
    scrollIntoView(element, { block: 'center', inline: 'nearest', behavior });
    const now = boxOf(element);
    return scrolled(pageScroller(ownerOf(element)), box.top !== now.top || box.left !== now.left);
  }
  if (!direction) throw new Refusal('INVALID_REQUEST', 'direction or element is required');
  if (!Object.prototype.hasOwnProperty.call(DIRECTIONS, direction))
    throw new Refusal('INVALID_REQUEST', `no such direction: ${direction}`);
  const [across, down] = DIRECTIONS[direction];
  const scroller = scrollerFor(request, across !== 0);
  const screenful = across ? scroller.clientWidth : scroller.clientHeight;
  const amount = request.amount ?? Math.round(screenful * (request.page ? 1 : SCROLL_SHARE));
  const { scrollLeft, scrollTop } = scroller;
  scroller.scrollBy({ left: across * amount, top: down * amount, behavior });
  return scrolled(scroller, scroller.scrollLeft !== scrollLeft || scroller.scrollTop !== scrollTop);
}

/** The container asked for, the one around the element asked for, else the page's own or the one that stands for it. */
function scrollerFor(request: ScrollRequest, sideways: boolean): Element {
  if (request.container) {
    const container = queryFirst(request.container);
    if (!container) throw new Refusal('ELEMENT_NOT_FOUND', `no element matches ${request.container}`);
    return container;
  }
  const view = windowOf(scope) || window;
  const page = pageScroller(scope);
  const named = isPresent(request.id);
  if (!named && isScrollable(page, sideways, true)) return page;
  const { width, height } = viewSizeOf(view);
  const start = named ? requestedElement(request) : hitIn(scope, width / 2, height / 2);
  const owner = start && ownerOf(start);
  for (let node = start; node && ownerOf(node) === owner; node = elementAbove(node)) {
    if (isScrollable(node, sideways, node === page)) return node;
  }
  return page;
}

const scrolled = (scroller: Element, moved: boolean): ScrollResponse => ({
  action: 'scroll',
  scroll: scrollData(scroller),
  moved,
});
