// The order of everything: document order, where a shadow root's tree comes after its host and before the host's own
// children, and a same-origin frame's document right after the frame. The script that collects listener hints in the
// page's own world is this file too, so its positions and the scanner's agree.

// What makes an element that listens for it clickable.
const CLICK_EVENTS = [
  'click',
  'mousedown',
  'mouseup',
  'pointerdown',
  'pointerup',
  'touchstart',
  'touchend',
  'dblclick',
];

/**
 * Visit every element below `root` (a document or shadow root), deep frames and shadow trees included, without
 * recursion. `enter(root, frame)` is told each tree before its elements; `frame` is the element that holds the tree's
 * document, or null. Returns the number of elements visited.
 */
function walk(root, visit, enter) {
  const pending = [{ nodes: queryAll(root, '*'), next: 0, frame: null }];
  let position = 0;
  enter(root, null);
  while (pending.length) {
    const level = pending[pending.length - 1];
    const element = level.nodes[level.next++];
    if (!element) {
      pending.pop();
      continue;
    }
    visit(element, position++, level.frame);
    const shadow = shadowOf(element);
    if (shadow) {
      enter(shadow, level.frame);
      pending.push({ nodes: queryAll(shadow, '*'), next: 0, frame: level.frame });
      continue;
    }
    const inner = frameDocument(element);
    if (inner) {
      enter(inner, element);
      pending.push({ nodes: queryAll(inner, '*'), next: 0, frame: element });
    }
  }
  return position;
}
