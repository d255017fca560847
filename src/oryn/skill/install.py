"""Reads and updates the configuration files of assistants.

Their other content is preserved, and nothing is overwritten without `--replace`."""

from __future__ import annotations

import difflib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from oryn.core.records import Record
from oryn.errors import FileError
from oryn.skill import json_document, toml_document
from oryn.skill.assistant import Assistant

DOCUMENTS: dict[str, Any] = {"json": json_document, "toml": toml_document}
"""The modules that read a format and insert entries, by the format's name."""


class FileChange(Record):
    """The new and the current content of a file; the current one (`before`) is None if the file does not exist."""

    file: Path
    before: str | None
    after: str

    @property
    def is_needed(self) -> bool:
        """Whether the new content differs from the current one."""
        return self.before != self.after

    def difference(self) -> str:
        """The change as a unified diff."""
        name = str(self.file)
        old, new = ((text or "").splitlines(keepends=True) for text in (self.before, self.after))
        lines = difflib.unified_diff(old, new, name if self.before is not None else os.devnull, name)
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)

    def write(self) -> None:
        """Replace the file atomically; a link stays a link, and the mode is preserved.

        A new file is readable by the owner alone, as entries of other servers may contain secrets later. Raises
        `FileError`."""
        file = Path(os.path.realpath(self.file))
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            mode = file.stat().st_mode & 0o777 if self.before is not None else 0o600
            # mkstemp creates it for the owner alone, under a name that other users of the folder can't predict.
            descriptor, draft = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
            try:
                with os.fdopen(descriptor, "wb") as stream:
                    stream.write(self.after.encode("utf-8"))
                os.chmod(draft, mode)
                os.replace(draft, file)
            except BaseException:
                os.unlink(draft)
                raise
        except OSError as error:
            raise FileError(f"can't write {self.file}: {error.strerror}") from error


def configuration_change(assistant: Assistant, file: Path, command: Sequence[str], *, replace: bool) -> FileChange:
    """The change that adds the server to the assistant's file.

    Raises `FileError` if the file can't be read or is malformed. Also raises it if the file has a different entry for
    the server (unless `replace` is set), or can't be changed without loss."""
    document = DOCUMENTS[assistant.format]
    text = _read_text(file)
    marked = "\ufeff" if (text or "").startswith("\ufeff") else ""
    plain = (text or "").removeprefix(marked)
    place, entry = assistant.keys, assistant.server_entry(list(command))
    try:
        data = document.read(plain)
        there = entry_at(data, place)
    except (ValueError, RecursionError) as error:
        raise FileError(
            f"{file} is not valid {assistant.format.upper()}: {error}", "Correct the file; Oryn did not change it."
        ) from error
    if there == entry:
        return FileChange(file, text, text or "")
    if there is not None and not replace:
        raise FileError(f"{file} already has a different {'.'.join(place)}", "--replace replaces it.")
    try:
        after = document.with_entry(plain, place, entry)
        whole = _with_entry(data, place, entry)
        safe = document.read(after) == whole
    except ValueError:
        safe = False
    if not safe:
        raise FileError(f"can't add to {file} without touching the rest", "Put the entry in by hand; --for prints it.")
    return FileChange(file, text, marked + after)


def skill_change(file: Path, skill: str, *, replace: bool) -> FileChange:
    """The change that writes the skill. Raises `FileError` if the file has another text, unless `replace` is set."""
    text = _read_text(file)
    if text not in (None, skill) and not replace:
        raise FileError(f"{file} already exists with other content", "--replace replaces it.")
    return FileChange(file, text, skill)


def _read_text(file: Path) -> str | None:
    try:
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise FileError(f"{file} is not a text", "Correct the file; Oryn did not change it.") from error
    except OSError as error:
        raise FileError(f"can't read {file}: {error.strerror}") from error


def entry_at(data: Any, place: Sequence[str]) -> Any:
    """The value at a path of keys in a document, or None. Raises `ValueError` if a value on the path is not an
    object."""
    for name in place:
        if not isinstance(data, dict):
            raise ValueError(f"an object was expected around {name!r}")
        data = data.get(name)
        if data is None:
            return None
    return data


def _with_entry(data: dict[str, Any], place: Sequence[str], entry: Any) -> dict[str, Any]:
    first, *rest = place
    return {**data, first: _with_entry(data.get(first) or {}, rest, entry) if rest else entry}
