// What is near a text: what is in the same row, group, form, section or landmark; where a page marks none, what lies
// around it.

const NEAR_DISTANCE = 200;
const SECTIONS_AROUND =
  'li,tr,form,fieldset,details,section,article,aside,nav,header,footer,search,dialog,' +
  ['row', 'listitem', 'option', 'treeitem', 'group', 'radiogroup', 'toolbar', 'form', 'search', 'region', 'article']
    .concat(['dialog', 'alertdialog', 'navigation', 'complementary', 'banner', 'contentinfo', 'menu', 'tabpanel'])
    .map((role) => `[role=${role}]`)
    .join(',');
const HEADINGS = 'h1,h2,h3,h4,h5,h6,[role=heading]';

/** A test of `(element, box)`: whether an element is near the best matches of a text. */
function vicinityOf(text, found) {
  const entries = textMatches(collapse(text), true).filter(({ element }) => isVisible(element));
  const best = TIERS.find((tier) => entries.some(({ match }) => match.tier === tier));
  const areas = entries.filter(({ match }) => match.tier === best).map(({ element }) => nearbyArea(element, found));
  return (element, box) => areas.some((includes) => includes(element, box));
}

/** A test of what is in the area of one match: its section, what follows the same heading, or its surroundings. */
function nearbyArea(element, found) {
  const section = sectionOf(element, found);
  const headings = [...queryAll(section || bodyOf(ownerOf(element)) || element, HEADINGS)];
  if (section && headings.length < 2) return (other) => holds(section, other);
  const part = headings.length > 1 ? headedPart(element, headings) : null;
  if (part && found.some((other) => other.element !== element && part(other.element))) {
    return (other) => (!section || holds(section, other)) && part(other);
  }
  if (section) return (other) => holds(section, other);
  const around = visibleBox(element);
  return (other, box) => around !== null && boxDistance(inPage(element, around), inPage(other, box)) <= NEAR_DISTANCE;
}

/** The innermost section, or one of several like cards, that holds something to act on beside the element; or null. */
function sectionOf(element, found) {
  const others = found.filter((other) => other.element !== element);
  for (let node = element; node; node = elementAbove(node)) {
    const tag = tagOf(node);
    if (tag === 'body' || tag === 'html' || tag === 'main') return null;
    if (!matches(node, SECTIONS_AROUND) && !(firstChildOf(node) && hasLikeSibling(node))) continue;
    if (others.some((other) => holds(node, other.element) && seenBox(other.element))) return node;
  }
  return null;
}

/** A test of what stands between the heading above an element, or itself, and the next one of that level. */
function headedPart(element, headings) {
  const own = headings.findLast((heading) => heading === element || holds(heading, element) || standsBefore(heading, element));
  if (!own) return null;
  const next = headings.find((heading) => standsBefore(own, heading) && headingLevel(heading) <= headingLevel(own));
  return (other) => !standsBefore(other, own) && !(next && (standsBefore(next, other) || holds(next, other)));
}

const headingLevel = (heading) => Number(attribute(heading, 'aria-level') || tagOf(heading)[1]) || 2;

function standsBefore(one, two) {
  const positions = walkPositions();
  return positions.get(one) < positions.get(two);
}
