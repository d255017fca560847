// Where a press beside a layer reaches what is behind it, as many pages close a layer at that.

const EDGE = 6; // pixels beside the viewport's edge, or a layer's

/** A point of this scanner's viewport where a press reaches a layer's backdrop, or the bare page; null where there is none. */
function outsidePoint(layer) {
  const owner = ownerOf(layer);
  const root = documentElementOf(owner);
  const [width, height] = [root.clientWidth, root.clientHeight];
  const box = boxOf(layer);
  const [middle, centre] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  const points = [
    [EDGE, EDGE], [width - EDGE, EDGE], [EDGE, height - EDGE], [width - EDGE, height - EDGE],
    [box.left - EDGE, centre], [box.right + EDGE, centre], [middle, box.top - EDGE], [middle, box.bottom + EDGE],
    [EDGE, height / 2], [width - EDGE, height / 2], [width / 2, EDGE], [width / 2, height - EDGE],
  ]; // prettier-ignore
  const origin = frameOffset(layer);
  for (const [x, y] of points) {
    const isInside = x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
    if (isInside || x < 0 || y < 0 || x >= width || y >= height) continue;
    const hit = hitIn(owner, x, y);
    if (hit && isBackdrop(hit, layer, width, height)) return { x: x + origin.x, y: y + origin.y };
  }
  return null;
}

/** The layer for which an empty backdrop dims the page: what is with it in a layer around both, or floats beside it; or null. */
function layerBeside(curtain) {
  const around = parentOf(curtain);
  if (!around || nodeTypeOf(around) !== ELEMENT_NODE) return null;
  const isInLayer = overlayAround(around) !== null;
  const others = Array.prototype.filter.call(childrenOf(around), (each) => each !== curtain && (isInLayer || floats(each)));
  return others.reverse().find((each) => !isCurtain(each) && isShownDialog(each)) || null;
}

/** The `::backdrop` of the layer itself, what is around the layer, or an empty cover of the page beside it. */
function isBackdrop(hit, layer, width, height) {
  if (hit === layer) return tagOf(layer) === 'dialog' || hasAttribute(layer, 'popover');
  if (holds(layer, hit)) return false;
  if (holds(hit, layer) || hit === bodyOf(ownerOf(layer)) || hit === documentElementOf(ownerOf(layer))) return true;
  const box = boxOf(hit);
  return box.width * box.height > SMALL_SHARE * width * height && !/\S/.test(textContentOf(hit)) && styleOf(hit).position === 'fixed';
}
