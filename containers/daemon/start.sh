#!/bin/sh
# Start the daemon of a container: on all of its addresses, and for as long as the container runs.
# The token comes from ORYN_TOKEN or, better, a secret in the file ORYN_TOKEN_FILE. The password of the database of the
# records may be in the file ORYN_RECORDS_PASSWORD_FILE, which the client of PostgreSQL can't read as it is.
set -eu
umask 077
if [ -n "${ORYN_TOKEN_FILE:-}" ]; then
    ORYN_TOKEN=$(cat "$ORYN_TOKEN_FILE")
fi
if [ -n "${ORYN_TOKEN:-}" ]; then
    folder=${ORYN_HOME:?}/data/daemon
    mkdir -p "$folder" 2>/dev/null || exec oryn doctor --only folders # which says what is wrong with the volume
    printf '%s\n' "$ORYN_TOKEN" > "$folder/token"
fi
if [ -n "${ORYN_RECORDS_PASSWORD_FILE:-}" ]; then
    # https://www.postgresql.org/docs/current/libpq-pgpass.html
    PGPASSFILE=${ORYN_HOME:?}/config/pgpass
    mkdir -p "${PGPASSFILE%/*}" 2>/dev/null || exec oryn doctor --only folders
    printf '*:*:*:*:%s\n' "$(sed 's/[\\:]/\\&/g' "$ORYN_RECORDS_PASSWORD_FILE")" > "$PGPASSFILE"
    export PGPASSFILE
fi
unset ORYN_TOKEN  # the file's name stays: no command opens that file
exec oryn daemon serve --listen "${ORYN_LISTEN:-0.0.0.0}" --port "${ORYN_PORT:-7720}" --idle-stop "${ORYN_IDLE_STOP:-1439m}" "$@"
