// Starts the engine: Pyodide from the memory that was saved when the extension was built, or from nothing where that
// does not fit.

import { loadPyodide, version } from './pyodide/pyodide.mjs';
// Given to `loadPyodide`, which would `import()` it: https://github.com/w3c/ServiceWorker/issues/1356
import createPyodideModule from './pyodide/pyodide.asm.mjs';
import { python } from './python.mjs';

const url = (path) => new URL(path, import.meta.url).href;

async function fetched(path) {
  const response = await fetch(url(path)).catch(() => null);
  if (!response?.ok) throw new Error(`${path} is not there`);
  return new Uint8Array(await response.arrayBuffer());
}

/** A Pyodide that can import `oryn`, and how it came up: `{pyodide, how: 'snapshot' | 'cold', why}`, where `why` says
 *  what was wrong with the snapshot. */
export async function boot() {
  const engine = await fetched('engine/oryn.zip');
  try {
    const pyodide = await load(engine, await snapshot(engine));
    // It saw the same numbers in every browser that starts from this memory.
    pyodide.runPython('import random; random.seed()');
    return { pyodide, how: 'snapshot', why: null };
  } catch (error) {
    const why = String(error?.message ?? error);
    console.warn('the engine starts without its snapshot:', why);
    return { pyodide: await load(engine, {}), how: 'cold', why };
  }
}

const load = (engine, more) =>
  loadPyodide({
    createPyodideModule,
    indexURL: url('pyodide/'),
    packageBaseUrl: url('pyodide/'),
    lockFileURL: url('pyodide/pyodide-lock.json'),
    stderr: (line) => console.error(line),
    ...python(engine),
    ...more,
  });

/** Options for the saved memory. Rejects one that was made of another engine or Pyodide, or that is damaged. */
async function snapshot(engine) {
  const [about, packed] = await Promise.all([fetched('engine/built.json'), fetched('engine/snapshot.gz')]);
  const built = JSON.parse(new TextDecoder().decode(about));
  if (built.pyodide !== version) throw new Error(`it was made by Pyodide ${built.pyodide}, this is ${version}`);
  const [ofEngine, ofSnapshot] = await Promise.all([sha256(engine), sha256(packed)]);
  if (built.engine !== ofEngine) throw new Error('it was made of another engine');
  if (built.snapshot !== ofSnapshot) throw new Error('it is damaged');
  const memory = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  const saved = new Uint8Array(await new Response(memory).arrayBuffer());
  return { _loadSnapshot: saved, createPyodideModule: (settings) => roomy(settings, saved.length) };
}

/** A Pyodide with at least so many bytes of memory: it begins with 30 MB, whatever it is to be filled with. */
async function roomy(settings, size) {
  const module = await createPyodideModule(settings);
  if (module.HEAP8.length < size) module.growMemory(size);
  return module;
}

async function sha256(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
