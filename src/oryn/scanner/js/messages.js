// get_console, get_errors (seed 003, §3.23 and §3.24). What the page's own world logs can't be seen from an isolated
// one: the backend hands messages and errors over with `record`. Where the scanner shares the page's world, it hears
// errors itself.

const MAX_CONSOLE_MESSAGES = 1000;
const MAX_PAGE_ERRORS = 200;
const consoleMessages = [];
const pageErrors = [];
let hasConsole = false;
let hasErrors = false;

function keep(list, entry, most) {
  list.push(entry);
  if (list.length > most) list.splice(0, list.length - most);
}

function noteError(error) {
  hasErrors = true;
  keep(pageErrors, error, MAX_PAGE_ERRORS);
}

addListener(window, 'error', (event) => {
  if (!event.message) return; // a resource that did not load
  noteError({
    message: String(event.message),
    source: event.filename || '',
    line: event.lineno || 0,
    column: event.colno || 0,
    stack: event.error && typeof event.error.stack === 'string' ? event.error.stack : null,
    timestamp: Date.now(),
  });
});

addListener(window, 'unhandledrejection', (event) => {
  noteError({
    message: `Unhandled rejection: ${messageOf(event.reason)}`,
    source: '',
    line: 0,
    column: 0,
    stack: null,
    timestamp: Date.now(),
  });
});

function getConsole(request) {
  const { level = null, filter = null, limit = 50 } = request;
  for (const message of request.record || []) {
    hasConsole = true;
    keep(consoleMessages, message, MAX_CONSOLE_MESSAGES);
  }
  const wanted = consoleMessages.filter(
    (message) => (!level || message.level === level) && (!filter || String(message.text).includes(filter)),
  );
  if (request.clear) consoleMessages.length = 0;
  return { messages: limit > 0 ? wanted.slice(-limit) : wanted, requires_backend: !hasConsole };
}

function getErrors(request) {
  const { limit = 20 } = request;
  for (const error of request.record || []) noteError(error);
  const errors = limit > 0 ? pageErrors.slice(-limit) : pageErrors.slice();
  if (request.clear) pageErrors.length = 0;
  return { errors, requires_backend: !hasErrors };
}
