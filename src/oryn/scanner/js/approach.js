// approach (protocol.py): what comes before an action, in one round trip: its target is found, the page is watched, and
// the target is located.

function approach(request) {
  const found = request.target ? find(request) : null;
  if (found && !found.matches.length) return { found };
  const watched = watchTexts(request);
  const id = found ? onlyMatch(found.matches) : wholeNumber(request.id, 'id');
  // If the page has changed meanwhile, that is reported before the action scrolls or waits.
  if (!request.locate || watched.mutated || id === null) return { found, watched };
  const done = (place) => ({ found, watched, place: { ...place, id } });
  try {
    const place = locate({ ...request.locate, id });
    return place instanceof NativePromise ? place.then(done, (error) => refused(error, found, watched)) : done(place);
  } catch (error) {
    return refused(error, found, watched);
  }
}

/** The match that any ranking chooses, or null: whether a part of a longer text is meant is for the engine to say. */
const onlyMatch = (matches) => (matches.length === 1 && matches[0].match.tier !== 'contains' ? matches[0].id : null);

/** The engine locates once more what can't be pressed yet: it waits for that. */
function refused(error, found, watched) {
  if (!(error instanceof Refusal)) throw error;
  return { found, watched };
}
