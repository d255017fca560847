// The patterns (docs/spec/scanner-protocol.md#patterns) of the elements that a scan chose.

import { attribute, closest, contains, formOf, isElement, parentElementOf, parentOf, tagOf } from '../dom/natives';
import type { LoginPattern, Pagination, Patterns, SearchPattern } from '../dom/protocol';
import type { Candidate } from '../dom/candidate';
import { queryAll } from '../dom/banner';
import { groupBy } from '../dom/words';
import { numberOf } from '../dom/numbers';
import { selectorOf } from '../dom/selectors';
import { nameOf } from '../semantics/labels';
import type { Chosen } from '../targets/describe';
import { cookieBanner, modalDialog, popupPattern } from './layers';

/** The patterns found, absent ones left out. */
export function detectPatterns(chosen: readonly Chosen[]): Patterns {
  const patterns: Patterns = {};
  const login = loginForm(chosen);
  if (login) patterns.login_form = login;
  const search = searchForm(chosen);
  if (search) patterns.search_form = search;
  const pages = pagination(chosen);
  if (pages) patterns.pagination = pages;
  const modal = modalDialog(chosen);
  if (modal) patterns.modal = modal;
  const popup = modal ? null : popupPattern(chosen);
  if (popup) patterns.popup = popup;
  const cookies = cookieBanner(chosen);
  if (cookies) patterns.cookie_banner = cookies;
  return patterns;
}

const REMEMBER = /remember|keep me|stay (signed|logged)|angemeldet bleiben|se souvenir/i;

function loginForm(chosen: readonly Chosen[]): LoginPattern | null {
  const candidates = chosen.map(({ candidate }) => candidate);
  const password = candidates.find(({ role }) => role === 'password');
  if (!password) return null;
  const container = formOf(password.element) || commonContainer(candidates, password);
  const inside = container ? within(candidates, container) : candidates;
  const passwords = inside.filter(({ role }) => role === 'password');
  if (passwords.length > 1) return null; // a registration or a change of password
  const before = inside.slice(0, inside.indexOf(password)).reverse();
  const user =
    before.find(({ role }) => role === 'email' || role === 'username') ||
    before.find(({ type, role }) => type === 'input' && (role === 'text' || role === 'tel'));
  const submit =
    inside.find(({ type, role }) => type === 'button' && role === 'submit') ||
    inside.slice(inside.indexOf(password)).find(({ type }) => type === 'button');
  if (!user || !submit) return null;
  const remember = inside.find(({ type, element }) => type === 'checkbox' && REMEMBER.test(nameOf(element)));
  return {
    [user.role === 'email' ? 'email' : 'username']: numberOf(user.element),
    password: numberOf(password.element),
    submit: numberOf(submit.element),
    ...(remember && { remember: numberOf(remember.element) }),
    container: container ? selectorOf(container) : 'body',
  };
}

/** Without a form: the smallest ancestor of the password that also holds a text input and a button. */
function commonContainer(candidates: readonly Candidate[], password: Candidate): Element | null {
  const at = candidates.indexOf(password);
  const before = candidates
    .slice(0, at)
    .reverse()
    .find(({ type }) => type === 'input');
  const after = candidates.slice(at).find(({ type }) => type === 'button');
  if (!before || !after) return null;
  let node: Element | null = password.element;
  while (node && !(contains(node, before.element) && contains(node, after.element))) node = parentElementOf(node);
  return node;
}

/** The field, and what starts the search, also if there is no form. */
function searchForm(chosen: readonly Chosen[]): SearchPattern | null {
  const candidates = chosen.map(({ candidate }) => candidate);
  const input = candidates.find(({ type, role }) => type === 'input' && role === 'search');
  if (!input) return null;
  const form = formOf(input.element);
  const submit = searchButton(candidates, input, form);
  return {
    input: numberOf(input.element),
    ...(submit && { submit: numberOf(submit.element) }),
    ...(form && { container: selectorOf(form) }),
  };
}

const SEARCH_LEVELS = 5; // parts around a field without a form, in which a button that says so is its own
const NEAR_LEVELS = 2; // those in which any button is

/**
 * What starts the search: the form's submit button, else the likeliest of the form, of the landmark, or of the smallest
 * of a few parts around the field; at last what controls the same results as the field.
 */
function searchButton(
  candidates: readonly Candidate[],
  input: Candidate,
  form: HTMLFormElement | null,
): Candidate | null {
  const field = input.element;
  // What comes after the field goes before what comes before it.
  const at = candidates.indexOf(input);
  const starters = [...candidates.slice(at + 1), ...candidates.slice(0, at)].filter(startsSearch);
  if (form) {
    const own = starters.filter(({ element }) => formOf(element) === form);
    return own.find(({ role }) => role === 'submit') || likeliest(own, field, 1);
  }
  const landmark = closest(field, '[role=search],search');
  const found = landmark && likeliest(within(starters, landmark), field, 0);
  if (found) return found;
  let part = parentElementOf(field);
  for (let level = 1; level <= SEARCH_LEVELS && part; level++, part = parentElementOf(part)) {
    if (tagOf(part) === 'body') continue;
    const near = likeliest(within(starters, part), field, level <= NEAR_LEVELS ? 1 : 2);
    if (near) return near;
  }
  const beside = starters.filter(({ element }) => parentOf(element) === parentOf(field));
  const results = attribute(field, 'aria-controls');
  return (
    likeliest(beside, field, 0) ||
    starters.find(({ element }) => results && attribute(element, 'aria-controls') === results) ||
    null
  );
}

const within = (candidates: readonly Candidate[], part: Element): readonly Candidate[] =>
  candidates.filter(({ element }) => contains(part, element));

const SEARCHING =
  /search|find|look ?up|\bgo\b(?! to\b)|magnif|suche|rechercher?|chercher|buscar|pesquisar|cerca|zoek|sök|szuka|поиск|найти|искать|搜|検索|검색|بحث|[🔍🔎]/iu;

const NOT_SEARCHING =
  /clear|reset|close|cancel|delete|remove|voice|speech|microphone|\bmic\b|camera|image|barcode|by image|filter|advanced|menu|history|\bback\b|previous|log ?in|sign ?(in|up)|cart|löschen|effacer|borrar|^[×✕✖]$/iu;

/** 2 for what says that it searches, 1 for what says nothing, 0 for other words, -1 for what does something else. */
type StartKind = 2 | 1 | 0 | -1;

/** A candidate that remembers whether it starts a search. */
interface StartingCandidate extends Candidate {
  starting?: StartKind;
}

const startKind = (candidate: StartingCandidate): StartKind => (candidate.starting ??= startKindOf(candidate.element));

function startKindOf(element: Element): StartKind {
  const name = nameOf(element);
  const own = name || marksOf(element);
  const icon = name ? '' : Array.from(queryAll(element, '*'), marksOf).join(' ');
  if (NOT_SEARCHING.test(own)) return -1;
  if (SEARCHING.test(own) || SEARCHING.test(icon)) return 2;
  return name ? 0 : NOT_SEARCHING.test(icon) ? -1 : 1;
}

const MARKS = ['class', 'id', 'name', 'href', 'data-icon', 'src'];

/** What an icon is called where no person reads it. */
const marksOf = (element: Element): string =>
  MARKS.map((name) => (attribute(element, name) || '').replace(/[_-]/g, ' ')).join(' ');

function startsSearch(candidate: Candidate): boolean {
  const { element, type, role } = candidate;
  if (type === 'button') return role !== 'reset' && (role === 'submit' || startKind(candidate) >= 0);
  const leads = type === 'link' && !/^(#|javascript:|$)/i.test(attribute(element, 'href') || '');
  return (type === 'generic' || (type === 'link' && !leads)) && startKind(candidate) === 2;
}

/** The one that says most clearly that it searches, `least` at least; other words count only right beside the field. */
function likeliest(candidates: readonly Candidate[], field: Element, least: StartKind): Candidate | null {
  for (let kind = 2; kind >= 0; kind--) {
    const found = candidates.find(
      (candidate) =>
        startKind(candidate) === kind && (kind >= least || parentOf(candidate.element) === parentOf(field)),
    );
    if (found) return found;
  }
  return null;
}

/**
 * Page numbers count if at least two stand together; links to the previous and the next page beside those, or if there
 * are both.
 */
function pagination(chosen: readonly Chosen[]): Pagination | null {
  let previous: Candidate | null = null;
  let next: Candidate | null = null;
  const numbers: Candidate[] = [];
  for (const { candidate } of chosen) {
    if (candidate.type !== 'link' && candidate.type !== 'button') continue;
    const kind = pagingKind(candidate);
    if (kind === 'number') numbers.push(candidate);
    else if (kind === 'previous') previous = previous || candidate;
    else if (kind === 'next') next = next || candidate;
  }
  const pages = largestGroup(numbers);
  if (pages.length < 2 && !(previous && next)) return null;
  return {
    ...(previous && { prev: numberOf(previous.element) }),
    ...(next && { next: numberOf(next.element) }),
    pages: (pages.length < 2 ? [] : pages).map(({ element }) => numberOf(element)),
  };
}

const PREVIOUS = /^\W*(prev(ious)?( page)?|back|older( posts)?|zur(ü|ue)ck|pr(é|e)c(é|e)dent|anterior|‹|«|<|←)\W*$/i;
const PREVIOUS_SIGN = /^[‹«<←]+$/;
const NEXT = /^\W*(next( page)?|newer( posts)?|weiter|n(ä|ae)chste|suivant|siguiente)\W*$/i;
const NEXT_SIGN = /^[›»>→]+$/;
const PAGE_NUMBER = /^(page )?\d{1,4}$/i;

type PagingKind = 'number' | 'previous' | 'next' | 'none';

/** A candidate that remembers what it is to a pagination. */
interface PagingCandidate extends Candidate {
  paging?: PagingKind;
}

const pagingKind = (candidate: PagingCandidate): PagingKind => (candidate.paging ??= pagingKindOf(candidate.element));

function pagingKindOf(element: Element): PagingKind {
  const name = nameOf(element);
  const relation = attribute(element, 'rel') || '';
  if (name.length > 24 && !relation) return 'none';
  if (PAGE_NUMBER.test(name)) return 'number';
  if (relation === 'prev' || PREVIOUS.test(name) || PREVIOUS_SIGN.test(name)) return 'previous';
  return relation === 'next' || NEXT.test(name) || NEXT_SIGN.test(name) ? 'next' : 'none';
}

/** The numbers under the same list: siblings, or children of siblings. */
function largestGroup(candidates: readonly Candidate[]): readonly Candidate[] {
  const groups = groupBy(candidates, ({ element }) => {
    const parent = parentOf(element);
    return parent && isElement(parent) && tagOf(parent) === 'li' ? parentOf(parent) : parent;
  });
  let largest: readonly Candidate[] = [];
  for (const group of groups.values()) if (group.length > largest.length) largest = group;
  return largest;
}
