#!/usr/bin/env bash
# Install HAProxy, behind which the daemons of the fleet run (scripts/fleet). Without it the tests of the proxy are skipped.
# usage: setup/haproxy.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. setup/packages.sh

# The package of Debian is in /usr/sbin, which is not in every user's search path.
found() { PATH=$PATH:/usr/sbin command -v haproxy >/dev/null; }

found || [ "$(uname -s)" != Linux ] || install_packages haproxy || true
found || say "there is no HAProxy: the tests of the proxy will be skipped"
