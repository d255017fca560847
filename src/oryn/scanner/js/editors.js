// Text editors: which one a target means, what takes its keys, how text is pasted into it, and where its own object is.
// An editor is one of `EDITOR_FAMILIES`, or any editing host
// (https://html.spec.whatwg.org/multipage/interaction.html#editing-host).

const FIELD_SELECTOR = 'input:not([type=hidden]),textarea,[contenteditable]';

/**
 * The editor that an element belongs to, contains as its only field, or is the hidden source of: `{root, input,
 * family}`, or null. `family` is null for an editing host of no known family.
 */
function editorOf(element) {
  const inner = editableBody(element);
  if (inner) return editorAt(inner);
  return editorAround(element) || editorInside(element) || editorBeside(element);
}

/** The body of the document in a frame element, if that is an editor: https://www.tiny.cloud/docs/ */
function editableBody(element) {
  const inner = frameDocument(element);
  const body = inner && bodyOf(inner);
  return body && isInEditing(body) ? body : null;
}

function editorAround(element) {
  for (const family of EDITOR_FAMILIES) {
    if (!family.input) continue;
    const root = closest(element, family.root);
    if (root) return editorWithin(root, family);
  }
  return isInEditing(element) ? editorAt(element) : null;
}

function editorWithin(root, family) {
  const input = queryAll(root, family.input)[0];
  return input ? { root, input, family } : null;
}

/** The editor whose host an element is, or lies in. */
function editorAt(element) {
  let host = element;
  for (let above = elementAbove(host); above && isInEditing(above); above = elementAbove(host)) host = above;
  const family = EDITOR_FAMILIES.find((each) => !each.input && matches(host, each.root)) || null;
  return { root: host, input: host, family };
}

/** The only editor inside an element that has no other field. */
function editorInside(element) {
  const found = [];
  for (const family of EDITOR_FAMILIES)
    if (family.input) for (const root of queryAll(element, family.root)) found.push(editorWithin(root, family));
  for (const frame of queryAll(element, 'iframe')) if (editableBody(frame)) found.push(editorAt(editableBody(frame)));
  const isOther = (field) => !found.some((each) => each && contains(each.root, field));
  const others = Array.from(queryAll(element, FIELD_SELECTOR)).filter((field) => isOther(field) && isVisible(field));
  const hosts = others.filter(isEditable).filter((host) => !isInEditing(elementAbove(host) || documentElementOf(document)));
  if (others.some((field) => !isInEditing(field))) return null;
  found.push(...hosts.map(editorAt));
  return found.length === 1 ? found[0] : null;
}

/** The editor that stands in for a hidden field, right after it. */
function editorBeside(element) {
  if (isStyledVisible(element)) return null;
  for (let next = nextSiblingOf(element); next; next = nextSiblingOf(next)) {
    if (nodeTypeOf(next) !== ELEMENT_NODE) continue;
    return editorAround(next) || editorInside(next);
  }
  return null;
}

/**
 * The way from this scanner's document to an element, for the page's own world: positions among elements, `shadow`,
 * `frame`.
 */
function pathTo(element) {
  const path = [];
  for (let node = element; node; ) {
    let position = 0;
    for (let before = previousSiblingOf(node); before; before = previousSiblingOf(before))
      if (nodeTypeOf(before) === ELEMENT_NODE) position++;
    path.push(position);
    const above = parentOf(node);
    if (nodeTypeOf(above) === ELEMENT_NODE) node = above;
    else if (nodeTypeOf(above) === FRAGMENT_NODE) {
      path.push('shadow');
      node = hostOf(above);
    } else {
      node = above === document ? null : frameElementOf(above);
      if (node) path.push('frame');
    }
  }
  return path.reverse();
}

/** What the engine needs to read and write an editor; `path` leads to an object in the page's own world, or is null. */
const editorData = ({ root, family }) => ({
  code: Boolean(family && family.isCode),
  path: family && family.read ? pathTo(root) : null,
});

/** The text of an editor, or of the lines that it renders, if only its object has all. */
function heldText(editor) {
  const { root, family } = editor;
  if (!family || !family.isCode) return editorText(editor);
  const top = new Map();
  for (const line of queryAll(root, family.lines)) top.set(line, boxOf(line).top);
  const lines = Array.from(top.keys()).sort((one, other) => top.get(one) - top.get(other));
  return lines.map((line) => textContentOf(line).replace(/\u00a0/g, ' ').replace(EDITOR_FILLERS, '')).join('\n');
}

/**
 * A paste, as the page's own scripts see it. `taken`: whether they have done it, at once or in a task of their own; a
 * script can't do the browser's part.
 */
async function paste({ text }) {
  if (typeof text !== 'string') throw new Refusal('INVALID_REQUEST', 'text is required');
  const element = keyTarget();
  const editor = editorOf(element);
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  const html = editor && editor.family && editor.family.html ? editor.family.html(text) : null;
  if (html !== null) clipboardData.setData('text/html', html);
  const before = editor && heldText(editor);
  const init = { bubbles: true, cancelable: true, composed: true, clipboardData };
  if (!dispatch(element, new ClipboardEvent('paste', init))) return { taken: true };
  await pause(PASTE_TASK);
  refreshCache();
  return { taken: editor !== null && isAttached(editor.root) && heldText(editor) !== before };
}

/** Milliseconds in which a paste that the page has not prevented may still be done by its scripts. */
const PASTE_TASK = 20;

/** The selected text of the editor that has the focus, as its own scripts copy it; null if they don't. */
function copy() {
  const clipboardData = new DataTransfer();
  const init = { bubbles: true, cancelable: true, composed: true, clipboardData };
  const isTaken = !dispatch(keyTarget(), new ClipboardEvent('copy', init));
  return { text: isTaken ? clipboardData.getData('text/plain') : null };
}
