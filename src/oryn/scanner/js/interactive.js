// Which elements a person can act on: native controls, ARIA widgets, what takes the focus, and what only looks or
// listens like it.

const STRONG = 2;
const WEAK = 1;

const HANDLER_ATTRIBUTES = [
  'onclick',
  'onmousedown',
  'onmouseup',
  'onpointerdown',
  'onpointerup',
  'ontouchstart',
  'ondblclick',
];
// Inside one of these a mere pointer cursor or listener is the control's own.
const WHOLE = new Set([
  'link',
  'button',
  'option',
  'menuitem',
  'menuitemcheckbox',
  'menuitemradio',
  'checkbox',
  'radio',
  'switch',
  'tab',
  'treeitem',
]);
const LARGE_SHARE = 0.5;
const LONGEST_CONTAINER_TEXT = 300;

/** Elements that the page's own world says listen for clicks; kept while the page lives, replaced by newer hints. */
let listening = new WeakSet();
const listeningClosed = new WeakSet(); // the same in closed shadow roots

/** STRONG: by its element, role or focusability. WEAK: by looks or listeners alone. 0: not interactive. */
function interactivity(element, tag) {
  switch (tag) {
    case 'body':
      return isEditable(element) ? STRONG : 0;
    case 'html':
    case 'head':
    case 'script':
    case 'style':
    case 'meta':
    case 'link':
      return 0;
    case 'button':
    case 'select':
    case 'textarea':
      return STRONG;
    case 'input':
      return inputTypeOf(element) === 'hidden' ? 0 : STRONG;
    case 'a':
    case 'area':
      if (hasAttribute(element, 'href') || (!isHtml(element) && hasAttribute(element, 'xlink:href'))) return STRONG;
      break;
    case 'summary':
      if (isDetailsSummary(element)) return STRONG;
      break;
    case 'iframe':
    case 'frame':
      return frameDocument(element) ? 0 : STRONG;
    case 'option':
      return 0;
  }
  if (hasAttribute(element, 'role') && WIDGET_ROLES.has(authoredRole(element))) return STRONG;
  if (isEditable(element)) return STRONG;
  const tabIndex = attribute(element, 'tabindex');
  if (tabIndex !== null && parseInt(tabIndex, 10) >= 0) return WEAK;
  if (listens(element)) return WEAK;
  return pointerBegins(element) ? WEAK : 0;
}

/** What only divides or resizes others: a separator without a value, an edge with a resizing cursor, an empty item. */
function isDivider(element) {
  const role = authoredRole(element);
  if (role === 'separator') return !hasAttribute(element, 'aria-valuenow');
  if (tagOf(element) === 'hr') return true;
  if (textContentOf(element).trim()) return false;
  const isItem = role === 'none' && closest(element, '[role=menu],[role=menubar],[role=listbox],[role=toolbar]');
  return (Boolean(isItem) || styleOf(element).cursor.endsWith('-resize')) && !writtenName(element);
}

function listens(element) {
  if (listening.has(element) || listeningClosed.has(element)) return true;
  return HANDLER_ATTRIBUTES.some((name) => hasAttribute(element, name));
}

/**
 * `cursor: pointer` is inherited: it counts where it begins. Elements that are not rendered are not asked, as that is
 * slow.
 */
function pointerBegins(element) {
  if (checkVisibility && !checkVisibility(element)) return false;
  if (styleOf(element).cursor !== 'pointer') return false;
  const parent = composedParent(element);
  return !parent || nodeTypeOf(parent) !== ELEMENT_NODE || styleOf(parent).cursor !== 'pointer';
}

/** All interactive elements in walk order, as `{element, frame, tag, strong}`. */
function collect(elements, frames) {
  const found = [];
  const items = new DelegatedItems();
  for (let index = 0; index < elements.length; index++) {
    const element = elements[index];
    const tag = tagOf(element);
    const strength = interactivity(element, tag) || (items.has(element) ? WEAK : 0);
    if (!strength || (strength === WEAK && isDivider(element))) continue;
    const delegates = strength === WEAK && listens(element) && items.add(element);
    found.push({ element, frame: frames[index], tag, strong: strength === STRONG, delegates });
  }
  return withoutWrappers(found);
}

/** Drop what is weak and adds nothing to a whole control around it, or only wraps other found elements. */
function withoutWrappers(found) {
  const kept = [];
  const open = []; // the candidates that contain the current one, outermost first
  for (const candidate of found) {
    while (open.length && !isAround(open[open.length - 1].element, candidate.element)) open.pop();
    candidate.inside = open.length ? open[open.length - 1] : null;
    candidate.holds = [];
    if (candidate.inside) candidate.inside.holds.push(candidate);
    const whole = candidate.strong ? undefined : open.findLast(isWhole);
    if (whole && !addsTo(whole, candidate)) candidate.dropped = true;
    open.push(candidate);
  }
  for (let index = found.length - 1; index >= 0; index--) {
    const candidate = found[index];
    if (candidate.dropped) continue;
    if (isHostOfItself(candidate) || (!candidate.strong && isMereWrapper(candidate))) candidate.dropped = true;
  }
  for (const candidate of found) if (!candidate.dropped) kept.push(candidate);
  return kept;
}

/** Whether one element holds another of its frame, shadow roots included. */
function isAround(outer, inner) {
  if (contains(outer, inner)) return true;
  for (let root = rootOf(inner); nodeTypeOf(root) === FRAGMENT_NODE && root.host; root = rootOf(root.host)) {
    if (contains(outer, root.host)) return true;
  }
  return false;
}

const isWhole = (candidate) => candidate.strong && WHOLE.has(roleOf(candidate.element));
const ownClick = (candidate) => hasAttribute(candidate.element, 'tabindex') || listens(candidate.element);

/** Whether a weak element does something of its own inside a whole control: it reacts, and is called otherwise. */
function addsTo(whole, candidate) {
  if (!ownClick(candidate)) return false;
  const name = writtenName(candidate.element) || inventedBase(candidate.element);
  return name !== '' && name !== writtenName(whole.element);
}

/** A custom element whose shadow tree is one control of the same name: a person sees that control alone. */
function isHostOfItself(candidate) {
  if (!shadowOf(candidate.element)) return false;
  const held = heldBy(candidate);
  if (held.length !== 1 || !held[0].strong || rootOf(held[0].element) === rootOf(candidate.element)) return false;
  const name = writtenName(candidate.element);
  return !name || name === writtenName(held[0].element);
}

function isMereWrapper(candidate) {
  const { element, tag } = candidate;
  const held = heldBy(candidate);
  if (candidate.delegates && held.length) return true;
  if (tag === 'label' && labelControlOf(element)) {
    const control = labelControlOf(element); // a check box that the label draws is listed itself
    return checkedState(control) !== null || (isStyledVisible(control) && visibleBox(control) !== null);
  }
  const length = visibleLength(element);
  if (!held.length) return length > LONGEST_CONTAINER_TEXT && !ownClick(candidate);
  let covered = 0;
  for (const { element: inner } of held) {
    const drawn = checkedState(inner) === null ? [] : labelsOf(inner);
    covered += Math.max(visibleLength(inner), ...drawn.map(visibleLength));
  }
  if (covered >= length) return true;
  return (length > LONGEST_CONTAINER_TEXT || held.length > 3) && isLarge(element);
}

/** The kept candidates right inside, looking through dropped ones. */
function heldBy(candidate) {
  const held = [];
  const pending = [...candidate.holds];
  while (pending.length) {
    const inner = pending.pop();
    if (inner.dropped) pending.push(...inner.holds);
    else held.push(inner);
  }
  return held;
}

const visibleLength = (element) => textContentOf(element).replace(/\s+/g, '').length;

function isLarge(element) {
  const box = boxOf(element);
  const view = windowOf(ownerOf(element)) || window;
  return box.width * box.height > LARGE_SHARE * view.innerWidth * view.innerHeight;
}
