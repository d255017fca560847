#!/usr/bin/env bash
# Install the Firefox that the tests of the extension drive. Without it these tests are skipped.
# usage: setup/firefox.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. setup/packages.sh

found() { command -v firefox-esr >/dev/null || command -v firefox >/dev/null; }

found || [ "$(uname -s)" != Linux ] || install_packages firefox-esr || true
found || say "there is no Firefox: the tests of the extension in Firefox will be skipped"
