// get_frames, switch_frame (docs/spec/scanner-protocol.md#switch_frame), for frames of the same origin.

import { attribute, frameDocument, ownerOf, windowOf } from '../dom/natives';
import type { FrameData, GetFramesResponse, SwitchFrameRequest, SwitchFrameResponse } from '../dom/protocol';
import { Refusal, isPresent, wholeNumber } from '../dom/refusal';
import { frameElementOf, isAttached, isFrame } from '../dom/tree';
import { numberOf } from '../dom/numbers';
import { allElements, forgetCache, scope, setScope } from '../dom/snapshot';
import { queryFirst, queryPage, selectorOf } from '../dom/selectors';
import { elementOf } from '../targets/candidates';

export function getFrames(): GetFramesResponse {
  return { frames: allElements().filter(isFrame).map(frameData) };
}

function frameData(element: Element): FrameData {
  const inner = frameDocument(element);
  const view = inner && windowOf(inner);
  return {
    id: numberOf(element),
    name: attribute(element, 'name') || '',
    src: view ? view.location.href : attribute(element, 'src') || '',
    selector: selectorOf(element),
    nested_level: levelOf(element),
    accessible: inner !== null,
  };
}

/** How many frames inside the current one are around an element. */
function levelOf(element: Element): number {
  let level = 0;
  for (let owner = ownerOf(element); owner !== scope; level++) {
    const frame = frameElementOf(owner);
    if (!frame) break;
    owner = ownerOf(frame);
  }
  return level;
}

export function switchFrame(request: SwitchFrameRequest): SwitchFrameResponse {
  const { selector, id, name, main, parent } = request;
  const criteria = [selector, id, name, main, parent].filter((value) => isPresent(value) && value !== false);
  if (criteria.length !== 1)
    throw new Refusal('INVALID_REQUEST', 'one of selector, id, name, main or parent is required');
  if (main) return enterScope(document);
  if (parent) {
    const outer = scope === document ? null : frameElementOf(scope);
    return enterScope(outer ? ownerOf(outer) : document);
  }
  const element = requestedFrame(request);
  const inner = element && frameDocument(element);
  if (!element) throw new Refusal('FRAME_NOT_FOUND', 'no such frame');
  if (!inner) throw new Refusal('FRAME_NOT_FOUND', 'the frame is of another origin', { cross_origin: true });
  return enterScope(inner);
}

function requestedFrame({ id, selector, name }: SwitchFrameRequest): Element | null {
  if (name) return queryPage('iframe,frame').find((element) => attribute(element, 'name') === name) || null;
  const element = isPresent(id) ? elementOf(wholeNumber(id, 'id')) : isPresent(selector) ? queryFirst(selector) : null;
  return element && isFrame(element) ? element : null;
}

function enterScope(owner: Document): SwitchFrameResponse {
  setScope(owner);
  forgetCache();
  const element = owner === document ? null : frameElementOf(owner);
  return {
    frame: {
      main: owner === document,
      name: element ? attribute(element, 'name') || '' : '',
      url: (windowOf(owner) ?? window).location.href,
    },
  };
}

// A frame's first document may be replaced without a new world:
// https://html.spec.whatwg.org/multipage/document-lifecycle.html#initialise-the-document-object (step "reuse the Window object")
let home = document;

/** If the frame that commands were in is gone, they go back to the main one, and the first of them is told so. */
export function checkScope(): void {
  if (home !== document) {
    if (scope === home) setScope(document);
    home = document;
    forgetCache();
  }
  if (scope === document) return;
  const frame = frameElementOf(scope);
  if (frame && isAttached(frame)) return;
  setScope(document);
  forgetCache();
  throw new Refusal('FRAME_NOT_FOUND', 'the current frame is gone, the main frame is current now');
}
