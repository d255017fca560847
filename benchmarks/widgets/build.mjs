// Bundles one page for each library: into node_modules, which npm replaces as a whole.
import { readdirSync } from 'node:fs';
import { build } from 'esbuild';

await build({
  entryPoints: readdirSync('sources')
    .filter((name) => /\.jsx?$/.test(name) && name !== 'record.js')
    .map((name) => `sources/${name}`),
  outdir: 'node_modules/.bundles',
  bundle: true,
  format: 'iife',
  jsx: 'automatic',
  minify: true,
  alias: { vue: 'vue/dist/vue.esm-bundler.js' },
  loader: { '.woff': 'dataurl', '.woff2': 'dataurl', '.ttf': 'dataurl', '.eot': 'empty' },
  define: {
    'process.env.NODE_ENV': '"production"',
    __VUE_OPTIONS_API__: 'true',
    __VUE_PROD_DEVTOOLS__: 'false',
    __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
  },
  logLevel: 'warning',
});
