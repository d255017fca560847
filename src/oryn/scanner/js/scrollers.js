// scrollers (protocol.py): the boxes that scroll, for a search in lists that draw only the rows that are seen.

const SMALLEST_SCROLLER = 40; // pixels of a side
const MOST_SCROLLERS = 8;

function scrollersData(request) {
  continueNumbers(request.next_id || 1);
  const around = isGiven(request.id) ? elementOf(wholeNumber(request.id, 'id')) : null;
  const page = scrollerOf(scope) || documentElementOf(scope);
  const boxes = allElements().filter((element) => element !== page && isScrollingBox(element));
  const chosen = around ? boxes.filter((box) => holds(around, box) || holds(box, around)) : boxes;
  const byArea = chosen.sort((one, two) => areaOf(two) - areaOf(one)).slice(0, MOST_SCROLLERS);
  // Around an element the innermost comes first.
  if (around) byArea.sort((one, two) => (holds(one, two) ? 1 : holds(two, one) ? -1 : 0));
  const found = [...(around || !isScrollable(page, false, true) ? [] : [page]), ...byArea];
  return { scrollers: found.map((box) => ({ id: numberOf(box), ...scrollData(box) })), next_id: nextNumber };
}

function isScrollingBox(element) {
  if (element.scrollHeight - element.clientHeight < 1 || element.clientHeight < SMALLEST_SCROLLER) return false;
  return element.clientWidth >= SMALLEST_SCROLLER && isScrollable(element, false, false) && seenBox(element) !== null;
}

function areaOf(element) {
  const shown = shownPart(element, boxOf(element));
  return shown ? shown.width * shown.height : 0;
}

/** scroll_to (protocol.py): the position of one box that scrolls; only asked for, where no `y` is given. */
function scrollToPosition(request) {
  const element = elementOf(wholeNumber(request.id, 'id'));
  if (isGiven(request.y)) element.scrollTo({ top: request.y, behavior: 'instant' });
  return { scroll: scrollData(element), screen: element.clientHeight };
}
