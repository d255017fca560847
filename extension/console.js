// What pages write to their console, and their uncaught errors, in the pages' own world, for browsers or users without a
// debugger. `content.js` gets them by events of the document, which the page can see and make: they are its word anyway.
(() => {
  /* console_listeners.js */

  const { dispatchEvent } = EventTarget.prototype;
  const { CustomEvent } = globalThis;
  const { apply } = Reflect;

  reportConsole((message) => {
    apply(dispatchEvent, document, [new CustomEvent('oryn-console', { detail: stringify(message) })]);
  });
})();
