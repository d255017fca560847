// Which month and year a text names, in the languages of the page and of the browser.

import {
  TEXT_NODE,
  attribute,
  attributesOf,
  boxOf,
  childrenOf,
  closest,
  dataOf,
  documentElementOf,
  firstChildOf,
  inputTypeOf,
  inputValueOf,
  nodeTypeOf,
  optionSelected,
  optionValue,
  optionsOf,
  tagOf,
  textContentOf,
} from '../dom/natives';
import { Refusal, isPresent, wholeNumber } from '../dom/refusal';
import { collapse } from '../dom/words';
import { nextFrame } from '../dom/timing';
import { queryAll } from '../dom/banner';
import { elementAbove, holds } from '../dom/tree';
import { continueNumbers, nextNumber, numberOf } from '../dom/numbers';
import { allElements, refreshCache } from '../dom/snapshot';
import { seenBox, styleOf } from '../geometry/visibility';
import { inPage } from '../geometry/boxes';
import { DIALOG_SELECTOR, authoredRole } from '../semantics/roles';
import { isDisabled, isReadOnly, optionLabel, selectedTexts } from '../semantics/values';
import { interactivity } from '../semantics/interactive';
import { elementOf, requestedElement } from '../targets/candidates';
import { boxDistance } from '../targets/relations';
import { floatingAround } from '../page/layers';

const YEAR_NUMBER = /(?:^|\D)(1[89]\d\d|2[01]\d\d)(?!\d)/;

const MONTH_NUMBERS = [
  [/(?:^|\D)(?:1[89]|2[01])\d\d\s?[-/.年년]\s?(\d{1,2})(?!\d)/, 1],
  [/(?:^|\D)(\d{1,2})\s?[-/.]\s?(?:1[89]|2[01])\d\d(?!\d)/, 1],
  [/(?:^|\D)(\d{1,2})\s?[月월]/, 1],
];

const MONTH_FORMS = [{ month: 'long' }, { month: 'long', day: 'numeric' }, { month: 'short' }];
let monthWords = null; // `{long, short}`: maps of words to the numbers of their months

function pageLanguage() {
  const root = documentElementOf(document);
  return (root && attribute(root, 'lang')) || 'en';
}

function wordsOfMonths() {
  const language = pageLanguage();
  if (monthWords && monthWords.language === language) return monthWords;
  monthWords = { language, long: new Map(), short: new Map() };
  for (const tag of [language, ...navigator.languages, 'en']) {
    for (const form of MONTH_FORMS) {
      const words = form.month === 'long' ? monthWords.long : monthWords.short;
      for (let month = 1; month <= 12; month++) {
        for (const word of wordsIn(monthText(tag, form, month))) if (!words.has(word)) words.set(word, month);
      }
    }
  }
  return monthWords;
}

const wordsIn = (text) => text.toLowerCase().match(/[\p{L}\p{M}]{3,}/gu) || [];

function monthText(tag, form, month) {
  try {
    return new Intl.DateTimeFormat(tag, { ...form, timeZone: 'UTC' }).format(Date.UTC(2024, month - 1, 15));
  } catch (error) {
    return ''; // the page's language is none
  }
}

/** `{year, month}` that a text names, each null where it names none; `month` counts from 1. */
function monthIn(text) {
  const year = YEAR_NUMBER.exec(text);
  return { year: year ? Number(year[1]) : null, month: namedMonth(text) ?? numberedMonth(text) };
}

function namedMonth(text) {
  const { long, short } = wordsOfMonths();
  const words = wordsIn(text);
  for (const word of words) if (long.has(word)) return long.get(word);
  // A short one may be a weekday as well (`mar`): it counts beside a year, or alone.
  if (words.length > 1 && !YEAR_NUMBER.test(text)) return null;
  for (const word of words) if (short.has(word)) return short.get(word);
  return null;
}

function numberedMonth(text) {
  for (const [pattern, group] of MONTH_NUMBERS) {
    const found = pattern.exec(text);
    if (found && found[group] >= 1 && found[group] <= 12) return Number(found[group]);
  }
  return null;
}

/** The month that a text names if the text is a date on that day of it, else null. */
function monthOfDate(text, day) {
  const iso = /(?:^|\D)(\d{4})-(\d{2})-(\d{2})(?!\d)/.exec(text);
  if (iso) return Number(iso[3]) === day ? { year: Number(iso[1]), month: Number(iso[2]) } : null;
  if (/^-?\d{10,14}$/.test(text)) return monthOfStamp(Number(text), day);
  if (!new RegExp(`(?:^|\\D)0?${day}(?!\\d)`).test(text.replace(YEAR_NUMBER, ' '))) return null;
  const year = YEAR_NUMBER.exec(text);
  const month = namedMonth(text);
  return year && month ? { year: Number(year[1]), month } : null;
}

/** A time stamp in seconds or milliseconds, of a midnight here or in UTC. */
function monthOfStamp(number, day) {
  const date = new Date(Math.abs(number) < 1e11 ? number * 1000 : number);
  if (date.getDate() === day) return { year: date.getFullYear(), month: date.getMonth() + 1 };
  if (date.getUTCDate() === day) return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1 };
  return null;
}

// calendar (docs/spec/scanner-protocol.md#calendar): the calendar that a page shows, the day that is wanted in it, and
// the way to another month.
//
// No two libraries build it alike, but each shows the numbers 1 to 28 or more in order, a month's name, and something to
// press for the next one.

const MONTH_LENGTH = 28;
const CALENDAR_LEVELS = 7;
const MAX_MONTHS = 24;
const OPEN_SEQUENCES = 4;
const MAX_PARTS = 3000; // elements of a calendar
const DAY_TEXT = /^(?:0?[1-9]|[12]\d|3[01])[.日일]?$/;
const UNWANTED_TAGS = new Set(['option', 'th', 'script', 'style']);

/** Answers at once, or, with `timeout`, as soon as there is a calendar; with `after`, one that shows another month. */
export function calendar(request) {
  const found = calendarData(request);
  if (!isPresent(request.timeout) || isAwaited(found, request)) return found;
  return awaitedCalendar(request);
}

const isAwaited = ({ calendar: found }, { after, unlike }) =>
  found !== null && (!isPresent(after) || found.first !== after) && (!isPresent(unlike) || found.key !== unlike);

async function awaitedCalendar(request) {
  const deadline = performance.now() + request.timeout;
  for (;;) {
    await nextFrame();
    refreshCache();
    const found = calendarData(request);
    if (isAwaited(found, request) || performance.now() >= deadline) return found;
  }
}

function calendarData(request) {
  const field = elementOf(wholeNumber(request.id, 'id'));
  continueNumbers(request.next_id || 1);
  const [year, month, day] = request.date.split('-').map(Number);
  const nearest = nearestMonth(field);
  const found = nearest ? calendarAround(nearest, field, { year, month, day, time: request.time }) : null;
  const opener = found ? null : calendarOpener(field);
  const inDialog = closest(field, DIALOG_SELECTOR) !== null;
  return { calendar: found, opener: opener && numberOf(opener), in_dialog: inDialog, next_id: nextNumber };
}

/** The sequence of day cells that is nearest to the field: a calendar that opens for a field opens beside it. */
function nearestMonth(field) {
  const from = inPage(field, boxOf(field));
  let nearest = null;
  const months = monthsOfCells();
  if (months.length > MAX_MONTHS) return null; // a table of numbers
  for (const cells of months) {
    const distance = holds(commonElement(cells), field) ? 0 : boxDistance(from, inPage(cells[0], boxOf(cells[0])));
    if (!nearest || distance < nearest.distance) nearest = { cells, distance };
  }
  return nearest && nearest.cells;
}

/**
 * All visible elements with the numbers 1, 2, 3 … of a month, as lists; `[0]` is the first day. A sequence that another
 * 1 interrupts stays open: the 1 may be the number of a week, or what came before may be a pager.
 */
function monthsOfCells() {
  const months = [];
  let open = [];
  for (const element of dayElements()) {
    const number = parseInt(textContentOf(element).trim(), 10);
    if (number === 1) {
      months.push(...open.filter((cells) => cells.length >= MONTH_LENGTH));
      open = open.filter((cells) => cells.length > 1 && cells.length < MONTH_LENGTH).slice(-OPEN_SEQUENCES);
      open.push([element]);
      continue;
    }
    const continued = open.findLast((cells) => cells.length + 1 === number && isNearCell(cells, element));
    if (continued) continued.push(element);
  }
  return [...months, ...open.filter((cells) => cells.length >= MONTH_LENGTH)];
}

/** Days of one month lie below one element that is not the page. */
const isNearCell = (cells, element) => levelsApart(cells[cells.length - 1], element) <= CALENDAR_LEVELS;

function levelsApart(one, other) {
  let level = 0;
  for (let node = one; node; node = elementAbove(node), level++) if (holds(node, other)) return level;
  return Infinity;
}

function dayElements() {
  return allElements().filter((element) => {
    const first = firstChildOf(element);
    if (!first || nodeTypeOf(first) !== TEXT_NODE || childrenOf(element).length) return false;
    if (UNWANTED_TAGS.has(tagOf(element)) || authoredRole(element) === 'rowheader') return false;
    return DAY_TEXT.test(textContentOf(element).trim()) && seenBox(element) !== null;
  });
}

function commonElement(cells) {
  let node = cells[0];
  while (node && !holds(node, cells[cells.length - 1])) node = elementAbove(node);
  return node;
}

function calendarAround(cells, field, wanted) {
  const container = calendarElement(cells, field);
  const inside = queryAll(container, '*');
  const months = monthsOfCells().filter((each) => each[0] === cells[0] || holds(container, each[0]));
  const dated = [];
  let previous = null;
  for (const each of months) {
    dated.push({ cells: each, ...(monthOfCells(each) || headerMonth(inside, previous, each)) });
    previous = each;
  }
  const wantedMonth = dated.find(({ year, month }) => year === wanted.year && month === wanted.month);
  const cell = wantedMonth && wantedMonth.cells[wanted.day - 1];
  const [first, last] = [dated[0], dated[dated.length - 1]];
  const named = (each) => (each.year && each.month ? `${each.year}-${String(each.month).padStart(2, '0')}` : null);
  return {
    key: numberOf(cells[0]),
    floating: liesOverThePage(container, field),
    first: named(first),
    last: named(last),
    day: cell ? numberOf(cell) : null,
    disabled: Boolean(cell) && isDayDisabled(cell),
    time: wanted.time ? timeSteps(container, wanted.time) : null,
    ...calendarControls(inside, months, wanted, first),
  };
}

/** Whether a calendar lies over the page, as one that a field has opened does, or around the field. */
function liesOverThePage(container, field) {
  for (let node = container; node; node = elementAbove(node)) {
    if (holds(node, field)) return node === container;
    const { position } = styleOf(node);
    if (position === 'absolute' || position === 'fixed') return true;
  }
  return false;
}

/** What holds the days, their heading and what leads to other months. */
function calendarElement(cells, field) {
  let chosen = commonElement(cells);
  let node = chosen;
  for (let level = 0; level < CALENDAR_LEVELS; level++) {
    const inside = queryAll(node, '*');
    if (inside.length > MAX_PARTS) break;
    const isComplete = monthOfCells(cells) || isMonth(headerMonth(inside, null, cells));
    if (isComplete) chosen = node;
    if (isComplete && goesBothWays(monthControls(inside, [cells]))) break;
    node = elementAbove(node);
    if (!node || tagOf(node) === 'body' || tagOf(node) === 'html' || (holds(node, field) && node !== field)) break;
  }
  return chosen;
}

/** Of two months side by side, the first has the way back and the second the way on. */
const goesBothWays = (found) => found.some(({ way }) => way > 0) && found.some(({ way }) => way < 0);

const isMonth = ({ year, month }) => Boolean(year && month);

/** The month that the cells themselves name, in an attribute of two of them. */
function monthOfCells(cells) {
  const one = cellMonth(cells[0], 1);
  const other = cellMonth(cells[14], 15);
  return one && other && one.year === other.year && one.month === other.month ? one : null;
}

function cellMonth(cell, day) {
  let node = cell;
  for (let level = 0; node && level < 3; node = elementAbove(node), level++) {
    for (const { value } of Array.from(attributesOf(node))) {
      const month = monthOfDate(value, day);
      if (month) return month;
    }
  }
  return null;
}

/** The month that the words before the days name: texts, chosen options, what fields hold. */
function headerMonth(inside, previous, cells) {
  const named = { year: null, month: null };
  const follows = (one, other) => (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  for (const element of inside) {
    if (follows(cells[0], element)) break;
    if (previous && !follows(previous[previous.length - 1], element)) continue;
    const text = headerText(element);
    if (!text || text.length > 60) continue;
    const { year, month } = monthIn(text);
    named.year = named.year ?? year;
    named.month = named.month ?? month;
  }
  return named;
}

function headerText(element) {
  const tag = tagOf(element);
  if (tag === 'option') return '';
  if (!seenBox(element)) return '';
  if (tag === 'select') return selectedTexts(element).join(' ');
  if (tag === 'input') return inputValueOf(element);
  const hasText = Array.from(element.childNodes).some((node) => nodeTypeOf(node) === TEXT_NODE && dataOf(node).trim());
  return hasText && tag !== 'th' ? collapse(textContentOf(element)) : attribute(element, 'aria-live') ? collapse(textContentOf(element)) : '';
}

function isDayDisabled(cell) {
  if (isDisabled(cell)) return true;
  const isMarked = (node) => /(^|[-_\s])(disabled|unavailable|blocked)($|[-_\s])/i.test(attribute(node, 'class') || '');
  const parent = elementAbove(cell);
  return isMarked(cell) || (textContentOf(parent).trim() === textContentOf(cell).trim() && isMarked(parent));
}

/**
 * date_limits (docs/spec/scanner-protocol.md#date_limits): whether a native field accepts its value, and between which
 * others that would have to be.
 */
export function dateLimits(request) {
  const element = requestedElement(request);
  if (!element.validity) throw new Refusal('INVALID_ELEMENT_TYPE', `a ${tagOf(element)} has no limits`);
  return {
    valid: element.validity.valid,
    min: attribute(element, 'min'),
    max: attribute(element, 'max'),
    message: element.validationMessage,
  };
}

// What a calendar has to press: buttons to other months, selects of months and years, the button that opens it; fields or
// lists for the hour and minute, and what switches between the halves of a day.

const FORWARD = /next|forward|weiter|nächst|suivant|siguiente|próxim|prossim|successiv|volgend|följande|след|[›»→▶❯]|^>+$|下|次|다음/i;
const BACKWARD = /prev|back|zurück|vorig|vorherig|précéd|anterior|precedent|vorige|föregående|пред|[‹«←◀❮]|^<+$|上|前|이전/i;
const YEARLY = /year|jahr|année|año|anno|jaar|год|double|super|fast|年/i;
const CONFIRMS = /^(?:ok|apply|done|set|confirm|select|choose|save|übernehmen|fertig|appliquer|valider|aplicar|aceptar|applica|conferma)$/i;

/** What leads to another month: selects, a field of the year, buttons with the direction that they seem to go in. */
function calendarControls(inside, months, wanted, first) {
  const controls = { month_option: null, year_option: null, year_field: null, forward: [], backward: [], confirm: null };
  for (const element of inside) {
    if (tagOf(element) === 'select' && seenBox(element)) chooseInSelect(element, wanted, controls);
    if (tagOf(element) === 'input' && inputValueOf(element) === String(first.year) && seenBox(element))
      controls.year_field = numberOf(element);
    if (tagOf(element) === 'button' && CONFIRMS.test(collapse(textContentOf(element))) && seenBox(element))
      controls.confirm = numberOf(element);
  }
  const found = monthControls(inside, months);
  // What says itself where it leads goes before what only stands on that side, such as an arrow of a field for the year.
  for (const { element, way, isYearly } of [...found.filter((each) => !each.isNamed), ...found.filter((each) => each.isNamed)]) {
    const list = way > 0 ? controls.forward : controls.backward;
    if (isYearly) list.push(numberOf(element));
    else list.unshift(numberOf(element));
  }
  return controls;
}

function chooseInSelect(element, { year, month }, controls) {
  const options = Array.from(optionsOf(element));
  const yearly = options.find((option) => optionLabel(option) === String(year));
  const monthly = options.filter((option) => namedMonth(optionLabel(option)));
  const chosen = yearly || monthly.find((option) => namedMonth(optionLabel(option)) === month);
  if (!chosen || optionSelected(chosen)) return;
  controls[yearly ? 'year_option' : 'month_option'] = { id: numberOf(element), value: optionValue(chosen) };
}

/** The small things to press beside or above the days, as `{element, way, isNamed, isYearly}`; the likely ones last. */
function monthControls(inside, months) {
  const days = new Set(months.flat());
  const grid = boxAround(months);
  const found = [];
  for (const element of inside) {
    if (found.some((each) => holds(each.element, element)) || days.has(element)) continue;
    const tag = tagOf(element);
    if (tag === 'select' || tag === 'input' || tag === 'option' || !isMonthControl(element, tag)) continue;
    const box = seenBox(element);
    if (!box || box.width > 140 || box.height > 100 || months.some((cells) => cells.some((day) => holds(element, day))))
      continue;
    if (box.top >= grid.bottom || box.left > grid.right + 100 || box.right < grid.left - 100) continue;
    const named = namedWay(element);
    const way = named || wayOf(element, box, grid);
    if (way) found.push({ element, way, isNamed: named !== 0, isYearly: YEARLY.test(describedBy(element)) });
  }
  return found.reverse();
}

const isMonthControl = (element, tag) =>
  interactivity(element, tag) > 0 || /(^|[-_])(next|prev|previous)($|[-_\s])/i.test(attribute(element, 'class') || '');

const describedBy = (element) =>
  ['aria-label', 'title', 'class', 'id'].map((name) => attribute(element, name) || '').join(' ') +
  textContentOf(element).slice(0, 40);

function boxAround(months) {
  const boxes = months.flat().map(boxOf);
  return {
    left: Math.min(...boxes.map(({ left }) => left)),
    right: Math.max(...boxes.map(({ right }) => right)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  };
}

function isNoMover(text) {
  const { year, month } = monthIn(text);
  return text.length > 25 || (year && month) || DAY_TEXT.test(text);
}

/** 1 forward, -1 backward, 0 neither, by its name. */
function namedWay(element) {
  const text = collapse(textContentOf(element));
  if (isNoMover(text)) return 0;
  const icons = queryAll(element, '[class]');
  const classes = [element, ...Array.from(icons)].map((each) => attribute(each, 'class') || '').join(' ');
  for (const name of [attribute(element, 'aria-label'), attribute(element, 'title'), text, classes]) {
    if (!name || FORWARD.test(name) === BACKWARD.test(name)) continue;
    return FORWARD.test(name) ? 1 : -1;
  }
  return 0;
}

/** The same by the side that it is on. */
function wayOf(element, box, grid) {
  const text = collapse(textContentOf(element));
  if (isNoMover(text)) return 0;
  const [middle, width] = [(grid.left + grid.right) / 2, grid.right - grid.left];
  const off = (box.left + box.right) / 2 - middle;
  return Math.abs(off) > 0.15 * width && !text.match(/\p{L}{3,}/u) ? Math.sign(off) : 0;
}

const OPENS_CALENDAR = /calend|date|datum|datepick|fecha|kalend|data\b|日付|日期|дат/i;

/** The button beside a field that seems to open its calendar, or null. */
function calendarOpener(field) {
  let node = field;
  for (let level = 0; level < 4 && node; level++) {
    const buttons = Array.from(queryAll(node, 'button,[role=button],[aria-haspopup],a')).filter(
      (button) => button !== field && seenBox(button) && !isDisabled(button),
    );
    const named = buttons.filter(
      (button) =>
        OPENS_CALENDAR.test(describedBy(button)) || ['dialog', 'grid'].includes(attribute(button, 'aria-haspopup')),
    );
    if (named.length) return named[0];
    if (isReadOnly(field) && buttons.length === 1) return buttons[0];
    node = elementAbove(node);
  }
  return null;
}

const HALF = /^([ap])\.?m\.?$/i;
const HOURS = new Set([11, 12, 23, 24]);
const MIN_LAST_MINUTE = 30; // of a list in steps of half an hour

/**
 * What is to be done for a time (`14:30`) in a calendar, in order: `id` with `text` to type, `value` to select, or neither
 * to press. Null if it has no fields for an hour and a minute.
 */
function timeSteps(container, time) {
  const [hour, minute] = time.split(':').map(Number);
  const around = floatingAround(container) || container;
  const fields = {};
  for (const element of queryAll(around, 'input,select')) {
    const kind = seenBox(element) ? timeKind(element) : null;
    if (kind && !fields[kind]) fields[kind] = element; // a second one with 60 values has the seconds
  }
  if (!fields.hour || !fields.minute) return null;
  const isHalved = largestValue(fields.hour) === 12;
  const steps = [
    timeStep(fields.hour, isHalved ? ((hour + 11) % 12) + 1 : hour),
    timeStep(fields.minute, minute),
    isHalved ? halfStep(around, fields.half, hour < 12 ? 'a' : 'p') : null,
  ];
  return steps.slice(0, 2).includes(undefined) ? null : steps.filter(Boolean);
}

function timeKind(element) {
  if (tagOf(element) === 'select' && Array.from(optionsOf(element)).every((each) => HALF.test(optionLabel(each)))) return 'half';
  const largest = largestValue(element);
  if (HOURS.has(largest)) return 'hour';
  return largest >= MIN_LAST_MINUTE && largest <= 59 ? 'minute' : null;
}

function largestValue(element) {
  if (tagOf(element) === 'input') return inputTypeOf(element) === 'number' ? Number(attribute(element, 'max') || NaN) : NaN;
  return Math.max(...Array.from(optionsOf(element), (option) => Number(optionLabel(option) || NaN)));
}

/** How a field gets a number; undefined if it does not offer it. */
function timeStep(element, number) {
  if (tagOf(element) === 'input') return { id: numberOf(element), text: String(number).padStart(2, '0') };
  const option = Array.from(optionsOf(element)).find((each) => optionLabel(each) !== '' && Number(optionLabel(each)) === number);
  return option && { id: numberOf(element), value: optionValue(option) };
}

/** How the other half of the day is chosen; null if it is chosen. */
function halfStep(around, select, wanted) {
  const isWanted = (text) => (HALF.exec(text) || [''])[0][0].toLowerCase() === wanted;
  if (select) {
    const option = Array.from(optionsOf(select)).find((each) => isWanted(optionLabel(each)));
    return option && { id: numberOf(select), value: optionValue(option) };
  }
  const said = (element) => collapse(textContentOf(element));
  const isHalf = (each) => !childrenOf(each).length && HALF.test(said(each)) && seenBox(each);
  const halves = Array.from(queryAll(around, '*')).filter(isHalf);
  if (halves.length > 1) return { id: numberOf(halves.find((each) => isWanted(said(each))) || halves[0]) };
  return halves.length && !isWanted(said(halves[0])) ? { id: numberOf(halves[0]) } : null;
}
