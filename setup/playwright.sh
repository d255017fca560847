#!/usr/bin/env bash
# Install Playwright for Python with its driver (165 MB). Its own browsers are not needed: the tests use the system's.
# Where there are no wheels its tests are skipped.
# usage: setup/playwright.sh [VENV]
set -euo pipefail
cd "$(dirname "$0")/.."
. setup/packages.sh
venv=${1:-.venv}

say "installing Playwright"
# From 1.65 on it drives no Firefox ESR 153, which lacks a command of WebDriver BiDi (emulation.setMediaFeaturesOverride).
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --editable '.[playwright]' 'playwright<1.65' ||
    say "there is no Playwright for this machine: its tests are skipped"
