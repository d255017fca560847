// Between `window.agent` and the hub: forwards texts, and sends again what the hub has not answered when it was suspended.

(() => {
  'use strict';
  const api = globalThis.browser ?? globalThis.chrome;
  // A page that opens while the scripts are registered gets this one twice, and the second would take any port.
  if (globalThis.orynAgentBridge?.()) return;
  globalThis.orynAgentBridge = () => Boolean(api.runtime?.id); // false once the extension was updated or removed
  const GONE = JSON.stringify({ error: { code: 'INTERNAL_ERROR', message: 'the extension is not there any more' } });
  const LOST = JSON.stringify({
    error: { code: 'INTERNAL_ERROR', message: 'the connection to the hub has ended while a plugin executed the call' },
  });

  let page = null; // the port to the page's world
  let hub = null;
  const pending = new Map(); // id: {text, isSent, isWithHub, attempts}
  const MAX_ATTEMPTS = 6;
  const RETRY_MS = 100;

  function toHub(id) {
    const request = pending.get(id);
    if (!request || request.isWithHub) return undefined;
    request.isWithHub = true;
    request.attempts += 1;
    if (request.attempts > MAX_ATTEMPTS) return finish(id, GONE);
    try {
      connected().postMessage([id, request.text]);
    } catch (error) {
      finish(id, GONE); // the extension was updated or removed: this script has outlived it
    }
    return undefined;
  }

  function connected() {
    if (hub) return hub;
    hub = api.runtime.connect({ name: 'hub.page' });
    hub.onMessage.addListener(([id, text]) => {
      const request = pending.get(id);
      if (!request) return;
      if (text !== null) {
        finish(id, text);
        return;
      }
      request.isSent = true;
      page.postMessage(`${id} sent`);
    });
    hub.onDisconnect.addListener(disconnected);
    return hub;
  }

  function disconnected() {
    hub = null;
    for (const [id, request] of [...pending]) {
      request.isWithHub = false;
      if (request.isSent) finish(id, LOST); // again could mean twice
      else setTimeout(toHub, RETRY_MS * request.attempts ** 2, id); // a background may take a while to end
    }
  }

  // Firefox leaves the port of a document that it keeps for going back to open: the hub would go on to ask the user for a
  // page that is no longer there. If the page comes back, its timers run on and send again.
  addEventListener('pagehide', ({ isTrusted }) => {
    if (!isTrusted || !hub) return;
    hub.disconnect(); // without an event at this end
    disconnected();
  });

  function finish(id, text) {
    pending.delete(id);
    page.postMessage(`${id} ${text}`);
  }

  document.addEventListener(
    'oryn-agent-port',
    (event) => {
      [page] = event.ports;
      event.preventDefault();
      event.stopImmediatePropagation();
      page.onmessage = ({ data }) => {
        const cut = data.indexOf(' ');
        const id = Number(data.slice(0, cut));
        pending.set(id, { text: data.slice(cut + 1), isSent: false, isWithHub: false, attempts: 0 });
        toHub(id);
      };
    },
    { once: true },
  );
  document.dispatchEvent(new Event('oryn-agent-ready'));
})();
