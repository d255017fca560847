// Controls that are transparent, as the page draws something else in their place: check boxes, ranges, fields of combo boxes,
// and text fields under their label. A person sees what is drawn and presses the control.

const isNativeBox = (element) =>
  tagOf(element) === 'input' && (inputTypeOf(element) === 'checkbox' || inputTypeOf(element) === 'radio');

/** Whether an element is a transparent field or box that is drawn by what is around it, and takes its presses. */
function isTransparentControl(element) {
  const tag = tagOf(element);
  if (tag === 'textarea') return isUnderLabel(element);
  if (tag !== 'input') return false;
  const type = inputTypeOf(element);
  if (isNativeBox(element)) return !labelsOf(element).length && isTransparentInSight(element) && isDrawnAround(element);
  if (type === 'range') return isTransparentInSight(element) && isDrawnAround(element);
  if (attribute(element, 'role') === 'combobox') return isTransparentInSight(element);
  return TEXT_INPUTS.has(type) && isUnderLabel(element);
}

const LABEL_LEVELS = 4;
const LAYER_SHARE = 4;

/** Whether a text field is transparent as long as it is empty and without the focus, and its label lies in its place. */
function isUnderLabel(element) {
  const { visibility, pointerEvents } = styleOf(element);
  if (visibility !== 'visible' || pointerEvents === 'none' || parseInt(attribute(element, 'tabindex'), 10) < 0) return false;
  const box = boxOf(element);
  let layer = element;
  for (let level = 0; layer && styleOf(layer).opacity !== '0' && level < LABEL_LEVELS; level++) layer = elementAbove(layer);
  if (!layer || styleOf(layer).opacity !== '0' || isMuchLarger(boxOf(layer), box, LAYER_SHARE)) return false;
  const around = elementAbove(layer);
  if (!around || tagOf(around) === 'body' || !isStyledVisible(around)) return false;
  return partsBeside(layer).some((part) => isOver(part, box) && isShortText(part));
}

const isMuchLarger = (outer, inner, times) => outer.width * outer.height > times * inner.width * inner.height;

const isShortText = (part) => {
  const text = textContentOf(part).trim();
  return text !== '' && text.length <= MAX_LABEL_LENGTH;
};

function partsBeside(element) {
  const parent = parentOf(element);
  return parent ? Array.prototype.filter.call(childrenOf(parent), (each) => each !== element) : [];
}

const isTransparentInSight = (element) => drawnAround(element) !== null;

/**
 * The visible element around one that only its own opacity hides, or that of a box right around it beside which something
 * else is drawn; or null.
 */
function drawnAround(element) {
  if (styleOf(element).visibility !== 'visible') return null;
  let node = elementAbove(element);
  if (styleOf(element).opacity !== '0') {
    if (!node || styleOf(node).opacity !== '0') return null;
    node = elementAbove(node);
    if (!node || tagOf(node) === 'body' || childrenOf(node).length < 2) return null;
  }
  return node && isStyledVisible(node) ? node : null;
}

const isDrawnAround = (element) =>
  styleOf(element).pointerEvents !== 'none' && (isDrawnBySibling(element) || isDrawnByParent(element));

/** Whether an element beside a transparent box lies under it. */
function isDrawnBySibling(element) {
  const box = boxOf(element);
  return partsBeside(element).some((each) => isOver(each, box));
}

/** Whether an element is seen in the place of a box. */
function isOver(element, box) {
  const { left, right, top, bottom, width, height } = boxOf(element);
  const overlaps = left < box.right && right > box.left && top < box.bottom && bottom > box.top;
  return overlaps && width >= SMALLEST_SIDE && height >= SMALLEST_SIDE && isStyledVisible(element);
}

const DRAWN_SHARE = 4;

/** Whether the element right around a transparent box, no larger by much, draws it by its own style. */
function isDrawnByParent(element) {
  const parent = elementAbove(element);
  if (!parent || isMuchLarger(boxOf(parent), boxOf(element), DRAWN_SHARE)) return false;
  const isDrawing = (pseudo) => !['none', 'normal'].includes(styleOf(parent, pseudo).content);
  return isDrawing('::before') || isDrawing('::after') || styleOf(parent).backgroundImage !== 'none';
}
