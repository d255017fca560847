// get_frames, switch_frame (docs/spec/scanner-protocol.md#switch_frame), for frames of the same origin.

import { attribute, frameDocument, ownerOf, windowOf } from '../dom/natives';
import { Refusal, isPresent, wholeNumber } from '../dom/refusal';
import { frameElementOf, isAttached, isFrame } from '../dom/tree';
import { numberOf } from '../dom/numbers';
import { allElements, currentCache, forgetCache, scope, setScope } from '../dom/snapshot';
import { queryFirst, queryPage, selectorOf } from '../dom/selectors';
import { elementOf } from '../targets/candidates';

export function getFrames() {
  const frames = [];
  const all = allElements();
  const current = currentCache();
  const levels = new Map();
  for (let index = 0; index < all.length; index++) {
    const element = all[index];
    if (!isFrame(element)) continue;
    const outer = current.frames[index];
    const level = outer ? levels.get(outer) + 1 : 0;
    levels.set(element, level);
    frames.push(frameData(element, level));
  }
  return { frames };
}

function frameData(element, level) {
  const inner = frameDocument(element);
  return {
    id: numberOf(element),
    name: attribute(element, 'name') || '',
    src: inner && windowOf(inner) ? windowOf(inner).location.href : attribute(element, 'src') || '',
    selector: selectorOf(element),
    nested_level: level,
    accessible: inner !== null,
  };
}

export function switchFrame(request) {
  const criteria = ['selector', 'id', 'name', 'main', 'parent'].filter(
    (key) => isPresent(request[key]) && request[key] !== false,
  );
  if (criteria.length !== 1) throw new Refusal('INVALID_REQUEST', 'one of selector, id, name, main or parent is required');
  if (request.main) return enterScope(document);
  if (request.parent) {
    const outer = scope === document ? null : frameElementOf(scope);
    return enterScope(outer ? ownerOf(outer) : document);
  }
  const element = requestedFrame(request);
  const inner = element && frameDocument(element);
  if (!element) throw new Refusal('FRAME_NOT_FOUND', 'no such frame');
  if (!inner) throw new Refusal('FRAME_NOT_FOUND', 'the frame is of another origin', { cross_origin: true });
  return enterScope(inner);
}

function requestedFrame({ id, selector, name }) {
  if (name) return queryPage('iframe,frame').find((element) => attribute(element, 'name') === name) || null;
  const element = isPresent(id) ? elementOf(wholeNumber(id, 'id')) : queryFirst(selector);
  return element && isFrame(element) ? element : null;
}

function enterScope(owner) {
  setScope(owner);
  forgetCache();
  const element = owner === document ? null : frameElementOf(owner);
  return {
    frame: {
      main: owner === document,
      name: element ? attribute(element, 'name') || '' : '',
      url: windowOf(owner).location.href,
    },
  };
}

// A frame's first document may be replaced without a new world:
// https://html.spec.whatwg.org/multipage/document-lifecycle.html#initialise-the-document-object (step "reuse the Window object")
let home = document;

/** The frame that commands were in may be gone: they are back in the main one, and the first is told so. */
export function checkScope() {
  if (home !== document) {
    if (scope === home) setScope(document);
    home = document;
    forgetCache();
  }
  if (scope === document || (windowOf(scope) && frameElementOf(scope) && isAttached(frameElementOf(scope)))) return;
  setScope(document);
  forgetCache();
  throw new Refusal('FRAME_NOT_FOUND', 'the current frame is gone, the main frame is current now');
}
