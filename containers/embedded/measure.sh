#!/usr/bin/env bash
# The size of the image that the Containerfile makes, without a container engine: its commands run in a root that
# debootstrap makes, and a page is read there. The base is what debian:bookworm-slim has, give or take a few megabytes.
# usage: containers/embedded/measure.sh      as root, on Debian, with debootstrap; needs 2 GB in $TMPDIR
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$(mktemp -d)
exec 3>&1 >"$root/log" 2>&1

finish() {
    local code=$?
    [ "$code" -eq 0 ] || tail -n 20 "$root/log" >&3
    ! mountpoint -q "$root/image/proc" || umount "$root/image/proc"
    rm -rf --one-file-system "$root"
}
trap finish EXIT

megabytes() { du -sm --apparent-size --one-file-system "$@" | tail -1 | cut -f1; }
# slim ROOT: without what Debian's slim images leave out, and what the Containerfile removes.
slim() { rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/{*.bin,archives/*.deb} "$1"/usr/share/{doc,man,locale,info}/*; }
# inside ROOT COMMAND…
inside() {
    chroot "$root/$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "${@:2}"
}
packages=$(sed -n '/^ *python3 wpe/,/&&/{/&&/d; s/\\$//; p}' containers/embedded/Containerfile | tr -d '\n')

debootstrap --variant=minbase bookworm "$root/image" "${MIRROR:-http://deb.debian.org/debian}"
slim "$root/image"
base=$(megabytes "$root/image")
cp -a "$root/image" "$root/build"
cp /etc/resolv.conf "$root/build/etc/"
cp /etc/resolv.conf "$root/image/etc/"

inside build sh -c 'apt-get update && apt-get install --yes --no-install-recommends python3-venv ca-certificates'
cp /etc/ssl/certs/ca-certificates.crt "$root/build/etc/ssl/certs/" # this machine's network may have its own
[ ! -f /etc/pip.conf ] || cp /etc/pip.conf "$root/build/etc/"
mkdir "$root/build/source"
git archive HEAD | tar -x -C "$root/build/source"
inside build python3 -m venv --without-pip /opt/oryn
inside build python3 -m venv /opt/pip
inside build /opt/pip/bin/pip --python /opt/oryn/bin/python install --no-cache-dir --no-compile '/source[embedded]'

inside image sh -c "apt-get update && apt-get install --yes --no-install-recommends $packages"
slim "$root/image"
system=$(megabytes "$root/image")
cp -a "$root/build/opt/oryn" "$root/image/opt/oryn"
whole=$(megabytes "$root/image")
archive=$(tar -c --one-file-system -C "$root/image" . | gzip | wc -c)
echo "base $base MB, packages $((system - base)) MB, Oryn $((whole - system)) MB: $whole MB, gzipped $((archive / 1000000)) MB" >&3

[ -c "$root/image/dev/null" ] || mknod -m 666 "$root/image/dev/null" c 1 3
[ -c "$root/image/dev/urandom" ] || mknod -m 666 "$root/image/dev/urandom" c 1 9
mkdir -m 700 "$root/image/data"
mount --bind /proc "$root/image/proc"
page='data:text/html,<title>Small</title><button>Go</button>'
printf 'goto %s\nobserve\nexit\n' "$page" | inside image ORYN_HOME=/data /opt/oryn/bin/oryn embedded | tee "$root/answer"
grep -q 'button "Go"' "$root/answer"
