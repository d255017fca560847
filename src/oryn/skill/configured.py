"""The servers called `oryn` that assistants have in their files, of the user and of the project in this folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from oryn.records import Record
from oryn.skill.assistant import Assistant, Here, assistants
from oryn.skill.installing import DOCUMENTS, entry_at


class Configured(Record):
    """One assistant's server: the command that starts it, empty where it is reached over HTTP; or `problem`, which says
    what is wrong with the file."""

    assistant: Assistant
    file: Path
    is_project: bool
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = {}
    problem: str = ""


def configured(here: Here | None = None) -> Iterator[Configured]:
    """Every one there is, here. Files that have none, or are not there, are passed over."""
    here = here or Here.now()
    for assistant in assistants().values():
        for is_project in (False, True):
            place = assistant.place_of(here.platform, project=is_project)
            if place and (found := _read(assistant, here.path(place), is_project)):
                yield found


def _read(assistant: Assistant, file: Path, is_project: bool) -> Configured | None:
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        return Configured(assistant, file, is_project, problem=f"can't be read: {error}")
    try:
        entry = entry_at(DOCUMENTS[assistant.format].read(text), assistant.keys)
    except (ValueError, RecursionError) as error:
        return Configured(assistant, file, is_project, problem=f"is no good {assistant.format.upper()}: {error}")
    if entry is None:
        return None
    if not isinstance(entry, dict):
        return Configured(assistant, file, is_project, problem="has something else than a server called oryn")
    environment = entry.get("env") or entry.get("environment") or {}
    variables = {str(name): str(value) for name, value in environment.items()} if isinstance(environment, dict) else {}
    return Configured(assistant, file, is_project, _command(entry), variables)


def _command(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """The program with its words: in one list, or apart."""
    command, words = entry.get("command"), entry.get("args")
    first = command if isinstance(command, list) else [command] if command else []
    return tuple(map(str, [*first, *(words if isinstance(words, list) else [])]))
