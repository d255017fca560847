#!/usr/bin/env bash
# Install what the tests of the pure code in WebAssembly need: Node, Pyodide, and pytest as Pyodide runs it.
# usage: setup/node.sh [VENV]
set -euo pipefail
cd "$(dirname "$0")/.."
. setup/packages.sh
venv=${1:-.venv}

fits() { node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 18 ? 1 : 0)' 2>/dev/null && command -v npm >/dev/null; }

if ! fits; then
    case "$(uname -s)" in
        Linux) install_packages nodejs npm || true ;;
        Darwin) command -v brew >/dev/null && brew install --quiet node >&2 || true ;;
    esac
fi
fits || { say "Node 18 or newer with npm is needed for the WebAssembly tests: https://nodejs.org/"; exit 1; }
say "installing Pyodide into tests/pyodide"
npm ci --prefix tests/pyodide --no-fund --no-audit --loglevel=error >&2
# The wheels of Pyodide's Python and platform, which are those of the version in tests/pyodide/package.json.
rm -rf tests/pyodide/site-packages
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --target tests/pyodide/site-packages \
    --only-binary :all: --implementation cp --python-version 3.14 --abi cp314 --platform pyemscripten_2026_0_wasm32 \
    --requirement tests/pyodide/requirements.txt
