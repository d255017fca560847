// Which of the elements found only wrap, label or dim others: those that are weak, and add nothing to what they hold or to
// the control around them.

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
const MAX_CONTAINER_TEXT_LENGTH = 300;

/** Drop what is weak and adds nothing to a whole control around it, or only wraps other found elements. */
function withoutWrappers(found) {
  const remaining = [];
  const labels = labelsByReference(found);
  const open = []; // the candidates that contain the current one, outermost first
  for (const candidate of found) {
    while (open.length && !isAround(open[open.length - 1].element, candidate.element)) open.pop();
    candidate.inside = open.length ? open[open.length - 1] : null;
    candidate.holds = [];
    if (candidate.inside) candidate.inside.holds.push(candidate);
    const whole = candidate.strong ? undefined : open.findLast(isWhole);
    if (isPartOfControl(candidate, open) || (whole && !addsTo(whole, candidate))) candidate.dropped = true;
    open.push(candidate);
  }
  for (let index = found.length - 1; index >= 0; index--) {
    const candidate = found[index];
    if (candidate.dropped) continue;
    const isWeak = !candidate.strong && (isDrawingOfBox(candidate) || labels.has(candidate.element) || isCurtain(candidate.element) || isMereWrapper(candidate));
    if (isWeak || isHostOfItself(candidate) || isAroundCombobox(candidate)) candidate.dropped = true;
  }
  for (const candidate of found) if (!candidate.dropped) remaining.push(candidate);
  return remaining;
}

/** Whether one element holds another of its frame, shadow roots and what is slotted into them included. */
function isAround(outer, inner) {
  if (contains(outer, inner)) return true;
  if (nodeTypeOf(rootOf(outer)) === FRAGMENT_NODE) {
    for (let node = composedParent(inner); node && node !== document; node = composedParent(node)) if (node === outer) return true;
    return false;
  }
  return hostsOf(inner).some((host) => contains(outer, host));
}

/** Whether it is a part of a date field, draws a slider, or is the value of a combo box. */
function isPartOfControl({ element, strong, inside }, around) {
  if (inside === null) return false;
  if (!strong && isSliderFound(inside)) return true;
  if (roleOf(inside.element) === 'combobox' && isVisibleText(element)) return true;
  return around.some((outer) => isDateField(outer.element)) && (!strong || matches(element, SEGMENTS));
}

/** The text that a combo box shows as its value. */
const isVisibleText = (element) =>
  authoredRole(element) === 'textbox' && attribute(element, 'aria-readonly') === 'true' && !hasAttribute(element, 'tabindex');

const isSliderFound = (candidate) => candidate.strong && roleOf(candidate.element) === 'slider';
const isWhole = (candidate) => candidate.strong && WHOLE.has(roleOf(candidate.element));
const ownClick = (candidate) => hasAttribute(candidate.element, 'tabindex') || listens(candidate.element);

const MAX_PARTS_OF_BOX = 8;
const CHECK_BOXES = 'input[type=checkbox],input[type=radio]';

/**
 * Whether a weak element without a name draws the box of the label that it is in, or the only one beside it, which lies
 * over it: a switch's track, a star.
 */
function isDrawingOfBox({ element, holds: held }) {
  if (held.length || writtenName(element) || hasTabStop(element)) return false;
  const above = elementAbove(element);
  const label = above && closest(above, 'label');
  const control = label && labelControlOf(label);
  if (control && matches(control, CHECK_BOXES)) return true;
  const parent = parentElementOf(element);
  if (!parent || childrenOf(parent).length > MAX_PARTS_OF_BOX) return false;
  const boxes = queryAll(parent, CHECK_BOXES);
  return boxes.length === 1 && !contains(element, boxes[0]) && isOver(element, boxOf(boxes[0]));
}

/** Whether a weak element does something of its own inside a whole control: it reacts, and is called otherwise. */
function addsTo(whole, candidate) {
  if (!ownClick(candidate)) return false;
  const length = visibleLength(candidate.element);
  if (length > 0 && length === visibleLength(whole.element)) return false;
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

const COMBOBOX_FIELDS = new Set(['combobox', 'searchbox']);

/** A combo box without a name around a field that says that it is the combo box, or its search. */
function isAroundCombobox(candidate) {
  if (authoredRole(candidate.element) !== 'combobox' || writtenName(candidate.element)) return false;
  const isField = ({ element }) => tagOf(element) === 'input' && COMBOBOX_FIELDS.has(authoredRole(element));
  return heldBy(candidate).filter(isField).length === 1;
}

function isMereWrapper(candidate) {
  const { element, tag } = candidate;
  const held = heldBy(candidate);
  if (candidate.delegates && held.length) return true;
  if (tag === 'label' && labelControlOf(element)) {
    const control = labelControlOf(element); // a check box that the label draws is listed itself
    if (checkedState(control) !== null || hasWidget(control)) return true;
    return isStyledVisible(control) && visibleBox(control) !== null;
  }
  if (held.some(isDrawnCombobox)) return true;
  const isGroup = held.length > 1 && (tag === 'fieldset' || GROUP_ROLES.has(authoredRole(element)));
  const isMessage = () => queryAll(element, LIVE).length > 0 || (held.length > 0 && matches(element, LIVE));
  if (!hasClickOfItsOwn(element) && (isGroup || held.some(isPartOfWidget) || isMessage())) return true;
  const length = visibleLength(element);
  if (!held.length) return length > MAX_CONTAINER_TEXT_LENGTH && !ownClick(candidate);
  let covered = 0;
  for (const { element: inner } of held) {
    const drawn = checkedState(inner) === null ? [] : labelsOf(inner);
    covered += Math.max(visibleLength(inner), ...drawn.map(visibleLength));
  }
  if (covered >= length) return true;
  return (length > MAX_CONTAINER_TEXT_LENGTH || held.length > 3) && isLarge(element);
}

/** Fields, and the items of a tree, a list or a row of tabs: a press on the box around them is for them. */
const isPartOfWidget = ({ element, strong }) =>
  strong && (takesLabel(element) || ITEM_ROLES.has(roleOf(element))) && seenBox(element) !== null;
/** What is drawn in the place of a combo box's own field is pressed for that. */
const isDrawnCombobox = ({ element }) =>
  tagOf(element) === 'input' && attribute(element, 'role') === 'combobox' && (isReadOnly(element) || isTransparentControl(element));
const GROUP_ROLES = new Set(['radiogroup', 'group', 'tablist', 'toolbar', 'tree', 'menu', 'menubar', 'listbox']);
const ITEM_ROLES = new Set(['option', 'tab', 'treeitem', 'menuitem', 'menuitemcheckbox', 'menuitemradio']);
const ROWS_OF_LISTS = 'tr,li,[role=row],[role=listitem],[role=option],[role=treeitem]';

const hasTabStop = (element) => parseInt(attribute(element, 'tabindex'), 10) >= 0;

/** Whether a box is plainly something to press, whatever it holds. */
function hasClickOfItsOwn(element) {
  if (hasTabStop(element) || matches(element, ROWS_OF_LISTS)) return true;
  return styleOf(element).cursor === 'pointer';
}

/** The labels of fields that refer to them by `aria-labelledby`. */
function labelsByReference(found) {
  const labels = new Set();
  for (const { element, strong } of found) {
    const ids = strong && attribute(element, 'aria-labelledby');
    if (!ids || !takesLabel(element) || !isStyledVisible(element)) continue;
    for (const id of ids.trim().split(/\s+/)) labels.add(elementById(element, id));
  }
  return labels;
}

/** Whether an element only covers or dims the page: fixed, empty, and large. */
function isCurtain(element) {
  if (childrenOf(element).length || visibleLength(element) || hasTabStop(element)) return false;
  return styleOf(element).position === 'fixed' && isLarge(element) && !writtenName(element);
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
