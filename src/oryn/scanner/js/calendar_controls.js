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
