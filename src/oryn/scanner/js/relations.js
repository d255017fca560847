// Relations between elements (docs/spec/intent-language.md#relations): near, inside, contains, after, before, each with
// its distance.

const CONTAINERS = [
  'form,dialog,section,article,fieldset,tr,li,nav,aside,header,footer,main,table,details,ul,ol',
  '[role=dialog],[role=group],[role=row],[role=region],[role=form],[role=listitem],[role=tabpanel]',
  '[role=article],[role=navigation]',
].join(',');

/** The distance of `element` to the nearest of `others` under a relation, or null when the relation does not hold. */
function relationDistance(kind, element, others) {
  let least = null;
  for (const other of others) {
    if (other === element) continue;
    const distance = RELATIONS[kind](element, other);
    if (distance !== null && (least === null || distance < least)) least = distance;
  }
  return least;
}

const RELATIONS = {
  near: (element, other) => {
    const one = seenBox(element);
    const two = seenBox(other);
    return one && two ? boxDistance(inPage(element, one), inPage(other, two)) : null;
  },
  inside: (element, other) => containmentSize(other, element),
  contains: (element, other) => containmentSize(element, other),
  after: (element, other) => stepsBetween(other, element),
  before: (element, other) => stepsBetween(element, other),
};

/** Pixels between the nearest edges of two boxes; 0 when they touch. */
function boxDistance(one, two) {
  const dx = Math.max(0, one.left - two.right, two.left - one.right);
  const dy = Math.max(0, one.top - two.bottom, two.top - one.bottom);
  return Math.hypot(dx, dy);
}

/**
 * How closely `outer` holds `inner`: the number of elements in `outer` when it is an ancestor, or, when `outer` is a
 * text, label or heading, in the smallest container that has both.
 */
function containmentSize(outer, inner) {
  if (outer === inner) return null;
  if (holds(outer, inner)) return sizeOf(outer);
  if (holds(inner, outer)) return null;
  for (let node = elementAbove(outer); node; node = elementAbove(node)) {
    if (tagOf(node) === 'body' || tagOf(node) === 'html') return null;
    if (!holds(node, inner)) continue;
    return matches(node, CONTAINERS) || isHeadOf(node, outer) ? sizeOf(node) : widerContainer(node);
  }
  return null;
}

const sizeOf = (element) => queryAll(element, '*').length + 1;

/** A plain block counts as what its heading, legend or first text names. */
function isHeadOf(container, head) {
  const text = collapse(textContentOf(head)).toLowerCase();
  return text !== '' && collapse(textContentOf(container)).toLowerCase().startsWith(text);
}

function widerContainer(element) {
  const container = closest(element, CONTAINERS);
  return container ? sizeOf(container) : null;
}

/** Elements between two in walk order, or null when the second does not come after the first (or is inside it). */
function stepsBetween(first, second) {
  if (holds(first, second) || holds(second, first)) return null;
  const positions = walkPositions();
  const steps = positions.get(second) - positions.get(first);
  return steps > 0 ? steps : null;
}

function walkPositions() {
  const current = currentCache();
  if (!current.positions) {
    current.positions = new Map();
    allElements().forEach((element, position) => current.positions.set(element, position));
  }
  return current.positions;
}
