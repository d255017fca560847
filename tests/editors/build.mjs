// Bundles the editors that come as modules: into node_modules, which npm replaces as a whole.
import { build } from 'esbuild';

await build({
  entryPoints: ['codemirror6', 'prosemirror', 'lexical', 'draft'].map((name) => `sources/${name}.js`),
  outdir: 'node_modules/.bundles',
  bundle: true,
  format: 'iife',
  minify: true,
  define: { 'process.env.NODE_ENV': '"production"', global: 'globalThis' },
  logLevel: 'warning',
});
