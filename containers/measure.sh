#!/usr/bin/env bash
# The size of the images that the Containerfiles make, and the time from the start to the first answer, without a
# container engine: their commands run in a root that debootstrap makes. The base is Debian with its own Python, which is
# what python:slim has, give or take a few megabytes.
# `install` times README's lines in such a root instead, with packages that are at hand: pip, the browser, a page.
# usage: containers/measure.sh [headless|daemon|research|embedded|install]…     all by default; prints a line for each
#        as root, on Debian, with debootstrap; needs 4 GB in $TMPDIR
set -euo pipefail
cd "$(dirname "$0")/.."
top=$(mktemp -d)
exec 3>&1 >"$top/log" 2>&1

finish() {
    local code=$?
    [ "$code" -eq 0 ] || tail -n 20 "$top/log" >&3
    mount | awk -v "top=$top/" 'index($3, top) == 1 {print $3}' | xargs -r umount
    rm -rf --one-file-system "$top"
}
trap finish EXIT

megabytes() { du -sm --apparent-size --one-file-system "$@" | tail -1 | cut -f1; }
# slim ROOT: without what Debian's slim images leave out, and what the Containerfiles remove.
slim() { rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/{*.bin,archives/*.deb} "$1"/usr/share/{doc,man,locale,info}/*; }
# inside ROOT COMMAND…
inside() {
    chroot "$top/$1" /usr/bin/env -i PATH=/opt/oryn/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        DEBIAN_FRONTEND=noninteractive "${@:2}"
}
# packages CONTAINERFILE: what the final stage installs.
packages() { sed -n '/^FROM/h; /^FROM/!H; ${x; p}' "$1" | tr -d '\\\n' | grep -o 'no-install-recommends [^&]*' | cut -d' ' -f2-; }

base_root() {
    debootstrap --variant=minbase --include=python3,ca-certificates bookworm "$top/base" \
        "${MIRROR:-http://deb.debian.org/debian}"
    slim "$top/base"
    cp /etc/resolv.conf "$top/base/etc/"
    cp /etc/ssl/certs/ca-certificates.crt "$top/base/etc/ssl/certs/" # this machine's network may have its own
    cp -a "$top/base" "$top/build"
    [ ! -f /etc/pip.conf ] || cp /etc/pip.conf "$top/build/etc/"
    inside build sh -c 'apt-get update && apt-get install --yes --no-install-recommends python3-venv'
    inside build python3 -m venv /opt/pip
    mkdir "$top/build/source"
    git archive HEAD | tar -x -C "$top/build/source"
}

# image NAME EXTRAS CONTAINERFILE: make the root, and print its size.
image() {
    local extras=${2:+[$2]} system whole archive
    cp -a "$top/base" "$top/$1"
    # shellcheck disable=SC2046
    inside "$1" sh -c "apt-get update && apt-get install --yes --no-install-recommends $(packages "$3")"
    slim "$top/$1"
    system=$(megabytes "$top/$1")
    rm -rf "$top/build/opt/oryn"
    inside build python3 -m venv --without-pip /opt/oryn
    inside build /opt/pip/bin/pip --python /opt/oryn/bin/python install --no-cache-dir --no-compile "/source$extras"
    cp -a "$top/build/opt/oryn" "$top/$1/opt/oryn"
    whole=$(megabytes "$top/$1")
    archive=$(tar -c --one-file-system -C "$top/$1" . | gzip | wc -c)
    printf '%s: base %s MB, browser and packages %s MB, Oryn %s MB; %s MB, gzipped %s MB; ' "$1" "$base" \
        $((system - base)) $((whole - system)) "$whole" $((archive / 1000000)) >&3

    [ -c "$top/$1/dev/null" ] || mknod -m 666 "$top/$1/dev/null" c 1 3
    [ -c "$top/$1/dev/urandom" ] || mknod -m 666 "$top/$1/dev/urandom" c 1 9
    mkdir -m 700 "$top/$1/data"
    mkdir -p "$top/$1/dev/shm"
    mount -t proc proc "$top/$1/proc"
    mount -t tmpfs tmpfs "$top/$1/dev/shm"
}

page='data:text/html,<title>Small</title><button>Go</button>'

# first_answers NAME COMMAND…: the seconds from the start to the first page's answer, three times; the first compiles.
first_answers() {
    printf 'first answer after' >&3
    for _ in 1 2 3; do
        inside "$1" ORYN_HOME=/data ${ORYN_BROWSER:+"ORYN_BROWSER=$ORYN_BROWSER"} "${@:2}" | tee "$top/answer"
        grep -q '^ok goto' "$top/answer"
        printf ' %s' "$(tail -1 "$top/answer")" >&3
    done
    printf ' s\n' >&3
}

# A program that runs `oryn MODE`, asks for a page, and prints the answer and the seconds.
lines='
import subprocess, sys, time
begin = time.monotonic()
engine = subprocess.Popen(["oryn", sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
engine.stdin.write(f"goto {sys.argv[2]}\n")
engine.stdin.flush()
print(next(line.strip() for line in engine.stdout if line.startswith(("ok", "error"))))
seconds = time.monotonic() - begin
engine.communicate("exit\n")
print(f"{seconds:.2f}")
'
# A program that starts the daemon as its container does, and asks for a page by HTTP.
http='
import json, os, subprocess, sys, time, urllib.request
begin = time.monotonic()
daemon = subprocess.Popen(["start-daemon"], env={**os.environ, "ORYN_TOKEN": "t" * 32})
body = json.dumps({"action": "goto", "args": {"url": sys.argv[1]}}).encode()
head = {"Authorization": "Bearer " + "t" * 32, "Content-Type": "application/json"}
while True:
    try:
        answer = urllib.request.urlopen(urllib.request.Request("http://127.0.0.1:7720/command", body, head)).read()
        break
    except ConnectionRefusedError: pass
    except OSError as error:
        if "refused" not in str(error): raise
    time.sleep(0.01)
seconds = time.monotonic() - begin
print("ok goto" if json.loads(answer)["ok"] else answer)
daemon.terminate()
daemon.wait()
print(f"{seconds:.2f}")
'

# install_lines: the seconds of each of README's lines, without the network's.
install_lines() {
    local began total=0 seconds
    inside build /opt/pip/bin/pip wheel --no-deps --wheel-dir /wheels /source
    inside build sh -c '/opt/pip/bin/pip wheel --wheel-dir /wheels "$(echo /wheels/oryn_browser-*.whl)[all]"'
    cp -a "$top/base" "$top/install"
    cp -a "$top/build/wheels" "$top/install/wheels"
    inside install sh -c 'apt-get update && apt-get install --yes --no-install-recommends python3-venv'
    inside install apt-get install --yes --no-install-recommends --download-only chromium
    printf 'install:' >&3
    local step=(
        "python3 -m venv /root/oryn && /root/oryn/bin/pip install --no-index --find-links /wheels 'oryn-browser[all]'"
        "/root/oryn/bin/oryn install-browser"
        "/root/oryn/bin/oryn goto '$page'"
    )
    mount -t proc proc "$top/install/proc"
    mkdir -p "$top/install/dev/shm"
    mount -t tmpfs tmpfs "$top/install/dev/shm"
    for line in "${step[@]}"; do
        began=$(date +%s%3N)
        inside install sh -c "$line" | tee "$top/answer"
        seconds=$(($(date +%s%3N) - began))
        total=$((total + seconds))
        printf ' %s.%s' $((seconds / 1000)) $((seconds % 1000 / 100)) >&3
    done
    grep -q '^ok goto' "$top/answer"
    inside install /root/oryn/bin/oryn daemon stop
    printf '; together %s s\n' $((total / 1000)) >&3
}

measure() {
    local ORYN_BROWSER=/usr/bin/chromium-headless-shell
    case $1 in
    headless)
        image headless '' containers/headless/Containerfile
        first_answers headless python3 -c "$lines" headless "$page"
        ;;
    daemon | research)
        local extras=daemon,mcp,encryption
        [ "$1" = daemon ] || extras+=,research
        image "$1" "$extras" containers/daemon/Containerfile
        install -m 755 containers/daemon/start.sh "$top/$1/opt/oryn/bin/start-daemon"
        first_answers "$1" python3 -c "$http" "$page"
        ;;
    embedded)
        ORYN_BROWSER=
        image embedded embedded containers/embedded/Containerfile
        first_answers embedded python3 -c "$lines" embedded "$page"
        ;;
    install) install_lines ;;
    *) echo "unknown image: $1" >&2 && exit 2 ;;
    esac
}

base_root
base=$(megabytes "$top/base")
[ $# -gt 0 ] || set -- headless daemon research embedded install
for name in "$@"; do
    measure "$name"
    umount "$top/$name/proc" "$top/$name/dev/shm"
    rm -rf --one-file-system "${top:?}/$name"
done
