#!/usr/bin/env bash
# Install Chromium's headless shell, with which most tests take half of the time (tests/browser_choice.py). Without it
# they use the whole browser.
# usage: setup/headless_shell.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. setup/packages.sh

found() { command -v chromium-headless-shell >/dev/null; }

found || [ "$(uname -s)" != Linux ] || install_packages chromium-headless-shell || true
found || say "there is no chromium-headless-shell: the tests take longer"
