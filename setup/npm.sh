# Sourced by the set-up scripts that need Node, in the project's folder, after packages.sh.

node_fits() { node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 18 ? 1 : 0)' 2>/dev/null && command -v npm >/dev/null; }

# Install Node and npm if they are missing or too old.
ensure_node() {
    node_fits && return
    case "$(uname -s)" in
        Linux) install_packages nodejs npm || true ;;
        Darwin) command -v brew >/dev/null && brew install --quiet node >&2 || true ;;
    esac
    node_fits || { say "Node 18 or newer with npm is needed: https://nodejs.org/"; exit 1; }
}

# npm_packages FOLDER: the packages of its lock file, of which npm keeps a copy beside what it has installed.
npm_packages() {
    [ "$1/node_modules/.package-lock.json" -nt "$1/package-lock.json" ] && return
    say "installing the packages of $1"
    npm ci --prefix "$1" --no-fund --no-audit --loglevel=error >&2
    touch "$1/node_modules/.package-lock.json"
}
