// What closes a layer, as a person would: a sign, a word, a refusal, an icon in the corner, none of which accepts, buys
// or signs up; or a press beside it, where that reaches what is behind.

const CLOSE_WORD = new RegExp(
  '^\\W*(?:(?:close|dismiss|hide)(?: (?:this|the))?(?: (?:dialog|pop-?up|modal|window|overlay|message|notice|banner|offer|' +
    'ad|advert|advertisement|announcement|tour|tip|newsletter|promotion|panel|box))?|x|schlie(?:ß|ss)en|fermer|cerrar|' +
    'chiudi|fechar|sluiten|luk|lukk|stäng|zamknij)\\W*$',
  'i',
);
const DECLINE_WORD = new RegExp(
  '^\\W*(?:no,? ?(?:thanks?|thank you)\\b.*|no,? i\\b.*|no|not (?:now|today|interested)|(?:maybe |ask me |remind me )?later|' +
    'maybe next time|skip|nein,? danke|nicht jetzt|später|non,? merci|plus tard|no,? gracias|ahora no|no,? grazie)\\W*$',
  'i',
);
const CANCEL_WORD = /^\W*(cancel|abbrechen|annuler|cancelar)\W*$/i;
const CONFIRM_WORD = /^\W*(got it|ok(ay)?)\W*$/i;
const CLOSE_SIGN = /^[×✕✖⨯╳✗✘❌⨉🗙]\uFE0F?$/u;
const CLOSE_CLASS = /(^|[\s_-])(close|dismiss)($|[\s_-])/i;
// Cards and rows have buttons of their own: what removes an article from a basket closes no basket.
const ITEMS_INSIDE = 'li,tr,[role=row],[role=listitem],[role=option],[role=tab],[role=treeitem]';
const CORNER_SHARE = 0.25; // of a layer's sides
const CORNER_PIXELS = 48;
const MAX_ICON_SIZE = 64;
const MAX_CLOSERS = 4;

/** How plainly a button closes the layer that holds it, from 0, which is best; or -1 if it does not. */
function closingRank(element, layer) {
  const item = closest(element, ITEMS_INSIDE);
  if (item && item !== layer && contains(layer, item)) return -1;
  const name = nameOf(element);
  if (CLOSE_SIGN.test(name) || CLOSE_WORD.test(name)) return 0;
  if (name.length < 3 && CLOSE_CLASS.test(attribute(element, 'class') || '')) return 0;
  if (DECLINE_WORD.test(name)) return 1;
  if (CANCEL_WORD.test(name)) return 2;
  return isCornerIcon(element, layer) ? 3 : -1;
}

/** Whether a button is an icon that nothing names, in an upper corner of its layer. */
function isCornerIcon(element, layer) {
  if (unclosedName(element) !== '') return false;
  const [icon, box] = [boxOf(element), boxOf(layer)];
  if (!icon.width || icon.width > MAX_ICON_SIZE || icon.height > MAX_ICON_SIZE) return false;
  const [across, down] = [box.width * CORNER_SHARE, box.height * CORNER_SHARE].map((part) => Math.min(part, CORNER_PIXELS));
  const isAtTop = Math.abs(icon.top - box.top) <= down;
  return isAtTop && (Math.abs(box.right - icon.right) <= across || Math.abs(icon.left - box.left) <= across);
}

/** What is written of a button, or what its author calls it unless that is a close. */
function unclosedName(element) {
  const written = writtenName(element);
  if (written) return written;
  const invented = inventedBase(element);
  return /\b(close|dismiss|cross|times|xmark)\b/i.test(invented) ? '' : invented;
}

/** The candidates that close a layer, the plainest first; `boxed` are what can be seen, as of `choose`. */
function closersIn(layer, boxed) {
  const inside = boxed.filter(({ candidate }) => isPressed(candidate) && holds(layer, candidate.element));
  const ranked = [];
  for (const { candidate } of inside) {
    const rank = closingRank(candidate.element, layer);
    if (rank >= 0) ranked.push({ candidate, rank });
  }
  // An only button says that something was read; beside others it is a choice.
  if (!ranked.length && inside.length === 1 && CONFIRM_WORD.test(nameOf(inside[0].candidate.element))) return [inside[0].candidate];
  ranked.sort((one, other) => one.rank - other.rank);
  return ranked.slice(0, MAX_CLOSERS).map(({ candidate }) => candidate);
}

const isPressed = ({ type, role }) => (type === 'button' || type === 'link' || type === 'generic') && role !== 'dialog';

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
  const around = parentElementOf(curtain);
  if (!around) return null;
  const isInLayer = overlayAround(around) !== null;
  const others = Array.prototype.filter.call(childrenOf(around), (each) => each !== curtain && (isInLayer || floats(each)));
  return others.reverse().find((each) => !isCurtain(each) && isVisibleDialog(each)) || null;
}

/** The `::backdrop` of the layer itself, what is around the layer, or an empty cover of the page beside it. */
function isBackdrop(hit, layer, width, height) {
  if (hit === layer) return tagOf(layer) === 'dialog' || hasAttribute(layer, 'popover');
  if (holds(layer, hit)) return false;
  if (holds(hit, layer) || hit === bodyOf(ownerOf(layer)) || hit === documentElementOf(ownerOf(layer))) return true;
  const box = boxOf(hit);
  return box.width * box.height > SMALL_SHARE * width * height && !/\S/.test(textContentOf(hit)) && styleOf(hit).position === 'fixed';
}
