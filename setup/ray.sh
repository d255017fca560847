#!/usr/bin/env bash
# Install Ray, on which research runs past one machine (617 MB). Where there are no wheels its tests are skipped.
# usage: setup/ray.sh [VENV]
set -euo pipefail
cd "$(dirname "$0")/.."
. setup/packages.sh
venv=${1:-.venv}

say "installing Ray"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --editable '.[ray]' ||
    say "there is no Ray for this machine: its tests are skipped"
