#!/usr/bin/env bash
# Install the PostgreSQL server that the tests of the records start. Without it these tests are skipped.
# usage: setup/postgresql.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. setup/packages.sh

found() { command -v initdb >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; }

found || [ "$(uname -s)" != Linux ] || install_packages postgresql || true
found || say "there is no PostgreSQL: the tests of the records will be skipped"
