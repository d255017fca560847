#!/usr/bin/env bash
# The size of the image that the Containerfile makes, without a container engine: its commands run in a root that
# debootstrap makes, and a page is read there. The base has what debian:bookworm-slim has, give or take a megabyte.
# usage: containers/embedded/measure.sh      as root, on Debian, with debootstrap; needs 1 GB in $TMPDIR
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$(mktemp -d)
trap 'rm -rf --one-file-system "$root"' EXIT
mirror=${MIRROR:-http://deb.debian.org/debian}

# slim ROOT: what the slim images of Debian leave out, and what the Containerfile removes.
slim() { rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/{*.bin,archives/*.deb} "$1"/usr/share/{doc,man,locale,info}/*; }
megabytes() { du -sm --apparent-size --one-file-system "$@" | tail -1 | cut -f1; }
installed() { sed -n '/^FROM docker.io\/library\/debian:bookworm-slim$/,$s/^ *\(python3 wpe.*\) \\$/\1/p' containers/embedded/Containerfile; }

debootstrap --variant=minbase bookworm "$root/image" "$mirror" >"$root/log" 2>&1 || { tail "$root/log"; exit 1; }
slim "$root/image"
base=$(megabytes "$root/image")
cp -a "$root/image" "$root/build"
for each in build image; do cp /etc/resolv.conf "$root/$each/etc/"; done

inside() { chroot "$root/$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive HOME=/root "${@:2}"; }
{
    inside build sh -c 'apt-get update && apt-get install --yes --no-install-recommends python3-venv ca-certificates'
    mkdir "$root/build/source"
    git archive HEAD | tar -x -C "$root/build/source"
    inside build python3 -m venv --without-pip /opt/oryn
    inside build python3 -m venv /opt/pip
    for file in ${PIP_CONFIG_FILE:-} /etc/pip.conf; do [ ! -f "$file" ] || cp "$file" "$root/build/etc/pip.conf"; done
    inside build /opt/pip/bin/pip --python /opt/oryn/bin/python install --no-cache-dir --no-compile '/source[embedded]'
    # shellcheck disable=SC2046
    inside image sh -c "apt-get update && apt-get install --yes --no-install-recommends $(installed)"
} >>"$root/log" 2>&1 || { tail -20 "$root/log"; exit 1; }
slim "$root/image"
system=$(megabytes "$root/image")
cp -a "$root/build/opt/oryn" "$root/image/opt/oryn"
whole=$(megabytes "$root/image")
archive=$(tar -c --one-file-system -C "$root/image" . | gzip | wc -c)

mknod -m 666 "$root/image/dev/null" c 1 3 2>/dev/null || true
mknod -m 666 "$root/image/dev/urandom" c 1 9 2>/dev/null || true
mkdir -m 700 "$root/image/data"
mount --bind /proc "$root/image/proc" && trap 'umount "$root/image/proc"; rm -rf --one-file-system "$root"' EXIT
answer=$(printf 'goto data:text/html,<title>Small</title>\nexit\n' | inside image ORYN_HOME=/data /opt/oryn/bin/oryn embedded)
grep -q Small <<<"$answer" || { echo "$answer"; exit 1; }
echo "base $base MB  packages $((system - base)) MB  Oryn $((whole - system)) MB  together $whole MB, gzipped $((archive / 1000000)) MB"
