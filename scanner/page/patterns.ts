// The pattern `search_form` (docs/spec/scanner-protocol.md#patterns): the field, and what starts the search, also where
// there is no form.

import {
  ELEMENT_NODE,
  attribute,
  closest,
  contains,
  formOf,
  nodeTypeOf,
  parentElementOf,
  parentOf,
  tagOf,
} from '../dom/natives';
import { queryAll } from '../dom/banner';
import { numberOf } from '../dom/numbers';
import { selectorOf } from '../dom/selectors';
import { nameOf } from '../semantics/labels';
import { cookieBanner, modalDialog, popupPattern } from './layers';

const SEARCHING =
  /search|find|look ?up|\bgo\b(?! to\b)|magnif|suche|rechercher?|chercher|buscar|pesquisar|cerca|zoek|sök|szuka|поиск|найти|искать|搜|検索|검색|بحث|[🔍🔎]/iu;

const NOT_SEARCHING =
  /clear|reset|close|cancel|delete|remove|voice|speech|microphone|\bmic\b|camera|image|barcode|by image|filter|advanced|menu|history|\bback\b|previous|log ?in|sign ?(in|up)|cart|löschen|effacer|borrar|^[×✕✖]$/iu;

const MARKS = ['class', 'id', 'name', 'href', 'data-icon', 'src'];
const SEARCH_LEVELS = 5; // parts around a field without a form, in which a button that says so is its own
const NEAR_LEVELS = 2; // those in which any button is

function searchForm(chosen) {
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

/**
 * What starts the search: the form's submit button, else the likeliest of the form, of the landmark, or of the smallest
 * of a few parts around the field; at last one for the results that the field is for.
 */
function searchButton(candidates, input, form) {
  const field = input.element;
  // Behind the field before in front of it.
  const at = candidates.indexOf(input);
  const starters = [...candidates.slice(at + 1), ...candidates.slice(0, at)].filter(startsSearch);
  if (form) {
    const own = starters.filter(({ element }) => formOf(element) === form);
    return own.find(({ role }) => role === 'submit') || likeliest(own, field, 1);
  }
  const landmark = closest(field, '[role=search],search');
  const found = landmark && likeliest(inside(starters, landmark), field, 0);
  if (found) return found;
  let part = parentElementOf(field);
  for (let level = 1; level <= SEARCH_LEVELS && part; level++, part = parentElementOf(part)) {
    if (tagOf(part) === 'body') continue;
    const near = likeliest(inside(starters, part), field, level <= NEAR_LEVELS ? 1 : 2);
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

const inside = (candidates, part) => candidates.filter(({ element }) => contains(part, element));

/** 2 for what says that it searches, 1 for what says nothing, 0 for other words, -1 for what does something else. */
function startKind(candidate) {
  if (candidate.starting === undefined) {
    const { element } = candidate;
    const name = nameOf(element);
    const own = name || marksOf(element);
    const icon = name ? '' : Array.from(queryAll(element, '*'), marksOf).join(' ');
    if (NOT_SEARCHING.test(own)) candidate.starting = -1;
    else if (SEARCHING.test(own) || SEARCHING.test(icon)) candidate.starting = 2;
    else candidate.starting = name ? 0 : NOT_SEARCHING.test(icon) ? -1 : 1;
  }
  return candidate.starting;
}

/** What an icon is called where no person reads it. */
const marksOf = (element) => MARKS.map((name) => (attribute(element, name) || '').replace(/[_-]/g, ' ')).join(' ');

function startsSearch(candidate) {
  const { element, type, role } = candidate;
  if (type === 'button') return role !== 'reset' && (role === 'submit' || startKind(candidate) >= 0);
  const leads = type === 'link' && !/^(#|javascript:|$)/i.test(attribute(element, 'href') || '');
  return (type === 'generic' || (type === 'link' && !leads)) && startKind(candidate) === 2;
}

/** The one that says most clearly that it searches, `least` at least; other words count only right beside the field. */
function likeliest(candidates, field, least) {
  for (let kind = 2; kind >= 0; kind--) {
    const found = candidates.find(
      (candidate) =>
        startKind(candidate) === kind &&
        (kind >= least || parentOf(candidate.element) === parentOf(field)),
    );
    if (found) return found;
  }
  return null;
}

// The patterns (docs/spec/scanner-protocol.md#patterns) of the elements that a scan chose: login form, pagination. The
// search form is in search_form.js, dialogs are in dialogs.js, small ones in popups.js.

const REMEMBER = /remember|keep me|stay (signed|logged)|angemeldet bleiben|se souvenir/i;
const PREVIOUS = /^\W*(prev(ious)?( page)?|back|older( posts)?|zur(ü|ue)ck|pr(é|e)c(é|e)dent|anterior|‹|«|<|←)\W*$/i;
const PREVIOUS_SIGN = /^[‹«<←]+$/;
const NEXT = /^\W*(next( page)?|newer( posts)?|weiter|n(ä|ae)chste|suivant|siguiente)\W*$/i;
const NEXT_SIGN = /^[›»>→]+$/;
const PAGE_NUMBER = /^(page )?\d{1,4}$/i;

/** The patterns found, absent ones left out. */
export function detectPatterns(chosen) {
  const patterns = {};
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

function loginForm(chosen) {
  const at = chosen.findIndex(({ candidate }) => candidate.role === 'password');
  if (at < 0) return null;
  const password = chosen[at].candidate;
  const container = formOf(password.element) || commonContainer(chosen, at);
  const inside = chosen
    .filter(({ candidate }) => !container || contains(container, candidate.element))
    .map(({ candidate }) => candidate);
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
function commonContainer(chosen, at) {
  const before = chosen
    .slice(0, at)
    .reverse()
    .find(({ candidate }) => candidate.type === 'input');
  const after = chosen.slice(at).find(({ candidate }) => candidate.type === 'button');
  if (!before || !after) return null;
  let node = chosen[at].candidate.element;
  while (node && !(contains(node, before.candidate.element) && contains(node, after.candidate.element))) {
    node = parentElementOf(node);
  }
  return node;
}

/**
 * Page numbers count when at least two stand together; previous and next links when there are such, or both of them.
 */
function pagination(chosen) {
  let previous = null;
  let next = null;
  const numbers = [];
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

function pagingKind(candidate) {
  if (candidate.paging === undefined) {
    const name = nameOf(candidate.element);
    const relation = attribute(candidate.element, 'rel') || '';
    candidate.paging = 'none';
    if (name.length > 24 && !relation) return candidate.paging;
    if (PAGE_NUMBER.test(name)) candidate.paging = 'number';
    else if (relation === 'prev' || PREVIOUS.test(name) || PREVIOUS_SIGN.test(name)) candidate.paging = 'previous';
    else if (relation === 'next' || NEXT.test(name) || NEXT_SIGN.test(name)) candidate.paging = 'next';
  }
  return candidate.paging;
}

/** The numbers under the same list: siblings, or children of siblings. */
function largestGroup(candidates) {
  const groups = new Map();
  for (const candidate of candidates) {
    const parent = parentOf(candidate.element);
    const list = parent && nodeTypeOf(parent) === ELEMENT_NODE && tagOf(parent) === 'li' ? parentOf(parent) : parent;
    if (!groups.has(list)) groups.set(list, []);
    groups.get(list).push(candidate);
  }
  let largest = [];
  for (const group of groups.values()) if (group.length > largest.length) largest = group;
  return largest;
}
