#!/usr/bin/env bash
# Install what needs Node, and Node: esbuild, which bundles the extension's scripts, Pyodide, which is its engine, pytest
# as Pyodide runs it, the compiler of the TypeScript packages, the official tests of MCP servers, and text editors. What is
# there already is left alone.
# With `extension` or `release` only what the build of the extension, or of a release, needs.
# usage: setup/node.sh [VENV [extension|release]]
set -euo pipefail
cd "$(dirname "$0")/.."
. setup/packages.sh
. setup/npm.sh
venv=${1:-.venv}
purpose=${2:-everything}

ensure_node

# bundles FOLDER: what its `npm run build` makes of its packages, beside them.
bundles() {
    local made="$1/node_modules/.bundles"
    [ -e "$made" ] && [ -z "$(find "$1/build.mjs" "$1/sources" "$1/node_modules/.package-lock.json" -newer "$made")" ] && return
    npm run --prefix "$1" --silent build >&2
    touch "$made"
}

# wheels FOLDER: those of Pyodide's Python and platform, which are those of the version in tests/pyodide/package.json.
wheels() {
    [ "$1/.installed" -nt tests/pyodide/requirements.txt ] && return
    rm -rf "$1"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --target "$1" \
        --only-binary :all: --implementation cp --python-version 3.14 --abi cp314 --platform pyemscripten_2026_0_wasm32 \
        --requirement tests/pyodide/requirements.txt
    touch "$1/.installed"
}

npm_packages .
npm_packages tests/pyodide
[ "$purpose" != extension ] || exit 0
npm_packages clients/typescript
npm_packages clients/plugin-kit
[ "$purpose" != release ] || exit 0
npm_packages tests/mcp/conformance
npm_packages tests/editors
bundles tests/editors
wheels tests/pyodide/site-packages
