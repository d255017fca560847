"""The state of one session: its browser, page, options, files, secrets and recorders.

`Session.execute` runs a line of the Intent Language and returns an answer; `CommandRunner` does the work. It never
raises because of a line's content or a page's behaviour: errors are answers. Commands run one at a time; the host
orders them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from oryn.browsers.base.leases import LeaseHolder
from oryn.engine.lease_guard import LeaseGuard
from oryn.engine.options import Options
from oryn.engine.page.context import PageContext
from oryn.engine.page.pictures import TakenPictures
from oryn.engine.plugin_tools import PluginTools
from oryn.engine.takeover import SessionControl
from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.browsers.base import Browser
    from oryn.core.vault_secret import SecretVault
    from oryn.engine.command_history import CommandHistory
    from oryn.engine.definitions.library import CustomIntents, IntentLibrary
    from oryn.engine.output.answer import Answer
    from oryn.engine.page.captcha import CaptchaSolver
    from oryn.engine.person_notes import PersonNotes
    from oryn.engine.policy.confirmations import Confirmations
    from oryn.engine.program.interpreter import InterpreterFactory
    from oryn.engine.program.stopped_programs import SessionPrograms
    from oryn.engine.recording.recorder import Recorder
    from oryn.engine.recording.video import VideoEncoder
    from oryn.engine.secrets.session_secrets import SessionSecrets
    from oryn.engine.session_host import SessionHost
    from oryn.engine.state.state_file import StateEncryption
    from oryn.language import Command, Line

Progress = Callable[[str, float], object]
"""Takes a description of the current work (`encoding demo.webm`) and the completed share, 0 to 1."""


class CommandExecutor(Protocol):
    """Runs the commands of one session: `CommandRunner`, or one that sends them to another engine. The methods of
    `Session` with these names call it."""

    @property
    def is_busy(self) -> bool: ...

    def is_addressed_by(self, name: str) -> bool: ...

    async def execute(self, line: str | Line, *, json: bool | None = None) -> Answer: ...

    async def perform(self, command: Command) -> Answer: ...

    async def execute_inner(self, line: Line) -> Answer: ...

    def permit(self, command: Command) -> None: ...


class Session(PageContext):
    """One browser, and the state that commands read and change.

    browser: need not be started; `startup.launch()` or the first command that needs it starts it.
    name: the session's name in `@name` and `session <name>`.
    options: the user's choices; the defaults of `Options` if None.
    new_runner: creates the session's command runner; a `CommandRunner` if None."""

    new_runner: ClassVar[Callable[[Session], CommandExecutor]]
    """`CommandRunner`; `oryn.engine` sets it. (An import here would be a cycle.)"""

    def __init__(
        self,
        browser: Browser,
        name: str = "default",
        options: Options | None = None,
        new_runner: Callable[[Session], CommandExecutor] | None = None,
    ) -> None:
        self.name = name
        super().__init__(browser, options or Options())
        self.files = self.options.file_access()
        self.plugins: Callable[[], PluginTools] = PluginTools
        """Returns the tools of the host's plugins."""
        self.library: Callable[[], IntentLibrary] | None = None
        """Returns the user's intents and packs, which sessions may share. If None, there are only the session's own."""
        self.host: SessionHost[Session] | None = None
        """The host, if it has several sessions."""
        self.settings: Mapping[str, Any] = MappingProxyType({})
        """The settings in which this session differs from the host's other sessions."""
        self.owner: str | None = None
        """The caller that has opened this session for itself alone; None if every caller of the host may use it."""
        browser.identify(LeaseHolder(name, self.options.tab_lease))
        browser.configure_downloads(self._save_download, self.options.download_limit)
        if self.options.policy is not None and self.options.policy.domains:
            browser.restrict(self.options.policy.domains)
        self.state_encryption: Callable[[], StateEncryption] | None = None
        """Returns the encryption of saved states. If None, the session only reads and writes plain ones."""
        self.vault: Callable[[], SecretVault] | None = None
        """Returns the user's secrets. If None, there are no secrets."""
        self.solver: Callable[[], CaptchaSolver] | None = None
        """Returns the captcha solver; None if the user has not configured a service."""
        self.recorders: list[Recorder] = []
        self.pictures = TakenPictures()
        self.new_video_encoder: Callable[[], VideoEncoder] | None = None
        """Creates the encoder of `record`. If None, the session can't record video."""
        self.new_interpreter: InterpreterFactory | None = None
        """Creates the interpreter of a program. If None, the session runs no programs."""
        self.progress: Progress = lambda doing, share: None
        """Called with the progress of a long command; the host may display it."""
        self.on_notes_changed: list[Callable[[], object]] = []
        """Called after every change of a person's notes."""
        self.on_answer: Callable[[Command | None], None] | None = None
        """Called at the end of each turn, before its answer is returned: with the command, or None if none ran."""
        self.restricts_files = False
        """Whether the browser checks which files it may load."""
        self.displayed_page: tuple[str | None, str | None] | None = None
        """URL and title of the page as another engine has reported them; None if this one drives the page."""
        self.json = False
        """Whether answers are rendered as JSON by default (`output json`)."""
        self.pending_notes: list[str] = []
        """Additional notes for the next answer."""
        browser.on_note = lambda note: self.pending_notes.append(note)
        self.command_lock = asyncio.Lock()
        """Held while a command runs."""
        self.lease_guard = LeaseGuard(self)
        self.control = SessionControl(lambda: self.browser.leases, self.lease_guard.note_foreign_act)
        """Whether a person has taken the session over."""
        self.runner = (new_runner or type(self).new_runner)(self)

    # --- current state ---

    @property
    def is_busy(self) -> bool:
        """Whether a command runs."""
        return self.runner.is_busy

    def is_addressed_by(self, name: str) -> bool:
        """Whether `@name` before a command means this session."""
        return self.runner.is_addressed_by(name)

    @property
    def generation(self) -> int:
        """A number that increases whenever numbers and `@eN` of earlier answers become invalid: a new `snapshot`,
        another document or tab, whatever the cause. 0 before the first page (docs/spec/intent-language.md#numbers)."""
        try:
            return self.element_index.update_generation(self.page)
        except OrynError:  # no browser runs, so nothing has changed
            return self.element_index.generation

    # --- lazy parts: `oryn headless` doesn't need them for its first answer ---

    @cached_property
    def history(self) -> CommandHistory:
        """The commands in which `learn` finds repetitions."""
        from oryn.engine.command_history import CommandHistory

        return CommandHistory()

    @cached_property
    def tools(self) -> PluginTools:
        """The tools of the host's plugins."""
        return self.plugins()

    async def offers_tools(self) -> bool:
        """Return whether plugins or the page offer tools, as far as is known without a round trip to the page."""
        try:
            if self.browser.offers_tools:
                return True
        except OrynError:  # there is no page yet
            pass
        return bool(await self.tools.all())

    def subscribe_tools(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Call `listener` whenever tools of the current page come or go. Returns a function that ends the
        subscription. After another page has become the current one, subscribe again."""
        try:
            return self.browser.subscribe_tools(listener)
        except OrynError:
            return lambda: None

    @cached_property
    def custom_intents(self) -> CustomIntents:
        """The intents of this session that are not built in."""
        from oryn.engine.definitions.library import CustomIntents

        return CustomIntents(self.library)

    @cached_property
    def person_notes(self) -> PersonNotes:
        """The notes of a person who has pointed at elements of the session's pages."""
        from oryn.engine.person_notes import PersonNotes

        return PersonNotes(self.on_notes_changed)

    @property
    def has_person_notes(self) -> bool:
        """Whether a person may have written notes."""
        return "person_notes" in self.__dict__

    @cached_property
    def secrets(self) -> SessionSecrets:
        """The values of the vault that this session has received."""
        from oryn.engine.secrets.session_secrets import SessionSecrets

        return SessionSecrets(self)

    @cached_property
    def confirmations(self) -> Confirmations:
        """The commands that wait for a person's confirmation."""
        from oryn.engine.policy.confirmations import Confirmations

        return Confirmations(self.name, self.execute)

    @cached_property
    def programs(self) -> SessionPrograms:
        """The programs that have stopped and can go on, and those that can be saved."""
        from oryn.engine.program.stopped_programs import SessionPrograms

        return SessionPrograms()

    @property
    def messages_since(self) -> float:
        """Unix time since when a message may have a code for the current command: the last press, or the command."""
        request_at = self.history.request_at
        return self.deadline.began_at if request_at is None else request_at

    @property
    def knows_secrets(self) -> bool:
        """Whether the session may have received values of the vault, which no output may contain."""
        return "secrets" in self.__dict__

    def mask_text(self, text: str) -> str:
        """Mask the values of the vault that the session has received in a text that leaves it."""
        return self.secrets.mask_text(text) if self.knows_secrets else text

    def mask_data(self, data: Any) -> Any:
        """Mask the values of the vault in JSON data."""
        return self.secrets.mask_data(data) if self.knows_secrets else data

    def _save_download(self, file: Path, name: str) -> Path:
        from oryn.engine.page.downloads import save_download

        return save_download(file, self.mask_text(name), self.options.download_folder, self.files)

    # --- commands ---

    def time_limit(self, command: Command) -> float:
        """Seconds that a command may take."""
        return self.options.timeout if command.timeout is None else command.timeout

    def permit(self, command: Command) -> None:
        """Check a command before any of it runs. Every command passes here, steps of intents too.

        Raises `PolicyError` if the policy denies the command, or requires a confirmation for it."""
        self.runner.permit(command)

    def execute(self, line: str | Line, *, json: bool | None = None) -> Coroutine[Any, Any, Answer]:
        """Run one line, parsed or not, and return its answer. `json` renders it as JSON; None means the choice of
        `output`."""
        return self.runner.execute(line, json=json)

    @asynccontextmanager
    async def turn(self, seconds: float) -> AsyncIterator[None]:
        """Run the block between two commands; its inner waits have `seconds` seconds (`deadline.remaining`)."""
        async with self.command_lock:
            self.deadline.set_remaining(seconds)
            try:
                yield
            finally:
                self.end_turn(None)

    def end_turn(self, command: Command | None) -> None:
        """Notify the host that a turn has ended; `command` is None if no command ran."""
        if self.on_answer is not None:
            self.on_answer(command)

    def take_pending_notes(self) -> list[str]:
        """Remove the notes for the next answer and return them."""
        notes, self.pending_notes = self.pending_notes, []
        return notes

    async def close(self) -> None:
        """End the recordings and the browser. Safe to call twice."""
        while self.recorders:
            await self.recorders.pop().close()
        await self.startup.close_browser()
