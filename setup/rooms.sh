#!/usr/bin/env bash
# Install what makes rooms of other machines (scripts/rooms): roots of other releases of Debian, images, pods.
# usage: setup/rooms.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. setup/packages.sh

found() { command -v debootstrap >/dev/null && command -v bwrap >/dev/null && command -v podman >/dev/null && command -v crun >/dev/null; }

found || install_packages debootstrap bubblewrap podman buildah crun uidmap || true
found || { say "debootstrap, bubblewrap, podman and crun are needed"; exit 1; }
