#!/usr/bin/env bash
# Install what needs Node, and Node: esbuild, which bundles the extension's scripts, Pyodide, which is its engine, pytest
# as Pyodide runs it, the compiler of the TypeScript packages, the official tests of MCP servers, and text editors. What is there already is left alone.
# With `extension` or `release` only what the build of the extension, or of a release, needs.
# usage: setup/node.sh [VENV [extension|release]]
set -euo pipefail
cd "$(dirname "$0")/.."
. setup/packages.sh
venv=${1:-.venv}
purpose=${2:-everything}

fits() { node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 18 ? 1 : 0)' 2>/dev/null && command -v npm >/dev/null; }

if ! fits; then
    case "$(uname -s)" in
        Linux) install_packages nodejs npm || true ;;
        Darwin) command -v brew >/dev/null && brew install --quiet node >&2 || true ;;
    esac
fi
fits || { say "Node 18 or newer with npm is needed: https://nodejs.org/"; exit 1; }

# packages FOLDER: the packages of its lock file, of which npm keeps a copy beside what it has installed.
packages() {
    [ "$1/node_modules/.package-lock.json" -nt "$1/package-lock.json" ] && return
    say "installing the packages of $1"
    npm ci --prefix "$1" --no-fund --no-audit --loglevel=error >&2
    touch "$1/node_modules/.package-lock.json"
}

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

packages .
packages tests/pyodide
[ "$purpose" != extension ] || exit 0
packages clients/typescript
packages clients/plugin-kit
[ "$purpose" != release ] || exit 0
packages tests/mcp/conformance
packages tests/editors
bundles tests/editors
wheels tests/pyodide/site-packages
