// The extension's side in every frame: hands the engine's requests to the scanner, which runs before it in the same
// isolated world, and says what else only a document knows.
//
// Messages come from the extension's own worker alone: other extensions and pages would need
// `externally_connectable`, which the manifest does not have.
// https://developer.chrome.com/docs/extensions/develop/concepts/messaging

import { hold, takeFiles } from './content/files';
import { awaited, frameElement, holdFrame, listenForTokens, post, TOKEN } from './content/frames';
import { cut } from './content/picture';
import { area, place } from './content/place';
import { addPort, listenToPage, removePort, reportMessages, takeMessages, toolChanges } from './content/reports';
import { CONTENT_PORT } from './messages';
import type { ContentNotice, ContentReport, ContentRequests, NumberedAnswer } from './messages';
import { getter } from 'scanner/unbound';
import { isFields } from './values';

/** What the scanner's bundle leaves in this world (docs/spec/scanner-protocol.md). */
interface Scanner {
  __oryn_scanner: (request: string) => unknown;
  __oryn_element: (id: number) => Element | null;
}
const { __oryn_scanner: scanner, __oryn_element: elementOf } = globalThis as unknown as Scanner;
const readyStateOf = getter(Document.prototype, 'readyState');

type Commands = { [Name in keyof ContentRequests]: (request: ContentRequests[Name]) => unknown };

const COMMANDS: Commands = {
  ping: () => true,
  scan: ({ request }) => scanner(request),
  frame: () => ({ reads: readsParent(), name: name, origin: origin, state: readyStateOf(document) }),
  closing: () => closed,
  history: ({ delta }) => {
    history.go(delta);
    return true;
  },
  stop: () => {
    stop();
    return true;
  },
  post: ({ element, token }) => post(elementOf(element), token),
  report: ({ token }) => {
    awaited(token, (source) => {
      if (source !== parent) return;
      chrome.runtime.sendMessage({ oryn: 'token', token } satisfies ContentNotice).catch(() => {}); // the worker has stopped
    });
    return true;
  },
  announce: ({ token }) => {
    parent.postMessage(TOKEN + token, '*');
    return true;
  },
  meet: ({ token, frame }) => new Promise((resolve) => awaited(token, (source) => resolve(holdFrame(frame, source)))),
  place: ({ frame, x, y }) => withElement(frame, (element) => place(element, x, y)),
  area: ({ frame }) => withElement(frame, area),
  view: () => ({ width: innerWidth, height: innerHeight, x: scrollX, y: scrollY, scale: devicePixelRatio }),
  picture: cut,
  hold: ({ element, token }) => hold(element === null ? document.documentElement : elementOf(element), token),
};

/** What carries out a message, if it is a request of the worker's. */
function commandOf(message: unknown): (() => unknown) | null {
  if (!isFields(message) || typeof message.oryn !== 'string' || !Object.hasOwn(COMMANDS, message.oryn)) return null;
  // The worker's own word: the name tells which fields there are.
  const command = COMMANDS[message.oryn as keyof ContentRequests] as (request: unknown) => unknown;
  return () => command(message);
}

const isWorker = (sender: chrome.runtime.MessageSender | undefined) => sender?.id === chrome.runtime.id && !sender.tab;

const withElement = <T>(frame: string, ask: (element: HTMLElement) => T): T | null => {
  const element = frameElement(frame);
  return element ? ask(element) : null;
};

/** Whether the scanner of the frame around this one reaches into this document. */
function readsParent(): boolean {
  try {
    return window.frameElement !== null;
  } catch {
    return false;
  }
}

function listenToWorker(): void {
  chrome.runtime.onMessage.addListener((message: unknown, sender, respond: (answer: unknown) => void) => {
    const command = commandOf(message);
    if (!command || !isWorker(sender)) return undefined;
    const answer = command();
    if (!(answer instanceof Promise)) {
      respond(answer);
      return undefined;
    }
    answer.then(respond, () => respond(null));
    return true;
  });

  // The same through a port (`conversations.ts`).
  chrome.runtime.onConnect.addListener((port) => {
    if (port.name !== CONTENT_PORT || !isWorker(port.sender)) return;
    let isOpen = true;
    let reported = 0;
    addPort(port);
    port.onDisconnect.addListener(() => {
      isOpen = false;
      removePort(port);
    });
    const tools = (): ContentReport => {
      if (reported === toolChanges()) return {};
      reported = toolChanges();
      return { tools: true };
    };
    reportMessages();
    port.onMessage.addListener((received: unknown) => {
      if (!isFields(received) || typeof received.id !== 'number') return;
      const { id, message } = received;
      const respond = (answer: unknown) => {
        if (!isOpen) return;
        port.postMessage({ id, answer: answer ?? null, ...tools(), ...takeMessages() } satisfies NumberedAnswer);
      };
      new Promise((resolve) => resolve(commandOf(message)?.())).then(respond, () => respond(null));
    });
  });
}

// Put here twice, only the first runs; an element may have the name too.
if (!Object.hasOwn(globalThis, '__oryn_content')) {
  Object.defineProperty(globalThis, '__oryn_content', { value: true });
  listenToWorker();
  listenToPage();
  listenForTokens();
  takeFiles();
}
