// Reports that somebody uses a page, through a function that the browser adds to a world of the backend's. A session that
// has left a tab and comes back has the function added again: only the first evaluation in a world listens.

import { reportTrustedInput } from '../dom/trusted_input';

type Report = ((text: string) => void) | undefined;

/** Report the kind and the number of inputs to the global function with a name: `key 1`. */
export default function reportTo(name: string): void {
  const globals = globalThis as unknown as Record<string, unknown>;
  if (Object.hasOwn(globals, `${name}_listens`)) return;
  globals[`${name}_listens`] = true;
  reportTrustedInput((kind) => (globals[name] as Report)?.(`${kind} 1`));
}
