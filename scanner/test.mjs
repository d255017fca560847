// Runs the tests of the scanner's pure modules in Node: `scanner/tests/*.test.ts`. What needs a page is tested in one, by
// tests/scanner.
//
// usage: node scanner/test.mjs

import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TESTS = fileURLToPath(new URL('tests', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'oryn-scanner-'));
try {
  const names = readdirSync(TESTS).filter((name) => name.endsWith('.test.ts'));
  const entryPoints = names.map((name) => join(TESTS, name));
  await build({
    entryPoints,
    bundle: true,
    platform: 'node',
    format: 'esm',
    outdir: folder,
    outExtension: { '.js': '.mjs' },
  });
  const files = entryPoints.map((path) => join(folder, basename(path).replace(/\.ts$/, '.mjs')));
  process.exitCode = spawnSync(process.execPath, ['--test', ...files], { stdio: 'inherit' }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
