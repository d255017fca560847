// The text that a page shows in units that can be compared and told: a paragraph, a list item, a row of a table, a line
// of a message. Text of controls and of editors is left out: an element's name or value has it.

import {
  DOCUMENT_NODE,
  ELEMENT_NODE,
  attribute,
  bodyOf,
  boxOf,
  closest,
  contains,
  dataOf,
  hasAttribute,
  matches,
  nodeTypeOf,
  ownerOf,
  parentElementOf,
  parentOf,
  previousSiblingOf,
  rootOf,
  shadowOf,
  slotOfText,
  tagOf,
  textContentOf,
  method,
} from '../dom/natives';
import { collapse, wordSet } from '../dom/words';
import { isBanner, queryAll } from '../dom/banner';
import { composedParent, elementAbove } from '../dom/tree';
import { allElements, currentCache } from '../dom/snapshot';
import { isClippedAway, isOffPage, isStyledVisible, styleOf, visibleFrames } from '../geometry/visibility';
import { LIVE } from '../semantics/roles';
import { FORM_FIELDS, editedText } from '../semantics/values';
import { isIconName } from '../semantics/names';
import { nameOf, visibleLength, writtenName } from '../semantics/labels';

export const MAX_ICON_SIZE = 64;

/**
 * Whether nobody can see a block. `layouts` remembers the layout of elements for the time of one reading. Live regions,
 * which are often read aloud only, are never out of sight.
 */
function isOutOfSight(block, layouts) {
  const box = boxOf(block);
  if (box.width === 0 && box.height === 0) return block.offsetWidth > 0; // scaled away, else `display: contents`
  const isHidden = isClippedAway(block, box, layouts) || isOffPage(block, box);
  return isHidden && closest(block, LIVE) === null;
}

const MAX_TEXTS = 50000;
const SHOW_TEXT = 4;

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
const walkerOf = method(Document.prototype, 'createTreeWalker');
const nextOf = method(TreeWalker.prototype, 'nextNode');

/** Every unit of text that can be seen, as a map of its element to its text, in page order. */
export function textUnits() {
  allElements();
  const isFrameSeen = visibleFrames();
  const reading = { owners: new Map(), units: new Map(), layouts: new Map(), left: MAX_TEXTS };
  for (const { root, frame } of currentCache().trees) {
    const isDocument = nodeTypeOf(root) === DOCUMENT_NODE;
    const start = isDocument ? bodyOf(root) : root;
    if (start && isFrameSeen(frame)) readTexts(isDocument ? root : ownerOf(root), start, reading);
  }
  const units = new Map();
  for (const [owner, { text }] of reading.units) {
    const line = collapse(text);
    if (line) units.set(owner, line);
  }
  addGauges(units);
  addImages(units, reading.layouts);
  return units;
}

function readTexts(owner, start, reading) {
  const texts = walkerOf(owner, start, SHOW_TEXT);
  let gap = false;
  for (let node = nextOf(texts); node && reading.left > 0; node = nextOf(texts)) {
    const data = dataOf(node);
    if (!/\S/.test(data)) {
      gap = true;
      continue;
    }
    reading.left--;
    const parent = parentOfText(node);
    const place = placeOfText(parent, reading);
    if (place && !isIconName(data, parent)) addToUnit(reading.units, place, gap || followsBreak(node) ? ` ${data}` : data);
    gap = false;
  }
}

function addToUnit(units, { unit, block }, data) {
  const before = units.get(unit);
  if (!before) units.set(unit, { text: data, block });
  else {
    before.text += before.block === block ? data : ` ${data}`;
    before.block = block;
  }
}

/** Whether a line break stands before a text, or before the inline element that begins with it. */
function followsBreak(node) {
  let at = node;
  while (!previousSiblingOf(at) && isInlineElement(parentOf(at))) at = parentOf(at);
  const before = previousSiblingOf(at);
  return before !== null && nodeTypeOf(before) === ELEMENT_NODE && tagOf(before) === 'br';
}

const isInlineElement = (node) => node !== null && nodeTypeOf(node) === ELEMENT_NODE && INLINE.has(tagOf(node));

/**
 * The unit and the block that text right inside an element (or its shadow root) belongs to, or null for text that is not
 * shown as such.
 */
function placeOfText(parent, { owners: places, layouts }) {
  if (!parent || nodeTypeOf(parent) !== ELEMENT_NODE) return null;
  const cached = places.get(parent);
  if (cached !== undefined) return cached;
  const place = isTextVisible(parent) ? placeIn(parent, layouts) : null;
  places.set(parent, place);
  return place;
}

/** Text right inside the host of an open shadow root is shown by the slot that takes it, or not at all. */
function parentOfText(node) {
  const parent = composedParent(node);
  return parent && nodeTypeOf(parent) === ELEMENT_NODE && parent === parentOf(node) && shadowOf(parent) ? slotOfText(node) : parent;
}

const isTextVisible = (element) =>
  !isBanner(element) &&
  closest(element, CONTROL_TEXT) === null &&
  !isClosedDetails(element) &&
  (isStyledVisible(element) || isVisibleWithoutBox(element));

/** An element with `display: contents`, as every slot has, shows its text in the box around it. */
function isVisibleWithoutBox(element) {
  let node = element;
  while (node && nodeTypeOf(node) === ELEMENT_NODE && styleOf(node).display === 'contents') node = composedParent(node);
  if (!node || node === element || nodeTypeOf(node) !== ELEMENT_NODE) return false;
  return styleOf(element).visibility === 'visible' && isStyledVisible(node);
}

/** What has no element of its own in closed details is not shown, though they are. */
const isClosedDetails = (element) => tagOf(element) === 'details' && !hasAttribute(element, 'open');

function placeIn(parent, layouts) {
  const block = blockAround(parent);
  if (isOutOfSight(block, layouts)) return null;
  if (!matches(block, CELLS)) return { unit: block, block };
  return { unit: closest(block, ROWS) || block, block };
}

function blockAround(element) {
  let block = element;
  while (INLINE.has(tagOf(block)) && isInline(block)) {
    const above = parentElementOf(block);
    if (!above) break;
    block = above;
  }
  return block;
}

function isInline(element) {
  const { display } = styleOf(element);
  return display === 'inline' || display === 'contents' || display.startsWith('ruby');
}

export const GAUGES = 'progress[value],meter,[role=progressbar][aria-valuenow],[role=meter][aria-valuenow]';

/** Progress bars and meters show a value without a text: `Upload 70%`. */
function addGauges(units) {
  for (const { root } of currentCache().trees) {
    for (const element of queryAll(root, GAUGES)) {
      if (!isStyledVisible(element) || /\S/.test(visibleTextOf(element))) continue;
      units.set(element, collapse(`${nameOf(element)} ${gaugeValue(element)}`));
    }
  }
}

/** What a gauge says by itself; for a native one its content is only for browsers that don't know it. */
const visibleTextOf = (element) => (hasAttribute(element, 'role') ? textContentOf(element) : '');

export function gaugeValue(element) {
  const said = attribute(element, 'aria-valuetext');
  if (said) return said;
  const isNative = !hasAttribute(element, 'aria-valuenow');
  const read = (native, aria, otherwise) => {
    const number = isNative ? element[native] : parseFloat(attribute(element, aria));
    return Number.isFinite(number) ? number : otherwise;
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
function addImages(units, layouts) {
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

/** Whether a picture is the icon beside the text of a message. */
function isIconOfMessage(image, width) {
  if (width >= MAX_ICON_SIZE) return false;
  let node = elementAbove(image);
  for (let level = 0; node && level < LEVELS_OF_KIND; node = elementAbove(node), level++) {
    if (messageKind(node) !== 'text' && /\S/.test(textContentOf(node))) return true;
  }
  return false;
}

/** The name of the file that a picture shows, or is about to show: `currentSrc` is empty until a new one has loaded. */
function fileNameOf(image) {
  const address = image.currentSrc || attribute(image, 'src') || '';
  return address.startsWith('data:') ? '' : address.split(/[?#]/, 1)[0].split('/').pop();
}

// What a text of a page is: a message, by its role, live region, classes or the field that it describes; a heading; a
// clock; or plain text.

const ALERT_CLASS = /(?:^|[-_])(?:alert|danger|errors?|errorlist|invalid|warnings?|failure)(?:$|[-_\d])/i;
const STATUS_CLASS = /(?:^|[-_])(?:toasts?|snackbars?|flash|flashes|messages?|notifications?|notices?|success|feedback)(?:$|[-_\d])/i;
const CLOCK_ROLES = new Set(['timer', 'marquee']);
const CLOCKS = '[role=timer],[role=marquee],[aria-live=off]';
export const LEVELS_OF_KIND = 5;

/** `alert`, `status`, `heading`, `clock` (its text counts for nothing), `image` or `text`. */
export function textKind(owner) {
  let level = 0;
  for (let node = owner; node && level < LEVELS_OF_KIND; node = elementAbove(node), level++) {
    const kind = messageKind(node);
    if (kind !== 'text') return kind;
  }
  if (describesInvalid(owner)) return 'alert';
  if (matches(owner, PICTURES)) return 'image';
  return /^h[1-6]$/.test(tagOf(owner)) || attribute(owner, 'role') === 'heading' ? 'heading' : 'text';
}

/** What an element says it is by its role, its live region or, as the last resort, its classes. */
export function messageKind(element) {
  const role = attribute(element, 'role');
  const live = attribute(element, 'aria-live');
  if (role === 'alert' || role === 'alertdialog' || live === 'assertive') return 'alert';
  if (live === 'off' || CLOCK_ROLES.has(role)) return 'clock';
  if (role === 'status' || role === 'log' || live === 'polite' || tagOf(element) === 'output') return 'status';
  const tag = tagOf(element);
  if (tag === 'body' || tag === 'html' || tag === 'main' || tag === 'form') return 'text';
  const tokens = (attribute(element, 'class') || '').split(/\s+/);
  // A row of a form that is marked as wrong is no message.
  if (tokens.some((token) => ALERT_CLASS.test(token))) return queryAll(element, FORM_FIELDS).length ? 'text' : 'alert';
  return tokens.some((token) => STATUS_CLASS.test(token)) ? 'status' : 'text';
}

/** Whether the element is named by an invalid field as what describes it. */
function describesInvalid(element) {
  const id = attribute(element, 'id');
  if (!id) return false;
  const invalid = queryAll(rootOf(element), '[aria-invalid]:not([aria-invalid=false])');
  return Array.prototype.some.call(invalid, (field) =>
    ['aria-describedby', 'aria-errormessage'].some((name) =>
      (attribute(field, name) || '').split(/\s+/).includes(id),
    ),
  );
}

const PARTS_OF_REGIONS = 'tr,[role=row],[role=option]';

/**
 * What has come or changed in a live region: blocks, each with all around it that says no more. A region may hold a log, or
 * a whole table, whose rows are no messages, or a list of options.
 */
export function newParts(live, place, added) {
  const parts = new Set();
  for (const node of added.length ? added : [place]) {
    let part = blockAround(nodeTypeOf(node) === ELEMENT_NODE ? node : place);
    if (!contains(live, part)) part = live;
    const other = closest(part, `${PARTS_OF_REGIONS},${CLOCKS}`);
    if ((other && other !== live && contains(live, other)) || queryAll(part, PARTS_OF_REGIONS).length) continue;
    while (part !== live && visibleLength(parentElementOf(part)) === visibleLength(part)) part = parentElementOf(part);
    parts.add(part);
  }
  return parts;
}

/** What a message says, without the time that it still has. */
export function textWithoutClocks(element) {
  let text = editedText(element);
  for (const clock of queryAll(element, CLOCKS)) text = text.replace(textContentOf(clock), ' ');
  return text;
}
