# Sourced by the other set-up scripts, in the project's folder: the system's packages, and what to say where there are none.

say() { printf 'setup: %s\n' "$*" >&2; }

# install_packages NAME…: packages of these names in Debian, with the first package manager of the product's list that is
# there, as root or with sudo. Fails where that is impossible.
install_packages() {
    local program refresh install names each as_root=() wanted=()
    while IFS='|' read -r program refresh install names; do
        program=${program// /}
        case $program in '#'* | '') continue ;; esac
        command -v "$program" >/dev/null && break
        program=
    done < src/oryn/system/package_managers.txt
    [ -n "$program" ] || return 1
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || return 1
        as_root=(sudo)
    fi
    for each in "$@"; do
        case " $names " in *" $each="*) each=${names#*"$each="} each=${each%% *} ;; esac
        wanted+=("$each")
    done
    say "installing ${wanted[*]}"
    # shellcheck disable=SC2086
    { [ -z "${refresh// /}" ] || "${as_root[@]+"${as_root[@]}"}" "$program" $refresh >&2; } &&
        "${as_root[@]+"${as_root[@]}"}" env DEBIAN_FRONTEND=noninteractive "$program" $install "${wanted[@]}" >&2
}
