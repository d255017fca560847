#!/usr/bin/env bash
# Make a virtual environment with the lowest version that pyproject.toml allows of everything that it names.
# usage: setup/lowest.sh VENV [PYTHON]
set -euo pipefail
cd "$(dirname "$0")/.."
. setup/packages.sh
venv=$1

# That of pyproject.toml's `requires-python`, if it is there: wheels of old versions are for old versions of Python.
python=${2:-$(command -v python3.11 || command -v python3)}
"$python" -m venv --clear "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check uv 'pip>=25.1' hatchling editables # what setup/python.sh wants
groups=()
grep -q '^\[dependency-groups\]' pyproject.toml && groups=(--group dev)
say "installing the lowest versions into $venv"
"$venv/bin/uv" pip install --quiet --python "$venv/bin/python" --resolution lowest-direct --only-binary :all: --no-binary oryn --no-binary oryn-browser \
    --editable '.[all]' "${groups[@]+"${groups[@]}"}"
