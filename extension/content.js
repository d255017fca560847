// The extension's side in every frame: hands the engine's requests to the scanner, which runs before it in the same
// isolated world, and says what else only a document knows.
//
// Messages come from the extension's own worker alone: other extensions and pages would need
// `externally_connectable`, which the manifest does not have.
// https://developer.chrome.com/docs/extensions/develop/concepts/messaging

(() => {
  'use strict';
  if (Object.hasOwn(globalThis, '__oryn_content')) return; // put here twice; an element may have the name too
  Object.defineProperty(globalThis, '__oryn_content', { value: true });

  const scanner = globalThis.__oryn_scanner;
  const elementOf = globalThis.__oryn_element;

  // A page can give elements names that hide what a document or a form has by itself.
  // https://html.spec.whatwg.org/multipage/dom.html#dom-document-nameditem
  const getter = (kind, name) => {
    const { get } = Object.getOwnPropertyDescriptor(kind.prototype, name);
    return (object) => get.call(object);
  };
  const readyStateOf = getter(Document, 'readyState');
  const openRootOf = getter(Element, 'shadowRoot');
  // https://developer.chrome.com/docs/extensions/reference/api/dom: it takes HTML elements alone. Firefox has an
  // attribute: https://developer.mozilla.org/en-US/docs/Web/API/Element/openOrClosedShadowRoot
  const shadowRootOf =
    'openOrClosedShadowRoot' in Element.prototype
      ? getter(Element, 'openOrClosedShadowRoot')
      : (element) => (element instanceof HTMLElement ? chrome.dom.openOrClosedShadowRoot(element) : openRootOf(element));
  const every = (root, selector) =>
    (root === document ? Document : DocumentFragment).prototype.querySelectorAll.call(root, selector);
  const isFrame = (element) => element instanceof HTMLIFrameElement || element instanceof HTMLFrameElement;

  const COMMANDS = {
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
      awaited(token, (source) => source === parent && chrome.runtime.sendMessage({ oryn: 'token', token }));
      return true;
    },
    announce: ({ token }) => {
      parent.postMessage(TOKEN + token, '*');
      return true;
    },
    meet: ({ token, frame }) =>
      new Promise((resolve) => {
        awaited(token, (source) => {
          const element = holderOf(source, document);
          if (element) holders.set(frame, new WeakRef(element));
          resolve(Boolean(element));
        });
      }),
    place: ({ frame, x, y }) => withElement(frame, (element) => place(element, x, y)),
    box: ({ frame }) => withElement(frame, contentBox),
    view: () => ({ width: innerWidth, height: innerHeight, x: scrollX, y: scrollY, scale: devicePixelRatio }),
    picture: cut,
  };

  const commandOf = (message) => message && Object.hasOwn(COMMANDS, message.oryn) && COMMANDS[message.oryn];
  const isWorker = (sender) => sender.id === chrome.runtime.id && !sender.tab;

  chrome.runtime.onMessage.addListener((message, sender, respond) => {
    const command = commandOf(message);
    if (!command || !isWorker(sender)) return undefined;
    const answer = command(message);
    if (!(answer instanceof Promise)) {
      respond(answer);
      return undefined;
    }
    answer.then(respond, () => respond(null));
    return true;
  });

  // The same through a port (`conversations.js`).
  chrome.runtime.onConnect.addListener((port) => {
    if (port.name !== 'oryn' || !isWorker(port.sender)) return;
    let isOpen = true;
    port.onDisconnect.addListener(() => {
      isOpen = false;
    });
    let reported = 0;
    ports.add(port);
    port.onDisconnect.addListener(() => ports.delete(port));
    const tools = () => {
      if (reported === toolChanges()) return {};
      reported = toolChanges();
      return { tools: true };
    };
    reportMessages();
    port.onMessage.addListener(({ id, message }) => {
      const respond = (answer) => isOpen && port.postMessage({ id, answer: answer ?? null, ...tools(), ...takeMessages() });
      new Promise((resolve) => resolve(commandOf(message)?.(message))).then(respond, () => respond(null));
    });
  });

  // --- tools of the page (WebMCP): whether there is something new to list ---

  const REPORT_MS = 250;
  const ports = new Set();
  let changes = 0;
  let timer = null;
  const formsOf = getter(Document, 'forms');
  const hasAttribute = Element.prototype.hasAttribute;

  /** A number that changes with the page's tools. Forms are tools by an attribute. */
  function toolChanges() {
    let forms = 0;
    for (const form of formsOf(document)) forms += hasAttribute.call(form, 'toolname');
    return changes + forms;
  }

  const toolsChanged = () => {
    changes += 1000;
    if (ports.size) timer ??= setTimeout(reportTools, REPORT_MS); // a page may register and remove as fast as it likes
  };
  function reportTools() {
    timer = null;
    for (const port of ports) port.postMessage({ tools: true });
  }
  addEventListener('oryn-toolchange', toolsChanged, true); // of `model_context.js`
  document.modelContext?.addEventListener('toolchange', toolsChanged);

  // --- the console (`console.js`) ---

  const MAX_MESSAGES = 500;
  const MAX_MESSAGE_CHARACTERS = 100000;
  const MESSAGES_MS = 50;
  let messages = [];
  let messagesTimer = null;
  let messagesAt = -Infinity;

  /** What has not been reported yet, of the documents that are spoken to; the others keep the latest. */
  function takeMessages() {
    const console = messages;
    messages = [];
    messagesAt = performance.now();
    return console.length ? { console } : {};
  }
  function reportMessages() {
    messagesTimer = null;
    if (!ports.size || !messages.length) return;
    const report = takeMessages();
    for (const port of ports) port.postMessage(report);
  }
  addEventListener(
    'oryn-console',
    ({ detail }) => {
      if (typeof detail !== 'string' || detail.length > MAX_MESSAGE_CHARACTERS) return;
      messages.push(detail);
      if (messages.length > MAX_MESSAGES) messages.shift();
      if (performance.now() - messagesAt > MESSAGES_MS) reportMessages();
      else messagesTimer ??= setTimeout(reportMessages, MESSAGES_MS); // a page may write as fast as it likes
    },
    true,
  );

  /** Whether the scanner of the frame around this one reaches into this document. */
  function readsParent() {
    try {
      return frameElement !== null;
    } catch (error) {
      return false;
    }
  }

  // --- which element holds which frame ---
  //
  // A random token, which the worker has given to both sides, goes between two windows. This listener is the first one
  // of the document, so the page does not see it.

  const TOKEN = 'oryn:';
  const MAX_TOKENS = 20;
  const arrived = new Map(); // token: the window that it came from
  const waiting = new Map(); // token: what is to be done with that window
  const holders = new Map(); // the browser's id of a frame: its element

  addEventListener(
    'message',
    (event) => {
      if (typeof event.data !== 'string' || !/^oryn:[0-9a-f]{32}$/.test(event.data)) return;
      event.stopImmediatePropagation();
      const token = event.data.slice(TOKEN.length);
      const then = waiting.get(token);
      if (then) {
        waiting.delete(token);
        then(event.source);
      } else keep(arrived, token, event.source);
    },
    true,
  );

  function awaited(token, then) {
    if (arrived.has(token)) {
      then(arrived.get(token));
      arrived.delete(token);
    } else keep(waiting, token, then);
  }

  /** Whoever is not asked for again must not stay for ever: a page can send as many tokens as it likes. */
  function keep(map, token, value) {
    map.set(token, value);
    if (map.size > MAX_TOKENS) map.delete(map.keys().next().value);
  }

  function post(element, token) {
    if (!isFrame(element) || !element.contentWindow) return false;
    element.contentWindow.postMessage(TOKEN + token, '*');
    return true;
  }

  function holderOf(view, root) {
    for (const element of every(root, 'iframe,frame')) if (element.contentWindow === view) return element;
    for (const element of every(root, '*')) {
      const shadow = shadowRootOf(element);
      const found = shadow && holderOf(view, shadow);
      if (found) return found;
    }
    return null;
  }

  function withElement(frame, ask) {
    const element = holders.get(frame)?.deref();
    return element?.isConnected ? ask(element) : null;
  }

  // --- where a frame lies ---

  function contentBox(element) {
    const box = element.getBoundingClientRect();
    const { paddingLeft, paddingTop, paddingRight, paddingBottom } = getComputedStyle(element);
    return [
      box.left + element.clientLeft + parseFloat(paddingLeft),
      box.top + element.clientTop + parseFloat(paddingTop),
      element.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight),
      element.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom),
    ];
  }

  /** A point of a frame's viewport in this one's, scrolled into view, and what covers it there. */
  async function place(element, x, y) {
    const point = () => {
      const [left, top] = contentBox(element);
      return [left + x, top + y];
    };
    const inside = ([left, top]) => left >= 0 && top >= 0 && left < innerWidth && top < innerHeight;
    let found = point();
    if (!inside(found)) {
      element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      found = point();
      if (!inside(found)) {
        scrollBy({ left: found[0] - innerWidth / 2, top: found[1] - innerHeight / 2, behavior: 'instant' });
      }
      // The browser finds out whom a press is for from the last picture, so that must be drawn anew.
      for (let frames = 0; frames < 2; frames++) {
        await new Promise((resolve) => {
          requestAnimationFrame(resolve);
          setTimeout(resolve, 100);
        });
      }
      found = point();
    }
    globalThis[Symbol.for('oryn.banner')]?.dodge(...found);
    const onTop = element.getRootNode().elementFromPoint(...found);
    const covered = onTop && onTop !== element && !element.contains(onTop);
    return [...found, covered ? onTop.localName + (onTop.id ? `#${onTop.id}` : '') : ''];
  }

  // --- pictures ---

  /** A part of a picture (base64), in its own pixels, as a file of another format. */
  async function cut({ image, x, y, width, height, format, quality }) {
    const bytes = Uint8Array.from(atob(image), (character) => character.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes]), x, y, width, height);
    const canvas = new OffscreenCanvas(width, height);
    canvas.getContext('2d').drawImage(picture, 0, 0);
    const blob = await canvas.convertToBlob({ type: `image/${format}`, quality });
    let text = '';
    const encoded = new Uint8Array(await blob.arrayBuffer());
    for (let start = 0; start < encoded.length; start += 32768) {
      text += String.fromCharCode(...encoded.subarray(start, start + 32768));
    }
    return btoa(text);
  }
})();
