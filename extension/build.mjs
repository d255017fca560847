// Bundles the scripts of the extension: each entry with what it imports, not minified, since stores review it.
//
// usage: node extension/build.mjs OUT [SOURCE]      SOURCE is a copy of this folder.

import { build } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const PYTHON = join(HERE, '../src/oryn');
const LIVE_DOM = join(PYTHON, 'daemon/live/static/dom.js');
const SCANNER = join(HERE, '../scanner/dom');
const CONSOLE_LISTENERS = join(PYTHON, 'browsers/common/console_listeners.js');

/** Modules: the worker, and the scripts of the extension's own pages. */
const MODULES = ['worker.ts', 'popup/popup.ts', 'popup/note.ts', 'hub/consent.ts', 'hub/review.ts'];
/** Scripts in pages, where there are no modules. */
const SCRIPTS = [
  'content.ts',
  'banner.ts',
  'console.ts',
  'model_context.ts',
  'chat/chat.ts',
  'hub/agent_bridge.ts',
  'hub/agent_page.ts',
];
/** Node imports it for the snapshot of Python, as the worker does later. */
const PYTHON_SETUP = 'python.mjs';
/** What stays a file of its own in the package, by its name in imports. */
const FILES = {
  pyodide: 'pyodide/pyodide.mjs',
  'pyodide/module': 'pyodide/pyodide.asm.mjs',
  './python.mjs': PYTHON_SETUP,
  '@cfworker/json-schema': 'hub/json_schema/index.js',
};

const [out, source = HERE] = process.argv.slice(2).map((each) => resolve(each));

const parts = {
  name: 'parts',
  setup(build) {
    build.onResolve({ filter: /^live-page\/dom$/ }, () => ({ path: LIVE_DOM }));
    build.onResolve({ filter: /^scanner\// }, ({ path }) => ({ path: join(SCANNER, `${basename(path)}.ts`) }));
    build.onResolve({ filter: /^console-listeners$/ }, () => ({ path: CONSOLE_LISTENERS }));
    // A part of scripts, and no module by itself.
    build.onLoad({ filter: /console_listeners\.js$/ }, async ({ path }) => ({
      contents: `${await readFile(path, 'utf8')}\nexport { reportConsole, stringify };\n`,
    }));
    build.onResolve({ filter: /./ }, ({ path, kind }) => {
      if (kind === 'entry-point' || !Object.hasOwn(FILES, path)) return undefined;
      return { path: `./${FILES[path]}`, external: true }; // only the worker imports them, which is beside them
    });
  },
};

const common = {
  absWorkingDir: source,
  outdir: out,
  outbase: source,
  bundle: true,
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'inline',
  logLevel: 'error',
  tsconfigRaw: { compilerOptions: { strict: true } }, // that of the project is not beside a copy
  plugins: [parts],
};

await Promise.all([
  build({ ...common, entryPoints: MODULES, format: 'esm' }),
  build({ ...common, entryPoints: SCRIPTS, format: 'iife' }),
  build({ ...common, entryPoints: ['python.mts'], format: 'esm', outExtension: { '.js': '.mjs' } }),
]);
