"""One command of research on its way: what its session lets it do, what it is told meanwhile, how long it may take."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.daemon.research_rendering import Tabs
from oryn.daemon.research_worker import Watcher
from oryn.daemon.streaming import STREAM
from oryn.engine import Answer
from oryn.engine.files import files_of, new_path
from oryn.errors import ConfigurationError, NotSupported, Timeout
from oryn.host.browser import proxied_browser
from oryn.host.opening import options_of
from oryn.host.progress import LISTENER, of_stage
from oryn.language.commands.research import Crawl, Graph, Investigate, WebExtract
from oryn.language.render import render_command
from oryn.research.options import ResearchOptions
from oryn.settings import RESEARCH

if TYPE_CHECKING:
    from oryn.daemon.hosting import Hosting, Open
    from oryn.language import Command
    from oryn.settings import Configuration

SECONDS: Mapping[type[Command], float] = {WebExtract: 120.0, Crawl: 3600.0, Investigate: 900.0, Graph: 900.0}
"""What a command may take that does not say otherwise."""
USUAL_SECONDS = 60.0
"""All others."""
BRAVE = "https://api.search.brave.com"
"""Where `brave_key` goes; a value of the vault may be bound to it."""


class Errand(Watcher):
    """Raises `ConfigurationError` for settings that can't be, or are not the caller's to say, and `PolicyError`."""

    def __init__(self, hosting: Hosting, name: str, command: Command, opening: Open) -> None:
        self.command = command
        self.opening = opening
        self.configuration = hosting.configuration
        self.stream = STREAM.get()
        self.items: list[dict[str, Any]] = []
        """Parts of the result, where they are not streamed."""
        self._researching = hosting.researching
        self._tabs: Tabs | None = None
        own = hosting.sessions.settings_of(name)
        if own is None:
            own = {name: value for name, value in opening.settings.items() if name not in RESEARCH}
        configuration = hosting.configuration.replaced(own)
        self._own = configuration
        """With the session's own settings."""
        self.session = options_of(configuration, name)
        if (policy := self.session.policy) is not None:
            policy.check(command)
            if policy.waits(command):
                raise NotSupported(f"{command.spec.name} can't wait for a person's yes", "The user may do it.")
        self.files = files_of(self.session)
        self.options = _options(configuration, opening.settings)

    def given(self, *names: str) -> dict[str, Any]:
        """Those of the command's arguments that somebody gave."""
        values = ((name, getattr(self.command, name)) for name in names)
        return {name: value for name, value in values if value is not None and value is not False}

    async def ask(self, do: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The result of a request. Raises what the worker says, and `Timeout`."""
        seconds = self.command.timeout
        if seconds is None:
            seconds = SECONDS.get(type(self.command), USUAL_SECONDS)
        try:
            async with asyncio.timeout(seconds):
                return await self._researching.request(do, await self._with_keys(), arguments, self)
        except TimeoutError:
            raise Timeout(f"not done after {seconds:g} s", "--timeout gives it longer.") from None
        finally:
            if self._tabs is not None:
                await asyncio.shield(self._tabs.close())

    async def _with_keys(self) -> ResearchOptions:
        """The options with the values of the vault that keys name, those that are needed. Raises `VaultError`."""
        options, addresses = self.options, dict[str, str]()
        if "brave" in (options.search_provider, getattr(self.command, "source", None)):
            addresses["brave_key"] = BRAVE
        if isinstance(options.index, str):
            addresses["index_key"] = options.index
        named = {name: address for name, address in addresses.items() if getattr(options, name)}
        if not named:
            return options
        from oryn.captcha.key import key_of
        from oryn.vault import Vault

        vault = Vault(self.configuration.paths, self.configuration.settings.vault)
        found = {name: await key_of(getattr(options, name), vault, address) for name, address in named.items()}
        return options.replace(**found)

    def own_file(self, prefix: str, suffix: str) -> Path:
        """A new file in a folder of the host's own, for what nobody named one for."""
        return new_path(self.folder, suffix, prefix)

    @property
    def folder(self) -> Path:
        """Where crawls are kept."""
        return self.configuration.paths.crawls

    def told(self, answer: Answer) -> Answer:
        """The answer as the session's user wants answers."""
        answer.command = render_command(self.command)
        if self.session.boundaries:
            from oryn.engine.boundary import drawn

            answer.boundary = drawn()
        if self.session.max_output:
            from oryn.engine.cutting import limited

            answer.cut = limited(answer, self.session.max_output, self.session.answer_folder)
        return answer

    # --- while it lasts ---

    def progress(self, progress: Mapping[str, Any]) -> None:
        if self.stream is not None:
            self.stream.progress(progress)
        elif listener := LISTENER.get():
            listener(*of_stage(progress))

    async def item(self, item: dict[str, Any]) -> None:
        if self.stream is not None and isinstance(self.command, Crawl):
            await self.stream.item(item)
        else:
            self.items.append(item)

    async def render(self, url: str, proxy: str | None) -> tuple[str, str]:
        if self._tabs is None:
            self._tabs = Tabs(self.opening(), partial(proxied_browser, self._own))
        return await self._tabs.html(url, proxy)


def _options(configuration: Configuration, said: Mapping[str, Any]) -> ResearchOptions:
    """The settings of research. `said` may have one of them, `allow_private`: whoever sets a session up may let it into
    private networks, unless the host forbids that; no command's argument can. Raises `ConfigurationError`."""
    settings = configuration.settings
    own = {name: getattr(settings, name) for name in RESEARCH}
    for name in said:
        if name in RESEARCH and name != "allow_private":
            raise ConfigurationError(f"{name} is the host's to say", "Set it where the host is started.")
    if "allow_private" in said and said["allow_private"] != settings.allow_private:
        if said["allow_private"] not in (True, False):
            raise ConfigurationError("allow_private can't be that", "It is true or false.")
        if configuration.origins["allow_private"] != "default" and not settings.allow_private:
            raise ConfigurationError(
                "allow_private is the host's to say, and it has said so", "Leave the setting out: the host's holds."
            )
        own["allow_private"] = said["allow_private"]
    return ResearchOptions(
        **own,
        allowed_domains=settings.allowed_domains,
        denied_domains=settings.denied_domains,
        browser_proxy=settings.proxy,
        browser_proxy_bypass=settings.proxy_bypass,
    )
