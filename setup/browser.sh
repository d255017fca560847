#!/usr/bin/env bash
# Find a browser of the Chrome family, or install one.
# usage: setup/browser.sh [VENV]
set -euo pipefail
cd "$(dirname "$0")/.."
. setup/packages.sh
venv=${1:-.venv}

found() { "$venv/bin/oryn" doctor --only browser >/dev/null 2>&1; }

found && exit 0
case "$(uname -s)" in
    Linux) install_packages chromium fonts-liberation || true ;;
    Darwin) command -v brew >/dev/null && brew install --quiet --cask chromium >&2 || true ;;
esac
found || { "$venv/bin/oryn" doctor --only browser >&2; exit 1; }
