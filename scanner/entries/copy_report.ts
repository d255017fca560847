// Reports what a page copies, through a function that the browser adds to the page's own world.

import { reportCopies } from '../page/copies';

/** Report texts of at most `limit` characters to the global function with a name, which is gone then. */
export default function reportTo(name: string, limit: number): void {
  const globals = globalThis as unknown as Record<string, ((text: string) => void) | undefined>;
  const report = globals[name];

  delete globals[name];
  if (report) reportCopies((text) => report(text), limit);
}
