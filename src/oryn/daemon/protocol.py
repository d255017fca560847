"""The models of the messages between a daemon and its clients (docs/spec/daemon-protocol.md#commands). They validate
requests, and the OpenAPI description is built from them."""

from __future__ import annotations

import json
import os
from typing import Annotated, Any, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from oryn.errors import OrynError, ProtocolMismatch, RequestError
from oryn.system.daemon_paths import DAEMON_PROTOCOL as PROTOCOL_VERSION
from oryn.system.paths import MAX_SESSION_NAME_CHARACTERS, SESSION_NAME, is_session_name


def _absolute(path: str) -> str:
    if not os.path.isabs(path):
        raise ValueError("it is not an absolute path")
    return path


def _not_reserved(name: str) -> str:
    if not is_session_name(name):
        raise ValueError(f"a session can't be called {name}, which is a sub-command of session")
    return name


AbsolutePath = Annotated[str, StringConstraints(max_length=4096), AfterValidator(_absolute)]
SessionName = Annotated[
    str,
    StringConstraints(pattern=f"^{SESSION_NAME.pattern}$", max_length=MAX_SESSION_NAME_CHARACTERS),
    AfterValidator(_not_reserved),
]


class CommandEnvelope(BaseModel):
    """One command, said in one of three ways: a `line` of the Intent Language, the words (`argv`) of the command line,
    or an `action` of the JSON vocabulary with its `args`."""

    model_config = ConfigDict(extra="forbid")

    protocol_version: str = Field(PROTOCOL_VERSION, description="The version that the client speaks.")
    line: str | None = Field(None, examples=["click 3"])
    argv: list[str] | None = Field(None, min_length=1, examples=[["click", "Sign in"]])
    action: str | None = Field(None, examples=["navigate"])
    args: dict[str, Any] = Field(default_factory=dict, examples=[{"url": "https://example.org"}])
    session: SessionName = "default"
    backend: str | None = Field(
        None, max_length=32, description="`headless`, `embedded`, `playwright`, `remote` or `extension`."
    )
    folder: AbsolutePath | None = Field(None, description="What relative paths in the command are relative to.")
    timeout_ms: int | None = Field(None, ge=1, lt=86_400_000, description="Instead of the setting `timeout`.")
    settings: dict[str, Any] = Field(
        default_factory=dict,
        description="Settings of the session, where this command opens it (`profile`, `headful` …).",
    )
    browse_in: SessionName | None = Field(
        None, description="The session here that research opens pages in, and `close` ends; without it, `session`."
    )
    source_action_id: str | None = Field(None, max_length=64, description="The row of the history that this repeats.")

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if sum(each is not None for each in (self.line, self.argv, self.action)) != 1:
            raise ValueError("give one of line, argv and action")
        if self.args and self.action is None:
            raise ValueError("args belong to an action")
        return self


class CommandResponse(BaseModel):
    """The outcome of one command. `data` is its answer as JSON data, `text` the same for an agent."""

    protocol_version: str = PROTOCOL_VERSION
    ok: bool
    action: str = Field(
        description="The command's name: the alias that the request used (`navigate`), or else its standard name."
    )
    session: str
    action_id: str = Field(description="Its row in the history.")
    data: dict[str, Any] | None = None
    text: str = ""
    error: str | None = None
    error_kind: str | None = Field(None, description="The error's code in lower case.")
    hint: str | None = None
    elapsed_ms: float = Field(
        description="Duration of the command in milliseconds, without the transfer to the daemon and back."
    )
    snapshot_generation: int | None = Field(
        None,
        description="Generation of element references; if it differs from an observation's, those are invalid.",
    )


class FailureResponse(BaseModel):
    """Why the daemon rejected a request before it ran."""

    protocol_version: str = PROTOCOL_VERSION
    ok: bool = False
    error: str
    error_kind: str
    hint: str | None = None


class StopResponse(BaseModel):
    """The daemon stops; its process ends within a few seconds."""

    protocol_version: str = PROTOCOL_VERSION
    ok: bool = True
    pid: int


class DrainResponse(BaseModel):
    """The daemon, or one of its providers, opens no more sessions; `sessions` were saved and have given their browsers
    back."""

    protocol_version: str = PROTOCOL_VERSION
    ok: bool = True
    sessions: int


class QueuedCommand(BaseModel):
    """A command of a session that runs, or waits for those before it."""

    action: str
    seconds: float = Field(description="Seconds since the daemon received it.")


class SessionStatus(BaseModel):
    """One session in the answer of `GET /status`. `started` is in UTC (ISO 8601)."""

    name: str
    mode: str | None = None
    started: str | None = None
    state: str = Field("running", description="`running`, or `dormant` until its next command.")
    daemon: str | None = Field(
        None, description="The daemon that runs it, if that is another one with the same records, or null."
    )
    url: str | None = Field(
        None, description="URL of its page, if known without asking the browser; the saved one of a dormant session."
    )
    title: str | None = None
    taken_over: str | None = Field(None, description="Since when (UTC) a person has this session, or null.")
    where: str | None = Field(None, description="The provider of its browser, and the node there, or null.")
    login: str | None = Field(None, description="The URL that waits for a person to log in on the live page, or null.")
    queue: list[QueuedCommand] = Field(
        default_factory=list, description="Its commands that run or wait, the oldest first: each waits for the first."
    )


class BrowserStatus(BaseModel):
    """A browser that the daemon has started on this computer."""

    process: int
    memory_mb: float | None = Field(description="The memory of all its processes, where the platform reports it.")


class SharingDaemon(BaseModel):
    """A daemon of those with the same records."""

    name: str
    address: str = Field(description="Where the other daemons reach it.")
    version: str
    pid: int
    alive: bool = Field(description="Whether it has sent a heartbeat in the last seconds; else its sessions are free.")
    heartbeat_s: float = Field(description="Seconds since its last heartbeat.")
    sessions: int = Field(0, description="Its open sessions.")
    running: int = Field(0, description="Its commands that run.")
    ready: bool = Field(False, description="Whether it takes requests.")
    memory_mb: float | None = None


class DaemonList(BaseModel):
    """The daemons with the same records, by name."""

    daemons: list[SharingDaemon]


class ProviderStatus(BaseModel):
    """A provider of browsers at a moment."""

    name: str
    kind: str
    labels: dict[str, str]
    capacity: int | None = Field(description="Browsers that it can run at once, or null if that is not known.")
    used: int = Field(description="Browsers that it runs, also those of others if it says so.")
    queue: int = Field(description="Requests that wait for a browser, also those of others if it says so.")
    state: str = Field(description="`up`, `down`, or `draining`.")
    error: str | None = Field(description="Why it is down, or what failed last, or null.")


class DaemonStatus(BaseModel):
    """The answer of `GET /status`."""

    protocol_version: str = PROTOCOL_VERSION
    version: str
    pid: int
    port: int | None
    tls: bool = Field(False, description="Whether its port speaks TLS.")
    socket: str | None
    started: str
    uptime_s: float
    commands: int = Field(description="Commands answered since the start.")
    running: int = Field(description="Commands running now.")
    memory_mb: float | None
    history: str | None = Field(description="Why the history can't be written, or null.")
    sessions: list[SessionStatus]
    browsers: list[BrowserStatus] = Field(default_factory=list)
    providers: list[ProviderStatus] = Field(default_factory=list)
    load: float | None = Field(
        None,
        description="Used browsers and requests that wait for one as a share of what the providers can run; without "
        "providers, open sessions as a share of those that there may be. Null if there is no limit.",
    )
    extension: bool = Field(False, description="Whether a browser extension is connected.")
    sandbox: bool = Field(True, description="Whether browsers that the daemon starts run pages in Chromium's sandbox.")


class LoginLink(BaseModel):
    """A login link to the live page, for one browser."""

    url: str
    seconds: float = Field(description="Seconds until the link expires; it also expires once used.")


class PairRequest(BaseModel):
    """The code that the extension shows, for the next browser that comes without a key."""

    model_config = ConfigDict(extra="forbid")

    protocol_version: str = PROTOCOL_VERSION
    code: str = Field(max_length=40, examples=["A7X9K2"])


class PairingResponse(BaseModel):
    """The daemon has a code now."""

    protocol_version: str = PROTOCOL_VERSION
    ok: bool = True
    endpoint: str = Field(description="What the extension connects to.")
    connected: bool = Field(description="Whether some extension is connected already.")


class HistoryPage(BaseModel):
    """Rows of the history, the newest first."""

    rows: list[dict[str, Any]] = Field(description="Each with `refused`: why it can't be replayed, or null.")
    more: bool = Field(description="Whether there are older ones that fit.")


def error_kind(error: OrynError) -> str:
    """The error's code in lower case: `ELEMENT_NOT_FOUND` → `element_not_found`."""
    return error.code.lower()


def json_text(response: CommandResponse) -> str:
    """The response as JSON. Unpaired surrogates, which a page may contain, are escaped."""
    try:
        return response.model_dump_json()
    except ValueError:
        return json.dumps(response.model_dump(mode="python"))


DOCUMENT_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""The content security policy of every response that has none of its own. A browser may show any of them as a document,
whose scripts would be this daemon's own: they connect to nothing."""


def failure_of(error: OrynError) -> FailureResponse:
    """The response to a request that the daemon rejects with this error."""
    return FailureResponse(error=error.message, error_kind=error_kind(error), hint=error.hint)


def read_command(data: Any) -> CommandEnvelope:
    """Validate a request's JSON data as a command. Raises `ProtocolMismatch`, `RequestError`."""
    return _read(CommandEnvelope, data)


def read_pairing(data: Any) -> str:
    """Validate a request's JSON data as a pairing code. Raises `ProtocolMismatch`, `RequestError`."""
    return _read(PairRequest, data).code


Body = TypeVar("Body", bound=BaseModel)


def _read(model: type[Body], data: Any) -> Body:
    from pydantic import ValidationError

    if isinstance(data, dict):
        version = data.get("protocol_version", PROTOCOL_VERSION)
        if version != PROTOCOL_VERSION:
            raise ProtocolMismatch(f"the client speaks protocol {version!r}, this daemon {PROTOCOL_VERSION!r}")
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"])) or "the request"
        raise RequestError(f"{place}: {first['msg']}") from None
