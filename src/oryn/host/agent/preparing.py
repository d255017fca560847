"""From the settings to what a run needs: its model, its limits, its files, its tabs."""

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
from oryn.captcha.key import key_of
from oryn.errors import ConfigurationError, InvalidValue
from oryn.language import VAULT_REFERENCE
from oryn.models.endpoint import Endpoint, no_key
from oryn.models.usage import Prices
from oryn.paths import private_folder
from oryn.tools import line_of

if TYPE_CHECKING:
    from oryn.agent import SavedTools, TabTargets
    from oryn.engine import Session
    from oryn.models.endpoint import Key
    from oryn.paths import Paths
    from oryn.settings import Configuration

_OPENAI = "https://api.openai.com/v1"


def careful(configuration: Configuration, *, unasked: bool = False) -> Configuration:
    """With what an agent's user wants where they have not said otherwise: `RISKY` commands wait for a yes, unless they
    may be done `unasked`; files are read and written in a folder of the agents' own."""
    chosen: dict[str, object] = {}
    if not unasked and configuration.origins["confirm"] == "default":
        chosen["confirm"] = list(RISKY)
    if configuration.settings.files_root is None:
        chosen["files_root"] = [str(private_folder(configuration.paths.agent_files))]
    return configuration.replaced(chosen)


def folder(paths: Paths) -> Path:
    """Where transcripts are, unless they are named."""
    return paths.agent


def new_transcript(paths: Paths) -> Path:
    """A file for a new run."""
    stamp = time.strftime("%Y-%m-%d-%H%M%S", time.gmtime())
    return private_folder(folder(paths)) / f"{stamp}-{secrets.token_hex(3)}.jsonl"


def endpoint_of(configuration: Configuration, model: str | None = None) -> Endpoint:
    """The endpoint of the settings, with its model or this one. Raises `ConfigurationError`, `InvalidValue`."""
    settings = configuration.settings
    name = settings.model or model
    if name is None:
        raise ConfigurationError("no model is chosen", "Name one of the endpoint's: --model NAME, or ORYN_MODEL.")
    endpoint = Endpoint(settings.endpoint, name, _key(configuration))
    if endpoint.key is not no_key and not endpoint.is_private:
        raise ConfigurationError(
            f"the key would go to {settings.endpoint} in the clear", "Use an https:// address, or no key."
        )
    return endpoint


def _key(configuration: Configuration) -> Key:
    text, address = configuration.settings.model_key, configuration.settings.endpoint
    if text is None and address == _OPENAI:
        text = os.environ.get("OPENAI_API_KEY")  # under which name it is usually there, and for nobody else
    if text is None:
        return no_key
    if configuration.origins["model_key"] == "flag" and not VAULT_REFERENCE.search(text):
        raise InvalidValue(
            "a key on the command line is read by others",
            "Set it in ORYN_MODEL_KEY, or name one of the vault: --model-key '{{vault:model.key}}'.",
        )
    from oryn.vault import Vault

    return partial(key_of, text, Vault(configuration.paths, configuration.settings.vault), address)


def prices_of(configuration: Configuration) -> Prices:
    return Prices(configuration.settings.input_price, configuration.settings.output_price)


def saved_tools(configuration: Configuration, given: Sequence[str] = ()) -> SavedTools:
    """Those of `tools.json` in the folder of the configuration, and those of `NAME=URL`, which win. Raises
    `ConfigurationError`."""
    from oryn.agent import SavedTools

    file = configuration.paths.config / "tools.json"
    try:
        kept = dict(SavedTools.read(file.read_text("utf-8")).items()) if file.is_file() else {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"can't read {file}: {error}", "Correct the file or remove it.") from error
    except ConfigurationError as error:
        raise ConfigurationError(f"{file}: {error.message}", error.hint) from error
    for each in given:
        name, equals, url = each.partition("=")
        if not equals or not name.strip():
            raise ConfigurationError(f"{json.dumps(each)} is no saved tool", "It is NAME=URL.")
        kept = {old: kept[old] for old in kept if old.casefold() != name.strip().casefold()}
        kept[name.strip()] = url.strip()
    return SavedTools(kept)


class StartingTabs:
    """The agent's tabs, some of which show something from the start: `urls`. A page that can't be opened is an error,
    unless it `may_fail`: what a tab showed when a run was interrupted may be gone."""

    def __init__(self, tabs: TabTargets, urls: Sequence[str], *, may_fail: bool = False) -> None:
        self._tabs = tabs
        self._urls = urls
        self._may_fail = may_fail
        self.open = tabs.open
        self.popups = tabs.popups
        self.release = tabs.release

    async def begin(self) -> Sequence[Session]:
        """Raises `OrynError`."""
        sessions = [*await self._tabs.begin()]
        for url in self._urls:
            session = await self._tabs.open()
            answer = await session.execute(line_of("goto", {"url": url}), json=False)
            if answer.error is not None and not self._may_fail:
                raise answer.error
            sessions.append(session)
        return sessions
