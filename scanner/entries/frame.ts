// A frame element, asked in the scanner's world of the document around it: where its content is, and what lies over it.
// What it says is a hint that a page can spoil at its own expense: input goes where a person's would.

type Point = [x: number, y: number];
const DRAWN_MILLISECONDS = 100;

/** What can be asked of a frame element. Coordinates are CSS pixels of the viewport of its document. */
const OPERATIONS = {
  /** A point of the frame's content, scrolled into view: its x and y, and what covers it there (`div#consent`) or ''. */
  async reveal(frame: HTMLElement, x: number, y: number): Promise<[x: number, y: number, covered: string]> {
    const place = (): Point => {
      const { left, top } = contentBox(frame);
      return [left + x, top + y];
    };
    let point = place();
    if (!isInView(point)) {
      frame.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      point = place();
      if (!isInView(point))
        scrollBy({ left: point[0] - innerWidth / 2, top: point[1] - innerHeight / 2, behavior: 'instant' });
      // The browser hit-tests input against the last drawn frame, so wait until the page is drawn again.
      for (let frames = 0; frames < 2; frames++)
        await new Promise<unknown>((resolve) => {
          requestAnimationFrame(resolve);
          setTimeout(resolve, DRAWN_MILLISECONDS);
        });
      point = place();
    }
    const onTop = topElement(frame, point);
    const isCovered = onTop && onTop !== frame && !frame.contains(onTop);
    return [...point, isCovered ? onTop.localName + (onTop.id ? `#${onTop.id}` : '') : ''];
  },

  /** The content box, without scrolling: x, y, width, height. */
  box(frame: HTMLElement): [x: number, y: number, width: number, height: number] {
    const { left, top, width, height } = contentBox(frame);
    return [left, top, width, height];
  },

  isFocused: (frame: HTMLElement): boolean => (frame.getRootNode() as Document | ShadowRoot).activeElement === frame,

  /** Where the content begins, if the frame is on top at a point; else null. */
  originAt(frame: HTMLElement, x: number, y: number): Point | null {
    if (topElement(frame, [x, y]) !== frame) return null;
    const { left, top } = contentBox(frame);
    return [left, top];
  },
};

function contentBox(frame: HTMLElement): { left: number; top: number; width: number; height: number } {
  const box = frame.getBoundingClientRect();
  const style = getComputedStyle(frame);
  const [left, top] = [parseFloat(style.paddingLeft), parseFloat(style.paddingTop)];
  return {
    left: box.left + frame.clientLeft + left,
    top: box.top + frame.clientTop + top,
    width: frame.clientWidth - left - parseFloat(style.paddingRight),
    height: frame.clientHeight - top - parseFloat(style.paddingBottom),
  };
}

const isInView = ([x, y]: Point): boolean => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;

const topElement = (frame: HTMLElement, [x, y]: Point): Element | null =>
  (frame.getRootNode() as Document | ShadowRoot).elementFromPoint(x, y);

export default function askFrame(
  frame: HTMLElement,
  operation: keyof typeof OPERATIONS,
  x: number,
  y: number,
): unknown {
  return OPERATIONS[operation](frame, x, y);
}
