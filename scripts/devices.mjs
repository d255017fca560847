// Writes src/oryn/engine/devices.json from the list of devices that Playwright keeps:
//
//   npm pack playwright-core@latest && tar xzf playwright-core-*.tgz
//   node scripts/devices.mjs package > src/oryn/engine/devices.json

import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const require = createRequire(import.meta.url);
const folder = resolve(process.argv[2] ?? 'package');
const { version } = require(`${folder}/package.json`);
const { devices } = require(folder);

/** The list carries the version of Chromium that Playwright ships; a browser puts its own in its place. */
const fitted = (userAgent) => userAgent.replace(/\b(Chrome|Edg)\/[\d.]+/g, '$1/{chrome}');

const userAgents = [...new Set(Object.values(devices).map((device) => fitted(device.userAgent)))];

function row([name, { viewport, screen = viewport, deviceScaleFactor, isMobile, hasTouch, userAgent }]) {
  const agent = userAgents.indexOf(fitted(userAgent));
  const sizes = [viewport.width, viewport.height, screen.width, screen.height, deviceScaleFactor];
  return `${JSON.stringify(name)}: ${JSON.stringify([...sizes, isMobile, hasTouch, agent])}`;
}

const list = (entries) => entries.map((entry) => `\n  ${entry}`).join(',');

process.stdout.write(`{
 "source": "playwright-core ${version}, https://playwright.dev/docs/emulation#devices",
 "licence": "Apache-2.0, Copyright (c) Microsoft Corporation; compacted by scripts/devices.mjs",
 "columns": ["width", "height", "screen width", "screen height", "scale", "mobile", "touch", "user agent"],
 "userAgents": [${list(userAgents.map((agent) => JSON.stringify(agent)))}
 ],
 "devices": {${list(Object.entries(devices).map(row))}
 }
}
`);
