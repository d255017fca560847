#!/usr/bin/env bash
# Install what checks and bundles the TypeScript of the scanner and the extension, and Node. What is there already is
# left alone.
set -euo pipefail
cd "$(dirname "$0")/.."
. setup/packages.sh
. setup/npm.sh

ensure_node
npm_packages .
