// The time in a calendar: fields or lists for its hour and minute, and what switches between the halves of a day.

const HALF = /^([ap])\.?m\.?$/i;
const HOURS = new Set([11, 12, 23, 24]);
const SHORTEST_MINUTES = 30; // the last minute of a list in steps of half an hour

/**
 * What is to be done for a time (`14:30`) in a calendar, in order: `id` with `text` to type, `option` to select, or neither
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
  return largest >= SHORTEST_MINUTES && largest <= 59 ? 'minute' : null;
}

function largestValue(element) {
  if (tagOf(element) === 'input') return inputTypeOf(element) === 'number' ? Number(attribute(element, 'max') || NaN) : NaN;
  return Math.max(...Array.from(optionsOf(element), (option) => Number(optionLabel(option) || NaN)));
}

/** How a field gets a number; undefined if it does not offer it. */
function timeStep(element, number) {
  if (tagOf(element) === 'input') return { id: numberOf(element), text: String(number).padStart(2, '0') };
  const option = Array.from(optionsOf(element)).find((each) => optionLabel(each) !== '' && Number(optionLabel(each)) === number);
  return option && { id: numberOf(element), option: optionValue(option) };
}

/** How the other half of the day is chosen; null if it is chosen. */
function halfStep(around, select, wanted) {
  const isWanted = (text) => (HALF.exec(text) || [''])[0][0].toLowerCase() === wanted;
  if (select) {
    const option = Array.from(optionsOf(select)).find((each) => isWanted(optionLabel(each)));
    return option && { id: numberOf(select), option: optionValue(option) };
  }
  const said = (element) => collapse(textContentOf(element));
  const isHalf = (each) => !childrenOf(each).length && HALF.test(said(each)) && seenBox(each);
  const shown = Array.from(queryAll(around, '*')).filter(isHalf);
  if (shown.length > 1) return { id: numberOf(shown.find((each) => isWanted(said(each))) || shown[0]) };
  return shown.length && !isWanted(said(shown[0])) ? { id: numberOf(shown[0]) } : null;
}
