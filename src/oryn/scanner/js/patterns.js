// The patterns (docs/spec/scanner-protocol.md#patterns) of the elements that a scan chose: login form, pagination. The
// search form is in search_form.js, dialogs are in dialogs.js, small ones in popups.js.

const REMEMBER = /remember|keep me|stay (signed|logged)|angemeldet bleiben|se souvenir/i;
const PREVIOUS = /^\W*(prev(ious)?( page)?|back|older( posts)?|zur(ü|ue)ck|pr(é|e)c(é|e)dent|anterior|‹|«|<|←)\W*$/i;
const PREVIOUS_SIGN = /^[‹«<←]+$/;
const NEXT = /^\W*(next( page)?|newer( posts)?|weiter|n(ä|ae)chste|suivant|siguiente)\W*$/i;
const NEXT_SIGN = /^[›»>→]+$/;
const PAGE_NUMBER = /^(page )?\d{1,4}$/i;

/** The patterns found, absent ones left out. */
function detectPatterns(chosen) {
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
