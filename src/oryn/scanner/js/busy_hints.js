// What only looks as if more were to come: a text, the mouse pointer, something that turns for ever, a progress bar. It
// is believed for a short time, as each of them may be meant otherwise.

const LONGEST_HINT = 1500;
const GAUGE_PAUSE = 500;
// `Saving…`, `Loading results...`: said by something that is no offer.
const UNFINISHED = /^[^…]{1,30}(?:…|\.\.\.)$/;
const OFFERS = 'a,select,textarea,[role=menu],[role=menubar],[role=listbox],[role=option],[role=menuitem],[role=link]';

/** The hints that there are before an action. */
const busyHints = () => ({ loops: new Set(loops()), waits: isWaiting() });

/** Whether there are hints that came with the action that is watched. */
function looksBusy(watch) {
  if (performance.now() - watch.began > LONGEST_HINT) return false;
  const { loops: turning, waits } = watch.busy.hints;
  return isUnfinished(watch) || isAdvancing(watch) || (isWaiting() && !waits) || loops().some((each) => !turning.has(each));
}

/** Whether something that the action has changed, or a message that is new since, says that more is to come. */
function isUnfinished({ affected, base }) {
  for (const [element, isNew] of affected) {
    if (!isConnected(element) || closest(element, OFFERS) !== null) continue;
    const control = closest(element, 'button,[role=button]');
    if (isNew && control !== null && !isDisabled(control)) continue; // `Save as…`
    const text = collapse(textContentOf(element));
    if (!UNFINISHED.test(text) || !isStyledVisible(element)) continue;
    if (!base || base.units.get(element) !== text) return true; // else it said so before
  }
  return false;
}

/** Whether a progress bar has moved not long ago and is not at its end. */
function isAdvancing({ gaugeMoved }) {
  if (performance.now() - gaugeMoved > GAUGE_PAUSE) return false;
  return currentCache().trees.some(({ root }) => Array.prototype.some.call(queryAll(root, GAUGES), isUnfilled));
}

const isUnfilled = (gauge) => tagOf(gauge) !== 'meter' && isStyledVisible(gauge) && gaugeValue(gauge) !== '100%';

function isWaiting() {
  const body = bodyOf(document);
  return body !== null && ['wait', 'progress'].includes(styleOf(body).cursor);
}

/** Animations without end of what has no text: spinners and placeholders, whatever their classes. */
const loops = () => pageAnimations(isLoop);

function isLoop({ playState, effect }) {
  if (playState !== 'running' || !effect || !effect.target) return false;
  if (effect.getComputedTiming().iterations !== Infinity) return false;
  return Boolean(effect.pseudoElement) || !/\S/.test(textContentOf(effect.target));
}
