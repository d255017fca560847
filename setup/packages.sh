# Sourced by the other set-up scripts: Debian's packages, and what to say where there are none.

say() { printf 'setup: %s\n' "$*" >&2; }

# install_packages NAME…: with apt-get, as root or with sudo. Fails where that is impossible.
install_packages() {
    command -v apt-get >/dev/null || return 1
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || return 1
        as_root=(sudo)
    fi
    say "installing $*"
    "${as_root[@]+"${as_root[@]}"}" apt-get update -qq >&2 &&
        "${as_root[@]+"${as_root[@]}"}" env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends "$@" >&2
}
