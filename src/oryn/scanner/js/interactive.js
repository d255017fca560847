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
/** Elements that the page's own world says listen for clicks; kept while the page lives, replaced by newer hints. */
let listening = new WeakSet();

/** Take over which elements listen, as the page's own world says. */
function setListening(elements) {
  listening = new WeakSet(elements);
}
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
  if (isEditable(element) || isDateField(element)) return STRONG;
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
  if (isResizer(element)) return true;
  const isItem = role === 'none' && closest(element, '[role=menu],[role=menubar],[role=listbox],[role=toolbar]');
  return (Boolean(isItem) || styleOf(element).cursor.endsWith('-resize')) && !writtenName(element);
}

const RESIZER_CLASS = /(?:^|[\s_-])resiz(?:e|er|able)(?:$|[\s_-])/i;
const THICKEST_RESIZER = 12;

/** Whether an empty element is thin and called after resizing: many show the cursor for that only under the mouse. */
function isResizer(element) {
  if (!RESIZER_CLASS.test(attribute(element, 'class') || '')) return false;
  const { width, height } = boxOf(element);
  return Math.min(width, height) <= THICKEST_RESIZER;
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
