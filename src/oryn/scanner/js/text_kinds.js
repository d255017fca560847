// What a text of a page is: a message, by its role, live region, classes or the field that it describes; a heading; a
// clock; or plain text.

const LIVE = '[role=alert],[role=alertdialog],[role=status],[role=log],[aria-live=polite],[aria-live=assertive],output';
const ALERT_CLASS = /(?:^|[-_])(?:alert|danger|errors?|errorlist|invalid|warnings?|failure)(?:$|[-_\d])/i;
const STATUS_CLASS = /(?:^|[-_])(?:toasts?|snackbars?|flash|flashes|messages?|notifications?|notices?|success|feedback)(?:$|[-_\d])/i;
const CLOCK_ROLES = new Set(['timer', 'marquee']);
const CLOCKS = '[role=timer],[role=marquee],[aria-live=off]';
const LEVELS_OF_KIND = 5;

/** `alert`, `status`, `heading`, `clock` (its text counts for nothing), `image` or `text`. */
function textKind(owner) {
  let level = 0;
  for (let node = owner; node && level < LEVELS_OF_KIND; node = elementAbove(node), level++) {
    const kind = messageKind(node);
    if (kind !== 'text') return kind;
  }
  if (describesInvalid(owner)) return 'alert';
  if (matches(owner, PICTURES)) return 'image';
  return /^h[1-6]$/.test(tagOf(owner)) || attribute(owner, 'role') === 'heading' ? 'heading' : 'text';
}

/** What an element says it is by its role, its live region or, as the last resort, its classes. */
function messageKind(element) {
  const role = attribute(element, 'role');
  const live = attribute(element, 'aria-live');
  if (role === 'alert' || role === 'alertdialog' || live === 'assertive') return 'alert';
  if (live === 'off' || CLOCK_ROLES.has(role)) return 'clock';
  if (role === 'status' || role === 'log' || live === 'polite' || tagOf(element) === 'output') return 'status';
  const tag = tagOf(element);
  if (tag === 'body' || tag === 'html' || tag === 'main' || tag === 'form') return 'text';
  const tokens = (attribute(element, 'class') || '').split(/\s+/);
  // A row of a form that is marked as wrong is no message.
  if (tokens.some((token) => ALERT_CLASS.test(token))) return queryAll(element, FORM_FIELDS).length ? 'text' : 'alert';
  return tokens.some((token) => STATUS_CLASS.test(token)) ? 'status' : 'text';
}

/** Whether the element is named by an invalid field as what describes it. */
function describesInvalid(element) {
  const id = attribute(element, 'id');
  if (!id) return false;
  const invalid = queryAll(rootOf(element), '[aria-invalid]:not([aria-invalid=false])');
  return Array.prototype.some.call(invalid, (field) =>
    ['aria-describedby', 'aria-errormessage'].some((name) =>
      (attribute(field, name) || '').split(/\s+/).includes(id),
    ),
  );
}

const PARTS_OF_REGIONS = 'tr,[role=row],[role=option]';

/**
 * What has come or changed in a live region: blocks, each with all around it that says no more. A region may hold a log, or
 * a whole table, whose rows are no messages, or a list of options.
 */
function newParts(live, place, added) {
  const parts = new Set();
  for (const node of added.length ? added : [place]) {
    let part = blockAround(nodeTypeOf(node) === ELEMENT_NODE ? node : place);
    if (!contains(live, part)) part = live;
    const other = closest(part, `${PARTS_OF_REGIONS},${CLOCKS}`);
    if ((other && other !== live && contains(live, other)) || queryAll(part, PARTS_OF_REGIONS).length) continue;
    while (part !== live && visibleLength(parentElementOf(part)) === visibleLength(part)) part = parentElementOf(part);
    parts.add(part);
  }
  return parts;
}

/** What a message says, without the time that it still has. */
function textWithoutClocks(element) {
  let text = editedText(element);
  for (const clock of queryAll(element, CLOCKS)) text = text.replace(textContentOf(clock), ' ');
  return text;
}
