#!/usr/bin/env bash
# Set up what the build of the extension needs, and nothing else: Python with Oryn's base install, and npm packages: those
# of package.json (esbuild), and of tests/pyodide (Pyodide, which is the extension's engine, and a validator of JSON
# schemas). Prints the Python.
# usage: setup/extension.sh [VENV]
set -euo pipefail
cd "$(dirname "$0")/.."
. setup/packages.sh
venv=${1:-.venv}

if ! [ -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import oryn, yaml, fastjsonschema' 2>/dev/null; then
    bash setup/python.sh "$venv" base >&2
fi
bash setup/node.sh "$venv" extension >&2
printf '%s\n' "$venv/bin/python"
