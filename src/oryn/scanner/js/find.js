// find (docs/spec/scanner-protocol.md#find): everything that a target may mean, with the facts that the engine ranks
// by.

const FIND_FIELDS = ['tag', 'state', 'value'];

function find(request) {
  if (!request.target || typeof request.target !== 'object') throw new Refusal('INVALID_REQUEST', 'target is required');
  continueNumbers(request.next_id || 1);
  const all = targetMatches(request.target, request.any === true, request.frames === true);
  const dialog = topDialog();
  const focused = focusedElement();
  const fill = {};
  for (const name of FIND_FIELDS) fill[name] = true;
  const boxes = new Map(all.map(({ element }) => [element, legibleBox(element)]));
  const matched = bestFirst(all).map(({ element, match }) => {
    const candidate = factsOf(element);
    const box = boxes.get(element);
    const isDrawnByLabel = !box && labelBox(candidate) !== null;
    const data = describe({ candidate, box, isHidden: !box && !isDrawnByLabel }, fill, focused);
    if (!box) data.state.visible = false;
    data.match = {
      ...match,
      interactive: !candidate.passive,
      drawn_by_label: isDrawnByLabel,
      in_dialog: !dialog || holds(dialog, element),
    };
    return data;
  });
  const visible = all.filter(({ element }) => boxes.get(element)).length;
  return { matches: matched, count: all.length, visible, next_id: nextNumber };
}

const legibleBox = (element) => (isVisible(element) ? visibleBox(element) : null);

/** At most 50, the best tiers when cut, in document order. */
function bestFirst(all) {
  if (all.length <= MAX_MATCHES) return all;
  const chosen = new Set();
  for (const tier of TIERS) {
    for (const entry of all) if (entry.match.tier === tier && chosen.size < MAX_MATCHES) chosen.add(entry);
  }
  return all.filter((entry) => chosen.has(entry));
}

/**
 * `[{element, match}]` in walk order for a target tree. Relations are resolved from the right, where plain text counts
 * too.
 */
function targetMatches(target, any, frames) {
  const own = frames ? frameMatches(target) : ownMatches(target, any || isPlainContainer(target));
  const relation = target.relation;
  if (!relation) return own;
  if (!Object.prototype.hasOwnProperty.call(RELATIONS, relation.kind))
    throw new Refusal('INVALID_REQUEST', `no such relation: ${relation.kind}`);
  const others = relationEnds(targetMatches(relation.to, true));
  const related = [];
  for (const entry of own) {
    const distance = relationDistance(relation.kind, entry.element, others);
    if (distance !== null) related.push({ element: entry.element, match: { ...entry.match, distance } });
  }
  return related;
}

const isPlainContainer = (target) => Boolean(target.relation && target.relation.kind === 'contains');

/** The right side of a relation: what can be seen when anything can, and of that the best fitting tier. */
function relationEnds(entries) {
  const seen = entries.filter(({ element }) => isVisible(element));
  const pool = seen.length ? seen : entries;
  const best = TIERS.find((tier) => pool.some(({ match }) => match.tier === tier));
  return pool.filter(({ match }) => match.tier === best).map(({ element }) => element);
}

function ownMatches(target, any) {
  if (typeof target.text === 'string') return textMatches(collapse(target.text), any);
  if (typeof target.role === 'string') return roleEntries(target.role.toLowerCase());
  if (target.id !== undefined) return [exactly(elementOf(wholeNumber(target.id, 'id')), 'id')];
  if (target.reference !== undefined)
    return [exactly(elementReferenced(wholeNumber(target.reference, 'reference')), 'id')];
  if (typeof target.css === 'string') return queryPage(target.css).map((element) => exactly(element, 'selector'));
  if (typeof target.xpath === 'string') return queryXPath(target.xpath).map((element) => exactly(element, 'selector'));
  if (Array.isArray(target.point)) return pointMatches(target.point);
  throw new Refusal('INVALID_REQUEST', 'target must have text, role, id, reference, css, xpath or point');
}

/** Frames alone, by what their authors call them; those of the same origin are no elements of a scan. */
function frameMatches(target) {
  if (typeof target.text !== 'string') return ownMatches(target, false).filter(({ element }) => isFrame(element));
  const wanted = collapse(target.text);
  const entries = allElements()
    .filter(isFrame)
    .map((element) => ({ element, match: fitOf(element, wanted) }));
  return entries.filter(({ match }) => match !== null);
}

const exactly = (element, source) => ({ element, match: { tier: 'exact', source, excess: 0 } });

const roleEntries = (role) =>
  foundElements()
    .filter((candidate) => roleMatches(candidate, role))
    .map(({ element }) => exactly(element, 'role'));

function textMatches(wanted, any) {
  if (!wanted) return [];
  const entries = [];
  const found = foundElements();
  for (const { element } of found) {
    const match = fitOf(element, wanted);
    if (match) entries.push({ element, match });
  }
  const hidden = entries.map((entry) => entry.element).filter((element) => !isStyledVisible(element));
  const visible = hidden.length ? entries.filter((entry) => !isSaidByHidden(entry, hidden, wanted)) : entries;
  if (!any) return visible;
  for (const element of passiveTexts(
    wanted,
    entries.map((entry) => entry.element),
  )) {
    const match = fitOf(element, wanted);
    if (match) visible.push({ element, match });
  }
  const positions = walkPositions();
  return visible.sort((one, two) => positions.get(one.element) - positions.get(two.element));
}

/**
 * Whether a text is an element's only because a hidden element in it has it, such as an item of a closed branch: a
 * press on the branch would choose another.
 */
function isSaidByHidden({ element, match }, hidden, wanted) {
  if (match.source !== 'text' || match.tier !== 'contains') return false;
  const isInside = (each) => each !== element && contains(element, each);
  if (!hidden.some(isInside) || !isStyledVisible(element)) return false;
  return !withoutSpaces(renderedText(element)).includes(withoutSpaces(wanted));
}

const withoutSpaces = (text) => text.replace(/\s+/g, '').toLowerCase();

/** The interactive element at a point of this viewport, or whatever is there. */
function pointMatches([x, y]) {
  const hit = hitAt(x, y);
  if (!hit) return [];
  foundElements();
  const { facts } = currentCache();
  for (let node = hit; node; node = elementAbove(node)) {
    const candidate = facts.get(node);
    if (candidate && !candidate.passive) return [exactly(node, 'point')];
  }
  return [exactly(hit, 'point')];
}
