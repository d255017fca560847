// Runs in the page's own world, where a widget's callback is: hands a captcha's answer to the page as the widget would.
// A function of {field, sitekey, token}; the numbers of fields written and of callbacks called.

/** Where `grecaptcha` keeps its widgets. */
declare const ___grecaptcha_cfg: { clients?: unknown } | null | undefined;

interface CaptchaAnswer {
  /** A selector. */
  field: string;
  sitekey: string | null;
  token: string;
}

type Callback = (token: string) => void;

export default function answerCaptcha({ field, sitekey, token }: CaptchaAnswer): { fields: number; callbacks: number } {
  const documents = [document];
  for (const each of documents)
    for (const frame of each.querySelectorAll<HTMLIFrameElement | HTMLFrameElement>('iframe, frame')) {
      try {
        if (frame.contentDocument) documents.push(frame.contentDocument);
      } catch {
        // of another origin
      }
    }
  const all = (css: string) => documents.flatMap((each) => Array.from(each.querySelectorAll<HTMLElement>(css)));

  let fields = 0;
  for (const element of all(field)) {
    const view = element.ownerDocument.defaultView;
    const kind = view && [view.HTMLTextAreaElement, view.HTMLInputElement].find((each) => element instanceof each);
    if (!kind) continue; // something else of that name
    Object.getOwnPropertyDescriptor(kind.prototype, 'value')?.set?.call(element, token);
    for (const type of ['input', 'change']) element.dispatchEvent(new view.Event(type, { bubbles: true }));
    fields++;
  }

  const callbacks = new Set<Callback>();
  const add = (callback: unknown, view: Window | null) => {
    const found = typeof callback === 'string' ? valueAt(callback, view) : callback;
    if (typeof found === 'function') callbacks.add(found as Callback);
  };
  for (const element of all('[data-sitekey], [data-pkey]'))
    if (element.dataset.sitekey === sitekey || element.dataset.pkey === sitekey)
      add(element.dataset.callback, element.ownerDocument.defaultView);
  // What `grecaptcha.render` was given is only kept here, at a place that changes from release to release.
  const search = (value: unknown, depth: number) => {
    if (!value || typeof value !== 'object' || value instanceof Node || value === window || depth > 5) return;
    const given: { sitekey?: unknown; callback?: unknown } = value;
    if (given.sitekey === sitekey && given.callback) add(given.callback, window);
    for (const each of Object.values(value)) search(each, depth + 1);
  };
  if (typeof ___grecaptcha_cfg === 'object') search(___grecaptcha_cfg?.clients, 0);
  for (const callback of callbacks) callback(token);
  return { fields, callbacks: callbacks.size };
}

/** What a path such as `app.solved` leads to. */
function valueAt(path: string, view: Window | null): unknown {
  return path.split('.').reduce<unknown>((at, name) => at && (at as Record<string, unknown>)[name], view);
}
