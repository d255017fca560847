// Runs in the page's own world, where a widget's callback is: hands a captcha's answer to the page as the widget would.
// A function of {field, sitekey, token}; the numbers of fields written and of callbacks called.

export default function answerCaptcha({ field, sitekey, token }) {
  const documents = [document];
  for (const each of documents)
    for (const frame of each.querySelectorAll('iframe, frame')) {
      try {
        if (frame.contentDocument) documents.push(frame.contentDocument);
      } catch (error) {
        // of another origin
      }
    }
  const all = (css) => documents.flatMap((each) => Array.from(each.querySelectorAll(css)));

  const fields = all(field);
  for (const element of fields) {
    const view = element.ownerDocument.defaultView;
    const kind = element instanceof view.HTMLTextAreaElement ? view.HTMLTextAreaElement : view.HTMLInputElement;
    Object.getOwnPropertyDescriptor(kind.prototype, 'value').set.call(element, token);
    for (const type of ['input', 'change']) element.dispatchEvent(new view.Event(type, { bubbles: true }));
  }

  const callbacks = new Set();
  const add = (callback, view) => {
    const found = typeof callback === 'string' ? callback.split('.').reduce((at, name) => at && at[name], view) : callback;
    if (typeof found === 'function') callbacks.add(found);
  };
  for (const element of all('[data-sitekey], [data-pkey]'))
    if ([element.dataset.sitekey, element.dataset.pkey].includes(sitekey))
      add(element.dataset.callback, element.ownerDocument.defaultView);
  // What `grecaptcha.render` was given is only kept here, at a place that changes from release to release.
  const search = (value, depth) => {
    if (!value || typeof value !== 'object' || value instanceof Node || value === window || depth > 5) return;
    if (value.sitekey === sitekey && value.callback) add(value.callback, window);
    for (const each of Object.values(value)) search(each, depth + 1);
  };
  if (typeof ___grecaptcha_cfg === 'object') search(___grecaptcha_cfg.clients, 0);
  for (const callback of callbacks) callback(token);
  return { fields: fields.length, callbacks: callbacks.size };
}
