import { isHtml, nativeLabelControlOf, shadowOf, tagOf } from './natives';
import { queryAll } from './banner';
import { allElements, remember } from './snapshot';

/** The control of a label, or, if that is a custom element with one control in its shadow tree, this one. */
export const labelControlOf = (label: Element): Element | null => {
  const control = nativeLabelControlOf(label);
  return control && innerControl(control);
};

export const TEXT_INPUTS = new Set([
  'text',
  'search',
  'email',
  'tel',
  'url',
  'password',
  'number',
  '',
  'date',
  'datetime-local',
  'month',
  'time',
  'week',
]);

/**
 * The labels of a form control, in walk order. The native `labels` looks through the whole document for each control;
 * this asks every label once.
 */
export function labelsOf(element: Element): readonly Element[] {
  return remember('labels', allLabels).get(element) || NO_LABELS;
}

const NO_LABELS: readonly Element[] = [];

export function allLabels(): Map<Element, Element[]> {
  const labels = new Map<Element, Element[]>();
  for (const element of allElements()) {
    if (tagOf(element) !== 'label' || !isHtml(element)) continue;
    const host = nativeLabelControlOf(element);
    for (const control of host ? new Set([host, innerControl(host)]) : []) {
      const before = labels.get(control);
      if (before) before.push(element);
      else labels.set(control, [element]);
    }
  }
  return labels;
}

export const MAX_LABEL_LENGTH = 120;
const CONTROLS = 'input:not([type=hidden]),select,textarea,button';

/** The only control in the shadow tree of a custom element, which is what a person sees of it, or the element itself. */
export function innerControl(element: Element): Element {
  const shadow = tagOf(element).includes('-') ? shadowOf(element) : null;
  const controls = shadow ? queryAll(shadow, CONTROLS) : [];
  return (controls.length === 1 && controls[0]) || element;
}
