// How Python is set up: for the worker, and in Node for the snapshot of it, which fits only what was set up the same way.

import type { Options } from 'pyodide';

const ENGINE = '/oryn.zip';

/** Options of `loadPyodide` for a Python that imports from the engine's zip.
 *  https://pyodide.org/en/stable/usage/api/js-api.html#exports.PyodideConfig */
export const python = (engine: Uint8Array): Options => ({
  env: { PYTHONPATH: ENGINE, PYTHONDONTWRITEBYTECODE: '1' },
  fsInit: (files) => {
    files.writeFile(ENGINE, engine);
    return Promise.resolve();
  },
});
