"""`TokenFile`: the tokens in a JSON or TOML file, which may be a mounted secret (docs/access.md#the-file-of-tokens).

A file that was changed or replaced is read again with the next request; a file that can't be read has no tokens."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from oryn.daemon.access.tokens import Token, parse_token, token_data
from oryn.errors import ConfigurationError
from oryn.system.locks import locked
from oryn.system.paths import private_folder, write_private

VERSION = 1
_MAX_BYTES = 1_000_000


class TokenFile:
    """A `TokenStore` in a file; without the file there are no tokens. A file called `*.toml` is only read."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._read: tuple[int, ...] | None = None
        self._tokens: Sequence[Token] = ()
        self._by_hash: dict[str, Token] = {}
        self._problem: tuple[str, str | None] | None = None
        """The message and the hint of the error, if the file could not be read."""

    async def find(self, sha256: str) -> Token | None:
        self._refresh()
        return self._by_hash.get(sha256)

    async def named(self, name: str) -> Token | None:
        return next((each for each in self.all() if each.name == name), None)

    def all(self) -> Sequence[Token]:
        self._refresh()
        return self._tokens

    def put(self, token: Token) -> None:
        self._change(lambda tokens: [*(each for each in tokens if each.name != token.name), token])

    def revoke(self, name: str) -> bool:
        before = len(self.all())
        self._change(lambda tokens: [each for each in tokens if each.name != name])
        return len(self._tokens) < before

    def _change(self, changed: Callable[[Sequence[Token]], Iterable[Token]]) -> None:
        if self.file.suffix == ".toml":
            raise ConfigurationError(f"{self.file} is yours to edit", "Oryn changes only JSON files of tokens.")
        try:
            with locked(private_folder(self.file.parent) / f".{self.file.name}.lock"):
                data = {"version": VERSION, "tokens": [token_data(each) for each in changed(self.all())]}
                write_private(self.file, json.dumps(data, indent=1) + "\n")
        except OSError as error:
            raise ConfigurationError(
                f"the tokens can't be written: {self.file}: {error.strerror}",
                "Change a mounted secret where it comes from.",
            ) from error
        self._refresh()

    def _refresh(self) -> None:
        """Read the file if it has changed. Raises `ConfigurationError`."""
        try:
            status = os.stat(self.file)
        except (FileNotFoundError, NotADirectoryError):
            self._read, self._problem = None, None
            self._set(())
            return
        except OSError as error:
            raise ConfigurationError(f"can't read {self.file}: {error.strerror}", "Correct its access.") from error
        signature = (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size)
        if signature != self._read:
            self._read, self._problem = signature, None
            self._set(())
            try:
                self._set(_read(self.file, status))
            except ConfigurationError as error:
                self._problem = error.message, error.hint
        if self._problem is not None:
            raise ConfigurationError(*self._problem)

    def _set(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._by_hash = {each.sha256: each for each in tokens}


def _read(file: Path, status: os.stat_result) -> Sequence[Token]:
    """The tokens of a file. Raises `ConfigurationError`, which names the place of a mistake."""
    if hasattr(os, "getuid") and (status.st_uid not in (os.getuid(), 0) or status.st_mode & 0o022):
        raise ConfigurationError(
            f"other users can write {file}, which says who may use the daemon", f"chmod go-w {file}, and own it."
        )
    try:
        content = file.read_bytes()
        if len(content) > _MAX_BYTES:
            raise ValueError(f"it is larger than {_MAX_BYTES:,} bytes")
        if file.suffix == ".toml":
            import tomllib

            return _parse(tomllib.loads(content.decode()))
        return _parse(json.loads(content))
    except OSError as error:
        raise ConfigurationError(f"can't read {file}: {error.strerror}", "Correct its access.") from error
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(
            f"can't read {file}: {error}", "Correct the file: until then it has no tokens."
        ) from error


def _parse(data: Any) -> list[Token]:
    entries = data.get("tokens") if isinstance(data, dict) else None
    if not isinstance(entries, list) or data.get("version", VERSION) != VERSION:
        raise ValueError(f"it must be {{version: {VERSION}, tokens: [...]}}")
    found: list[Token] = []
    for number, entry in enumerate(entries):
        try:
            token = parse_token(entry)
        except ValueError as error:
            raise ValueError(f"tokens[{number}]: {error}") from None
        if any(each.name == token.name or each.sha256 == token.sha256 for each in found):
            raise ValueError(f"tokens[{number}]: another entry has its name or its sha256")
        found.append(token)
    return found
