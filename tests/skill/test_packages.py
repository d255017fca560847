"""What registries and assistants read of Oryn is made of the package's metadata, in the formats that they document."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from typing import Any

import pytest

from oryn import DISTRIBUTION, __version__
from scripts.assistants import PLUGIN, PROJECT, SERVER_NAME, files

FILES = files()


def read(name: str) -> Any:
    return json.loads(FILES[name])


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_as_generated(name: str) -> None:
    """Else: python -m scripts.assistants"""
    assert (PROJECT / name).read_text("utf-8") == FILES[name]


def test_the_registrys_description() -> None:
    """https://modelcontextprotocol.io/registry/package-types, and the limits of its schema."""
    server = read("server.json")
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", server["name"]) and server["name"] == SERVER_NAME
    assert 1 <= len(server["description"]) <= 100
    assert server["version"] == __version__ and re.fullmatch(r"\d+\.\d+\.\d+", server["version"])
    (package,) = server["packages"]
    assert {"registryType", "identifier", "version", "transport"} <= set(package)
    assert (package["registryType"], package["identifier"]) == ("pypi", DISTRIBUTION)
    assert package["transport"] == {"type": "stdio"}
    for argument in (*package["runtimeArguments"], *package["packageArguments"]):
        assert argument["type"] in ("named", "positional") and "value" in argument
        assert ("name" in argument) is (argument["type"] == "named")
    # The registry looks for this in the package's description on PyPI.
    assert f"<!-- mcp-name: {SERVER_NAME} -->" in (PROJECT / "README.md").read_text("utf-8")


def test_the_program_that_a_client_starts_by_the_packages_name_is_there() -> None:
    """`uvx --with … oryn-browser mcp` runs the program that is called like the package."""
    declared = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    assert declared["scripts"][DISTRIBUTION] == declared["scripts"]["oryn"]
    assert "mcp" in declared["optional-dependencies"]


def test_the_plugin_of_claude_code() -> None:
    """https://code.claude.com/docs/en/plugins-reference: the manifest is in `.claude-plugin`, all else beside it."""
    marketplace, plugin = read(".claude-plugin/marketplace.json"), read(f"{PLUGIN}/.claude-plugin/plugin.json")
    (entry,) = marketplace["plugins"]
    assert {"name", "owner", "plugins"} <= set(marketplace) and marketplace["owner"]["name"]
    assert entry["name"] == plugin["name"] == "oryn" and entry["source"].startswith("./")
    folder = PROJECT / entry["source"]
    assert (folder / ".claude-plugin" / "plugin.json").is_file()
    assert {each.name for each in (folder / ".claude-plugin").iterdir()} == {"plugin.json"}
    assert plugin["version"] == __version__
    servers = read(f"{PLUGIN}/.mcp.json")["mcpServers"]
    assert servers["oryn"]["command"] == "oryn"
    head = FILES[f"{PLUGIN}/skills/oryn/SKILL.md"].split("---\n")[1]
    assert "name: oryn\n" in head and "description: " in head


def test_no_part_of_it_is_ignored_by_git() -> None:
    ended = subprocess.run(["git", "check-ignore", *FILES], cwd=PROJECT, capture_output=True, text=True)
    assert ended.stdout == ""
