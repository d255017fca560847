// A plugin that sends what the test says and keeps what it gets. `behave` maps a type of message to what answers it:
// a function of the message that returns [type, payload], or null for silence.

globalThis.received = [];
globalThis.behave = {};

globalThis.message = (type, payload, more = {}) => ({
  namespace: 'harbor-plugin',
  protocolVersion: 'harbor-plugin/v1',
  type,
  requestId: `plugin-${Date.now()}-${crypto.randomUUID()}`,
  timestamp: Date.now(),
  payload,
  ...more,
});

// With options: Firefox takes (id, null) and (id, {}) for a message to its own extension and options.
globalThis.say = (hub, message) => chrome.runtime.sendMessage(hub, message, {});

globalThis.described = (tools, more = {}) => ({
  plugin: { extensionId: chrome.runtime.id, name: 'Raw', version: '1.0.0', tools, ...more },
});

chrome.runtime.onMessageExternal.addListener((message, sender) => {
  received.push({ from: sender.id, message });
  const answer = behave[message.type]?.(message);
  if (answer) say(sender.id, globalThis.message(...answer, { requestId: message.requestId, ...answer[2] }));
});
