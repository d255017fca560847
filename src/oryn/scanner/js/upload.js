// file_input (docs/spec/scanner-protocol.md#file_input): the file input that an element is, names or holds.

function fileInput(request) {
  const element = requestedElement(request);
  const input = fileInputOf(element) || fileInputOver(element);
  continueNumbers(request.next_id || 1);
  const beside = input ? null : fileInputBeside(element);
  return {
    input: input && fileInputData(input),
    beside: beside && fileInputData(beside),
    drops: !input && takesFilesOver(element),
    next_id: nextNumber,
  };
}

/**
 * Whether files over the element would be taken: only where a page cancels `dragover` is there a drop.
 * https://html.spec.whatwg.org/multipage/dnd.html#drag-and-drop-processing-model
 */
function takesFilesOver(element) {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([''], 'file'));
  const init = { bubbles: true, cancelable: true, composed: true, dataTransfer };
  dispatch(element, new DragEvent('dragenter', init));
  const isTaken = !dispatch(element, new DragEvent('dragover', init));
  dispatch(element, new DragEvent('dragleave', init));
  return isTaken;
}

const fileInputData = (input) => ({
  id: numberOf(input),
  multiple: hasAttribute(input, 'multiple'),
  folder: hasAttribute(input, 'webkitdirectory'),
  accept: attribute(input, 'accept') || '',
  disabled: isDisabled(input),
});

/** The transparent input that lies over a button, so that a press on the button is one on the input. */
function fileInputOver(element) {
  const box = seenBox(element);
  if (!box) return null;
  if (placeInViewport(element, box) !== 'inside') bringIntoView(element);
  const middle = middleOf(boxOf(element));
  const hit = hitIn(ownerOf(element), middle.x, middle.y);
  return isFileInput(hit) ? hit : null;
}

const BESIDE_LEVELS = 3;

/** The only file input near a button that is not the page's only way to something else, or null. */
function fileInputBeside(element) {
  let node = element;
  for (let level = 0; node && level < BESIDE_LEVELS; level++) {
    node = elementAbove(node);
    if (!node || tagOf(node) === 'body') return null;
    const inside = queryAll(node, 'input[type=file]');
    if (inside.length) return inside.length === 1 ? inside[0] : null;
  }
  return null;
}

const isFileInput = (element) => element && tagOf(element) === 'input' && inputTypeOf(element) === 'file';

/** Itself, the control of the label that it is or is in, or the only file input inside it. */
function fileInputOf(element) {
  for (let node = element; node; node = elementAbove(node)) {
    if (isFileInput(node)) return node;
    if (tagOf(node) === 'label' && isFileInput(labelControlOf(node))) return labelControlOf(node);
  }
  const inside = queryAll(element, 'input[type=file]');
  return inside.length === 1 ? inside[0] : null;
}
