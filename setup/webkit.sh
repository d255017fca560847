#!/usr/bin/env bash
# Install WPE WebKit with its WebDriver, which 'oryn embedded' drives. Without it, and with a version that is refused, the
# tests of embedded mode are skipped.
# usage: setup/webkit.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. setup/packages.sh

found() { command -v WPEWebDriver >/dev/null; }

# The names of Debian 12, and of the releases after it: `WPE_PACKAGES` in src/oryn/browsers/webdriver/engines.py.
release=$(. /etc/os-release 2>/dev/null && echo "$ID ${VERSION_ID:-}" || true)
if [ "$release" = "debian 12" ]; then
    packages="wpewebkit-driver libwpewebkit-1.1-0 libwpebackend-fdo-1.0-1 libatk-bridge2.0-0 libgles2"
else
    packages="wpewebkit-webdriver libwpewebkit-2.0-1 libwpebackend-fdo-1.0-1 libgles2"
fi
# shellcheck disable=SC2086  # a list of words
found || [ "$(uname -s)" != Linux ] || install_packages $packages || true
found || say "there is no WPEWebDriver: the tests of 'oryn embedded' will be skipped"
