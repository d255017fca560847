// captcha (docs/spec/scanner-protocol.md#captcha): which widgets that tell people from programs a document has.
//
// A widget is known by the URL of its frame or script, and by the elements that its own documentation has pages hold.
// Nothing of it is loaded or asked: what a page has is there.

import { attribute, closest, hasAttribute, inputValueOf, tagOf, textareaValueOf } from '../dom/natives';
import { queryAll } from '../dom/banner';
import { isFrame } from '../dom/tree';
import { continueNumbers, nextNumber, numberOf } from '../dom/numbers';
import { queryPage } from '../dom/selectors';
import { absolute } from './extract';
import { clippedBox } from './highlight';

const KEY_OF_ARKOSE = /[0-9A-F]{8}-(?:[0-9A-F]{4}-){3}[0-9A-F]{12}/i;

/**
 * `frame` and `script` fit URLs; `key` finds the site key in such a URL; `element` is where the widget is, `field` what
 * holds its answer, and `answered` whether a field's value is one (default: any text).
 */
const CAPTCHAS = [
  {
    // https://developers.google.com/recaptcha/docs/display, …/docs/v3, https://cloud.google.com/recaptcha/docs
    kind: 'recaptcha',
    frame: /^https?:\/\/(?:www\.)?(?:google\.com|recaptcha\.net)\/recaptcha\/(?:api2|enterprise)\/anchor\b/,
    script: /^https?:\/\/(?:www\.)?(?:google\.com|recaptcha\.net)\/recaptcha\/(?:api|enterprise)\.js\b/,
    key: (url) => parameterOf(url, 'k') || keyOfRecaptchaScript(url),
    element: '.g-recaptcha[data-sitekey]',
    field: '[name="g-recaptcha-response"]',
    traits: traitsOfRecaptcha,
  },
  {
    // https://docs.hcaptcha.com/
    kind: 'hcaptcha',
    frame: /^https?:\/\/(?:[\w-]+\.)?hcaptcha\.com\/captcha\//,
    script: /^https?:\/\/(?:[\w-]+\.)?hcaptcha\.com\/1\/api\.js\b/,
    key: (url) => parameterOf(url, 'sitekey'),
    element: '.h-captcha[data-sitekey]',
    field: '[name="h-captcha-response"]',
  },
  {
    // https://developers.cloudflare.com/turnstile/
    kind: 'turnstile',
    frame: /^https?:\/\/challenges\.cloudflare\.com\/.*\bturnstile\b/,
    script: /^https?:\/\/challenges\.cloudflare\.com\/turnstile\//,
    key: (url) => firstOf(/\/(\dx[0-9A-Za-z_-]{10,})(?:\/|$)/, url),
    element: '.cf-turnstile[data-sitekey]',
    field: '[name="cf-turnstile-response"]',
  },
  {
    // https://developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/
    kind: 'cloudflare challenge',
    script: /\/cdn-cgi\/challenge-platform\/.*\b(?:orchestrate\/(?:chl|jsch|captcha|managed)|chl_page)/,
    element: '#challenge-form, #challenge-running, #challenge-stage, #cf-challenge-running',
  },
  {
    // https://developer.arkoselabs.com/docs/standard-setup
    kind: 'funcaptcha',
    frame: /^https?:\/\/[\w.-]+\.(?:arkoselabs|funcaptcha)\.com\//,
    script: /^https?:\/\/[\w.-]+\.(?:arkoselabs|funcaptcha)\.com\//,
    key: (url) => firstOf(/[?&#](?:pk|pkey)=([^&]+)/, url) || firstOf(KEY_OF_ARKOSE, url),
    element: '#FunCaptcha, [data-pkey]',
    // It holds a token from the start, which tells nothing.
    field: '[name="fc-token"]',
    answered: () => null,
  },
  {
    // https://docs.geetest.com/captcha/overview/start, and v4: https://docs.geetest.com/BehaviorVerification/overview/overview
    kind: 'geetest',
    frame: /^https?:\/\/[\w.-]+\.geetest\.com\//,
    script: /^https?:\/\/[\w.-]+\.geetest\.com\//,
    key: (url) => parameterOf(url, 'captcha_id') || parameterOf(url, 'gt'),
    element: '.geetest_holder, .geetest_captcha',
    field: '[name="geetest_validate"], [name="pass_token"]',
  },
  {
    // https://docs.aws.amazon.com/waf/latest/developerguide/waf-js-captcha-api.html
    kind: 'aws waf',
    script: /^https?:\/\/[\w.-]+\.awswaf\.com\/.*\/captcha\.js\b/,
    element: 'awswaf-captcha',
  },
  {
    // https://docs.datadome.co/docs/captcha
    kind: 'datadome',
    frame: /^https?:\/\/[\w.-]+\.captcha-delivery\.com\//,
    script: /^https?:\/\/[\w.-]+\.captcha-delivery\.com\//,
  },
  {
    // https://developer.friendlycaptcha.com/docs/
    kind: 'friendly captcha',
    frame: /^https?:\/\/[\w.-]*frcapi\.com\//,
    script: /\/(?:friendly-challenge|@friendlycaptcha\/sdk)\b/,
    key: (url) => parameterOf(url, 'sitekey'),
    element: '.frc-captcha[data-sitekey]',
    field: '[name="frc-captcha-solution"], [name="frc-captcha-response"]',
    // https://developer.friendlycaptcha.com/docs/v2/getting-started/verify: `.UNCONNECTED`, `.UNSTARTED`, `.ERROR` …
    answered: (value) => value[0] !== '.',
  },
  {
    // https://docs.humansecurity.com/applications-and-accounts/docs/human-challenge
    kind: 'perimeterx',
    element: '#px-captcha',
  },
];

const PICTURE = 'img:is([src*="captcha" i], [id*="captcha" i], [class*="captcha" i], [alt*="captcha" i])';
const TYPED = 'input:is([name*="captcha" i], [id*="captcha" i], [placeholder*="captcha" i], [name*="code" i])';

export function captcha(request) {
  continueNumbers(request.next_id || 1);
  const urls = [...urlsOf('iframe[src], frame[src]', 'frame'), ...urlsOf('script[src]', 'script')];
  // A widget's own document, which only the frame of another origin around it knows otherwise.
  if (window.top !== window) urls.push({ url: location.href, element: null, by: 'frame' });
  const captchas = CAPTCHAS.flatMap((rules) => widgets(rules, urls));
  if (!captchas.length) captchas.push(...pictures());
  return { captchas, next_id: nextNumber };
}

function urlsOf(css, by) {
  return queryPage(css).map((element) => ({ url: absolute(element, attribute(element, 'src')), element, by }));
}

/** The widgets of one kind: one for each site key, and one more at most whose key nobody tells. */
function widgets(rules, urls) {
  const found = [];
  const add = (key, element, url) => {
    const same = found.find((one) => !key || !one.key || one.key === key);
    const widget = same || { key: null, elements: [], urls: [] };
    if (!same) found.push(widget);
    widget.key = widget.key || key || null;
    if (element) widget.elements.push(element);
    if (url) widget.urls.push(url);
  };
  if (rules.element)
    for (const element of queryPage(rules.element))
      add(attribute(element, 'data-sitekey') || attribute(element, 'data-pkey'), element, null);
  for (const { url, element, by } of urls)
    if (rules[by] && rules[by].test(url)) add(rules.key ? rules.key(url) : null, by === 'frame' ? element : null, url);
  return found.map((widget) => described(rules, widget));
}

function described(rules, { key, elements, urls }) {
  // A frame before what holds it: an observation has numbered it, too.
  const places = [...elements.filter(isFrame), ...elements.filter((element) => !isFrame(element))];
  const place = places.map((element) => ({ element, box: clippedBox(element) })).find(({ box }) => box);
  const traits = rules.traits ? rules.traits(elements, urls) : {};
  const answer = rules.field || null;
  return { kind: rules.kind, sitekey: key, solved: solved(rules, elements), answer, ...traits, ...placed(place) };
}

function placed(place) {
  if (!place) return { id: null, box: null };
  const { left, top, right, bottom } = place.box;
  return { id: numberOf(place.element), box: { x: left, y: top, width: right - left, height: bottom - top } };
}

const TYPED_VALUES = { textarea: textareaValueOf, input: inputValueOf };

/** Whether a field holds the widget's answer: one in its own element, else any of the page. Null where none can tell. */
function solved(rules, elements) {
  if (!rules.field) return null;
  const own = elements.flatMap((element) => Array.from(queryAll(element, rules.field)));
  const fields = own.length ? own : queryPage(rules.field);
  if (rules.answered && rules.answered('') === null) return null;
  return fields.some((field) => {
    const value = TYPED_VALUES[tagOf(field)] ? TYPED_VALUES[tagOf(field)](field) : '';
    return value !== '' && (!rules.answered || rules.answered(value));
  });
}

/** v3 only watches and gives a score; v2 may be invisible until it doubts. */
function traitsOfRecaptcha(elements, urls) {
  const scored = urls.some(keyOfRecaptchaScript) && !elements.some((element) => hasAttribute(element, 'data-sitekey'));
  const isInvisible = (element) => attribute(element, 'data-size') === 'invisible' || tagOf(element) === 'button';
  return {
    version: scored ? 'v3' : 'v2',
    enterprise: urls.some((url) => /\/recaptcha\/enterprise/.test(url)),
    invisible: elements.some(isInvisible) || urls.some((url) => parameterOf(url, 'size') === 'invisible'),
  };
}

function keyOfRecaptchaScript(url) {
  if (!/\/recaptcha\/(?:api|enterprise)\.js/.test(url)) return null;
  const render = parameterOf(url, 'render');
  return render && render !== 'explicit' && render !== 'onload' ? render : null;
}

/** Pictures of letters, with the field that they are typed into. */
function pictures() {
  return queryPage(PICTURE).flatMap((element) => {
    const box = clippedBox(element);
    if (!box) return [];
    const form = closest(element, 'form');
    const field = form ? Array.from(queryAll(form, TYPED)).find((input) => clippedBox(input)) : null;
    return [
      {
        kind: 'picture',
        sitekey: null,
        answer: null,
        solved: field ? inputValueOf(field) !== '' : null,
        field: field ? numberOf(field) : null,
        ...placed({ element, box }),
      },
    ];
  });
}

/** A parameter of a URL, of its query or of its fragment. */
function parameterOf(url, name) {
  return firstOf(new RegExp(`[?&#]${name}=([^&#]+)`), url);
}

function firstOf(pattern, text) {
  const found = pattern.exec(text);
  return found ? found[1] || found[0] : null;
}
