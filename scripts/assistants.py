"""Writes what registries and assistants read of Oryn: `server.json` of the MCP registry, and a plugin of Claude Code
with the marketplace that lists it. `python -m scripts.assistants`; a test compares them.

https://modelcontextprotocol.io/registry/package-types
https://code.claude.com/docs/en/plugins-reference, https://code.claude.com/docs/en/plugin-marketplaces"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from oryn import DISTRIBUTION, __version__
from oryn.skill import skill_text

PROJECT = Path(__file__).parents[1]
SERVER_NAME = "io.github.oryn-browser/oryn"
"""The name in the registry. The README has it too, by which the registry knows that the package on PyPI is ours."""
SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
PLUGIN = "packaging/claude-code"

_ABOUT = "Drive a real browser: open pages, click, type, fill in forms, read, take screenshots."


def files() -> Mapping[str, str]:
    """Return each file's text by its path in the project."""
    about = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    return {
        "server.json": _json(_server(about)),
        ".claude-plugin/marketplace.json": _json(_marketplace()),
        f"{PLUGIN}/.claude-plugin/plugin.json": _json(_plugin(about)),
        f"{PLUGIN}/.mcp.json": _json({"mcpServers": {"oryn": {"command": "oryn", "args": ["mcp"]}}}),
        f"{PLUGIN}/skills/oryn/SKILL.md": skill_text(),
    }


def _server(about: Mapping[str, Any]) -> dict[str, Any]:
    """Describe the server, which `uvx --with 'oryn-browser[mcp]' oryn-browser mcp` starts."""
    urls = about["urls"]
    return {
        "$schema": SCHEMA,
        "name": SERVER_NAME,
        "title": "Oryn",
        "description": _ABOUT,
        "version": __version__,
        "websiteUrl": urls["Documentation"],
        "repository": {"url": urls["Source"], "source": "github"},
        "packages": [
            {
                "registryType": "pypi",
                "identifier": DISTRIBUTION,
                "version": __version__,
                "runtimeHint": "uvx",
                "runtimeArguments": [
                    {"type": "named", "name": "--with", "value": f"{DISTRIBUTION}[mcp]=={__version__}"}
                ],
                "packageArguments": [{"type": "positional", "value": "mcp"}],
                "transport": {"type": "stdio"},
                "environmentVariables": [
                    {
                        "name": "ORYN_HOME",
                        "description": "Folder for sessions, settings and files",
                        "format": "filepath",
                    }
                ],
            }
        ],
    }


def _marketplace() -> dict[str, Any]:
    return {
        "name": "oryn",
        "owner": {"name": "The Oryn authors"},
        "plugins": [{"name": "oryn", "source": f"./{PLUGIN}", "description": _ABOUT}],
    }


def _plugin(about: Mapping[str, Any]) -> dict[str, Any]:
    urls = about["urls"]
    return {
        "name": "oryn",
        "version": __version__,
        "description": _ABOUT,
        "author": {"name": about["authors"][0]["name"], "url": urls["Source"]},
        "homepage": urls["Documentation"],
        "repository": urls["Source"],
        "license": about["license"],
        "keywords": about["keywords"],
    }


def _json(data: object) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for name, text in files().items():
        path = PROJECT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
