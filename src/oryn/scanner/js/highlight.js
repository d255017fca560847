// highlight, highlight_clear (docs/spec/scanner-protocol.md#highlight): a frame drawn over an element that takes no
// input and follows the element wherever the page moves it.

const HIGHLIGHT_DURATION = 3000;
const HIGHLIGHT_LINE = 3;
const NO_COLORS = ['inherit', 'initial', 'unset', 'revert', 'revert-layer'];
const highlights = new Map(); // element → its mark

function highlight(request) {
  const element = elementOf(wholeNumber(request.id, 'id'));
  if (!isVisible(pressable(element))) throw new Refusal('ELEMENT_NOT_VISIBLE', 'the element is not visible');
  const color = request.color || 'red';
  if (!CSS.supports('color', color) || NO_COLORS.includes(color.toLowerCase()))
    throw new Refusal('INVALID_REQUEST', `no such color: ${color}`);
  removeHighlight(element);
  const mark = newMark(ownerOf(element), color);
  highlights.set(element, mark);
  followElement(element, mark);
  const duration = request.duration ?? HIGHLIGHT_DURATION;
  if (duration > 0) startTimer(() => highlights.get(element) === mark && removeHighlight(element), duration);
  return { highlighted: true, id: request.id };
}

function newMark(owner, color) {
  const mark = createElement(owner, 'div');
  setAttribute(mark, 'aria-hidden', 'true');
  styleMark(mark, {
    all: 'initial',
    position: 'absolute',
    inset: 'auto',
    margin: '0',
    padding: '0',
    overflow: 'visible',
    background: 'none',
    border: `${HIGHLIGHT_LINE}px solid ${color}`,
    'box-sizing': 'content-box',
    'pointer-events': 'none',
    'z-index': '2147483647',
  });
  // Above an open dialog, which is in the top layer: https://html.spec.whatwg.org/multipage/popover.html
  if (mark.showPopover) setAttribute(mark, 'popover', 'manual');
  appendChild(rootElement(owner), mark);
  if (mark.showPopover) mark.showPopover();
  return mark;
}

/** Through the CSSOM: a style attribute may be forbidden by the page's content security policy. */
function styleMark(mark, rules) {
  for (const [name, value] of Object.entries(rules)) mark.style.setProperty(name, value, 'important');
}

/** Put the mark where its element is, now and at every frame until it is removed. */
function followElement(element, mark) {
  let last = '';
  const follow = () => {
    if (highlights.get(element) !== mark) return;
    if (!isAttached(element)) return removeHighlight(element);
    const box = visibleBox(pressable(element));
    const view = windowOf(ownerOf(element));
    const place = box && {
      display: 'block',
      left: `${box.left + view.pageXOffset - HIGHLIGHT_LINE}px`,
      top: `${box.top + view.pageYOffset - HIGHLIGHT_LINE}px`,
      width: `${box.width}px`,
      height: `${box.height}px`,
    };
    const now = printJson(place);
    if (now !== last) styleMark(mark, place || { display: 'none' });
    last = now;
    requestFrame(follow);
  };
  follow();
}

function removeHighlight(element) {
  const mark = highlights.get(element);
  if (!mark) return;
  highlights.delete(element);
  const parent = parentOf(mark);
  if (parent) removeChild(parent, mark);
}

function highlightClear() {
  const count = highlights.size;
  for (const element of [...highlights.keys()]) removeHighlight(element);
  return { cleared: count };
}
