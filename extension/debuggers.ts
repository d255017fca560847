// Debuggers that an engine has left attached: it is gone, and with it whoever would let the requests go on that are held
// back in those tabs. The engine attaches its own (`oryn.browsers.extension.debugger`).

/** Detach them. Those of other extensions stay, as the browser demands. */
export async function releaseDebuggers(): Promise<void> {
  const targets = (await chrome.debugger?.getTargets()) ?? [];
  for (const { attached, tabId } of targets) {
    if (attached && tabId !== undefined) chrome.debugger.detach({ tabId }).catch(() => {});
  }
}

/** Call it in the first turn of the worker: what such a debugger reports then wakes a worker that has ended. */
export function wakeForDebuggers(): void {
  chrome.debugger?.onEvent.addListener(() => {});
  void releaseDebuggers();
}
