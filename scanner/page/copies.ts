// Reports what a page copies. Runs in the page's own world, before its scripts: `writeText` is a call that no event
// reports. The proxies look like what they stand for. A page that spoils this spoils what it could have copied anyway.

/** Report texts of at most `limit` characters, and of each whether it is what was selected. */
export function reportCopies(report: (text: string, isSelected: boolean) => void, limit: number): void {
  const copied = (text: unknown, isSelected = false): void => {
    if (typeof text === 'string') report(text.slice(0, limit), isSelected);
  };
  const last = (event: ClipboardEvent): void => {
    const text = event.defaultPrevented ? event.clipboardData?.getData('text/plain') : selectedText();
    if (text || event.defaultPrevented) copied(text, !event.defaultPrevented);
  };
  for (const kind of ['copy', 'cut'] as const)
    // Added only when the event has come, so that it runs after all listeners of the page.
    addEventListener(
      kind,
      (event) => {
        if (event.isTrusted) addEventListener(kind, last, { once: true });
      },
      true,
    );
  if (typeof Clipboard === 'undefined') return;
  noteCalls('writeText', (text) => copied(String(text)));
  noteCalls('write', async (items) => {
    for (const item of items)
      if (item.types.includes('text/plain')) copied(await (await item.getType('text/plain')).text());
  });
}

function selectedText(): string {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  const isField = active && (active.localName === 'input' || active.localName === 'textarea');
  const field = isField ? (active as HTMLInputElement | HTMLTextAreaElement) : null;
  if (field && field.selectionStart !== null)
    return field.type === 'password' ? '' : field.value.slice(field.selectionStart, field.selectionEnd ?? undefined);
  return String(getSelection() ?? '');
}

/** Call `note` with the argument of each call of a method of the clipboard that succeeds. */
function noteCalls<N extends 'write' | 'writeText'>(
  name: N,
  note: (value: Parameters<Clipboard[N]>[0]) => unknown,
): void {
  type Method = (value: unknown) => Promise<void>;
  const prototype = Clipboard.prototype as unknown as Record<N, Method>;
  prototype[name] = new Proxy(prototype[name], {
    apply(target, self, values: [Parameters<Clipboard[N]>[0]]) {
      const done = Reflect.apply<unknown, typeof values, Promise<void>>(target, self, values);
      done.then(
        () => note(values[0]),
        () => undefined,
      );
      return done;
    },
  });
}
