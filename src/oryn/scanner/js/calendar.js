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
function calendar(request) {
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
function dateLimits(request) {
  const element = requestedElement(request);
  if (!element.validity) throw new Refusal('INVALID_ELEMENT_TYPE', `a ${tagOf(element)} has no limits`);
  return {
    valid: element.validity.valid,
    min: attribute(element, 'min'),
    max: attribute(element, 'max'),
    message: element.validationMessage,
  };
}
