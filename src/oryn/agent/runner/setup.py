"""Prepares an agent run from the settings: model endpoint, limits, files, start tabs."""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.agent import RISKY
from oryn.captcha.api_key import resolve_api_key
from oryn.errors import ConfigurationError, InvalidValue
from oryn.language import VAULT_REFERENCE
from oryn.models.endpoint import ModelEndpoint, no_key
from oryn.models.responses import Prices
from oryn.system.paths import private_folder
from oryn.tools import line_of

if TYPE_CHECKING:
    from oryn.agent import BrowserTabProvider, SavedTools
    from oryn.engine import Session
    from oryn.models.endpoint import KeyProvider
    from oryn.settings import Configuration
    from oryn.system.paths import Paths

_OPENAI = "https://api.openai.com/v1"


def with_agent_defaults(configuration: Configuration, *, unasked: bool = False) -> Configuration:
    """Return the configuration with defaults for agents. `RISKY` commands need confirmation if `confirm` is unset,
    unless `unasked` is true. If `files_root` is unset, files are read and written in the agents' own folder."""
    chosen: dict[str, object] = {}
    if not unasked and configuration.origins["confirm"] == "default":
        chosen["confirm"] = list(RISKY)
    if configuration.settings.files_root is None:
        chosen["files_root"] = [str(private_folder(configuration.paths.agent_files))]
    return configuration.with_settings(chosen)


def transcript_folder(paths: Paths) -> Path:
    """Return the default folder of transcripts."""
    return paths.agent


def new_transcript(paths: Paths) -> Path:
    """Return a path for the transcript of a new run. Creates its folder."""
    stamp = time.strftime("%Y-%m-%d-%H%M%S", time.gmtime())
    return private_folder(transcript_folder(paths)) / f"{stamp}-{secrets.token_hex(3)}.jsonl"


def endpoint_of(configuration: Configuration, model: str | None = None) -> ModelEndpoint:
    """Return the endpoint of the settings, with their model or else `model`. Raises `ConfigurationError`,
    `InvalidValue`."""
    settings = configuration.settings
    name = settings.model or model
    if name is None:
        raise ConfigurationError("no model is chosen", "Name one of the endpoint's: --model NAME, or ORYN_MODEL.")
    endpoint = ModelEndpoint(settings.endpoint, name, _key(configuration))
    if endpoint.key is not no_key and not endpoint.is_private:
        raise ConfigurationError(
            f"the key would go to {settings.endpoint} in the clear", "Use an https:// address, or no key."
        )
    return endpoint


def _key(configuration: Configuration) -> KeyProvider:
    text, address = configuration.settings.model_key, configuration.settings.endpoint
    if text is None and address == _OPENAI:
        text = os.environ.get("OPENAI_API_KEY")  # the usual name; the key must only go to OpenAI
    if text is None:
        return no_key
    if configuration.origins["model_key"] == "flag" and not VAULT_REFERENCE.search(text):
        raise InvalidValue(
            "a key on the command line is read by others",
            "Set it in ORYN_MODEL_KEY, or name one of the vault: --model-key '{{vault:model.key}}'.",
        )
    from oryn.vault import Vault

    return partial(resolve_api_key, text, Vault(configuration.paths, configuration.settings.vault), address)


def prices_of(configuration: Configuration) -> Prices:
    """The configured prices of a million tokens; None for a price that is not configured."""
    return Prices(configuration.settings.input_price, configuration.settings.output_price)


def saved_tools(configuration: Configuration, overrides: Sequence[str] = ()) -> SavedTools:
    """Return the tools of `tools.json` in the configuration folder. `overrides` are `NAME=URL` and replace tools of the
    same name. Raises `ConfigurationError`."""
    from oryn.agent import SavedTools

    file = configuration.paths.config / "tools.json"
    try:
        saved = dict(SavedTools.from_json(file.read_text("utf-8")).items()) if file.is_file() else {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"can't read {file}: {error}", "Correct the file or remove it.") from error
    except ConfigurationError as error:
        raise ConfigurationError(f"{file}: {error.message}", error.hint) from error
    for each in overrides:
        name, equals, url = each.partition("=")
        if not equals or not name.strip():
            raise ConfigurationError(f"{json.dumps(each)} is not a saved tool", "Write it as NAME=URL.")
        saved = {old: saved[old] for old in saved if old.casefold() != name.strip().casefold()}
        saved[name.strip()] = url.strip()
    return SavedTools(saved)


class StartUrlTabs:
    """Adds tabs that display `urls` at the start to the agent's tabs. If a page can't be opened, `begin` raises, unless
    `may_fail` is true. A page that an interrupted run displayed may be gone."""

    def __init__(self, tabs: BrowserTabProvider, urls: Sequence[str], *, may_fail: bool = False) -> None:
        self._tabs = tabs
        self._urls = urls
        self._may_fail = may_fail
        self.open = tabs.open
        self.popups = tabs.popups
        self.release = tabs.release

    async def begin(self) -> Sequence[Session]:
        """Raises `OrynError` if a page can't be opened."""
        sessions = [*await self._tabs.begin()]
        for url in self._urls:
            session = await self._tabs.open()
            answer = await session.execute(line_of("goto", {"url": url}), json=False)
            if answer.error is not None and not self._may_fail:
                raise answer.error
            sessions.append(session)
        return sessions
