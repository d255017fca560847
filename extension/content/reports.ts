// What a page does that the worker wants to know of, through the ports to it: whether it has new tools (WebMCP) to list,
// what it writes to its console (`console.ts`), and that somebody uses it.

import type { ContentReport } from '../messages';
import { reportTrustedInput } from 'scanner/trusted_input';
import { getter, method } from 'scanner/unbound';

const REPORT_MS = 250;
const MAX_MESSAGES = 500;
const MAX_MESSAGE_CHARACTERS = 100000;
const MESSAGES_MS = 50;

const formsOf = getter(Document.prototype, 'forms');
const hasAttribute = method(Element.prototype, 'hasAttribute');
const ports = new Set<chrome.runtime.Port>();
let changes = 0;
let toolsTimer: ReturnType<typeof setTimeout> | null = null;
let messages: string[] = [];
let messagesTimer: ReturnType<typeof setTimeout> | null = null;
let messagesAt = -Infinity;

export const addPort = (port: chrome.runtime.Port) => void ports.add(port);
export const removePort = (port: chrome.runtime.Port) => void ports.delete(port);

/** A number that changes with the page's tools. Forms are tools by an attribute. */
export function toolChanges(): number {
  let forms = 0;
  for (const form of formsOf(document)) forms += Number(hasAttribute(form, 'toolname'));
  return changes + forms;
}

function toolsChanged(): void {
  changes += 1000;
  if (ports.size) toolsTimer ??= setTimeout(reportTools, REPORT_MS); // a page may register and remove as fast as it likes
}

function reportTools(): void {
  toolsTimer = null;
  for (const port of ports) port.postMessage({ tools: true } satisfies ContentReport);
}

/** What has not been reported yet, of the documents that are spoken to; the others keep the latest. */
export function takeMessages(): ContentReport {
  const console = messages;
  messages = [];
  messagesAt = performance.now();
  return console.length ? { console } : {};
}

export function reportMessages(): void {
  messagesTimer = null;
  if (!ports.size || !messages.length) return;
  const report = takeMessages();
  for (const port of ports) port.postMessage(report);
}

function onConsole(event: Event): void {
  const detail: unknown = event instanceof CustomEvent ? event.detail : null;
  if (typeof detail !== 'string' || detail.length > MAX_MESSAGE_CHARACTERS) return;
  messages.push(detail);
  if (messages.length > MAX_MESSAGES) messages.shift();
  if (performance.now() - messagesAt > MESSAGES_MS) reportMessages();
  else messagesTimer ??= setTimeout(reportMessages, MESSAGES_MS); // a page may write as fast as it likes
}

export function listenToPage(): void {
  reportTrustedInput((kind) => {
    for (const port of ports) port.postMessage({ input: { kind, count: 1 } } satisfies ContentReport);
  });
  addEventListener('oryn-toolchange', toolsChanged, true); // of `model_context.ts`
  document.modelContext?.addEventListener('toolchange', toolsChanged);
  addEventListener('oryn-console', onConsole, true);
}
