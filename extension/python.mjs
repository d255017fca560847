// How Python is set up: for the worker, and in Node for the snapshot of it, which fits only what was set up the same way.

const ENGINE = '/oryn.zip';

/** Options of `loadPyodide` for a Python that imports from the engine's zip (bytes).
 *  https://pyodide.org/en/stable/usage/api/js-api.html#exports.PyodideConfig */
export const python = (engine) => ({
  env: { PYTHONPATH: ENGINE, PYTHONDONTWRITEBYTECODE: '1' },
  fsInit: async (FS) => FS.writeFile(ENGINE, engine),
});
