// Starts the engine: Pyodide with the engine's zip on its path.
// https://pyodide.org/en/stable/usage/api/js-api.html#exports.loadPyodide

import { loadPyodide } from "./pyodide/pyodide.mjs";
// Given to `loadPyodide`, which would `import()` it: https://github.com/w3c/ServiceWorker/issues/1356
import createPyodideModule from "./pyodide/pyodide.asm.mjs";

const url = (path) => new URL(path, import.meta.url).href;

const fetched = async (path) => new Uint8Array(await (await fetch(url(path))).arrayBuffer());

/** A Pyodide that can import `oryn`, and how it came up: from the snapshot or cold. */
export async function boot() {
  const engine = await fetched("engine/oryn.zip");
  const pyodide = await loadPyodide({
    createPyodideModule,
    indexURL: url("pyodide/"),
    packageBaseUrl: url("pyodide/"),
    lockFileURL: url("pyodide/pyodide-lock.json"),
    env: { PYTHONPATH: "/oryn.zip", PYTHONDONTWRITEBYTECODE: "1" },
    fsInit: async (FS) => FS.writeFile("/oryn.zip", engine),
  });
  return { pyodide, how: "cold" };
}
