// locate (docs/spec/scanner-protocol.md#locate): the point where an element can be pressed, after looking whether it is
// there, visible, enabled and not covered.

const LOCATE_TIMEOUT = 1000;

/** Answers at once, or a promise while an animation moves the element or after it was scrolled to. */
function locate(request) {
  const element = pressable(requestedElement(request));
  const scrolled = request.scroll_into_view !== false && bringIntoView(element);
  const moving = !request.force && mayMove(element);
  if (!scrolled && !moving) return placeOf(element, request);
  return (moving ? restingPlace(element, request) : drawn()).then((motion) => {
    refreshCache();
    const place = placeOf(presentElement(element, request), request);
    if (motion && isFast(motion, place.rect))
      throw new Refusal('ELEMENT_NOT_INTERACTABLE', 'the element is moving and does not come to rest');
    return place;
  });
}

/** The browser aims its input by what it has drawn: the first frame asks for that, the second comes after it. */
const drawn = () => nextFrame().then(nextFrame);

function placeOf(element, request) {
  const { purpose = 'click', force } = request;
  if (request.scroll_into_view !== false) bringIntoView(element);
  const box = force ? visibleBox(element) || boxOf(element) : isVisible(element) ? visibleBox(element) : null;
  if (!box || (!box.width && !box.height)) throw new Refusal('ELEMENT_NOT_VISIBLE', 'the element is not visible');
  if (!force && purpose !== 'hover' && purpose !== 'any' && isDisabled(element))
    throw new Refusal('ELEMENT_DISABLED', 'the element is disabled');
  const point = force ? requestedPoint(box, request.offset) : freePoint(element, box, request.offset);
  if (purpose === 'choose' || purpose === 'open')
    refuseSender(hitIn(ownerOf(element), point.x, point.y) || element, purpose === 'open');
  const offset = frameOffset(element);
  makeRoomAt(point.x + offset.x, point.y + offset.y);
  if (request.presses) expectPress(element, wholeNumber(request.presses, 'presses'));
  return {
    x: point.x + offset.x,
    y: point.y + offset.y,
    rect: rectData(element, box),
    tag: tagOf(element),
    type: factsOf(element).type,
    hovered: isUnderMouse(hitIn(ownerOf(element), point.x, point.y)),
  };
}

/** Whether the mouse is over an element and none of its children. */
const isUnderMouse = (element) =>
  element !== null && matches(element, ':hover') && !queryAll(element, ':hover').length;

/** `offset` is relative to the centre. */
function requestedPoint(box, offset) {
  const middle = middleOf(box);
  return offset ? { x: middle.x + offset.x, y: middle.y + offset.y } : middle;
}

/** What a person presses for an element: a hidden native control's visible label. */
function pressable(element) {
  const isTouchable = !isNativeBox(element) || styleOf(element).pointerEvents !== 'none';
  if (isTouchable && isVisible(element)) return element;
  return visibleLabel(element) || element;
}

const middleOf = (box) => ({ x: (Math.max(box.left, 0) + box.right) / 2, y: (Math.max(box.top, 0) + box.bottom) / 2 });

/**
 * A point of the element that the element itself receives: the asked offset, else its centre, else others of its
 * boxes.
 */
function freePoint(element, box, offset) {
  let blocker = null;
  const origin = frameOffset(element);
  const points = offset ? [requestedPoint(box, offset)] : pointsOf(element, box);
  for (const point of [...points.map((exact) => wholePoint(exact, origin)), points[0]]) {
    const hit = hitIn(ownerOf(element), point.x, point.y);
    if (hit && receives(element, hit)) {
      const outer = framesCover(element, point);
      if (!outer) return point;
      blocker = blocker || outer;
    } else blocker = blocker || hit;
  }
  if (!blocker) throw new Refusal('ELEMENT_NOT_VISIBLE', 'the element is outside the viewport');
  const covered = shortDescription(blocker);
  const dialog = coveringDialog(blocker, element);
  const buttons = dialog ? buttonNames(dialog) : [];
  throw new Refusal('ELEMENT_NOT_INTERACTABLE', `the element is covered by ${covered}`, {
    covered_by: covered,
    ...(buttons.length && { buttons }),
  });
}

/**
 * Mouse events lie on whole pixels of the tab's viewport (https://www.w3.org/TR/uievents/#dom-mouseevent-clientx is a
 * long): between two, a press may hit what `elementFromPoint` does not.
 */
function wholePoint(point, origin) {
  return { x: Math.round(point.x + origin.x) - origin.x, y: Math.round(point.y + origin.y) - origin.y };
}

// Shares of a box, across and down.
const ELSEWHERE = [0.2, 0.8, 0.1, 0.9].flatMap((share) => [
  [share, share],
  [share, 1 - share],
  [0.5, share],
  [share, 0.5],
]);

function pointsOf(element, box) {
  const points = [];
  const boxes = Array.prototype.filter.call(boxesOf(element), ({ width, height }) => width >= 1 && height >= 1);
  const wholes = boxes.length ? [boxes.length === 1 ? box : boxes[0], box, ...boxes] : [box];
  for (const part of [...wholes.map((whole) => visiblePart(element, whole) || whole), box]) {
    const { left, top, width, height } = part;
    points.push(middleOf(part));
    for (const [across, down] of ELSEWHERE) points.push({ x: left + width * across, y: top + height * down });
    if (points.length > 60) break;
  }
  return points;
}

/** The innermost element at a point of a document's viewport, through shadow roots. */
function hitIn(owner, x, y) {
  let hit = pageElementAt(owner, x, y);
  while (hit) {
    const shadow = shadowOf(hit);
    const inner = shadow && fromPoint[FRAGMENT_NODE](shadow, x, y);
    if (!inner || inner === hit || rootOf(inner) !== shadow) return hit;
    hit = inner;
  }
  return null;
}

/** The innermost element at a point of this scanner's viewport, through same-origin frames too. */
function hitAt(x, y) {
  let owner = document;
  for (;;) {
    const hit = hitIn(owner, x, y);
    const inner = hit && frameDocument(hit);
    if (!inner) return hit;
    const origin = viewportOrigin(hit);
    x -= origin.x;
    y -= origin.y;
    owner = inner;
  }
}

/** Whether a press on `hit` reaches `element`: itself, its content, its host or its label. */
function receives(element, hit) {
  if (holds(element, hit)) return true;
  for (let node = hit; node; node = elementAbove(node)) {
    if (tagOf(node) === 'label' && isHtml(node) && labelControlOf(node) === element) return true;
  }
  if (hostsOf(element).includes(hit)) return true;
  return isPressedForCombobox(element, hit) || (isTransparentControl(element) && isDrawnFor(element, hit));
}

/** Whether `hit` is the combo box around a field, or what is right around one that takes no presses itself. */
function isPressedForCombobox(element, hit) {
  const combobox = tagOf(element) === 'input' ? closest(element, '[role=combobox]') : null;
  if (!combobox || !contains(hit, element)) return false;
  return combobox === element ? styleOf(element).pointerEvents === 'none' && hit === elementAbove(element) : holds(combobox, hit);
}

const INNER_CONTROLS = 'a,button,input,select,textarea,[role=button]';

/** Whether `hit` is drawn in the place of a transparent field, and is no control of its own. */
function isDrawnFor(element, hit) {
  const around = drawnAround(element);
  if (hit === around || hit === elementAbove(element)) return true;
  const control = isNativeBox(element) || !holds(around, hit) ? hit : closest(hit, INNER_CONTROLS);
  return control === null || (control !== hit && !holds(around, control));
}

/** What covers the frames that hold the element at this point, or null. */
function framesCover(element, point) {
  let { x, y } = point;
  for (let owner = ownerOf(element); owner !== document;) {
    const frame = frameElementOf(owner);
    if (!frame) return null;
    const origin = viewportOrigin(frame);
    x += origin.x;
    y += origin.y;
    owner = ownerOf(frame);
    const hit = hitIn(owner, x, y);
    if (!hit || !holds(frame, hit)) return hit || frame;
  }
  return null;
}

/** `div#overlay "We use cookies…"`: what an element is, in a few words. */
function shortDescription(element) {
  const id = attribute(element, 'id');
  const classes = (attribute(element, 'class') || '').trim().split(/\s+/)[0];
  const name = collapse(attribute(element, 'aria-label') || textContentOf(element).slice(0, 200)).slice(0, 40);
  return tagOf(element) + (id ? `#${id}` : classes ? `.${classes}` : '') + (name ? ` "${name}"` : '');
}
