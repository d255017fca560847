#!/usr/bin/env bash
# Find a browser of the Chrome family, or install one; and a font, without which it shows no text.
# usage: setup/browser.sh [VENV]
set -euo pipefail
cd "$(dirname "$0")/.."
. setup/packages.sh
venv=${1:-.venv}

found() { "$venv/bin/oryn" doctor --only browser >/dev/null 2>&1; }

fonts() {
    [ "$(uname -s)" != Linux ] || [ -n "$(find -L /usr/share/fonts /usr/local/share/fonts ~/.fonts ~/.local/share/fonts \
        -type f \( -name '*.ttf' -o -name '*.otf' -o -name '*.ttc' -o -name '*.pf[ab]' \) -print -quit 2>/dev/null)" ]
}

fonts || install_packages fonts-liberation || say "there are no fonts: pages are shown without their text"
found && exit 0
case "$(uname -s)" in
    Linux) install_packages chromium || true ;;
    Darwin) command -v brew >/dev/null && brew install --quiet --cask chromium >&2 || true ;;
esac
found || { "$venv/bin/oryn" doctor --only browser >&2; exit 1; }
