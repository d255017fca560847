"""What an assistant needs to use Oryn: a skill (a short text that teaches a model the language), and the configuration
that starts `oryn mcp`, in the file that the assistant's documentation names.

The text is `SKILL.md` (https://agentskills.io/specification), the files and folders are listed in `assistants.json`."""

from __future__ import annotations

from importlib.resources import files

from oryn.skill.assistant import PLATFORMS, Assistant, LocalMachine, assistants
from oryn.skill.install import FileChange, configuration_change, skill_change

__all__ = [
    "PLATFORMS",
    "Assistant",
    "FileChange",
    "LocalMachine",
    "assistants",
    "configuration_change",
    "skill_change",
    "skill_text",
]


def skill_text() -> str:
    """The text of `SKILL.md`."""
    return files("oryn.skill").joinpath("SKILL.md").read_text("utf-8")
