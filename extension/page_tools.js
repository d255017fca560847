// Offers pages `document.modelContext` in browsers that have none, while Oryn is to be connected or an agent runs.
//
// Pages that the user visits without Oryn see nothing of it. Pages that are open already get it too, after their own scripts:
// those find it that look for it later, such as when the user does something.

const ID = 'oryn.model_context';
const SCRIPT = {
  id: ID,
  matches: ['http://*/*', 'https://*/*'],
  js: ['model_context.js'],
  world: 'MAIN',
  allFrames: true,
  matchOriginAsFallback: true,
  runAt: 'document_start',
  persistAcrossSessions: false,
};
/** The version of Chromium that has it. */
const NATIVE = 146;

const isNative = Number(/Chrome\/(\d+)/.exec(navigator.userAgent)?.[1]) >= NATIVE;
let turn = Promise.resolve();

/** Register the script or take it away, one after the other. */
export function offerPageTools(isWanted) {
  if (!isNative) turn = turn.then(() => change(isWanted)).catch((error) => console.error('page tools:', error));
  return turn;
}

async function insertIntoOpenPages() {
  const { js: files, world, matches: url } = SCRIPT;
  for (const { id: tabId, discarded } of await chrome.tabs.query({ url })) {
    if (discarded) continue; // it gets it when it is loaded
    const injection = { target: { tabId, allFrames: true }, files, world, injectImmediately: true };
    chrome.scripting.executeScript(injection).catch(() => {}); // the tab has gone, or takes no scripts
  }
}

async function change(isWanted) {
  const registered = await chrome.scripting.getRegisteredContentScripts({ ids: [ID] });
  if (isWanted && !registered.length) {
    await chrome.scripting.registerContentScripts([SCRIPT]);
    await insertIntoOpenPages();
  }
  if (!isWanted && registered.length) await chrome.scripting.unregisterContentScripts({ ids: [ID] });
}
