// The pattern `search_form` (docs/spec/scanner-protocol.md#patterns): the field, and what starts the search, also where
// there is no form.

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
