// Runs pytest on Pyodide under Node, with nothing but what setup/node.sh put beside this file.
// usage: node run.mjs PROJECT PYTEST_ARGUMENT…

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadPyodide } from "pyodide";

const [project, ...pytestArguments] = process.argv.slice(2);
const sitePackages = fileURLToPath(new URL("site-packages", import.meta.url));

const RUN = `
import os, sys

# Beside the project there would be one of another platform.
os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = "/tmp/hypothesis"

sys.path[:0] = ["/project/tests/pyodide", "/project/src"]
sys.path.append("/site-packages")
os.chdir("/project")

import blocking_loop, pytest

blocking_loop.install()
int(pytest.main(list(arguments)))
`;

try {
  const pyodide = await loadPyodide({ args: ["-B"] });
  const folders = [[project, "/project"], [sitePackages, "/site-packages"], [join(dirname(project), "shared"), "/shared"]];
  for (const [folder, mountPoint] of folders) {
    if (!existsSync(folder)) continue; // the shared cases are not everywhere
    pyodide.FS.mkdirTree(mountPoint);
    pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root: folder }, mountPoint);
  }
  pyodide.globals.set("arguments", pyodide.toPy(pytestArguments));
  process.exitCode = pyodide.runPython(RUN);
} catch (error) {
  // Thrown through, it would print Pyodide's minified source.
  console.error(error.message);
  process.exitCode = 1;
}
