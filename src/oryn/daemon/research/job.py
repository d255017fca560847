"""One research command in progress: the session's limits on it, its options, its progress events and its timeout."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.daemon.command_stream import STREAM
from oryn.daemon.research.tab_renderer import SessionTabRenderer
from oryn.daemon.research_process import JobObserver
from oryn.engine import Answer
from oryn.engine.file_access import new_path
from oryn.errors import ConfigurationError, NotSupported, Timeout
from oryn.hosts.browser_factory import proxied_browser
from oryn.hosts.session_factory import options_of
from oryn.hosts.terminal import PROGRESS_LISTENER, stage_progress
from oryn.language.commands.research import Crawl, Graph, Investigate, MapSite, WebExtract
from oryn.language.render import render_command
from oryn.research.options import ResearchOptions
from oryn.settings import RESEARCH

if TYPE_CHECKING:
    from oryn.daemon.host_commands import HostCommands, SessionOpener
    from oryn.language import Command
    from oryn.settings import Configuration

TIMEOUT_SECONDS: Mapping[type[Command], float] = {
    WebExtract: 120.0,
    MapSite: 120.0,
    Crawl: 3600.0,
    Investigate: 900.0,
    Graph: 900.0,
}
"""Timeouts in seconds of commands without `--timeout`."""
DEFAULT_TIMEOUT_SECONDS = 60.0
"""Timeout in seconds of all other commands."""
BRAVE_URL = "https://api.search.brave.com"
"""The origin that `brave_key` is sent to; a vault entry may be bound to it."""


class ResearchJob(JobObserver):
    """Runs one research command for the session `name`. If a tab is needed, `opener` opens the session.

    Raises `ConfigurationError` for settings that are invalid or that the caller may not set, and `PolicyError`."""

    def __init__(self, host: HostCommands, name: str, command: Command, opener: SessionOpener) -> None:
        self.command = command
        self.opener = opener
        self.configuration = host.configuration
        self.stream = STREAM.get()
        self.items: list[dict[str, Any]] = []
        """Parts of the result, if they are not streamed."""
        self._process = host.research_process
        self._renderer: SessionTabRenderer | None = None
        host.sessions.check_own(name)
        own = host.sessions.settings_of(name)
        if own is None:
            own = host.sessions.narrowed(
                {name: value for name, value in opener.settings.items() if name not in RESEARCH}
            )
        configuration = host.configuration.with_settings(own)
        self._session_configuration = configuration
        """The host's configuration with the session's settings."""
        self.session = options_of(configuration, name)
        if (policy := self.session.policy) is not None:
            policy.check(command)
            if policy.requires_confirmation(command):
                raise NotSupported(
                    f"{command.spec.name} can't wait for the approval that the setting confirm requires",
                    "Only the user can change confirm, or run it in a session without it.",
                )
        self.files = self.session.file_access()
        self.options = _options(configuration, opener.settings)

    def provided_arguments(self, *names: str) -> dict[str, Any]:
        """Those of the named arguments that the command has a value for, by name. None and False do not count as
        values."""
        values = ((name, getattr(self.command, name)) for name in names)
        return {name: value for name, value in values if value is not None and value is not False}

    async def request(self, do: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request to the research process and return its result. Raises that process's error, and `Timeout`."""
        seconds = self.command.timeout
        if seconds is None:
            seconds = TIMEOUT_SECONDS.get(type(self.command), DEFAULT_TIMEOUT_SECONDS)
        try:
            async with asyncio.timeout(seconds):
                return await self._process.request(do, await self._with_keys(), arguments, self)
        except TimeoutError:
            raise Timeout(f"not done after {seconds:g} s", "--timeout gives it longer.") from None
        finally:
            if self._renderer is not None:
                await asyncio.shield(self._renderer.close())

    async def _with_keys(self) -> ResearchOptions:
        """The options, with the needed keys replaced by the vault values that they name. Raises `VaultError`."""
        options, addresses = self.options, dict[str, str]()
        if "brave" in (options.search_provider, getattr(self.command, "source", None)):
            addresses["brave_key"] = BRAVE_URL
        if isinstance(options.index, str):
            addresses["index_key"] = options.index
        named = {name: address for name, address in addresses.items() if getattr(options, name)}
        if not named:
            return options
        from oryn.captcha.api_key import resolve_api_key
        from oryn.vault import Vault

        vault = Vault(self.configuration.paths, self.configuration.settings.vault)
        found = {name: await resolve_api_key(getattr(options, name), vault, address) for name, address in named.items()}
        return options.replace(**found)

    def own_file(self, prefix: str, suffix: str) -> Path:
        """The path of a new file in the host's own folder, for a result without a file name."""
        return new_path(self.folder, suffix, prefix)

    @property
    def folder(self) -> Path:
        """The folder for crawls."""
        return self.configuration.paths.crawls

    def apply_output_options(self, answer: Answer) -> Answer:
        """Apply the session's output settings (boundaries, maximum length) to the answer."""
        answer.command = render_command(self.command)
        if self.session.boundaries:
            from oryn.engine.output.boundary import new_boundary

            answer.boundary = new_boundary()
        if self.session.max_output:
            from oryn.engine.output.truncate import truncate

            answer.cut = truncate(answer, self.session.max_output, self.session.answer_folder)
        return answer

    # --- during the command ---

    def progress(self, progress: Mapping[str, Any]) -> None:
        if self.stream is not None:
            self.stream.progress(progress)
        elif listener := PROGRESS_LISTENER.get():
            listener(*stage_progress(progress))

    async def item(self, item: dict[str, Any]) -> None:
        if self.stream is not None and isinstance(self.command, Crawl):
            await self.stream.item(item)
        else:
            self.items.append(item)

    async def render(self, url: str, proxy: str | None) -> tuple[str, str]:
        if self._renderer is None:
            self._renderer = SessionTabRenderer(self.opener(), partial(proxied_browser, self._session_configuration))
        return await self._renderer.render(url, proxy)


def _options(configuration: Configuration, overrides: Mapping[str, Any]) -> ResearchOptions:
    """The host's settings of research, with the request's `overrides`.

    Only `allow_private` can be overridden: the client that opens a session may let it into private networks, unless the
    host forbids that. Raises `ConfigurationError` for other settings of research."""
    settings = configuration.settings
    own = {name: getattr(settings, name) for name in RESEARCH}
    for name in overrides:
        if name in RESEARCH and name != "allow_private":
            raise ConfigurationError(f"{name} is fixed by the host", "Set it where the host is started.")
    if "allow_private" in overrides and overrides["allow_private"] != settings.allow_private:
        if overrides["allow_private"] not in (True, False):
            raise ConfigurationError("allow_private has an invalid value", "Use true or false.")
        if configuration.origins["allow_private"] != "default" and not settings.allow_private:
            raise ConfigurationError(
                "allow_private is fixed by the host", "Omit the setting: the host's value applies."
            )
        own["allow_private"] = overrides["allow_private"]
    return ResearchOptions(
        **own,
        allowed_domains=settings.allowed_domains,
        denied_domains=settings.denied_domains,
        browser_proxy=settings.proxy,
        browser_proxy_bypass=settings.proxy_bypass,
    )
