// The text that a page shows in units that can be compared and told: a paragraph, a list item, a row of a table, a line
// of a message. Text of controls and of editors is left out: an element's name or value has it.

import {
  attribute,
  bodyOf,
  boxOf,
  closest,
  contains,
  dataOf,
  hasAttribute,
  isDocument,
  isElement,
  isHtml,
  matches,
  ownerOf,
  parentElementOf,
  parentOf,
  previousSiblingOf,
  rootOf,
  shadowOf,
  slotOfText,
  tagOf,
  textContentOf,
} from '../dom/natives';
import type { Root } from '../dom/natives';
import type { TextChange } from '../dom/protocol';
import { collapse, wordSet } from '../dom/words';
import { isBanner, queryAll } from '../dom/banner';
import { composedParent, elementAbove } from '../dom/tree';
import { allElements, currentCache } from '../dom/snapshot';
import { isStyledVisible, styleOf } from '../geometry/styles';
import { visibleFrames } from '../geometry/visibility';
import { isClippedAway } from '../geometry/clipping';
import type { Layouts } from '../geometry/clipping';
import { LIVE } from '../semantics/roles';
import { FORM_FIELDS, editedText } from '../semantics/values';
import { isIconName } from '../semantics/generated_text';
import { nameOf, visibleLength, writtenName } from '../semantics/labels';
import { textsIn } from '../dom/texts';

/** A unit's element, and in it the block that a text stands right in: of a row of a table, one of its cells. */
interface Place {
  unit: Element;
  block: Element;
}

/** What one reading of the page gathers. */
interface Reading {
  /** Of the elements that hold texts; null for texts that are not shown. */
  places: Map<Element, Place | null>;
  /** The text of each unit so far, and the block that the last of it was in. */
  units: Map<Element, { text: string; block: Element }>;
  layouts: Layouts;
  /** How many more texts are read at most. */
  left: number;
}

const MAX_TEXTS = 50000;

const INLINE = wordSet(`
  a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rb rt ruby s samp slot small
  span strike strong sub sup time tt u var wbr tspan
`);

const CONTROL_TEXT = [
  'button,select,textarea,datalist,script,style,noscript,template,title,desc,head,summary',
  '[contenteditable]:not([contenteditable=false i])',
  '[role=button],[role=checkbox],[role=menuitem],[role=menuitemcheckbox],[role=menuitemradio],[role=option]',
  '[role=radio],[role=switch],[role=tab],[role=textbox],[role=treeitem]',
].join();

const CELLS = 'td,th,[role=cell],[role=gridcell],[role=columnheader],[role=rowheader]';
const ROWS = 'tr,[role=row]';

/** Every unit of text that can be seen, as a map of its element to its text, in page order. */
export function textUnits(): Map<Element, string> {
  allElements();
  const isFrameSeen = visibleFrames();
  const reading: Reading = { places: new Map(), units: new Map(), layouts: new Map(), left: MAX_TEXTS };
  for (const { root, frame } of currentCache().trees) {
    const start = isDocument(root) ? bodyOf(root) : root;
    if (start && isFrameSeen(frame)) readTexts(isDocument(root) ? root : ownerOf(root), start, reading);
  }
  const units = new Map<Element, string>();
  for (const [owner, { text }] of reading.units) {
    const line = collapse(text);
    if (line) units.set(owner, line);
  }
  addGauges(units);
  addImages(units, reading.layouts);
  return units;
}

function readTexts(owner: Document, start: Element | Root, reading: Reading): void {
  const next = textsIn(owner, start);
  let gap = false;
  for (let node = next(); node && reading.left > 0; node = next()) {
    const data = dataOf(node);
    if (!/\S/.test(data)) {
      gap = true;
      continue;
    }
    reading.left--;
    const parent = parentOfText(node);
    const place = parent && placeOfText(parent, reading);
    if (place && !isIconName(data, parent))
      addToUnit(reading.units, place, gap || followsBreak(node) ? ` ${data}` : data);
    gap = false;
  }
}

function addToUnit(units: Reading['units'], { unit, block }: Place, data: string): void {
  const before = units.get(unit);
  if (!before) units.set(unit, { text: data, block });
  else {
    before.text += before.block === block ? data : ` ${data}`;
    before.block = block;
  }
}

/** Whether a line break stands before a text, or before the inline element that begins with it. */
function followsBreak(text: Text): boolean {
  let node: Node = text;
  let before = previousSiblingOf(node);
  while (!before) {
    const parent = parentOf(node);
    if (!parent || !isElement(parent) || !INLINE.has(tagOf(parent))) return false;
    node = parent;
    before = previousSiblingOf(node);
  }
  return isElement(before) && tagOf(before) === 'br';
}

/** Text right inside the host of a shadow root is shown by the slot that takes it, or not at all. */
function parentOfText(text: Text): Element | null {
  const parent = composedParent(text);
  if (!parent || !isElement(parent)) return null;
  return parent === parentOf(text) && shadowOf(parent) ? slotOfText(text) : parent;
}

/**
 * The unit and the block that text right inside an element (or its shadow root) belongs to, or null for text that is not
 * shown as such.
 */
function placeOfText(parent: Element, { places, layouts }: Reading): Place | null {
  const cached = places.get(parent);
  if (cached !== undefined) return cached;
  const place = isTextVisible(parent) ? placeIn(parent, layouts) : null;
  places.set(parent, place);
  return place;
}

const isTextVisible = (element: Element): boolean =>
  !isBanner(element) &&
  closest(element, CONTROL_TEXT) === null &&
  !isClosedDetails(element) &&
  isStyledVisible(element);

/** Closed details are seen, but not the text right in them. */
const isClosedDetails = (element: Element): boolean => tagOf(element) === 'details' && !hasAttribute(element, 'open');

function placeIn(parent: Element, layouts: Layouts): Place | null {
  const block = blockAround(parent);
  if (isOutOfSight(block, layouts)) return null;
  if (!matches(block, CELLS)) return { unit: block, block };
  return { unit: closest(block, ROWS) || block, block };
}

/**
 * Whether nobody can see a block. `layouts` remembers the layout of elements for the time of one reading. Live regions,
 * which are often read aloud only, are never out of sight.
 */
function isOutOfSight(block: Element, layouts: Layouts): boolean {
  const box = boxOf(block);
  if (box.width === 0 && box.height === 0) return isHtml(block) && block.offsetWidth > 0; // scaled away, else `display: contents`
  return isClippedAway(block, box, layouts) && closest(block, LIVE) === null;
}

export function blockAround(element: Element): Element {
  let block = element;
  while (INLINE.has(tagOf(block)) && isInline(block)) {
    const above = parentElementOf(block);
    if (!above) break;
    block = above;
  }
  return block;
}

function isInline(element: Element): boolean {
  const { display } = styleOf(element);
  return display === 'inline' || display === 'contents' || display.startsWith('ruby');
}

export const GAUGES = 'progress[value],meter,[role=progressbar][aria-valuenow],[role=meter][aria-valuenow]';

/** Progress bars and meters show a value without a text: `Upload 70%`. */
function addGauges(units: Map<Element, string>): void {
  for (const { root } of currentCache().trees) {
    for (const element of queryAll(root, GAUGES)) {
      if (!isStyledVisible(element) || /\S/.test(visibleTextOf(element))) continue;
      units.set(element, collapse(`${nameOf(element)} ${gaugeValue(element)}`));
    }
  }
}

/** What a gauge says by itself; for a native one its content is only for browsers that don't know it. */
const visibleTextOf = (gauge: Element): string => (hasAttribute(gauge, 'role') ? textContentOf(gauge) : '');

/** What a gauge shows: what its author says, `3 of 5`, or `70%`. */
export function gaugeValue(element: Element): string {
  const said = attribute(element, 'aria-valuetext');
  if (said) return said;
  const isNative = !hasAttribute(element, 'aria-valuenow');
  const read = (native: 'value' | 'min' | 'max', aria: string, otherwise: number): number => {
    // A native one may be a <progress>, which has no `min`.
    const number = isNative
      ? (element as Partial<HTMLMeterElement>)[native]
      : parseFloat(attribute(element, aria) ?? '');
    return number !== undefined && Number.isFinite(number) ? number : otherwise;
  };
  const value = read('value', 'aria-valuenow', 0);
  const low = read('min', 'aria-valuemin', 0);
  const high = read('max', 'aria-valuemax', isNative ? 1 : 100);
  if (tagOf(element) === 'meter' || attribute(element, 'role') === 'meter') return `${value} of ${high}`;
  return high > low ? `${Math.round((100 * (value - low)) / (high - low))}%` : String(value);
}

export const PICTURES = 'img,[role=img]';
const SMALLEST_IMAGE = 16;

/** Pictures that are not part of a control or a link, by their description, or else by the name of their file. */
function addImages(units: Map<Element, string>, layouts: Layouts): void {
  for (const { root } of currentCache().trees) {
    for (const image of queryAll(root, PICTURES)) {
      const { width, height } = boxOf(image);
      if (width < SMALLEST_IMAGE || height < SMALLEST_IMAGE || closest(image, `a,${CONTROL_TEXT}`)) continue;
      if (isIconOfMessage(image, width)) continue;
      const text = collapse(writtenName(image)) || fileNameOf(image);
      if (text && isStyledVisible(image) && !isOutOfSight(image, layouts)) units.set(image, text);
    }
  }
}

export const MAX_ICON_SIZE = 64;

/** Whether a picture is the icon beside the text of a message. */
function isIconOfMessage(image: Element, width: number): boolean {
  if (width >= MAX_ICON_SIZE) return false;
  let node = elementAbove(image);
  for (let level = 0; node && level < LEVELS_OF_KIND; node = elementAbove(node), level++) {
    if (messageKind(node) !== 'text' && /\S/.test(textContentOf(node))) return true;
  }
  return false;
}

/** The name of the file that a picture shows, or is about to show: `currentSrc` is empty until a new one has loaded. */
function fileNameOf(image: Element): string {
  const address = (image as Partial<HTMLImageElement>).currentSrc || attribute(image, 'src') || '';
  const [path = ''] = address.split(/[?#]/, 1);
  return address.startsWith('data:') ? '' : path.slice(path.lastIndexOf('/') + 1);
}

// What a text of a page is: a message, by its role, live region, classes or the field that it describes; a heading; a
// clock; or plain text.

const ALERT_CLASS = /(?:^|[-_])(?:alert|danger|errors?|errorlist|invalid|warnings?|failure)(?:$|[-_\d])/i;
const STATUS_CLASS =
  /(?:^|[-_])(?:toasts?|snackbars?|flash|flashes|messages?|notifications?|notices?|success|feedback)(?:$|[-_\d])/i;
const CLOCK_ROLES = new Set(['timer', 'marquee']);
const CLOCKS = '[role=timer],[role=marquee],[aria-live=off]';
export const LEVELS_OF_KIND = 5;

/** What a text is by its role, its live region or its classes; what a `clock` says counts for nothing. */
export type MessageKind = Exclude<TextKind, 'heading' | 'image'>;
export type TextKind = Exclude<TextChange['kind'], 'order' | 'selection' | 'format'> | 'clock';

/** The kind of a unit of text, by itself and what is around it. */
export function textKind(owner: Element): TextKind {
  let level = 0;
  for (let node: Element | null = owner; node && level < LEVELS_OF_KIND; node = elementAbove(node), level++) {
    const kind = messageKind(node);
    if (kind !== 'text') return kind;
  }
  if (describesInvalid(owner)) return 'alert';
  if (matches(owner, PICTURES)) return 'image';
  return /^h[1-6]$/.test(tagOf(owner)) || attribute(owner, 'role') === 'heading' ? 'heading' : 'text';
}

/** What an element says it is by its role, its live region or, as the last resort, its classes. */
export function messageKind(element: Element): MessageKind {
  const role = attribute(element, 'role');
  const live = attribute(element, 'aria-live');
  if (role === 'alert' || role === 'alertdialog' || live === 'assertive') return 'alert';
  if (live === 'off' || (role && CLOCK_ROLES.has(role))) return 'clock';
  if (role === 'status' || role === 'log' || live === 'polite' || tagOf(element) === 'output') return 'status';
  const tag = tagOf(element);
  if (tag === 'body' || tag === 'html' || tag === 'main' || tag === 'form') return 'text';
  const tokens = (attribute(element, 'class') || '').split(/\s+/);
  // A row of a form that is marked as wrong is no message.
  if (tokens.some((token) => ALERT_CLASS.test(token))) return queryAll(element, FORM_FIELDS).length ? 'text' : 'alert';
  return tokens.some((token) => STATUS_CLASS.test(token)) ? 'status' : 'text';
}

/** Whether the element is named by an invalid field as what describes it. */
function describesInvalid(element: Element): boolean {
  const id = attribute(element, 'id');
  if (!id) return false;
  const invalid = queryAll(rootOf(element) as Root | Element, '[aria-invalid]:not([aria-invalid=false])');
  return Array.prototype.some.call(invalid, (field: Element) =>
    ['aria-describedby', 'aria-errormessage'].some((name) => (attribute(field, name) || '').split(/\s+/).includes(id)),
  );
}

const PARTS_OF_REGIONS = 'tr,[role=row],[role=option]';

/**
 * What has come or changed in a live region: blocks, each with all around it that says no more. A region may hold a log, or
 * a whole table, whose rows are no messages, or a list of options.
 */
export function newParts(live: Element, place: Element, added: ArrayLike<Node> & Iterable<Node>): Set<Element> {
  const parts = new Set<Element>();
  for (const node of added.length ? added : [place]) {
    let part = blockAround(isElement(node) ? node : place);
    if (!contains(live, part)) part = live;
    const other = closest(part, `${PARTS_OF_REGIONS},${CLOCKS}`);
    if ((other && other !== live && contains(live, other)) || queryAll(part, PARTS_OF_REGIONS).length) continue;
    for (let above = parentElementOf(part); part !== live && above; above = parentElementOf(part)) {
      if (visibleLength(above) !== visibleLength(part)) break;
      part = above;
    }
    parts.add(part);
  }
  return parts;
}

/** What a message says, without the time that it still has. */
export function textWithoutClocks(element: Element): string {
  let text: string = editedText(element);
  for (const clock of queryAll(element, CLOCKS)) text = text.replace(textContentOf(clock), ' ');
  return text;
}
