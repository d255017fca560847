// Waiting by events: mutations, frames, and a timer for pages that are not drawn.

const SETTLE_TIMEOUT = 500;
const FRAME_FALLBACK = 50;

const requestFrame = requestAnimationFrame.bind(globalThis);
const startTimer = setTimeout.bind(globalThis);
const stopTimer = clearTimeout.bind(globalThis);

/** Resolves at the next frame, or after 50 ms where none is drawn (hidden pages). */
function nextFrame() {
  return new NativePromise((resolve) => {
    const timer = startTimer(resolve, FRAME_FALLBACK);
    requestFrame(() => {
      stopTimer(timer);
      resolve();
    });
  });
}

/** settle: two frames without a mutation. */
async function settle(request) {
  const deadline = performance.now() + (request.timeout === undefined ? SETTLE_TIMEOUT : request.timeout);
  let mutated = false;
  const watch = new NativeObserver(() => {});
  allElements();
  for (const tree of currentCache().trees) watch.observe(tree.root, OBSERVED);
  let quiet = 0;
  while (quiet < 2 && performance.now() < deadline) {
    await nextFrame();
    if (watch.takeRecords().length) {
      mutated = true;
      quiet = 0;
    } else quiet++;
  }
  watch.disconnect();
  return { mutated, quiet: quiet >= 2 };
}
