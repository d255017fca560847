/** What the bar of a controlled tab (`extension/banner.ts`) leaves in the extension's world for the other scripts there,
 *  the scanner too: by a symbol, since an element may take a name. */
export interface BannerHandle {
  host: Element;
  /** Make room at a point that something is about to be done at. */
  dodge(x: number, y: number): void;
}

const BANNER = Symbol.for('oryn.banner');
const world = globalThis as { [BANNER]?: BannerHandle };

export const bannerHandle = (): BannerHandle | undefined => world[BANNER];

export function leaveBanner(handle: BannerHandle): void {
  world[BANNER] = handle;
}
