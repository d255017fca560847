#!/usr/bin/env bash
# Install Pyodide for the tests that run the pure code in WebAssembly, and Node where it is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
. setup/packages.sh

fits() { node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 18)' 2>/dev/null && command -v npm >/dev/null; }

if ! fits; then
    case "$(uname -s)" in
        Linux) install_packages nodejs npm || true ;;
        Darwin) command -v brew >/dev/null && brew install --quiet node >&2 || true ;;
    esac
fi
fits || { say "Node 18 or newer with npm is needed for the WebAssembly tests: https://nodejs.org/"; exit 1; }
say "installing Pyodide into tests/pyodide/node_modules"
npm ci --prefix tests/pyodide --no-fund --no-audit --loglevel=error >&2
