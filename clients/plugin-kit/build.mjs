// Bundle the plugins into build/plugins/<browser>/<name>, which the browsers load unpacked.
// usage: node build.mjs

import { build } from "esbuild";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";

const BACKGROUNDS = {
  chromium: (manifest) => manifest,
  firefox: (manifest, name) => ({
    ...manifest,
    background: { scripts: ["background.js"] },
    browser_specific_settings: { gecko: { id: `${name}@plugins.oryn.example`, strict_min_version: "128.0" } },
  }),
};

for (const name of await readdir("plugins")) {
  const template = JSON.parse(await readFile(`plugins/${name}/manifest.json`, "utf8"));
  for (const [browser, adapt] of Object.entries(BACKGROUNDS)) {
    const folder = `build/plugins/${browser}/${name}`;
    await mkdir(folder, { recursive: true });
    await writeFile(`${folder}/manifest.json`, `${JSON.stringify(adapt(template, name), null, 2)}\n`);
    await build({
      entryPoints: [`plugins/${name}/background.ts`],
      outfile: `${folder}/background.js`,
      bundle: true,
      format: "iife",
      target: ["chrome120", "firefox128"],
      logLevel: "warning",
    });
  }
}
