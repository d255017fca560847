// Which element takes a press at a point, and whether that is a press on the element that is meant.

import {
  attribute,
  boxOf,
  closest,
  contains,
  hasAttribute,
  hostsOf,
  isHtml,
  matches,
  ownerOf,
  tagOf,
  textContentOf,
} from '../dom/natives';
import type { PointData } from '../dom/protocol';
import { Refusal } from '../dom/refusal';
import { collapse } from '../dom/words';
import { queryAll } from '../dom/banner';
import { elementAbove, frameElementOf, holds } from '../dom/tree';
import { labelControlOf } from '../dom/labels';
import { drawnAround, isNativeBox, isOver, isTransparentControl } from '../geometry/visibility';
import { styleOf } from '../geometry/styles';
import { hitIn } from '../geometry/boxes';
import { outOfFrame } from '../geometry/frames';
import { isLarge, interactivity } from '../semantics/interactive';
import { authoredRole } from '../semantics/roles';
import { isTypingField } from '../semantics/text_controls';
import { buttonNames, coveringDialog } from '../page/layers';
import { modalDialogs } from '../dom/top_layer';

/** Whether a press on `hit` reaches `element`: itself, its content, its host, its label, or what takes presses for it. */
export function receives(element: Element, hit: Element): boolean {
  if (holds(element, hit)) return true;
  for (let node: Element | null = hit; node; node = elementAbove(node)) {
    if (tagOf(node) === 'label' && isHtml(node) && labelControlOf(node) === element) return true;
  }
  if (hostsOf(element).includes(hit)) return true;
  if (isPressedForCombobox(element, hit) || (isTransparentControl(element) && isDrawnFor(element, hit))) return true;
  const receiver = receiverOf(element);
  if (receiver !== element) return receiver !== null && holds(receiver, hit);
  return isValueOver(element, hit) || isControlOver(element, hit) || isControlOfCard(element, hit);
}

/**
 * What takes the presses on an element: itself, or for one that lets them through (`pointer-events: none`), the control,
 * label or card around it; null if nothing does.
 */
export function receiverOf(element: Element): Element | null {
  if (styleOf(element).pointerEvents !== 'none') return element;
  let around = elementAbove(element);
  while (around && ownerOf(around) === ownerOf(element) && styleOf(around).pointerEvents === 'none')
    around = elementAbove(around);
  if (!around || tagOf(around) === 'body' || tagOf(around) === 'html') return null;
  const isForIt = tagOf(around) === 'label' || closest(around, 'a,button,label,summary,[role=button],[role=link]');
  if (isForIt || !isControl(element)) return around;
  for (let node: Element | null = around; node && !isLarge(node); node = elementAbove(node))
    if (interactivity(node, tagOf(node))) return around;
  return null;
}

const isControl = (element: Element): boolean => interactivity(element, tagOf(element)) > 0;

/** Whether `hit` is the combo box around a field, or what is right around one that takes no presses itself. */
function isPressedForCombobox(element: Element, hit: Element): boolean {
  const combobox = tagOf(element) === 'input' ? closest(element, '[role=combobox]') : null;
  if (!combobox || !contains(hit, element)) return false;
  return combobox === element
    ? styleOf(element).pointerEvents === 'none' && hit === elementAbove(element)
    : holds(combobox, hit);
}

const INNER_CONTROLS = 'a,button,input,select,textarea,[role=button]';

/** Whether `hit` is drawn in the place of a transparent field, and is no control of its own. */
function isDrawnFor(element: Element, hit: Element): boolean {
  const around = drawnAround(element);
  if (hit === around || hit === elementAbove(element)) return true;
  if (!around) return false;
  const control = isNativeBox(element) || !holds(around, hit) ? hit : closest(hit, INNER_CONTROLS);
  return control === null || (control !== hit && !holds(around, control));
}

const WIDGET_LEVELS = 4;
const FIELDS = 'input:not([type=hidden]),textarea,select';

const NO_VALUE = `${INNER_CONTROLS},[role=listbox],[role=option]`;

/** Whether `hit` is the value or the hint of a combo box that its widget draws over its field. */
function isValueOver(element: Element, hit: Element): boolean {
  if (!isTypingField(element) && tagOf(element) !== 'input' && authoredRole(element) !== 'combobox') return false;
  if (!opensChoices(element) || closest(hit, NO_VALUE)) return false;
  let widget = elementAbove(element);
  for (let level = 0; widget && !holds(widget, hit) && level < WIDGET_LEVELS; level++) widget = elementAbove(widget);
  if (!widget || !holds(widget, hit) || tagOf(widget) === 'body' || isLarge(widget)) return false;
  return queryAll(widget, FIELDS).length <= 1 && (hit === widget || isDrawnInside(hit, widget));
}

const opensChoices = (element: Element): boolean =>
  authoredRole(element) === 'combobox' ||
  ['aria-haspopup', 'aria-autocomplete', 'readonly'].some((name) => hasAttribute(element, name));

/** Whether a widget draws something within its own box, and not as a layer that has come out of it. */
function isDrawnInside(element: Element, widget: Element): boolean {
  const [inner, outer] = [boxOf(element), boxOf(widget)];
  const isInside = inner.left >= outer.left - 1 && inner.right <= outer.right + 1;
  return isInside && inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
}

const SIMILAR = 4; // times the area

/** Whether `hit` is a transparent control that lies over what is drawn for it, as a file field over its button. */
function isControlOver(element: Element, hit: Element): boolean {
  if (!matches(hit, `${INNER_CONTROLS},label`) || !isTransparent(hit) || !isOver(element, boxOf(hit))) return false;
  const [above, below] = [boxOf(hit), boxOf(element)];
  const [area, other] = [above.width * above.height, below.width * below.height];
  return area <= SIMILAR * other || (other <= SIMILAR * area && !isLarge(hit));
}

const isTransparent = (element: Element): boolean => {
  const above = elementAbove(element);
  return styleOf(element).opacity === '0' || (above !== null && styleOf(above).opacity === '0');
};

const CARD_LEVELS = 5;
const CONTROLS_OF_CARDS = 'a[href],button,label,[role=button],[role=link]';

/**
 * Whether `hit` is the link or button of the card that a plain element is in, stretched over the card: it shows nothing
 * there itself.
 */
function isControlOfCard(element: Element, hit: Element): boolean {
  const control = closest(hit, CONTROLS_OF_CARDS);
  if (!control || hit !== control || isControl(element)) return false;
  let card = elementAbove(element);
  for (let level = 0; card && !holds(card, control) && level < CARD_LEVELS; level++) card = elementAbove(card);
  if (!card || !holds(card, control) || isLarge(card) || tagOf(card) === 'body' || tagOf(card) === 'main') return false;
  // What a style draws before or after it is stretched, or it is empty itself.
  return !isOver(element, boxOf(control)) || !/\S/.test(textContentOf(control));
}

/**
 * A point of the element that the element itself receives, of those that are tried. `placed` is the point as the browser
 * may be told it.
 */
export function freePoint(
  element: Element,
  points: Iterable<PointData>,
  placed: (point: PointData) => PointData,
): PointData {
  refuseInert(element);
  if (!receiverOf(element))
    throw new Refusal('ELEMENT_NOT_INTERACTABLE', 'the element takes no presses (pointer-events: none)');
  let blocker: Element | null = null;
  let first: PointData | null = null;
  let isSurrounded = false;
  const isFree = (point: PointData): boolean => {
    const hit = hitIn(ownerOf(element), point.x, point.y);
    const isReceived = hit !== null && receives(element, hit);
    const covering = isReceived ? framesCover(element, point) : hit;
    if (isReceived && !covering) return true;
    isSurrounded ||= covering !== null && holds(covering, element);
    if (covering && !holds(covering, element)) blocker ??= covering;
    return false;
  };
  for (const exact of points) {
    first ??= exact;
    const point = placed(exact);
    if (isFree(point)) return point;
  }
  if (first && isFree(first)) return first;
  throw refusalOf(element, blocker, isSurrounded);
}

function refusalOf(element: Element, blocker: Element | null, isSurrounded: boolean): Refusal {
  if (!blocker)
    return isSurrounded
      ? new Refusal('ELEMENT_NOT_INTERACTABLE', 'no press reaches the element at its place: what is around it takes it')
      : new Refusal('ELEMENT_NOT_VISIBLE', 'the element is outside the viewport');
  const covered = shortDescription(blocker);
  const dialog = coveringDialog(blocker, element);
  const buttons = dialog ? buttonNames(dialog) : [];
  return new Refusal('ELEMENT_NOT_INTERACTABLE', `the element is covered by ${covered}`, {
    covered_by: covered,
    ...(buttons.length && { buttons }),
  });
}

/** What covers the frames that hold the element at this point, or null. */
function framesCover(element: Element, point: PointData): Element | null {
  let inner = point;
  for (let owner = ownerOf(element); owner !== document;) {
    const frame = frameElementOf(owner);
    if (!frame) return null;
    inner = outOfFrame(frame, inner);
    owner = ownerOf(frame);
    const hit = hitIn(owner, inner.x, inner.y);
    if (!hit || !holds(frame, hit)) return hit || frame;
  }
  return null;
}

/** https://html.spec.whatwg.org/multipage/interaction.html#inert-subtrees */
function refuseInert(element: Element): void {
  for (let node: Element | null = element; node; node = elementAbove(node)) {
    if (isHtml(node) && hasAttribute(node, 'inert') && !isModalInside(node, element))
      throw new Refusal(
        'ELEMENT_NOT_INTERACTABLE',
        node === element ? 'the element is inert' : `the element is inert, as ${shortDescription(node)} around it is`,
      );
  }
  for (let node: Element | null = element; node; node = frameElementOf(ownerOf(node))) {
    const shown = node;
    const dialogs = modalDialogs(ownerOf(node));
    const dialog = dialogs.at(-1);
    if (dialog && !dialogs.some((each) => holds(each, shown))) {
      const buttons = buttonNames(dialog);
      const said = `the element is inert: covered by ${shortDescription(dialog)}, which is modal`;
      throw new Refusal('ELEMENT_NOT_INTERACTABLE', said, buttons.length ? { buttons } : undefined);
    }
    if (ownerOf(node) === document) break;
  }
}

/** Whether an element is in a modal dialog inside an inert element: such a dialog is not inert with that. */
const isModalInside = (inert: Element, element: Element): boolean =>
  modalDialogs(ownerOf(element)).some((dialog) => dialog !== inert && holds(inert, dialog) && holds(dialog, element));

/** `div#overlay "We use cookies…"`: what an element is, in a few words. */
export function shortDescription(element: Element): string {
  const id = attribute(element, 'id');
  const classes = (attribute(element, 'class') || '').trim().split(/\s+/)[0];
  const name = collapse(attribute(element, 'aria-label') || textContentOf(element).slice(0, 200)).slice(0, 40);
  return tagOf(element) + (id ? `#${id}` : classes ? `.${classes}` : '') + (name ? ` "${name}"` : '');
}
