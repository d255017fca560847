// What Oryn puts into each document of WebKit before the page's scripts, and into itself: into the empty frame that it
// makes for the scanner (webkit/realm.ts). The page's own world gets no name, and no way to what the frame has.

import { reportInput } from '../webkit/input_reports';
import { rememberPristine } from '../webkit/pristine';
import { isOwnListener } from '../dom/natives';
import { OWN_LISTENER, connect } from '../webkit/realm';
import type { Handle, LoadScanner, PageGlobals, PageScripts } from '../webkit/realm';

/** Random names of one session, which no page knows. */
interface Names {
  /** What the handle is reported with; empty in a document whose scripts have run already. */
  readonly token: string;
  /** The name of the scanner's own frame. */
  readonly frame: string;
  /** A property of its element, for a moment: the function that makes a handle. */
  readonly key: string;
  /** A property of the window of a frame, for a moment: this has run there. */
  readonly mark: string;
}

type Connect = (page: PageGlobals) => Handle;
type FrameElement = HTMLIFrameElement & Record<string, Connect | null | undefined>;

const XHTML = 'http://www.w3.org/1999/xhtml';

/**
 * Reports the handle of the document's scanner to the inspector and returns it; null if this is not to be done here: in the
 * scanner's own frame, and the second time that the browser runs this in the same document.
 */
export default function install(
  { token, frame, key, mark }: Names,
  globals: readonly string[],
  load: LoadScanner,
  scripts: PageScripts,
): Handle | null {
  const make: Connect = (page) => connect(page, load, scripts);
  if (window.name === frame && window.parent !== window) {
    offer(key, make);
    return null;
  }
  if (window.parent !== window && isSecondRun(mark)) return null;
  const own = makeRealm(frame, key);
  const page: PageGlobals = { ...globalsOf(globals), [OWN_LISTENER]: isOwnListener };
  if (!token) {
    // The page may have put anything in the place of the console.
    const late = (own ?? make)(page);
    late['input'] = reportInput(() => undefined);
    return late;
  }
  const debug = console.debug.bind(console);
  const handle = own ? own(page) : connect(page, load, scripts, rememberPristine());
  handle['input'] = reportInput((kind, text, object) => {
    debug(token, kind, text, object);
  });
  // In a collection, out of which the inspector takes it under a name that the page's `console.clear` does not release.
  debug(token, new Map([[0, handle]]));
  return handle;
}

/** Until WebKit 2.48, a new frame's document gets this twice, one right after the other. */
function isSecondRun(mark: string): boolean {
  const own = window as unknown as PageGlobals;
  if (own[mark]) return Reflect.deleteProperty(own, mark);
  Object.defineProperty(own, mark, { value: true, configurable: true });
  void Promise.resolve().then(() => Reflect.deleteProperty(own, mark));
  return false;
}

function globalsOf(names: readonly string[]): PageGlobals {
  const found: PageGlobals = {};
  for (const name of names) found[name] = (window as unknown as PageGlobals)[name];
  return found;
}

/** In the scanner's own frame, which may run this twice: leave the function for the document around it. */
function offer(key: string, make: Connect): void {
  const element = window.frameElement as FrameElement | null;
  if (element && element[key] === null) element[key] = make;
}

/** Make a frame, run this script in it, and remove it; null if the document may not reach into it. */
function makeRealm(name: string, key: string): Connect | null {
  if (window.origin === 'null') return null; // frames of a sandbox, or of `data:`, have other opaque origins
  const element = document.createElementNS(XHTML, 'iframe') as FrameElement;
  element.name = name;
  (element as Record<string, Connect | null | undefined>)[key] = null;
  (document.documentElement ?? document).appendChild(element);
  // The script runs there when the frame's window is first used, which the browser may have done already.
  if (element.contentDocument) void (element.contentWindow as unknown as typeof globalThis).Object;
  element.remove();
  return element[key] ?? null;
}
