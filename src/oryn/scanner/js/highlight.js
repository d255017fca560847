// highlight, highlight_clear (seed 003, §3.18 and §3.19): a frame drawn over an element that takes no input.

const HIGHLIGHT_DURATION = 3000;
const highlights = new Set();

function highlight(request) {
  const element = elementOf(wholeNumber(request.id, 'id'));
  const box = visibleBox(element);
  if (!box || !isVisible(element)) throw new Refusal('ELEMENT_NOT_VISIBLE', 'the element is not visible');
  const color = request.color || 'red';
  if (!CSS.supports('color', color)) throw new Refusal('INVALID_REQUEST', `no such color: ${color}`);
  const owner = ownerOf(element);
  const view = windowOf(owner);
  const mark = createElement(owner, 'div');
  setAttribute(mark, 'aria-hidden', 'true');
  // Set through the CSSOM: a style attribute may be forbidden by the page's content security policy.
  const rules = {
    position: 'absolute',
    left: `${box.left + view.pageXOffset - 3}px`,
    top: `${box.top + view.pageYOffset - 3}px`,
    width: `${box.width}px`,
    height: `${box.height}px`,
    border: `3px solid ${color}`,
    'box-sizing': 'content-box',
    'pointer-events': 'none',
    'z-index': '2147483647',
  };
  for (const [name, value] of Object.entries(rules)) mark.style.setProperty(name, value, 'important');
  appendChild(documentElementOf(owner), mark);
  highlights.add(mark);
  const duration = request.duration ?? HIGHLIGHT_DURATION;
  if (duration > 0) startTimer(() => removeHighlight(mark), duration);
  return { highlighted: true, id: request.id };
}

function removeHighlight(mark) {
  highlights.delete(mark);
  const parent = parentOf(mark);
  if (parent) removeChild(parent, mark);
}

function highlightClear() {
  const count = highlights.size;
  for (const mark of [...highlights]) removeHighlight(mark);
  return { cleared: count };
}
