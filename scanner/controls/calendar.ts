// calendar (docs/spec/scanner-protocol.md#calendar): the calendar that a page shows, the wanted day in it, and the way to
// another month.
//
// No two libraries build it alike, but each shows the numbers 1 to 28 or more in order, a month's name, and something to
// press for the next one.

import {
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
  isText,
  optionSelected,
  optionValue,
  optionsOf,
  tagOf,
  textContentOf,
} from '../dom/natives';
import type {
  CalendarData,
  CalendarRequest,
  CalendarResponse,
  DateLimitsRequest,
  DateLimitsResponse,
  TimeStep,
} from '../dom/protocol';
import { Refusal, isPresent, wholeNumber } from '../dom/refusal';
import { collapse } from '../dom/words';
import { nextFrame } from '../dom/timing';
import { queryAll } from '../dom/banner';
import { elementAbove, holds } from '../dom/tree';
import { continueNumbers, nextNumber, numberOf } from '../dom/numbers';
import { allElements, refreshCache } from '../dom/snapshot';
import { seenBox } from '../geometry/visibility';
import { styleOf } from '../geometry/styles';
import type { Edges } from '../geometry/styles';
import { boxInPage } from '../geometry/frames';
import { DIALOG_SELECTOR, authoredRole } from '../semantics/roles';
import { isDisabled, isReadOnly, optionLabel, selectedTexts } from '../semantics/values';
import { interactivity } from '../semantics/interactive';
import { elementOf, requestedElement } from '../targets/candidates';
import { boxDistance } from '../targets/relations';
import { floatingAround } from '../page/layers';
import { MonthNames, isMonth } from './months';
import type { Month, NamedMonth } from './months';

/** The elements of a month's days, from the first one. */
type Cells = [Element, ...Element[]];

type Elements = ReturnType<typeof queryAll>;

interface Wanted {
  year: number;
  month: number;
  day: number;
  time: string | null | undefined;
}

/** Answers at once, or, with `timeout`, as soon as there is a calendar; with `after`, one that shows another month. */
export function calendar(request: CalendarRequest): CalendarResponse | Promise<CalendarResponse> {
  const found = calendarData(request);
  const { timeout } = request;
  if (!isPresent(timeout) || isAwaited(found, request)) return found;
  return awaitedCalendar(request, timeout);
}

const isAwaited = ({ calendar: found }: CalendarResponse, { after, unlike }: CalendarRequest): boolean =>
  found !== null && (!isPresent(after) || found.first !== after) && (!isPresent(unlike) || found.key !== unlike);

async function awaitedCalendar(request: CalendarRequest, timeout: number): Promise<CalendarResponse> {
  const deadline = performance.now() + timeout;
  for (;;) {
    await nextFrame();
    refreshCache();
    const found = calendarData(request);
    if (isAwaited(found, request) || performance.now() >= deadline) return found;
  }
}

function calendarData(request: CalendarRequest): CalendarResponse {
  const field: Element = elementOf(wholeNumber(request.id, 'id'));
  continueNumbers(request.next_id || 1);
  const [year = NaN, month = NaN, day = NaN] = request.date.split('-').map(Number);
  const nearest = nearestMonth(field);
  const found = nearest ? calendarAround(nearest, field, { year, month, day, time: request.time }) : null;
  const opener = found ? null : calendarOpener(field);
  const inDialog = closest(field, DIALOG_SELECTOR) !== null;
  return { calendar: found, opener: opener && numberOf(opener), in_dialog: inDialog, next_id: nextNumber };
}

const MAX_MONTHS = 24;

/** The sequence of day cells that is nearest to the field: a calendar that opens for a field opens beside it. */
function nearestMonth(field: Element): Cells | null {
  const from = boxInPage(field, boxOf(field));
  let nearest: { cells: Cells; distance: number } | null = null;
  const months = monthsOfCells();
  if (months.length > MAX_MONTHS) return null; // a table of numbers
  for (const cells of months) {
    const distance = holds(commonElement(cells), field) ? 0 : boxDistance(from, boxInPage(cells[0], boxOf(cells[0])));
    if (!nearest || distance < nearest.distance) nearest = { cells, distance };
  }
  return nearest && nearest.cells;
}

const MONTH_LENGTH = 28;
const CALENDAR_LEVELS = 7;
const OPEN_SEQUENCES = 4;
const DAY_TEXT = /^(?:0?[1-9]|[12]\d|3[01])[.日일]?$/;
const UNWANTED_TAGS = new Set(['option', 'th', 'script', 'style']);

/**
 * All visible elements with the numbers 1, 2, 3 … of a month, as lists; `[0]` is the first day. A sequence that another
 * 1 interrupts stays open: the 1 may be the number of a week, or what came before may be a pager.
 */
function monthsOfCells(): Cells[] {
  const months: Cells[] = [];
  let open: Cells[] = [];
  for (const element of dayElements()) {
    const number = parseInt(textContentOf(element).trim(), 10);
    if (number === 1) {
      months.push(...open.filter((cells) => cells.length >= MONTH_LENGTH));
      open = open.filter((cells) => cells.length > 1 && cells.length < MONTH_LENGTH).slice(-OPEN_SEQUENCES);
      open.push([element]);
      continue;
    }
    const continued = open.filter((cells) => cells.length + 1 === number && isNearCell(cells, element)).at(-1);
    if (continued) continued.push(element);
  }
  return [...months, ...open.filter((cells) => cells.length >= MONTH_LENGTH)];
}

const lastOf = (cells: Cells): Element => cells[cells.length - 1] ?? cells[0];

/** Days of one month lie below one element that is not the page. */
const isNearCell = (cells: Cells, element: Element): boolean => levelsApart(lastOf(cells), element) <= CALENDAR_LEVELS;

function levelsApart(one: Element, other: Element): number {
  let level = 0;
  for (let node: Element | null = one; node; node = elementAbove(node), level++) if (holds(node, other)) return level;
  return Infinity;
}

function dayElements(): Element[] {
  return allElements().filter((element) => {
    const first = firstChildOf(element);
    if (!first || !isText(first) || childrenOf(element).length) return false;
    if (UNWANTED_TAGS.has(tagOf(element)) || authoredRole(element) === 'rowheader') return false;
    return DAY_TEXT.test(textContentOf(element).trim()) && seenBox(element) !== null;
  });
}

function commonElement(cells: Cells): Element {
  for (let node: Element | null = cells[0]; node; node = elementAbove(node))
    if (holds(node, lastOf(cells))) return node;
  return cells[0];
}

function calendarAround(cells: Cells, field: Element, wanted: Wanted): CalendarData {
  const container = calendarElement(cells, field);
  const inside = queryAll(container, '*');
  const months = monthsOfCells().filter((each) => each[0] === cells[0] || holds(container, each[0]));
  const dated: (NamedMonth & { cells: Cells })[] = [];
  let previous: Cells | null = null;
  for (const each of months) {
    dated.push({ cells: each, ...(monthOfCells(each) || headerMonth(inside, previous, each)) });
    previous = each;
  }
  const wantedMonth = dated.find(({ year, month }) => year === wanted.year && month === wanted.month);
  const cell = wantedMonth?.cells[wanted.day - 1];
  const [first, last] = [dated[0], dated[dated.length - 1]];
  return {
    key: numberOf(cells[0]),
    floating: liesOverThePage(container, field),
    first: monthText(first),
    last: monthText(last),
    day: cell ? numberOf(cell) : null,
    disabled: cell !== undefined && isDayDisabled(cell),
    time: wanted.time ? timeSteps(container, wanted.time) : null,
    ...calendarControls(inside, months, wanted, first?.year),
  };
}

/** `2026-12`, or null for a month that is not known. */
const monthText = (named: NamedMonth | undefined): string | null =>
  named?.year && named.month ? `${named.year}-${String(named.month).padStart(2, '0')}` : null;

/** Whether a calendar lies over the page, as one that a field has opened does, or around the field. */
function liesOverThePage(container: Element, field: Element): boolean {
  for (let node: Element | null = container; node; node = elementAbove(node)) {
    if (holds(node, field)) return node === container;
    const { position } = styleOf(node);
    if (position === 'absolute' || position === 'fixed') return true;
  }
  return false;
}

const MAX_PARTS = 3000; // elements of a calendar

/** What holds the days, their heading and what leads to other months. */
function calendarElement(cells: Cells, field: Element): Element {
  let chosen = commonElement(cells);
  let node = chosen;
  for (let level = 0; level < CALENDAR_LEVELS; level++) {
    const inside = queryAll(node, '*');
    if (inside.length > MAX_PARTS) break;
    const isComplete = monthOfCells(cells) || isMonth(headerMonth(inside, null, cells));
    if (isComplete) chosen = node;
    if (isComplete && goesBothWays(monthControls(inside, [cells]))) break;
    const above = elementAbove(node);
    if (!above || tagOf(above) === 'body' || tagOf(above) === 'html' || (holds(above, field) && above !== field)) break;
    node = above;
  }
  return chosen;
}

/** Of two months side by side, the first has the way back and the second the way on. */
const goesBothWays = (found: readonly MonthControl[]): boolean =>
  found.some(({ way }) => way > 0) && found.some(({ way }) => way < 0);

/** The month that the cells themselves name, in an attribute of two of them. */
function monthOfCells(cells: Cells): Month | null {
  const one = cellMonth(cells[0], 1);
  const other = cellMonth(cells[14], 15);
  return one && other && one.year === other.year && one.month === other.month ? one : null;
}

function cellMonth(cell: Element | undefined, day: number): Month | null {
  let node: Element | null | undefined = cell;
  for (let level = 0; node && level < 3; node = elementAbove(node), level++) {
    for (const { value } of Array.from(attributesOf(node))) {
      const month = monthNames().monthOfDate(value, day);
      if (month) return month;
    }
  }
  return null;
}

/** The month that the words before the days name: texts, chosen options, what fields hold. */
function headerMonth(inside: Elements, previous: Cells | null, cells: Cells): NamedMonth {
  const named: NamedMonth = { year: null, month: null };
  const follows = (one: Element, other: Element) =>
    (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  for (const element of inside) {
    if (follows(cells[0], element)) break;
    if (previous && !follows(lastOf(previous), element)) continue;
    const text = headerText(element);
    if (!text || text.length > 60) continue;
    const { year, month } = monthNames().monthIn(text);
    named.year = named.year ?? year;
    named.month = named.month ?? month;
  }
  return named;
}

function headerText(element: Element): string {
  const tag = tagOf(element);
  if (tag === 'option') return '';
  if (!seenBox(element)) return '';
  if (tag === 'select') return selectedTexts(element).join(' ');
  if (tag === 'input') return inputValueOf(element);
  const hasText = Array.from(element.childNodes).some((node) => isText(node) && dataOf(node).trim());
  return (hasText && tag !== 'th') || attribute(element, 'aria-live') ? collapse(textContentOf(element)) : '';
}

function isDayDisabled(cell: Element): boolean {
  if (isDisabled(cell)) return true;
  const isMarked = (node: Element) =>
    /(^|[-_\s])(disabled|unavailable|blocked)($|[-_\s])/i.test(attribute(node, 'class') || '');
  if (isMarked(cell)) return true;
  const parent = elementAbove(cell);
  return parent !== null && textContentOf(parent).trim() === textContentOf(cell).trim() && isMarked(parent);
}

// What there is to press: buttons to other months, selects of months and years, the button that opens the calendar.

interface CalendarControls extends Pick<CalendarData, 'month_option' | 'year_option' | 'year_field' | 'confirm'> {
  forward: number[];
  backward: number[];
}

/** Something to press for another month. */
interface MonthControl {
  element: Element;
  /** 1 forward, -1 backward */
  way: number;
  /** Its name says the way. */
  isNamed: boolean;
  /** It seems to go on by a year. */
  isYearly: boolean;
}

const FORWARD =
  /next|forward|weiter|nächst|suivant|siguiente|próxim|prossim|successiv|volgend|följande|след|[›»→▶❯]|^>+$|下|次|다음/i;
const BACKWARD =
  /prev|back|zurück|vorig|vorherig|précéd|anterior|precedent|vorige|föregående|пред|[‹«←◀❮]|^<+$|上|前|이전/i;
const YEARLY = /year|jahr|année|año|anno|jaar|год|double|super|fast|年/i;
const CONFIRMS =
  /^(?:ok|apply|done|set|confirm|select|choose|save|übernehmen|fertig|appliquer|valider|aplicar|aceptar|applica|conferma)$/i;

/** What leads to another month: selects, a field of the year, buttons with the direction that they seem to go in. */
function calendarControls(
  inside: Elements,
  months: readonly Cells[],
  wanted: Wanted,
  shownYear: number | null | undefined,
): CalendarControls {
  const controls: CalendarControls = {
    month_option: null,
    year_option: null,
    year_field: null,
    forward: [],
    backward: [],
    confirm: null,
  };
  for (const element of inside) {
    if (tagOf(element) === 'select' && seenBox(element)) chooseInSelect(element, wanted, controls);
    if (tagOf(element) === 'input' && inputValueOf(element) === String(shownYear) && seenBox(element))
      controls.year_field = numberOf(element);
    if (tagOf(element) === 'button' && CONFIRMS.test(collapse(textContentOf(element))) && seenBox(element))
      controls.confirm = numberOf(element);
  }
  const found = monthControls(inside, months);
  // What says itself where it leads goes before what only stands on that side, such as an arrow of a field for the year.
  for (const { element, way, isYearly } of [
    ...found.filter((each) => !each.isNamed),
    ...found.filter((each) => each.isNamed),
  ]) {
    const list = way > 0 ? controls.forward : controls.backward;
    if (isYearly) list.push(numberOf(element));
    else list.unshift(numberOf(element));
  }
  return controls;
}

function chooseInSelect(element: Element, { year, month }: Wanted, controls: CalendarControls): void {
  const options = Array.from(optionsOf(element));
  const yearly = options.find((option) => optionLabel(option) === String(year));
  const monthly = options.filter((option) => monthNames().named(optionLabel(option)));
  const chosen = yearly || monthly.find((option) => monthNames().named(optionLabel(option)) === month);
  if (!chosen || optionSelected(chosen)) return;
  controls[yearly ? 'year_option' : 'month_option'] = { id: numberOf(element), value: optionValue(chosen) };
}

/** The small things to press beside or above the days; the likely ones last. */
function monthControls(inside: Elements, months: readonly Cells[]): MonthControl[] {
  const days = new Set(months.flat());
  const grid = boxAround(months);
  const found: MonthControl[] = [];
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

const isMonthControl = (element: Element, tag: string): boolean =>
  interactivity(element, tag) > 0 || /(^|[-_])(next|prev|previous)($|[-_\s])/i.test(attribute(element, 'class') || '');

const describedBy = (element: Element): string =>
  ['aria-label', 'title', 'class', 'id'].map((name) => attribute(element, name) || '').join(' ') +
  textContentOf(element).slice(0, 40);

type Grid = Pick<Edges, 'left' | 'right' | 'bottom'>;

function boxAround(months: readonly Cells[]): Grid {
  const boxes = months.flat().map(boxOf);
  return {
    left: Math.min(...boxes.map(({ left }) => left)),
    right: Math.max(...boxes.map(({ right }) => right)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  };
}

const isNoMover = (text: string): boolean =>
  text.length > 25 || isMonth(monthNames().monthIn(text)) || DAY_TEXT.test(text);

/** 1 forward, -1 backward, 0 neither, by its name. */
function namedWay(element: Element): number {
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
function wayOf(element: Element, box: Edges, grid: Grid): number {
  const text = collapse(textContentOf(element));
  if (isNoMover(text)) return 0;
  const [middle, width] = [(grid.left + grid.right) / 2, grid.right - grid.left];
  const off = (box.left + box.right) / 2 - middle;
  return Math.abs(off) > 0.15 * width && !text.match(/\p{L}{3,}/u) ? Math.sign(off) : 0;
}

const OPENS_CALENDAR = /calend|date|datum|datepick|fecha|kalend|data\b|日付|日期|дат/i;

/** The button beside a field that seems to open its calendar, or null. */
function calendarOpener(field: Element): Element | null {
  let node: Element | null = field;
  for (let level = 0; level < 4 && node; level++) {
    const buttons = Array.from(queryAll(node, 'button,[role=button],[aria-haspopup],a')).filter(
      (button) => button !== field && seenBox(button) && !isDisabled(button),
    );
    const named = buttons.find(
      (button) =>
        OPENS_CALENDAR.test(describedBy(button)) ||
        ['dialog', 'grid'].includes(attribute(button, 'aria-haspopup') || ''),
    );
    if (named) return named;
    if (isReadOnly(field) && buttons.length === 1) return buttons[0] ?? null;
    node = elementAbove(node);
  }
  return null;
}

// The time in a calendar: fields or lists for the hour and minute, and what switches between the halves of a day.

type TimeKind = 'hour' | 'minute' | 'half';

const HALF = /^([ap])\.?m\.?$/i;
const HOURS = new Set([11, 12, 23, 24]);
const MIN_LAST_MINUTE = 30; // of a list in steps of half an hour

/** What is to be done for a time (`14:30`) in a calendar, in order. Null if it has no fields for an hour and a minute. */
function timeSteps(container: Element, time: string): TimeStep[] | null {
  const [hour = NaN, minute = NaN] = time.split(':').map(Number);
  const around: Element = floatingAround(container) || container;
  const fields: Partial<Record<TimeKind, Element>> = {};
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
  return steps.slice(0, 2).includes(undefined) ? null : steps.filter(isPresent);
}

function timeKind(element: Element): TimeKind | null {
  if (tagOf(element) === 'select' && Array.from(optionsOf(element)).every((each) => HALF.test(optionLabel(each))))
    return 'half';
  const largest = largestValue(element);
  if (HOURS.has(largest)) return 'hour';
  return largest >= MIN_LAST_MINUTE && largest <= 59 ? 'minute' : null;
}

function largestValue(element: Element): number {
  if (tagOf(element) === 'input')
    return inputTypeOf(element) === 'number' ? Number(attribute(element, 'max') || NaN) : NaN;
  return Math.max(...Array.from(optionsOf(element), (option) => Number(optionLabel(option) || NaN)));
}

/** How a field gets a number; undefined if it does not offer it. */
function timeStep(element: Element, number: number): TimeStep | undefined {
  if (tagOf(element) === 'input') return { id: numberOf(element), text: String(number).padStart(2, '0') };
  const option = Array.from(optionsOf(element)).find(
    (each) => optionLabel(each) !== '' && Number(optionLabel(each)) === number,
  );
  return option && { id: numberOf(element), value: optionValue(option) };
}

/** How the other half of the day is chosen; null if it is chosen. */
function halfStep(around: Element, select: Element | undefined, wanted: 'a' | 'p'): TimeStep | null | undefined {
  const isWanted = (text: string) => HALF.exec(text)?.[1]?.toLowerCase() === wanted;
  if (select) {
    const option = Array.from(optionsOf(select)).find((each) => isWanted(optionLabel(each)));
    return option && { id: numberOf(select), value: optionValue(option) };
  }
  const said = (element: Element) => collapse(textContentOf(element));
  const isHalf = (each: Element) => !childrenOf(each).length && HALF.test(said(each)) && seenBox(each);
  const halves = Array.from(queryAll(around, '*')).filter(isHalf);
  const [first] = halves;
  if (!first) return null;
  if (halves.length > 1) return { id: numberOf(halves.find((each) => isWanted(said(each))) || first) };
  return isWanted(said(first)) ? null : { id: numberOf(first) };
}

let pageMonths: MonthNames | null = null;

/** The months in the languages of the page and of the browser. */
export function monthNames(): MonthNames {
  const root = documentElementOf(document);
  const language = (root && attribute(root, 'lang')) || 'en';
  if (pageMonths?.languages[0] === language) return pageMonths;
  return (pageMonths = new MonthNames([language, ...navigator.languages, 'en']));
}

/** An element that may be a control with a value that the browser checks. */
type Checked = Element & Partial<Pick<HTMLInputElement, 'validity' | 'validationMessage'>>;

/**
 * date_limits (docs/spec/scanner-protocol.md#date_limits): whether a native field accepts its value, and between which
 * others the value would have to be.
 */
export function dateLimits(request: DateLimitsRequest): DateLimitsResponse {
  const element: Checked = requestedElement(request);
  if (!element.validity) throw new Refusal('INVALID_ELEMENT_TYPE', `a ${tagOf(element)} has no limits`);
  return {
    valid: element.validity.valid,
    min: attribute(element, 'min'),
    max: attribute(element, 'max'),
    message: element.validationMessage ?? '',
  };
}
