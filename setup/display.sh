#!/usr/bin/env bash
# Install what the tests of windows need: a display that nobody looks at, and a keyboard in front of it. Without them
# these tests are skipped.
# usage: setup/display.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. setup/packages.sh

found() { command -v Xvfb >/dev/null && command -v xdotool >/dev/null; }

found || [ "$(uname -s)" != Linux ] || install_packages xvfb xdotool || true
found || say "there is no Xvfb or no xdotool: the tests of 'login' will be skipped"
