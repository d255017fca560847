#!/usr/bin/env bash
# Install Prometheus, which reads the metrics of a daemon in tests. Without it these tests are skipped.
# usage: setup/prometheus.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. setup/packages.sh

found() { command -v prometheus >/dev/null && command -v promtool >/dev/null; }

found || [ "$(uname -s)" != Linux ] || install_packages prometheus || true
found || say "there is no Prometheus: the tests that it reads the metrics will be skipped"
