// What pages write to their console, and their uncaught errors, in the pages' own world, for browsers or users without a
// debugger. `content.ts` gets them by events of the document, which the page can see and make: they are its word anyway.

import { reportConsole, stringify } from 'console-listeners';
import { method } from 'scanner/unbound';

const dispatchEvent = method(EventTarget.prototype, 'dispatchEvent');
const { CustomEvent } = globalThis;

reportConsole((message) => {
  dispatchEvent(document, new CustomEvent('oryn-console', { detail: stringify(message) }));
});
