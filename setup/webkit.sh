#!/usr/bin/env bash
# Install WPE WebKit with its WebDriver, which 'oryn embedded' drives. Without it the tests of embedded mode are skipped.
# usage: setup/webkit.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. setup/packages.sh

found() { command -v WPEWebDriver >/dev/null; }

found || [ "$(uname -s)" != Linux ] || \
    install_packages wpewebkit-driver libwpewebkit-1.1-0 libwpebackend-fdo-1.0-1 libatk-bridge2.0-0 libgles2 || true
found || say "there is no WPEWebDriver: the tests of 'oryn embedded' will be skipped"
