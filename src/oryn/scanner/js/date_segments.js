// date_segments (docs/spec/scanner-protocol.md#date_segments): a field for a date or a time that the page builds of
// parts, each a spin button that is written into: month, day, year, hours.
// https://www.w3.org/WAI/ARIA/apg/patterns/spinbutton/examples/datepicker-spinbuttons/

const SEGMENTS = '[role=spinbutton][contenteditable]:not([contenteditable=false i])';
const SEGMENT_LEVELS = 4;
const SEGMENT_WORDS = {
  year: /^(?:year|yyyy)/i, month: /^(?:month|mm\b)/i, day: /^(?:day(?!\s*period)|date|dd\b)/i, hour: /^(?:hours?|hh\b)/i,
  minute: /^min/i, second: /^sec/i, half: /^(?:meridiem|day\s*period|am)/i,
}; // prettier-ignore

const segmentsIn = (element) => [...queryAll(element, SEGMENTS)];
const isDateField = (element) => attribute(element, 'role') === 'group' && segmentsIn(element).length > 1;

/** What the field shows: its parts, with what is written between them. */
function dateFieldText(field) {
  const segments = segmentsIn(field);
  let around = segments[0];
  while (!segments.every((each) => contains(around, each))) around = parentElementOf(around);
  return collapse(textContentOf(around).replace(/[\u2066-\u2069]/g, ''));
}

function dateSegments(request) {
  const field = dateFieldAt(requestedElement(request));
  continueNumbers(request.next_id || 1);
  const segments = field ? segmentsIn(field) : [];
  const kinds = segmentKinds(segments);
  const rows = segments.map((each, at) => ({ id: numberOf(each), kind: kinds[at], disabled: isDisabled(each) || isReadOnly(each) }));
  return { segments: rows, text: field ? dateFieldText(field) : '', next_id: nextNumber };
}

/** The field that an element is, is part of, holds, or labels; or null. */
function dateFieldAt(element) {
  const labelled = attribute(element, 'id') && queryAll(rootOf(element), `[role=group][aria-labelledby~="${CSS.escape(attribute(element, 'id'))}"]`)[0];
  const start = labelled || (tagOf(element) === 'label' && labelControlOf(element)) || element;
  if (segmentsIn(start).length > 1) return start;
  for (let node = elementAbove(start), level = 0; node && level < SEGMENT_LEVELS; node = elementAbove(node), level++) {
    if (['body', 'form', 'fieldset'].includes(tagOf(node))) return null;
    if (attribute(node, 'role') === 'group') return segmentsIn(node).length > 1 ? node : null;
  }
  return null;
}

/** What each part is for, by what its author calls it, or else by its range: `month`, `day`, `hour`, …, or ''. */
function segmentKinds(segments) {
  const kinds = segments.map((each) => {
    const words = [attribute(each, 'data-type'), attribute(each, 'aria-label'), textContentOf(each)].filter(Boolean);
    const named = (word) => Object.keys(SEGMENT_WORDS).find((kind) => SEGMENT_WORDS[kind].test(word.trim()));
    return words.map(named).find(Boolean) || '';
  });
  segments.forEach((each, at) => {
    if (!kinds[at]) kinds[at] = kindByRange(numberIn(each, 'aria-valuemin'), numberIn(each, 'aria-valuemax'), kinds);
  });
  return kinds;
}

function kindByRange(low, high, kinds) {
  if (high === null || high <= 1) return 'half';
  if (high > 99) return 'year';
  if (high > 31) return kinds.includes('minute') ? 'second' : 'minute';
  if (high > 23) return 'day';
  if (high === 12 && low === 1) return kinds.includes('month') ? 'hour' : 'month';
  return 'hour';
}
