// Elements by their kind and text, as answers print them: `button "Save"`, `input/email "E-mail"`, `row "1003"`
// (docs/spec/intent-language.md#targets).

import { inputTypeOf } from '../dom/natives';
import type { MatchData } from '../dom/protocol';
import type { Candidate } from '../dom/candidate';
import { wordSet } from '../dom/words';
import { allElements } from '../dom/snapshot';
import { roleOf } from '../semantics/roles';
import { nameOf, writtenName } from '../semantics/labels';
import { TYPING_INPUTS } from '../semantics/interactive';
import { foundElements } from './candidates';
import { fitOf, inWalkOrder } from './match';
import type { Entry } from './match';
import { fitWanted } from './text_fit';
import type { Wanted } from './text_fit';

// What people call by the name of what it is a kind of (https://www.w3.org/TR/wai-aria-1.2/#superclassRole).
const KINDS_OF: Readonly<Record<string, ReadonlySet<string>>> = {
  checkbox: wordSet('checkbox switch menuitemcheckbox'),
  radio: wordSet('radio menuitemradio'),
  menuitem: wordSet('menuitem menuitemcheckbox menuitemradio'),
  textbox: wordSet('textbox searchbox'),
  combobox: wordSet('combobox'),
  cell: wordSet('cell gridcell rowheader columnheader'),
  dialog: wordSet('dialog alertdialog'),
  image: wordSet('img image'),
  img: wordSet('img image'),
};

/**
 * The elements of a kind whose text fits, in walk order; all of the kind for an empty text, which fits best what is called
 * nothing.
 */
export function kindMatches(kind: string, wanted: Wanted): Entry[] {
  const entries: Entry[] = [];
  const interactive = new Set<Element>();
  for (const candidate of foundElements()) {
    interactive.add(candidate.element);
    if (isOfKind(candidate, kind)) addMatch(entries, candidate.element, wanted);
  }
  for (const element of kind.includes('/') ? [] : allElements()) {
    if (!interactive.has(element) && hasRole(element, kind)) addMatch(entries, element, wanted);
  }
  return inWalkOrder(entries);
}

function addMatch(entries: Entry[], element: Element, wanted: Wanted): void {
  const match: MatchData | null = wanted
    ? (fitOf(element, wanted) ?? fitOfName(element, wanted))
    : { tier: nameOf(element) ? 'case' : 'exact', source: 'role', excess: 0 }; // first what is called nothing
  if (match) entries.push({ element, match });
}

/** What is not interactive has a name too: that of a dialog, a table, a region. */
function fitOfName(element: Element, wanted: Wanted): MatchData | null {
  const fit = fitWanted(writtenName(element), wanted);
  return fit && { ...fit, source: 'name' };
}

export function isOfKind({ element, tag, type, role }: Candidate, kind: string): boolean {
  const [first, second] = kind.split('/');
  if (second !== undefined) return type === first && role === second;
  if (kind === type || kind === role || hasRole(element, kind)) return true;
  return kind === 'textbox' && (tag === 'textarea' || (tag === 'input' && TYPING_INPUTS.has(inputTypeOf(element))));
}

const hasRole = (element: Element, kind: string): boolean =>
  KINDS_OF[kind]?.has(roleOf(element)) ?? roleOf(element) === kind;
