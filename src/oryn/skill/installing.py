"""Files of assistants, read and written: nothing in them is lost, and nothing is overwritten that nobody asked for."""

from __future__ import annotations

import difflib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from oryn.errors import FileError
from oryn.records import Record
from oryn.skill import json_document, toml_document
from oryn.skill.assistant import Assistant

DOCUMENTS: dict[str, Any] = {"json": json_document, "toml": toml_document}
"""By format, what reads it and puts entries into it."""


class Change(Record):
    """What a file would say, and says now (None: there is none)."""

    file: Path
    before: str | None
    after: str

    @property
    def needed(self) -> bool:
        return self.before != self.after

    def difference(self) -> str:
        """The change as a unified diff."""
        name = str(self.file)
        old, new = ((text or "").splitlines(keepends=True) for text in (self.before, self.after))
        lines = difflib.unified_diff(old, new, name if self.before is not None else os.devnull, name)
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)

    def write(self) -> None:
        """Replace the file at once; a link stays a link, a mode stays what it was. A new file is the owner's alone, for
        other servers' entries may come to have secrets in them. Raises `FileError`."""
        file = Path(os.path.realpath(self.file))
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            mode = file.stat().st_mode & 0o777 if self.before is not None else 0o600
            # Made for the owner alone, which the name of a new file in a folder of others must be.
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


def change_of_configuration(assistant: Assistant, file: Path, command: Sequence[str], *, replace: bool) -> Change:
    """The assistant's file with the server in it. Raises `FileError`: the file can't be read, is malformed, has the
    server in another way (without `replace`), or is written in a way that can't be added to without loss."""
    document = DOCUMENTS[assistant.format]
    text = _text(file)
    marked = "\ufeff" if (text or "").startswith("\ufeff") else ""
    plain = (text or "").removeprefix(marked)
    place, entry = assistant.keys, assistant.made(list(command))
    try:
        data = document.read(plain)
        there = entry_at(data, place)
    except (ValueError, RecursionError) as error:
        raise FileError(
            f"{file} is no good {assistant.format.upper()}: {error}", "Mend it; it was left as it is."
        ) from error
    if there == entry:
        return Change(file, text, text or "")
    if there is not None and not replace:
        raise FileError(f"{file} has {'.'.join(place)} already, as something else", "--replace puts this in its place.")
    try:
        after = document.with_entry(plain, place, entry)
        whole = _with(data, place, entry)
        safe = document.read(after) == whole
    except ValueError:
        safe = False
    if not safe:
        raise FileError(f"can't add to {file} without touching the rest", "Put the entry in by hand; --for prints it.")
    return Change(file, text, marked + after)


def change_of_skill(file: Path, skill: str, *, replace: bool) -> Change:
    """Raises `FileError`: there is another text, without `replace`."""
    text = _text(file)
    if text not in (None, skill) and not replace:
        raise FileError(f"{file} is there already, and says something else", "--replace puts this in its place.")
    return Change(file, text, skill)


def _text(file: Path) -> str | None:
    try:
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise FileError(f"{file} is no text", "Mend it; it was left as it is.") from error
    except OSError as error:
        raise FileError(f"can't read {file}: {error.strerror}") from error


def entry_at(data: Any, place: Sequence[str]) -> Any:
    """What a document has at a place, or None. Raises `ValueError` where something else is on the way there."""
    for name in place:
        if not isinstance(data, dict):
            raise ValueError(f"an object was expected around {name!r}")
        data = data.get(name)
        if data is None:
            return None
    return data


def _with(data: dict[str, Any], place: Sequence[str], entry: Any) -> dict[str, Any]:
    first, *rest = place
    return {**data, first: _with(data.get(first) or {}, rest, entry) if rest else entry}
