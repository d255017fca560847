// What a page does about a query and the key that should start the search: changes outside of the field and its
// suggestions (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/), a form that is submitted, requests. A list that
// opens while one types, or closes at the key, is no search.

const SUGGESTIONS = '[role=listbox],[role=option],datalist,[role=menu]';
const ASKING = new Set(['fetch', 'xmlhttprequest', 'script', 'iframe']);
let reaction = null;

/**
 * reaction: `watch` the field `id` from now on; `arm` before the key is pressed; `report` what was since then, and with
 * `end` no longer. `restless`: the page changes by itself, so what has changed already counts no more.
 */
function reactionTo(request) {
  if (request.stage === 'watch') {
    if (reaction) reaction.end();
    reaction = new Reaction(requestedElement(request));
    return {};
  }
  if (!reaction) return { typed: false, reacted: false, submitted: false, requested: false };
  if (request.stage === 'arm') {
    reaction.arm(request.restless === true);
    return {};
  }
  const status = reaction.report();
  if (request.end) {
    reaction.end();
    reaction = null;
  }
  return status;
}

class Reaction {
  constructor(field) {
    this.field = field;
    this.armed = null;
    this.typed = false;
    this.reacted = false;
    this.submitted = false;
    this.touched = new Set();
    this.restless = new Set();
    this.earlier = new Set();
    this.roots = new Set();
    this.observer = pageObserver((records) => this.note(records));
    this.onSubmit = () => {
      this.submitted = true;
    };
    this.watchTrees();
  }

  watchTrees() {
    allElements();
    for (const { root } of currentCache().trees) {
      if (this.roots.has(root)) continue;
      this.roots.add(root);
      this.observer.observe(root, OBSERVED);
      addListener(root, 'submit', this.onSubmit, { capture: true, passive: true });
    }
  }

  arm(restless) {
    this.note(this.observer.takeRecords().filter(isOfPage));
    this.restless = restless ? new Set(this.touched) : new Set();
    this.earlier = new Set(requestsSince(0));
    this.armed = performance.now();
    this.submitted = false;
    this.watchTrees();
  }

  note(records) {
    for (const record of records) {
      const node = changedElement(record.target);
      if (!node || !this.isOutside(record, node)) continue;
      if (this.armed === null) {
        this.typed = true;
        this.touched.add(node);
      } else if (!this.isRestless(node)) this.reacted = true;
    }
  }

  isRestless(node) {
    for (let each = node; each; each = elementAbove(each)) if (this.restless.has(each)) return true;
    return false;
  }

  /** Whether a change is neither the field's own nor one of its suggestions. */
  isOutside({ type, addedNodes, removedNodes }, node) {
    if (node === this.field || contains(this.field, node)) return false;
    if (type === 'attributes' && contains(node, this.field)) return false;
    if (closest(node, SUGGESTIONS)) return false;
    for (const list of this.lists()) if (list === node || contains(list, node)) return false;
    if (type === 'attributes') return !holdsSuggestions(node);
    if (type !== 'childList') return true;
    const moved = [...addedNodes, ...removedNodes].filter((each) => nodeTypeOf(each) === ELEMENT_NODE);
    return moved.length === 0 || !moved.every((each) => matches(each, SUGGESTIONS) || holdsSuggestions(each));
  }

  /** What the field names as its list, where it is a field with a list. */
  lists() {
    const box = closest(this.field, '[role=combobox]') || this.field;
    const completes = /^(list|both)$/i.test(attribute(this.field, 'aria-autocomplete') || '');
    if (attribute(box, 'role') !== 'combobox' && !completes) return [];
    const names = ['aria-controls', 'aria-owns'].flatMap((name) => [
      ...(attribute(box, name) || '').split(/\s+/),
      ...(attribute(this.field, name) || '').split(/\s+/),
    ]);
    const root = rootOf(this.field);
    return names.map((name) => name && byIdIn[nodeTypeOf(root)] && byIdIn[nodeTypeOf(root)](root, name)).filter(Boolean);
  }

  report() {
    this.note(this.observer.takeRecords().filter(isOfPage));
    this.watchTrees();
    return {
      typed: this.typed,
      reacted: this.reacted,
      submitted: this.submitted,
      requested: this.armed !== null && requestsSince(this.armed).some((url) => !this.earlier.has(url)),
    };
  }

  end() {
    this.observer.disconnect();
    for (const root of this.roots) removeListener(root, 'submit', this.onSubmit, { capture: true });
  }
}

const holdsSuggestions = (element) => queryAll(element, SUGGESTIONS).length > 0;

/** Where scripts have asked since a moment, without what is asked: a poll asks the same place again and again. */
function requestsSince(moment) {
  return performance
    .getEntriesByType('resource')
    .filter(({ initiatorType, startTime }) => ASKING.has(initiatorType) && startTime >= moment)
    .map(({ name }) => name.split(/[?#]/, 1)[0]);
}
