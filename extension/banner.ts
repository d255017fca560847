// The bar on a tab that Oryn controls: it says for whom, and has a button that stops it, and one for pointing at what a
// note for the agent is about. A content script of its own, in the top frame only.
//
// The page can't reach into it (a closed shadow root, made in the extension's own world), style it (`!important` inside a
// shadow tree wins over every rule outside: https://drafts.csswg.org/css-cascade-5/#cascade-context) or keep it away (what
// is taken out comes back, what is covered comes on top). It is no part of the page either: it takes no place, hears
// nothing but its buttons (and all presses while the user points at something, of which the page hears nothing), and the scanner leaves it out (scanner/dom/banner.ts).

import { bannerHandle, leaveBanner } from 'scanner/banner_handle';
import type { BannerRequest, BannerText, ContentNotice, MarkNotice } from './messages';
import { isContextValid } from './extension_context';
import { getter, method } from 'scanner/unbound';
import { isFields } from './values';

const HTML = 'http://www.w3.org/1999/xhtml';
const PRESSES = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'contextmenu'];
const PLACES = ['top', 'bottom', 'top-right', 'bottom-left'] as const;
const MARGIN = 4;
const CHECK = 1000; // milliseconds between two looks whether the bar is still what it should be
const SOON = 50; // after the page has changed something about it: a page that fights back must not hang
const MAX_AWAY_MS = 5000; // for a picture, after which it comes back by itself

const STYLE = `
  :host {
    all: initial !important; display: contents !important; direction: ltr !important; unicode-bidi: normal !important;
  }
  .edge {
    all: initial; position: fixed; inset: 0; width: 100%; height: 100%; margin: 0; padding: 0; box-sizing: border-box;
    border: 2px solid #1a9c86; background: none; overflow: hidden; pointer-events: none; color-scheme: light;
  }
  .edge:not(:popover-open) { display: none; }
  .bar {
    position: absolute; display: flex; align-items: center; gap: 10px; max-width: calc(100% - 16px); height: 30px;
    box-sizing: border-box; padding: 0 3px 0 12px; border-radius: 0 0 10px 10px; background: #10302b; color: #fff;
    box-shadow: 0 1px 8px rgb(0 0 0 / 35%); font: 13px/30px system-ui, sans-serif; white-space: nowrap;
    top: 0; left: 50%; transform: translateX(-50%);
  }
  .edge[data-place="bottom"] .bar { top: auto; bottom: 0; border-radius: 10px 10px 0 0; }
  .edge[data-place="top-right"] .bar { left: auto; right: 0; transform: none; border-radius: 0 0 0 10px; }
  .edge[data-place="bottom-left"] .bar {
    top: auto; bottom: 0; left: 0; transform: none; flex-direction: row-reverse; padding: 0 12px 0 3px;
    border-radius: 0 10px 0 0;
  }
  .dot { flex: none; width: 8px; height: 8px; border-radius: 50%; background: #3ddc84; }
  .text { overflow: hidden; text-overflow: ellipsis; }
  .stop, .mark, .notes {
    flex: none; height: 24px; padding: 0 12px; border-radius: 7px; font-weight: 600; line-height: 24px; cursor: pointer;
    pointer-events: auto; user-select: none;
  }
  .stop { background: #fff; color: #10302b; }
  .mark, .notes { background: #2b5a52; color: #fff; }
  .mark:hover, .notes:hover { background: #3a766b; }
  .notes { flex: 0 1 auto; overflow: hidden; text-overflow: ellipsis; }
  .edge.marking { pointer-events: auto; cursor: crosshair; border-color: #e0a100; }
  .band { position: absolute; border: 2px dashed #e0a100; background: rgb(224 161 0 / 12%); }
  .edge .hidden { display: none; }
  .stop:hover { background: #ffdad6; color: #8c1d18; }
  @media print { .edge { display: none; } }
  @media (forced-colors: active) { .stop, .mark, .notes { outline: 1px solid ButtonText; } }
`;

// Of the page's document by the prototype: `document.body` itself is an image where one has that name.
const rootOf = getter(Document.prototype, 'documentElement');
const bodyOf = getter(Document.prototype, 'body');
const isHidden = getter(Document.prototype, 'hidden');
const elementAt = method(Document.prototype, 'elementFromPoint');

const host = createPart();
const shadow = host.attachShadow({ mode: 'closed' });
const edge = piece('edge');
const text = piece('text');
const stopButton = piece('stop', 'Stop');
const markButton = piece('mark', 'Mark');
const notesButton = piece('notes');
const buttons = [stopButton, markButton, notesButton];
const bar = piece('bar');
const dot = piece('dot');
const band = piece('band');
type Timer = ReturnType<typeof setTimeout>;
interface Point {
  x: number;
  y: number;
}
type Area = Omit<MarkNotice, 'type'>;

let isOpen = false;
let away: Timer | null = null; // the timer that ends a time out of sight
let checking: Timer | undefined;
let soon: Timer | null = null;
let coveredBy: Element | null = null;
let aimed: Point[] = []; // the last points where a button was in the way
let words = ''; // of the bar, while the user does not point at anything
let isMarking = false;
let from: Point | null = null; // where the user's press has begun
let marked: Area | null = null; // what the press has taken; its click is still to come

function createPart(): HTMLElement {
  return document.createElementNS(HTML, 'div'); // in a document of another type, too
}

function piece(name: string, content = ''): HTMLElement {
  const element = createPart();
  element.className = name;
  element.textContent = content;
  return element;
}

function build(): void {
  // For the page's own world, where the scanner's helper that asks for listeners has nothing else to know it by.
  host.setAttribute('data-oryn-banner', '');
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  shadow.adoptedStyleSheets = [sheet];
  edge.popover = 'manual';
  edge.setAttribute('role', 'region');
  edge.setAttribute('aria-label', 'Oryn');
  for (const button of buttons) button.setAttribute('role', 'button');
  band.classList.add('hidden');
  edge.append(band, bar);
  shadow.append(edge);
  listen();
}

/** In the capture phase of the window, and as a rule before any script of the page: none can take a press away. */
function listen(): void {
  for (const kind of PRESSES) window.addEventListener(kind, pressed, { capture: true });
  window.addEventListener('keydown', endedByKey, { capture: true });
  // A page that is kept for going back to may be under nobody's control when it comes back.
  window.addEventListener('pagehide', hide);
}

/** Only a person's own press counts, and the page does not hear of it. By its place, as an open dialog makes all around
 *  it deaf. */
function pressed(event: Event): void {
  if (!(event instanceof MouseEvent) || !event.isTrusted || !isSeen()) return;
  const button = buttonAt(event.clientX, event.clientY);
  if (!button && !isMarking) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const isClick = event.type === 'click' && event.button === 0;
  if (isMarking && (!button || from)) point(event);
  else if (isClick && button === markButton) (isMarking ? endMarking : beginMarking)();
  else if (isClick && button === notesButton) notify({ type: 'notes' });
  else if (isClick) stop();
}

function stop(): void {
  const isRead = stopButton.textContent === 'OK';
  if (isRead) hide();
  notify({ type: isRead ? 'seen' : 'stop' });
}

const notify = (notice: ContentNotice) => void chrome.runtime.sendMessage(notice).catch(() => {});

const isSeen = () => isOpen && host.isConnected && edge.matches(':popover-open');

function isOver(button: Element, x: number, y: number, margin: number): boolean {
  const { left, top, right, bottom } = button.getBoundingClientRect();
  return right > left && x >= left - margin && x <= right + margin && y >= top - margin && y <= bottom + margin;
}

const buttonAt = (x: number, y: number, margin = 0): HTMLElement | undefined =>
  buttons.find((button) => isOver(button, x, y, margin));

// --- pointing at what a note is about ---

const SMALLEST_DRAG = 6; // pixels: less is a press

function beginMarking(): void {
  isMarking = true;
  from = marked = null;
  text.textContent = 'Press what you mean, or drag over a region. Escape ends it.';
  edge.classList.add('marking');
  window.addEventListener('pointermove', dragged, { capture: true });
}

function endMarking(): void {
  isMarking = false;
  from = marked = null;
  text.textContent = words;
  edge.classList.remove('marking');
  band.classList.add('hidden');
  window.removeEventListener('pointermove', dragged, { capture: true });
}

/** A part of the user's press: it ends with its click, which the page must not get either. */
function point({ type, button, clientX: x, clientY: y }: MouseEvent): void {
  if (type === 'pointerdown' && button === 0) from = { x, y };
  else if (type === 'pointerup' && from) {
    marked = areaBetween(from, { x, y });
    setTimeout(finish, SOON); // a press that ends elsewhere has no click
  } else if (type === 'click') finish();
  else if (type === 'contextmenu') endMarking();
}

function finish(): void {
  const area = marked;
  if (!area) return;
  endMarking();
  notify({ type: 'mark', ...area });
}

function areaBetween(one: Point, other: Point): Area {
  const [width, height] = [Math.abs(one.x - other.x), Math.abs(one.y - other.y)];
  if (Math.max(width, height) < SMALLEST_DRAG) return { ...one, width: 0, height: 0 };
  return { x: Math.min(one.x, other.x), y: Math.min(one.y, other.y), width, height };
}

function dragged(event: PointerEvent): void {
  if (!from || marked || !event.isTrusted) return;
  const { x, y, width, height } = areaBetween(from, { x: event.clientX, y: event.clientY });
  const zoom = Number(edge.style.zoom || 1);
  band.classList.toggle('hidden', !width && !height);
  const place = { left: x, top: y, width, height };
  for (const [name, value] of Object.entries(place)) band.style.setProperty(name, `${value / zoom}px`);
}

function endedByKey(event: KeyboardEvent): void {
  if (!isMarking || !event.isTrusted || event.key !== 'Escape') return;
  event.preventDefault();
  event.stopImmediatePropagation();
  endMarking();
}

/** Make room at a point that something is about to be done at; no button lies where one lay in the way before. */
function dodge(x: number, y: number): void {
  if (!buttonAt(x, y, MARGIN)) return;
  aimed = [...aimed, { x, y }].slice(1 - PLACES.length);
  for (const place of PLACES) {
    edge.dataset.place = place;
    if (!aimed.some(({ x: left, y: top }) => buttonAt(left, top, MARGIN))) return;
  }
}

/** Without an endpoint or words: come back from a time out of sight. */
function show({ endpoint, words: own, button = 'Stop', notes = '' }: BannerText): void {
  back();
  const message = own ?? (endpoint === undefined ? undefined : `Oryn controls this tab for ${nameOf(endpoint)}`);
  if (message === undefined && !isOpen) return;
  if (message !== undefined) {
    words = message;
    if (!isMarking) text.textContent = message;
    stopButton.textContent = button;
    notesButton.textContent = notes;
    const isNotice = own !== undefined;
    bar.replaceChildren(dot, text, ...(notes ? [notesButton] : []), ...(isNotice ? [] : [markButton]), stopButton);
  }
  if (!isOpen) {
    isOpen = true;
    aimed = [];
    edge.dataset.place = PLACES[0];
    watch.observe(document, { childList: true });
    checking = setInterval(mend, CHECK);
  }
  mend();
}

/** Host and port, which browsers write in ASCII: nothing in it looks like what it is not. */
function nameOf(endpoint: string): string {
  try {
    return new URL(endpoint).host;
  } catch {
    return 'a server';
  }
}

function hide(): void {
  isOpen = false;
  endMarking();
  back();
  watch.disconnect();
  clearInterval(checking);
  host.remove();
}

/** Out of sight for a picture; resolves when the browser has drawn the page without it. */
async function goAway(): Promise<void> {
  if (!isOpen) return;
  back();
  away = setTimeout(() => {
    back();
    mend();
  }, MAX_AWAY_MS);
  if (edge.isConnected && edge.matches(':popover-open')) edge.hidePopover();
  await drawn();
}

function back(): void {
  clearTimeout(away ?? undefined);
  away = null;
}

// A tab in the background draws nothing, so there is nothing to wait for either.
const drawn = () =>
  new Promise<void>((resolve) => {
    if (isHidden(document)) return resolve();
    requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
    setTimeout(resolve, 5 * SOON);
    return undefined;
  });

const watch = new MutationObserver(() => {
  soon ??= setTimeout(mend, SOON);
});

/** Have the bar where it belongs, whatever the page did. */
function mend(): void {
  clearTimeout(soon ?? undefined);
  soon = null;
  if (!isOpen || away) return;
  // Taken out or loaded anew, the extension has left this script behind: nobody would hear the button.
  if (!isContextValid()) return hide();
  const root = rootOf(document) as Element | null;
  if (!root || root.namespaceURI !== HTML || !(bodyOf(document) as Element | null)) return waitFor(root);
  if (host.parentNode !== root) root.append(host);
  waitFor(root);
  listen();
  if (!edge.matches(':popover-open')) edge.showPopover();
  edge.style.zoom = String(Number(edge.style.zoom || 1) / (edge.currentCSSZoom || 1));
  comeUp();
}

function waitFor(root: Element | null): void {
  watch.observe(document, { childList: true });
  if (root) watch.observe(root, { childList: true });
}

/** Above what the page has put into the top layer since: https://drafts.csswg.org/css-position-4/#top-layer. Once for
 *  each such thing, for of some (a modal dialog) the button can't be hit although it lies above. */
function comeUp(): void {
  const { left, top, width, height } = stopButton.getBoundingClientRect();
  const [x, y] = [left + width / 2, top + height / 2];
  const over = shadow.elementFromPoint(x, y) === stopButton ? null : elementAt(document, x, y);
  if (over && over !== coveredBy) {
    edge.hidePopover();
    edge.showPopover();
  }
  coveredBy = over;
}

/** Whether a message is one for the bar: the worker's own word says what else is in it. */
const isRequest = (message: unknown): message is BannerRequest =>
  isFields(message) && typeof message.banner === 'string';

function listenToWorker(): void {
  chrome.runtime.onMessage.addListener((message: unknown, sender, respond: (isOpen: boolean) => void) => {
    if (sender.id !== chrome.runtime.id || !isRequest(message)) return false;
    if (message.banner === 'away') {
      void goAway().then(() => respond(isOpen));
      return true;
    }
    if (message.banner === 'hide') hide();
    else if (message.banner === 'show') show(message);
    respond(isOpen);
    return false;
  });
}

if (!bannerHandle() && window === window.top) {
  leaveBanner({ host, dodge });
  build();
  listenToWorker();
}
