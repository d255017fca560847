"""What an assistant needs to use Oryn: a skill (a short text that teaches a model the language), and the configuration
that starts `oryn mcp`, for each well-known assistant where its own documentation puts it.

The text is `SKILL.md` (https://agentskills.io/specification), the places are `assistants.json`."""

from __future__ import annotations

from importlib.resources import files

from oryn.skill.assistant import PLATFORMS, Assistant, Here, assistants
from oryn.skill.installing import Change, change_of_configuration, change_of_skill

__all__ = [
    "PLATFORMS",
    "Assistant",
    "Change",
    "Here",
    "assistants",
    "change_of_configuration",
    "change_of_skill",
    "skill_text",
]


def skill_text() -> str:
    """`SKILL.md`."""
    return files("oryn.skill").joinpath("SKILL.md").read_text("utf-8")
