// captcha (docs/spec/scanner-protocol.md#captcha): which widgets that tell people from programs a document has.
//
// A widget is known by the URL of its frame or script, and by the elements that its documentation tells pages to have.
// The command reads what is on the page already: it loads nothing, and asks no widget.

import { attribute, closest, hasAttribute, inputValueOf, tagOf, textareaValueOf } from '../dom/natives';
import type { CaptchaData, CaptchaKind, CaptchaRequest, CaptchaResponse } from '../dom/protocol';
import { queryAll } from '../dom/banner';
import { isFrame } from '../dom/tree';
import { continueNumbers, nextNumber, numberOf } from '../dom/numbers';
import { queryPage } from '../dom/selectors';
import type { Edges } from '../geometry/styles';
import { absolute } from './extract';
import { clippedBox } from './highlight';

const KEY_OF_ARKOSE = /[0-9A-F]{8}-(?:[0-9A-F]{4}-){3}[0-9A-F]{12}/i;

type UrlSource = 'frame' | 'script';

interface FoundUrl {
  url: string;
  element: Element | null;
  by: UrlSource;
}

type RecaptchaTraits = Pick<CaptchaData, 'version' | 'enterprise' | 'invisible'>;

interface CaptchaRules {
  kind: CaptchaKind;
  frame?: RegExp;
  script?: RegExp;
  key?: (url: string) => string | null;
  element?: string;
  field?: string;
  answered?: (value: string) => boolean | null;
  traits?: (elements: readonly Element[], urls: readonly string[]) => RecaptchaTraits;
}

/**
 * `frame` and `script` fit URLs; `key` finds the site key in such a URL; `element` is where the widget is, `field` what
 * holds its answer, and `answered` whether a field's value is one (default: any text).
 */
const CAPTCHAS: readonly CaptchaRules[] = [
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

export function captcha(request: CaptchaRequest): CaptchaResponse {
  continueNumbers(request.next_id || 1);
  const urls: FoundUrl[] = [...urlsOf('iframe[src], frame[src]', 'frame'), ...urlsOf('script[src]', 'script')];
  // A widget's own document, which only the frame of another origin around it knows otherwise.
  if (window.top !== window) urls.push({ url: location.href, element: null, by: 'frame' });
  const captchas: CaptchaData[] = CAPTCHAS.flatMap((rules) => widgets(rules, urls));
  if (!captchas.length) captchas.push(...pictures());
  return { captchas, next_id: nextNumber };
}

function urlsOf(css: string, by: UrlSource): FoundUrl[] {
  return queryPage(css).map((element) => ({ url: absolute(element, attribute(element, 'src') || ''), element, by }));
}

interface Widget {
  key: string | null;
  elements: Element[];
  urls: string[];
}

/** The widgets of one kind: one for each site key, and one more at most whose key nobody tells. */
function widgets(rules: CaptchaRules, urls: readonly FoundUrl[]): CaptchaData[] {
  const found: Widget[] = [];
  const add = (key: string | null, element: Element | null, url: string | null) => {
    const same = found.find((one) => !key || !one.key || one.key === key);
    const widget: Widget = same || { key: null, elements: [], urls: [] };
    if (!same) found.push(widget);
    widget.key = widget.key || key || null;
    if (element) widget.elements.push(element);
    if (url) widget.urls.push(url);
  };
  if (rules.element)
    for (const element of queryPage(rules.element))
      add(attribute(element, 'data-sitekey') || attribute(element, 'data-pkey'), element, null);
  for (const { url, element, by } of urls)
    if (rules[by]?.test(url)) add(rules.key ? rules.key(url) : null, by === 'frame' ? element : null, url);
  return found.map((widget) => described(rules, widget));
}

function described(rules: CaptchaRules, { key, elements, urls }: Widget): CaptchaData {
  // A frame before what holds it: an observation has numbered it, too.
  const places = [...elements.filter(isFrame), ...elements.filter((element) => !isFrame(element))];
  const place = places.map((element) => ({ element, box: clippedBox(element) })).find(isSeen);
  const traits = rules.traits ? rules.traits(elements, urls) : {};
  const answer = rules.field || null;
  return { kind: rules.kind, sitekey: key, solved: solved(rules, elements), answer, ...traits, ...placed(place) };
}

/** An element with what can be seen of it. */
interface Place {
  element: Element;
  box: Edges;
}

const isSeen = (place: { element: Element; box: Edges | null }): place is Place => place.box !== null;

function placed(place: Place | undefined): Pick<CaptchaData, 'id' | 'box'> {
  if (!place) return { id: null, box: null };
  const { left, top, right, bottom } = place.box;
  return { id: numberOf(place.element), box: { x: left, y: top, width: right - left, height: bottom - top } };
}

const TYPED_VALUES: Record<string, (field: Element) => string> = { textarea: textareaValueOf, input: inputValueOf };

/** Whether a field holds the widget's answer: one in its own element, else any of the page. Null where none can tell. */
function solved({ field: css, answered }: CaptchaRules, elements: readonly Element[]): boolean | null {
  if (!css) return null;
  const own = elements.flatMap((element) => Array.from(queryAll(element, css)));
  const fields = own.length ? own : queryPage(css);
  if (answered && answered('') === null) return null;
  return fields.some((field) => {
    const value = TYPED_VALUES[tagOf(field)]?.(field) ?? '';
    return value !== '' && (!answered || answered(value));
  });
}

/** v3 only watches and gives a score; v2 may be invisible until it doubts. */
function traitsOfRecaptcha(elements: readonly Element[], urls: readonly string[]): RecaptchaTraits {
  const scored = urls.some(keyOfRecaptchaScript) && !elements.some((element) => hasAttribute(element, 'data-sitekey'));
  const isInvisible = (element: Element) =>
    attribute(element, 'data-size') === 'invisible' || tagOf(element) === 'button';
  return {
    version: scored ? 'v3' : 'v2',
    enterprise: urls.some((url) => /\/recaptcha\/enterprise/.test(url)),
    invisible: elements.some(isInvisible) || urls.some((url) => parameterOf(url, 'size') === 'invisible'),
  };
}

function keyOfRecaptchaScript(url: string): string | null {
  if (!/\/recaptcha\/(?:api|enterprise)\.js/.test(url)) return null;
  const render = parameterOf(url, 'render');
  return render && render !== 'explicit' && render !== 'onload' ? render : null;
}

const PICTURE = 'img:is([src*="captcha" i], [id*="captcha" i], [class*="captcha" i], [alt*="captcha" i])';
const TYPED = 'input:is([name*="captcha" i], [id*="captcha" i], [placeholder*="captcha" i], [name*="code" i])';

/** Pictures of letters, with the field that they are typed into. */
function pictures(): CaptchaData[] {
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
function parameterOf(url: string, name: string): string | null {
  return firstOf(new RegExp(`[?&#]${name}=([^&#]+)`), url);
}

function firstOf(pattern: RegExp, text: string): string | null {
  const found = pattern.exec(text);
  return found && (found[1] || found[0]);
}
