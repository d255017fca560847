// Types, roles and modifiers of interactive elements (docs/spec/scanner-protocol.md#elements).

const TYPE_OF_ROLE = {
  button: 'button',
  link: 'link',
  checkbox: 'checkbox',
  menuitemcheckbox: 'checkbox',
  switch: 'checkbox',
  radio: 'radio',
  menuitemradio: 'radio',
};
const PLAIN_ROLES = new Set(['button', 'link', 'checkbox', 'radio', 'menuitem', '', 'none', 'generic']);

// docs/spec/scanner-protocol.md#roles: signals in autocomplete
// (https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#autofill), then in words.
const AUTOCOMPLETE_ROLES = [
  [/\bemail\b/, 'email'],
  [/\btel\b|\btel-/, 'tel'],
  [/\burl\b/, 'url'],
  [/\busername\b/, 'username'],
];
const WORD_ROLES = [
  [/e-?mail/i, 'email'],
  [/user\s?name|user id|\blogin\b/i, 'username'],
  [/\bsearch\b/i, 'search'],
  [/\b(tele)?phone\b|\bmobile\b/i, 'tel'],
  [/\bwebsite\b|\burl\b/i, 'url'],
];
const PRIMARY_CLASS = /(^|[\s_-])(primary|cta)($|[\s_-])/i;
const SLIDER_CLASS = /slider[\w-]*(handle|thumb)/i;
// Frameworks that write no ARIA mark a pressed button or a chosen row by a class: `active`, `bk-active`, `row--selected`,
// or one of these with the hash of a style module after it.
const STATE_WORDS = new Set(['active', 'pressed', 'selected', 'toggled', 'checked']);
const NEGATIONS = new Set(['not', 'non', 'un', 'in']);
const MODULE_HASH = /__(?=[\w-]*[A-Z\d])[\w-]{4,8}$/;
const TYPING_INPUTS = new Set(['text', 'search', 'email', 'tel', 'url', 'password']);

/** Fill a candidate's `type`, `role` and the modifiers that only attributes decide (`fixed`). */
function classifyCandidate(candidate) {
  const { element, tag } = candidate;
  const authored = authoredRole(element);
  candidate.type = elementType(tag, element, authored);
  candidate.role = elementRole(candidate, authored);
  const fixed = [];
  if (isRequired(element)) fixed.push('required');
  if (isDisabled(element)) fixed.push('disabled');
  if (isReadOnly(element)) fixed.push('readonly');
  if (candidate.role === 'password' && isRevealed(element)) fixed.push('revealed');
  if (candidate.type === 'button' && isPrimary(element, candidate.role)) {
    fixed.push('primary');
    if (candidate.role === 'generic') candidate.role = 'primary';
  }
  if (isActiveByClass(candidate)) fixed.push('active');
  candidate.fixed = fixed;
  candidate.concealed = closest(element, '[aria-hidden=true],[inert]') !== null;
}

function elementType(tag, element, authored) {
  if (TYPE_OF_ROLE[authored]) return TYPE_OF_ROLE[authored];
  switch (tag) {
    case 'input': {
      const type = inputTypeOf(element);
      if (type === 'checkbox' || type === 'radio') return type;
      return type in BUTTON_INPUTS ? 'button' : 'input';
    }
    case 'select':
    case 'textarea':
    case 'button':
      return tag;
    case 'summary':
      return isDetailsSummary(element) ? 'button' : 'generic';
    case 'a':
    case 'area':
      return hasAttribute(element, 'href') || hasAttribute(element, 'xlink:href') ? 'link' : 'generic';
    default:
      return 'generic';
  }
}

function elementRole(candidate, authored) {
  const { element, tag, type } = candidate;
  if (tag === 'input' && type === 'input') return inputRole(element);
  if (tag === 'textarea') return 'generic';
  if (tag === 'select') return isMultiple(element) ? 'multiple' : 'generic';
  if (type === 'button' && isSubmit(element, tag)) return 'submit';
  if (tag === 'iframe' || tag === 'frame') return 'frame';
  if (!PLAIN_ROLES.has(authored)) return authored;
  if (type === 'generic' && isEditable(element)) return 'textbox';
  if (type === 'generic' && authored) return authored;
  if (type === 'generic' && SLIDER_CLASS.test(attribute(element, 'class') || '')) return 'slider';
  return 'generic';
}

function inputRole(element) {
  if (isSecret(element)) return 'password';
  const type = inputTypeOf(element);
  if (type !== 'text' && type !== 'search' && TYPING_INPUTS.has(type)) return type;
  const autocomplete = (attribute(element, 'autocomplete') || '').toLowerCase();
  for (const [pattern, role] of AUTOCOMPLETE_ROLES) if (pattern.test(autocomplete)) return role;
  if (type === 'search' || roleOf(element) === 'searchbox') return 'search';
  if (type !== 'text') return type;
  const words = labelWords(element);
  for (const [pattern, role] of WORD_ROLES) if (pattern.test(words)) return role;
  return closest(element, '[role=search],search') ? 'search' : 'text';
}

/** What is written on and around an input: its name, its placeholder, its own name and id. */
function labelWords(element) {
  const parts = [nameOf(element), attribute(element, 'placeholder')];
  const own = attribute(element, 'name') || '';
  const id = attribute(element, 'id') || '';
  parts.push(
    /^(q|query|s|search)$/i.test(own) ? 'search' : own.replace(/[_.\-[\]]+/g, ' '),
    id.replace(/[_.-]+/g, ' '),
  );
  return parts
    .filter(Boolean)
    .join(' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2');
}

function isSubmit(element, tag) {
  if (tag === 'input') return inputTypeOf(element) === 'submit' || inputTypeOf(element) === 'image';
  if (tag !== 'button') return false;
  const type = (attribute(element, 'type') || 'submit').toLowerCase();
  return type !== 'button' && type !== 'reset' && formOf(element) !== null;
}

/**
 * A form's default button (https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#default-button), or
 * a class that says so.
 */
function isPrimary(element, role) {
  if (PRIMARY_CLASS.test(attribute(element, 'class') || '')) return true;
  if (role !== 'submit') return false;
  const form = formOf(element);
  return (
    form !== null &&
    queryAll(form, 'button:not([type=button]):not([type=reset]),input[type=submit],input[type=image]')[0] === element
  );
}

/** Whether only a class says that a button or a row is pressed or chosen. */
function isActiveByClass({ element, tag, type }) {
  if (type !== 'button' && type !== 'generic') return false;
  const classes = attribute(element, 'class');
  if (!classes || tag === 'iframe' || STATE_ATTRIBUTES.some((name) => hasAttribute(element, name))) return false;
  return classes.split(/\s+/).some(isStateClass);
}

const CHECKED = 'aria-checked';
const STATE_ATTRIBUTES = ['aria-pressed', 'aria-selected', CHECKED];

function isStateClass(name) {
  if (/[:[]/.test(name)) return false; // a style that holds in a state, as in `active:bg-blue`
  const words = name.replace(MODULE_HASH, '').toLowerCase().split(/[-_]+/);
  return STATE_WORDS.has(words.pop()) && !words.some((word) => NEGATIONS.has(word));
}

/** The modifiers now, those that change without a mutation included. */
function modifiersOf(candidate, focused, hidden) {
  const { element, tag, type, fixed } = candidate;
  const isCheckable = type === 'checkbox' || type === 'radio' || (type === 'generic' && hasAttribute(element, CHECKED));
  const checked = isCheckable ? checkedState(element) : null;
  candidate.toggles ??= toggleStates(element, tag).filter((state) => state !== 'collapsed'); // only attributes decide
  const states = isInvalid(element, tag) ? [...candidate.toggles, 'invalid'] : candidate.toggles;
  if (checked === null && focused !== element && !hidden && !states.length) return fixed;
  const modifiers = fixed.slice();
  if (hidden) modifiers.push('hidden');
  if (checked !== null) modifiers.push(isMixed(element) ? 'mixed' : checked ? 'checked' : 'unchecked');
  modifiers.push(...states);
  if (focused === element) modifiers.push('focused');
  return modifiers;
}
