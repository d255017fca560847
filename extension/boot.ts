// Starts the engine: Pyodide from the memory that was saved when the extension was built, or from nothing where that
// does not fit.

import { loadPyodide, version } from 'pyodide';
import type { Options, Pyodide } from 'pyodide';
// Given to `loadPyodide`, which would `import()` it: https://github.com/w3c/ServiceWorker/issues/1356
import createPyodideModule from 'pyodide/module';
import { messageOf } from './errors';
import { python } from './python.mjs';

/** A Pyodide that can import `oryn`, and how it came up; `why` says what was wrong with the snapshot. */
interface Started {
  pyodide: Pyodide;
  how: 'snapshot' | 'cold';
  why: string | null;
}

/** `engine/built.json`, which `scripts/extension/builder.py` writes. */
interface Built {
  pyodide: string;
  engine: string;
  snapshot: string;
}

type Bytes = Uint8Array<ArrayBuffer>;

const url = (path: string) => new URL(path, import.meta.url).href;

async function fetched(path: string): Promise<Bytes> {
  const response = await fetch(url(path)).catch(() => null);
  if (!response?.ok) throw new Error(`${path} is not there`);
  return new Uint8Array(await response.arrayBuffer());
}

export async function boot(): Promise<Started> {
  const engine = await fetched('engine/oryn.zip');
  try {
    const pyodide = await load(engine, await snapshot(engine));
    // It saw the same numbers in every browser that starts from this memory.
    pyodide.runPython('import random; random.seed()');
    return { pyodide, how: 'snapshot', why: null };
  } catch (error) {
    const why = messageOf(error);
    console.warn('the engine starts without its snapshot:', why);
    return { pyodide: await load(engine, {}), how: 'cold', why };
  }
}

const load = (engine: Bytes, more: Options): Promise<Pyodide> =>
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
async function snapshot(engine: Bytes): Promise<Options> {
  const [about, packed] = await Promise.all([fetched('engine/built.json'), fetched('engine/snapshot.gz')]);
  const built = JSON.parse(new TextDecoder().decode(about)) as Built;
  if (built.pyodide !== version) throw new Error(`it was made by Pyodide ${built.pyodide}, this is ${version}`);
  const [ofEngine, ofSnapshot] = await Promise.all([sha256(engine), sha256(packed)]);
  if (built.engine !== ofEngine) throw new Error('it was made of another engine');
  if (built.snapshot !== ofSnapshot) throw new Error('it is damaged');
  const memory = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  const saved = new Uint8Array(await new Response(memory).arrayBuffer());
  return { _loadSnapshot: saved, createPyodideModule: (settings) => roomy(settings, saved.length) };
}

/** A Pyodide with at least so many bytes of memory: it begins with 30 MB, whatever it is to be filled with. */
async function roomy(settings: unknown, size: number) {
  const module = await createPyodideModule(settings);
  if (module.HEAP8.length < size) module.growMemory(size);
  return module;
}

async function sha256(bytes: Bytes): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
