#!/usr/bin/env bash
# Make the virtual environment .venv with the package and its development tools in it; with `base`, the package alone;
# with `check`, what `make check` needs, in the exact versions of setup/check.txt.
# usage: setup/python.sh [VENV [base|check]]
set -euo pipefail
cd "$(dirname "$0")/.."
. setup/packages.sh
venv=${1:-.venv}

fits() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
    local candidate
    for candidate in "${PYTHON:-}" python3 python3.14 python3.13 python3.12 python3.11; do
        if [ -n "$candidate" ] && command -v "$candidate" >/dev/null && fits "$candidate"; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    return 1
}

if ! python=$(find_python); then
    # Where python3 itself is older, a newer one may stand beside it (Ubuntu 22.04).
    install_packages python3 python3-venv || true
    find_python >/dev/null || install_packages python3.12 python3.12-venv || install_packages python3.11 python3.11-venv || true
    python=$(find_python) || { say "Python 3.11 or newer is needed: https://www.python.org/downloads/"; exit 1; }
fi
if ! [ -x "$venv/bin/python" ] || ! fits "$venv/bin/python"; then
    # Debian leaves ensurepip out of Python; a package of the version's name brings it.
    version=$("$python" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
    "$python" -m venv --clear "$venv" >/dev/null 2>&1 ||
        { install_packages "$version-venv" && "$python" -m venv --clear "$venv"; }
fi
pip() { "$venv/bin/python" -m pip --disable-pip-version-check "$@"; }

if [ "${2:-}" = check ]; then
    say "installing what 'make check' needs into $venv"
    pip install --quiet --no-deps --requirement setup/check.txt
    exit
fi
# Dependency groups (PEP 735) want pip 25.1; Debian 12's is 23.
pip install --help | grep -e --group >/dev/null || pip install --quiet --upgrade 'pip>=25.1'
# A distribution `oryn` has programs and modules of the same names: this project's of earlier, or the one of that name on PyPI.
# It goes first, for uninstalling it afterwards would take what the new one has put in its place.
if pip show --quiet oryn 2>/dev/null; then
    say "removing the distribution 'oryn' from $venv: it is called oryn-browser now"
    pip uninstall --quiet --yes oryn
fi
if [ "${2:-}" = base ]; then
    say "installing the package into $venv"
    pip install --quiet --editable .
    exit
fi
say "installing the package and its development tools into $venv"
pip install --quiet --editable '.[all]' --group dev
