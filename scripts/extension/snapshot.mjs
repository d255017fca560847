// Makes the memory of a Python that has imported modules of the engine: what the worker starts from.
// usage: node snapshot.mjs EXTENSION OUT MODULE…      EXTENSION is the folder being built.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [extension, out, ...modules] = process.argv.slice(2);
const part = (path) => join(extension, path);
const load = (path) => import(pathToFileURL(part(path)).href);

try {
  const [{ loadPyodide }, { python }] = await Promise.all([load('pyodide/pyodide.mjs'), load('python.mjs')]);
  const pyodide = await loadPyodide({ ...python(await readFile(part('engine/oryn.zip'))), _makeSnapshot: true });
  for (const module of modules) pyodide.runPython(`import ${module}`);
  pyodide.runPython('import gc; gc.collect(); gc.freeze()');
  await writeFile(out, pyodide.makeMemorySnapshot());
} catch (error) {
  // Thrown through, it would print Pyodide's minified source.
  console.error(error.message);
  process.exitCode = 1;
}
