// The runner imports a function that Node 20 does not have, for a command of its own that tests no server.
// https://nodejs.org/docs/latest-v20.x/api/module.html#customization-hooks
import { register } from "node:module";

const hooks = `
  const SHIM = "data:text/javascript," + encodeURIComponent(
    'export * from "node:fs"; export { default } from "node:fs"; export const globSync = undefined;');
  export const resolve = (name, context, next) =>
    name === "fs" && context.parentURL?.includes("@modelcontextprotocol/conformance")
      ? { url: SHIM, shortCircuit: true } : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
