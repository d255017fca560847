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
  for (const kind of ['alert', 'confirm', 'prompt'] as const) replace(kind, report);
}

function replace(kind: DialogKind, report: Report): void {
  const own = Object.getOwnPropertyDescriptor(window, kind);
  if (!own) return;
  const open = unbound<OpenDialog>(own.value);
  // What the page passes becomes a text once, as the browser does it: that may run the page's scripts.
  const text = (values: readonly unknown[], at: number): string =>
    values.length > at && values[at] !== undefined ? `${values[at] as string}` : '';
  const stand = {
    [kind](...values: unknown[]): unknown {
      const message = values.length ? `${values[0] as string}` : '';
      const preset = kind === 'prompt' ? text(values, 1) : '';
      report('dialog', `[${printJson(kind)},${printJson(message)},${printJson(preset)}]`);
      try {
        return open(window, message, preset);
      } finally {
        report('dialog-closed', '');
      }
    },
  }[kind] as (...values: unknown[]) => unknown;
  const bound = stand.bind(window);
  define(bound, 'name', { value: kind, configurable: true });
  define(window, kind, { ...own, value: bound });
}
