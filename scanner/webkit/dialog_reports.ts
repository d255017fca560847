// Reports the dialogs that a page opens, before they open: WebKit's protocol has no event for that, and says neither
// their kind nor their default text. While one is open no script runs, so its end is reported as soon as it has closed.
//
// The functions in place of the browser's own look like them: a bound function has no source, no prototype, and the name
// that it is given.

import { printJson } from '../dom/natives';
import { unbound } from '../dom/unbound';

type Report = (kind: string, text: string) => void;
type DialogKind = 'alert' | 'confirm' | 'prompt';
type OpenDialog = (self: Window, ...texts: string[]) => unknown;

const define = Object.defineProperty;

export function reportDialogs(report: Report): void {
  const opening = (kind: DialogKind, first: unknown, second: unknown): unknown => {
    // What the page passes becomes a text once, as the browser does it: that may run the page's scripts.
    const message = `${first as string}`;
    const preset = `${second as string}`;
    report('dialog', `[${printJson(kind)},${printJson(message)},${printJson(preset)}]`);
    try {
      return own[kind](window, message, preset);
    } finally {
      report('dialog-closed', '');
    }
  };
  const given = (values: readonly unknown[], at: number): unknown => (values[at] === undefined ? '' : values[at]);
  // Their names are in the source, because there a bound function has the name of its function.
  const stands = {
    alert(...values: unknown[]) {
      return opening('alert', values.length ? values[0] : '', '');
    },
    confirm(...values: unknown[]) {
      return opening('confirm', given(values, 0), '');
    },
    prompt(...values: unknown[]) {
      return opening('prompt', given(values, 0), given(values, 1));
    },
  };
  const own = {} as Record<DialogKind, OpenDialog>;
  for (const kind of ['alert', 'confirm', 'prompt'] as const) {
    const property = Object.getOwnPropertyDescriptor(window, kind);
    if (!property) continue;
    own[kind] = unbound<OpenDialog>(property.value);
    const stand = stands[kind].bind(window);
    define(stand, 'length', { value: 0, configurable: true }); // first, as it is of functions of the browser
    define(stand, 'name', { value: kind, configurable: true });
    define(window, kind, { ...property, value: stand });
  }
}
