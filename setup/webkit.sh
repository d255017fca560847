#!/usr/bin/env bash
# Install WPE WebKit, which 'oryn embedded' drives. Without it the tests of embedded mode are skipped.
# usage: setup/webkit.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. setup/packages.sh

found() { compgen -G '/usr/lib/*/wpe-webkit-*/MiniBrowser' || compgen -G '/usr/libexec/wpe-webkit-*/MiniBrowser' || compgen -G '/usr/lib/wpe-webkit-*/MiniBrowser'; }

# The names of Debian 12, and of the releases after it: `debian_packages` in src/oryn/browsers/webkit/engines.py.
release=$(. /etc/os-release 2>/dev/null && echo "$ID ${VERSION_ID:-}" || true)
library=libwpewebkit-2.0-1
[ "$release" != "debian 12" ] || library=libwpewebkit-1.1-0
[ "$(uname -s)" != Linux ] || found >/dev/null || install_packages "$library" libwpebackend-fdo-1.0-1 libatk-bridge2.0-0 libgles2 || true
found >/dev/null || say "there is no WPE WebKit: the tests of 'oryn embedded' will be skipped"
