// Bundles the entries of the scanner into `src/oryn/scanner/bundles`, which is in the repository: whoever runs Oryn
// needs no Node. With `--check` nothing is written: it ends with 1 if a bundle is not what its sources make.
//
// axe-core is copied as it is published, with its licence's notice.
//
// usage: node scanner/build.mjs [--check]

import { decode, encode } from '@jridgewell/sourcemap-codec';
import { build } from 'esbuild';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const BUNDLES = join(HERE, '../src/oryn/scanner/bundles');
const ENTRY = '__oryn_scanner';
const VITALS = '__oryn_vitals';
const PIXELMATCH_NOTICE = readFileSync(join(HERE, '../node_modules/pixelmatch/LICENSE'), 'utf8');

// Parameters one by one: an iterator of the page's own world may be the page's. Minified names are shorter than these.
const FUNCTION = {
  begin: "((first,second,third,fourth,fifth)=>{'use strict';",
  end: 'return NAME(first,second,third,fourth,fifth)})',
};

/** What stands around the bundle of an entry, and what is in place of the export at its end. */
const ENTRIES = {
  // A second evaluation in one world keeps the first instance and its element map.
  scanner: {
    begin: `/*! pixelmatch: ${PIXELMATCH_NOTICE}*/(()=>{'use strict';if(Object.hasOwn(globalThis,'${ENTRY}'))return;`,
    end: '})();\n//# sourceURL=oryn/scanner.js',
  },
  // The world of the page may be too broken; the result is null then.
  listeners: { begin: "(levels=>{'use strict';try{", end: 'return NAME(levels)}catch{return null}})' },
  path_listeners: {
    begin: "((paths,pressed)=>{'use strict';try{",
    end: 'return NAME(paths,pressed)}catch{return null}})',
  },
  captcha_answer: FUNCTION,
  copy_report: FUNCTION,
  copy_text: FUNCTION,
  editor: FUNCTION,
  frame: { begin: "(function(first,second,third){'use strict';", end: 'return NAME(this,first,second,third)})' },
  geolocation: FUNCTION,
  indexed_db: FUNCTION,
  input_report: FUNCTION,
  locale: FUNCTION,
  picture: FUNCTION,
  storage: FUNCTION,
  // A second evaluation in one world keeps the first observers. Frames have no vitals.
  vitals: {
    begin:
      '/*! web-vitals, Copyright Google LLC, https://www.apache.org/licenses/LICENSE-2.0 */' +
      `(()=>{'use strict';if(window!==window.top||Object.hasOwn(globalThis,'${VITALS}'))return;`,
    end: `globalThis.${VITALS}=NAME})();`,
    inject: ['vitals/requests.ts'],
  },
  webkit: FUNCTION,
};
const EXPORT = /export\{(\w+) as default\};\s*$/;

/** The files of an entry's bundle: the script and, of the scanner, whose errors are reported, its source map. */
async function bundle(name) {
  const { begin, end, inject = [] } = ENTRIES[name];
  const { outputFiles } = await build({
    entryPoints: [join(HERE, 'entries', `${name}.ts`)],
    absWorkingDir: HERE,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    minify: true,
    legalComments: 'none',
    sourcemap: 'external',
    outfile: join(BUNDLES, `${name}.js`),
    inject: inject.map((file) => join(HERE, file)),
    banner: { js: begin },
    write: false,
  });
  const [map, script] = outputFiles;
  const exported = EXPORT.exec(script.text);
  const text = `${script.text.replace(EXPORT, '').trimEnd()}${end.replace('NAME', exported?.[1])}\n`;
  if (name !== 'scanner') return [{ path: script.path, text }];
  return [
    { path: script.path, text },
    { path: map.path, text: `${JSON.stringify(linesOf(JSON.parse(map.text)))}\n` },
  ];
}

/** A source map (https://tc39.es/ecma426/) without columns, names and sources: what a position in a bundle is a line of. */
function linesOf({ version, sources, mappings }) {
  const lines = decode(mappings).map((segments) => {
    let last = [];
    return segments.flatMap(([column, source, line]) => {
      if (source === last[0] && line === last[1]) return [];
      last = [source, line];
      return [[column, source, line, 0]];
    });
  });
  return {
    version,
    sources: sources.map((each) => relative(HERE, resolve(BUNDLES, each))),
    names: [],
    mappings: encode(lines),
  };
}

const AXE = {
  path: join(BUNDLES, 'axe.js'),
  text: readFileSync(join(HERE, '../node_modules/axe-core/axe.min.js'), 'utf8'),
};

const isCheck = process.argv.includes('--check');
const made = [...(await Promise.all(Object.keys(ENTRIES).map(bundle))).flat(), AXE];
const stale = made.filter(({ path, text }) => {
  try {
    return readFileSync(path, 'utf8') !== text;
  } catch {
    return true;
  }
});
if (isCheck && stale.length) {
  console.error(`not what the sources make: ${stale.map(({ path }) => path).join(', ')}; run 'make scanner'`);
  process.exit(1);
}
mkdirSync(BUNDLES, { recursive: true });
for (const { path, text } of isCheck ? [] : stale) writeFileSync(path, text);
