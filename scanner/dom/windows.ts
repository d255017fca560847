// Properties of windows. A page may define them anew on its own window; these are those of the window that the script has
// been loaded into.

import { getter } from './unbound';

// A content script of Firefox has none of its own, and sees the page's window as it was.
const ofWindow = <K extends keyof Window>(name: K): ((view: Window) => Window[K]) =>
  Object.getOwnPropertyDescriptor(self, name)?.get ? getter(self as Window, name) : (view) => view[name];

const innerWidthOf = ofWindow('innerWidth');
const innerHeightOf = ofWindow('innerHeight');
export const viewSizeOf = (view: Window): { width: number; height: number } => ({
  width: innerWidthOf(view),
  height: innerHeightOf(view),
});
export const scrollXOf = ofWindow('pageXOffset');
export const scrollYOf = ofWindow('pageYOffset');
export const originOf = ofWindow('origin');
export const isClosed = ofWindow('closed');
export const frameElementOfWindow = ofWindow('frameElement');
export const localStorageOf = ofWindow('localStorage');
export const sessionStorageOf = ofWindow('sessionStorage');
