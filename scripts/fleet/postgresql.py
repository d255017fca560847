"""A private PostgreSQL server in a temporary folder, for tests, the demo and benchmarks.

`python -m scripts.fleet.postgresql` starts one, prints the URL of its records, and ends it at the end of its input.
PostgreSQL refuses to run as root, so root runs it as another user of the system."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from scripts.ports import free_port

USERS = ("postgres", "nobody")
"""Who runs the server if this process is root's, the first that the system has."""
START_SECONDS = 30.0
ROLE = "oryn"


def find_programs() -> Path | None:
    """The folder of PostgreSQL's server programs; None if it is not installed."""
    if (found := shutil.which("initdb")) is not None:
        return Path(found).resolve().parent
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda each: float(each.parts[-3]))
    return installed[-1].parent if installed else None


class PostgresServer:
    """A server with data of its own, at a free port of loopback. `options` are settings of `postgresql.conf`.

    As a context manager it starts, and is removed with its data at the end."""

    def __init__(self, port: int = 0, **options: str) -> None:
        programs = find_programs()
        if programs is None:
            raise FileNotFoundError("PostgreSQL is not installed: setup/postgresql.sh does it")
        self._programs = programs
        self._user = self._group = None
        # Not in a folder of the caller's: another user has to reach it.
        self.folder = Path(tempfile.mkdtemp(prefix="oryn-pg-"))
        if os.name == "posix" and os.geteuid() == 0:
            entry = next(pwd.getpwnam(name) for name in USERS if _has_user(name))
            self._user, self._group = entry.pw_uid, entry.pw_gid
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
        self.port = port or free_port()
        self._data = self.folder / "data"
        self.log = self.folder / "log"
        self._options = {
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": str(self.folder),
            "port": str(self.port),
            **options,
        }

    @property
    def url(self) -> str:
        """The URL of the database `oryn`, as the setting `records` has it."""
        return self.url_of("oryn")

    def url_of(self, database: str) -> str:
        """The URL of a database of this server."""
        return f"postgresql://{ROLE}@127.0.0.1:{self.port}/{database}"

    def __enter__(self) -> Self:
        try:
            self.create()
            self.start()
            self.create_database("oryn")
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.remove()

    def create(self) -> None:
        """Make the server's data: one role, which needs no password."""
        self._run("initdb", "-D", self._data, "-U", ROLE, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")

    def start(self) -> None:
        """Start the server; returns when it takes connections."""
        options = " ".join(f"-c {name}={value}" for name, value in self._options.items())
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                self._run(
                    "pg_ctl", "start", "-w", "-t", str(int(START_SECONDS)), *self._place, "-l", self.log, "-o", options
                )
                return
            except subprocess.CalledProcessError:
                # After `kill`, processes of the former server end a moment later.
                if time.monotonic() > end:
                    raise

    def stop(self) -> None:
        """Stop the server: connections are closed, what was committed stays."""
        self._run("pg_ctl", "stop", "-w", "-m", "fast", *self._place)

    def restart(self) -> None:
        """Stop the server, and start it again at the same port."""
        self.stop()
        self.start()

    def kill(self) -> None:
        """End the server as a crash does."""
        os.kill(self._postmaster, signal.SIGKILL)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Keep connections open and answer nothing while the block runs, as a computer that hangs."""
        parent = self._postmaster
        os.kill(parent, signal.SIGSTOP)  # it starts no further ones
        children = [int(each) for each in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
        for child in children:
            os.kill(child, signal.SIGSTOP)
        try:
            yield
        finally:
            for process in (*children, parent):
                os.kill(process, signal.SIGCONT)

    def set(self, name: str, value: str) -> None:
        """Change a setting of the running server for new transactions, such as `default_transaction_read_only`."""
        self.query(f"ALTER SYSTEM SET {name} = '{value}'", database="postgres")
        self.query("SELECT pg_reload_conf()", database="postgres")

    def create_database(self, name: str) -> str:
        """Make a database; returns its URL."""
        self.query(f'CREATE DATABASE "{name}"', database="postgres")
        return self.url_of(name)

    def query(self, statement: str, database: str = "oryn") -> str:
        """Run a statement; returns its rows as `psql` prints them without headings."""
        connection = ("-h", "127.0.0.1", "-p", str(self.port), "-U", ROLE, "-d", database)
        return self._run("psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", *connection, "-c", statement).strip()

    def remove(self) -> None:
        """End the server if it runs, and remove its data."""
        if (self._data / "postmaster.pid").exists():
            try:
                self._run("pg_ctl", "stop", "-w", "-m", "immediate", *self._place)
            except subprocess.CalledProcessError:
                pass  # it has crashed
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def _postmaster(self) -> int:
        return int((self._data / "postmaster.pid").read_text().split("\n")[0])

    @property
    def _place(self) -> tuple[str, Path]:
        return "-D", self._data

    def _run(self, program: str, *arguments: str | Path) -> str:
        """Run one of PostgreSQL's programs as the server's user; returns its output. What it starts in the background
        must not keep a pipe open, so the output is a file's."""
        whose: dict[str, Any] = {}
        if self._user is not None:
            whose = {"user": self._user, "group": self._group, "extra_groups": []}
        with tempfile.TemporaryFile("w+") as output:
            ended = subprocess.run(
                [self._programs / program, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "HOME": str(self.folder)},
                **whose,
            )
            output.seek(0)
            text = output.read()
        if ended.returncode:
            raise subprocess.CalledProcessError(ended.returncode, [program, *map(str, arguments)], text)
        return text


def _has_user(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def main() -> None:
    with PostgresServer() as server:
        print(server.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
