// What a combo box, or a button with a label that opens a popup, shows as chosen if no native value says it: the text in
// it, or what is drawn beside its empty field.

const CHOSEN_LEVELS = 3;
const MOST_CHOSEN_NODES = 200;
const NOT_CHOSEN = [
  'label,legend,button,script,style,svg,[role=button],[role=listbox],[role=option],[role=status],[role=alert]',
  '[aria-live],[class*=placeholder i]',
].join();

/** The chosen texts of a combo box, joined by commas; '' for another element, or if a native value has them. */
function chosenText(element) {
  const tag = tagOf(element);
  const select = tag !== 'input' && selectBehind(element);
  if (select) return selectedTexts(select).join(', ');
  if (isLabelledOpener(element, tag)) return chosenIn(element, element, nameOf(element));
  if (authoredRole(element) !== 'combobox') return '';
  if (tag !== 'input') {
    if (tag === 'select' || isEditable(element) || holdsTypingField(element)) return '';
    return chosenIn(element, element, nameOf(element));
  }
  // A field with a border of its own is all that a person sees of the box: what is beside it is other text.
  if (inputValueOf(element) || parseFloat(styleOf(element).borderTopWidth) > 0) return '';
  for (let node = elementAbove(element), level = 0; node && level < CHOSEN_LEVELS; node = elementAbove(node), level++) {
    if (tagOf(node) === 'form' || tagOf(node) === 'body' || queryAll(node, 'label,input:not([type=hidden])').length > 1) break;
    const text = chosenIn(node, element, nameOf(element));
    if (text) return text;
  }
  return '';
}

/** Whether a button that opens a popup is called by a label: what it shows is then what was chosen in the popup. */
function isLabelledOpener(element, tag) {
  if (tag !== 'button' || !CHOOSING_POPUPS.has(attribute(element, 'aria-haspopup'))) return false;
  return labelsOf(element).length > 0 && !hasAttribute(element, 'aria-label');
}

const CHOOSING_POPUPS = new Set(['dialog', 'listbox', 'grid', 'tree']);

const holdsTypingField = (element) => Array.from(queryAll(element, 'input,textarea')).some(isStyledVisible);

/** The texts in an element that are seen, those of its buttons and lists and the name excepted, if in the field's line. */
function chosenIn(element, field, name) {
  const line = seenBox(field);
  const texts = [];
  let left = MOST_CHOSEN_NODES;
  let isInLine = false;
  const read = (node) => {
    for (let child = firstChildOf(node); child && left-- > 0; child = nextSiblingOf(child)) {
      if (nodeTypeOf(child) === TEXT_NODE) {
        const text = collapse(withoutGlyphs(dataOf(child)));
        const isTelling = /[\p{L}\p{N}]/u.test(text) && text !== name && !isIconName(text, node);
        const box = line && isTelling ? seenBox(node) : null;
        if (!box) continue;
        texts.push(text);
        isInLine = isInLine || (box.top < line.bottom && box.bottom > line.top);
      } else if (nodeTypeOf(child) === ELEMENT_NODE && child !== field && !matches(child, NOT_CHOSEN)) read(child);
    }
  };
  read(element);
  return isInLine ? texts.join(', ') : '';
}
