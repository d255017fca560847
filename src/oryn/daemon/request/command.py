"""A command request while the daemon handles it: its session settings (`--backend`, `--timeout`), its row in the
history with secrets masked, and its outcome."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from oryn.core.modes import MODES
from oryn.core.records import Record
from oryn.daemon.access.principals import OWNER, Principal
from oryn.daemon.history.log import HistoryRow
from oryn.daemon.history.replay import has_relative_path
from oryn.daemon.protocol import CommandResponse, error_kind
from oryn.daemon.vocabulary import UNKNOWN_ACTION
from oryn.engine.output.answer import answer_form, json_form
from oryn.engine.runner import canonical_text
from oryn.errors import DaemonFailed, InvalidValue, SessionExists
from oryn.language import MASK, Line, Program, Type, render
from oryn.language.command import HOST_SCOPES, mask_url, names_password
from oryn.testing.expectation import CHECKS, VARIES, StepReport, read

if TYPE_CHECKING:
    from oryn.daemon.protocol import CommandEnvelope
    from oryn.engine import Answer, Session
    from oryn.errors import LanguageError
    from oryn.settings import Configuration


def mode_of(name: str | None) -> str | None:
    """The mode of a backend; None for None.

    Raises `InvalidValue` for an unknown one."""
    if name is None:
        return None
    mode = MODES.get(name.lower())
    if mode is None:
        raise InvalidValue("there is no such backend", f"One of {', '.join(MODES)}.")
    return mode


PER_COMMAND_SETTINGS = ("timeout", "strict")
"""Settings that each command has an option for."""


def apply_command_settings(
    line: Line, settings: Mapping[str, Any], configuration: Configuration
) -> tuple[Line, Mapping[str, Any]]:
    """Move settings that a single command can have into the line; return the line and the remaining settings.

    `oryn --timeout 60 title` therefore does not change a session that is already open. Raises `ConfigurationError`."""
    own = {name: settings[name] for name in PER_COMMAND_SETTINGS if name in settings}
    command = line.command
    if not own or command is None:
        return line, settings
    parsed = configuration.with_settings(own).settings
    wanted: dict[str, Any] = {}
    if "timeout" in own and "timeout" in command.spec.options and command.timeout is None:
        wanted["timeout"] = parsed.timeout
    if "strict" in own and "strict" in command.spec.options and parsed.strict:
        wanted["strict"] = True
    left = {name: value for name, value in settings.items() if name not in own}
    return line.replace(command=command.replace(**wanted)), left


def settings_with_backend(
    settings: Mapping[str, Any], mode: str | None, session: str, present: str | None
) -> Mapping[str, Any]:
    """The settings with the requested backend added, if the session does not exist; `present` is its mode if it does.

    Raises `SessionExists` if the session has another backend."""
    if mode is None:
        return settings
    if present is None:
        return {**settings, "backend": mode}
    if present != mode:
        raise SessionExists(
            f"the session {session} is in a browser of mode {present}", "Close it first, or name another session."
        )
    return settings


MAX_ARGUMENT_CHARACTERS = 16 * 1024
"""Maximum number of characters of a row's arguments. Longer arguments are truncated, and the row can't be replayed."""
_TRUNCATED_CHARACTERS = 1_000
MAX_RESULT_CHARACTERS = 500
"""Maximum number of characters of a check's result that the history stores."""
_MAX_NAME_CHARACTERS = 80


class CommandRequest(Record):
    """A command from its request to its response.

    If the request is not a command, `line` is None and `error` gives the reason. `ts` is in UTC (ISO 8601), `started`
    is `time.perf_counter` in seconds."""

    envelope: CommandEnvelope
    line: Line | None
    error: LanguageError | None
    action: str
    session: str
    action_id: str
    ts: str
    started: float
    program: str | None = None
    """The `action_id` of the program that gives the command."""
    principal: Principal = OWNER
    """The sender of the request."""

    @property
    def sent_action(self) -> str:
        """The action for the response: its name, also if there is no such action. Rows and events don't have the name
        of an unknown action, which may be something else, such as a password."""
        unknown = self.line is None and self.envelope.action is not None and self.action == UNKNOWN_ACTION
        return str(self.envelope.action)[:_MAX_NAME_CHARACTERS] if unknown else self.action

    @property
    def event_data(self) -> dict[str, Any]:
        """The fields of the command's events: `action_id`, `session` and `action`; `program` for one of a program."""
        fields = {"action_id": self.action_id, "session": self.session, "action": self.action}
        return fields if self.program is None else {**fields, "program": self.program}

    @property
    def needs_browser(self) -> bool:
        """Whether the command runs in a session: host commands, and requests that are not commands, don't."""
        command = self.line.command if self.line else None
        return command is not None and type(command).spec.scope not in HOST_SCOPES

    @property
    def _uses_folder(self) -> bool:
        """Whether the command, or a step of it, may have a path that is relative to the caller's folder."""
        command = self.line.command if self.line else None
        return command is not None and (command.spec.open or has_relative_path(command))

    def started_row(self, session: Session | None) -> HistoryRow:
        """The row that is written before the command runs. If this daemon dies, the next one finds it."""
        arguments = self._arguments(*self._masked_line(None, session))
        return self._row(
            arguments,
            error_kind=DaemonFailed.code.lower(),
            error="the daemon ended in the middle of the command",
        )

    def finished_row(self, outcome: FinishedCommand, session: Session | None, backend: str | None) -> HistoryRow:
        """The row of the finished command, with secrets masked in its arguments. `session` is the one that has run it;
        `backend` is the name of its browser backend. Each is None if the command reached none."""
        is_users = session is not None and session.browser.has_foreign_tabs
        arguments = self._arguments(*self._masked_line(outcome.answer, session))
        is_silent = is_users or self.line is None
        effects = {} if is_silent else self._effects(outcome.answer, withheld=bool(arguments.get("withheld")))
        return self._row(
            arguments,
            ok=outcome.answer.ok,
            elapsed_ms=outcome.elapsed_ms,
            snapshot_generation=outcome.generation,
            error_kind=outcome.error_kind,
            # The parse error may quote a piece of the line, and others the page, which may be the user's own.
            error=None if self.line is None or is_users else outcome.error_fields[0],
            backend=backend,
            **effects,
        )

    def _row(
        self, arguments: dict[str, Any], *, ok: bool = False, elapsed_ms: float = 0.0, **outcome: Any
    ) -> HistoryRow:
        return HistoryRow(
            action_id=self.action_id,
            ts=self.ts,
            elapsed_ms=elapsed_ms,
            ok=ok,
            session=self.session,
            action=self.action,
            source_action_id=self.envelope.source_action_id,
            program=self.program,
            principal=None if self.principal is OWNER else self.principal.name,
            folder=self.envelope.folder if self._uses_folder else None,
            **arguments,
            **outcome,
        )

    def _effects(self, answer: Answer, *, withheld: bool) -> dict[str, Any]:
        """The row's fields for what the command was about and what it has changed. Of results only those of `CHECKS`
        are stored, and short ones: others may be cookies, or whole pages."""
        form = answer_form(answer)
        command = self.line.command if self.line is not None else None
        if command is None or type(command).spec.name not in CHECKS or withheld:
            form.pop("result", None)  # before it is rendered: it may be large
        report, meanwhile = read(form), read({"changes": form.get("meanwhile", [])})
        entries = [
            each.replace(text=mask_url(each.text)) if each.kind == "result" else each
            for each in report.entries
            if each.kind != "result" or len(each.text) <= MAX_RESULT_CHARACTERS
        ]
        lines = _lines_without_secrets(report.replace(entries=tuple(entries)), withheld=withheld)
        return {
            "targets": {name: target.data() for name, target in answer.targets.items()} or None,
            "report": lines or None,
            "meanwhile": _lines_without_secrets(meanwhile, withheld=withheld) or None,
        }

    def _arguments(self, line: str | None, withheld: bool) -> dict[str, Any]:
        """The row's fields for the arguments: those of the envelope if nothing is withheld, else the masked line."""
        if line is None:
            return {"args": {}, "withheld": withheld}
        if self.envelope.action and not withheld:
            if len(json.dumps(self.envelope.args)) <= MAX_ARGUMENT_CHARACTERS:
                return {"args": self.envelope.args, "line": line}
        elif len(line) <= MAX_ARGUMENT_CHARACTERS:
            return {"args": {"line": line}, "withheld": withheld}
        return {"args": {"line": f"{line[:_TRUNCATED_CHARACTERS]}…"}, "withheld": True}

    def _masked_line(self, answer: Answer | None, session: Session | None) -> tuple[str | None, bool]:
        """The line as the history may store it, and whether something was withheld.

        `answer` is None before the command runs. A request that is not a command may contain a password anywhere, so
        nothing of it is recorded. Text that did not reach its field is not recorded either, as the field may be a
        password field."""
        command = self.line.command if self.line else None
        if self.line is None or command is None:
            return None, self.line is None
        if isinstance(command, Type | Program) and (answer is None or answer.error is not None) and command.text:
            return render(command.replace(text=MASK)), True
        line = canonical_text(session, self.line, command) if session else render(command.masked())
        if answer is not None and MASK in answer.command and MASK not in line:
            line = answer.command
        return line, MASK in line


def _lines_without_secrets(report: StepReport, *, withheld: bool) -> list[str]:
    """The lines of a report as the history may store them: what is left out varies, for a test that is made of them.
    `withheld`: the command's line has a secret, which values may repeat."""
    lines = []
    for entry in report.entries:
        if withheld and entry.sign == "!":
            continue
        hides = entry.value is not None and (withheld or names_password(entry.text))
        place = mask_url(entry.place).replace(MASK, VARIES)
        lines.append(entry.replace(place=place, value=VARIES if hides else entry.value).render())
    return lines


class FinishedCommand(Record):
    """A finished command: what its row, its events and its response report.

    `generation` is that of the session's element references, None without a session. The answer is rendered only for
    the client that gets it."""

    request: CommandRequest
    answer: Answer
    generation: int | None
    elapsed_ms: float

    @property
    def error_kind(self) -> str | None:
        """The error's code in lower case."""
        return error_kind(self.answer.error) if self.answer.error else None

    @property
    def error_fields(self) -> tuple[str | None, str | None]:
        """The error's message and hint; with boundaries set, only if they are Oryn's own text."""
        if self.answer.error is None:
            return None, None
        form = json_form(self.answer).get("error", {})
        return form.get("message", self.answer.error.code), form.get("hint")

    def response(self) -> CommandResponse:
        """The response for a client that reads JSON."""
        data, request = json_form(self.answer), self.request
        del data["ok"]
        data.pop("error", None)
        if request.envelope.source_action_id:
            data["source_action_id"] = request.envelope.source_action_id
        error, hint = self.error_fields
        return CommandResponse(
            ok=self.answer.ok,
            action=request.sent_action,
            session=request.session,
            action_id=request.action_id,
            data=data | {"snapshot_generation": self.generation},
            text=self.answer.render(),
            error=error,
            error_kind=self.error_kind,
            hint=hint,
            elapsed_ms=self.elapsed_ms,
            snapshot_generation=self.generation,
        )
