// HTML drag and drop with dispatched events.
// https://html.spec.whatwg.org/multipage/dnd.html#drag-and-drop-processing-model

const DRAG_BEGINS = 4; // pixels that the mouse must go

/** The nearest element that may be dragged away: by its attribute, or because links and pictures always may. */
function draggableAround(target) {
  for (let node = target; node; node = elementAbove(node)) {
    if (isTextControl(node) || isInEditing(node)) return null;
    if (node.draggable === true) return node;
  }
  return null;
}

/** Whether the press becomes a drag now; from then on the page hears of the drag instead of the mouse. */
function isDragged(pressed, event) {
  const { source, at, target } = pressed;
  if (!source || Math.hypot(event.x - at.x, event.y - at.y) < DRAG_BEGINS) return false;
  pressed.source = null;
  // One that a script makes takes no `effectAllowed` or `dropEffect`: they stay 'none', and count for nothing.
  const data = new DataTransfer();
  const link = attribute(source, 'href');
  if (link !== null && typeof source.href === 'string') {
    data.setData('text/uri-list', source.href);
    data.setData('text/plain', source.href);
  }
  if (!fireDrag(source, 'dragstart', at, data)) return false;
  firePointer(target, 'pointercancel', mouseInit(target, at));
  pressed.drag = { source, data, over: null, isAllowed: false };
  moveDrag(pressed.drag, mouseTarget(event), event);
  return true;
}

const fireDrag = (element, kind, event, dataTransfer, more = {}) =>
  dispatch(element, new DragEvent(kind, { ...mouseInit(element, event), dataTransfer, ...more }));

function moveDrag(drag, target, event) {
  const { source, data } = drag;
  fireDrag(source, 'drag', event, data);
  if (drag.over !== target) {
    const before = drag.over;
    drag.over = target;
    fireDrag(target, 'dragenter', event, data, { relatedTarget: before });
    if (before && isAttached(before)) fireDrag(before, 'dragleave', event, data, { relatedTarget: target });
  }
  drag.isAllowed = !fireDrag(target, 'dragover', event, data);
}

async function endDrag(drag, event) {
  const { source, data, over, isAllowed } = drag;
  if (over && isAttached(over)) {
    if (isAllowed) fireDrag(over, 'drop', event, data);
    else fireDrag(over, 'dragleave', event, data);
  }
  fireDrag(source, 'dragend', event, data, { buttons: 0 });
  await turn();
}
