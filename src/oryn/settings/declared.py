"""Every setting, declared once: name, kind, default, help. Its flag, environment variable and key follow from the name.

Precedence: flag over environment (`ORYN_…`) over `config.toml` over default. `docs/settings.md` and the command line's
options are made from this table.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, cast

from oryn.errors import ConfigurationError
from oryn.kinds import (
    BROWSER_URL,
    CAPTCHA_SERVICE,
    COLLECTION,
    COUNT,
    DOMAINS,
    ENDPOINT,
    FILE,
    FOLDER,
    FOLDERS,
    INDEX,
    KEY,
    ORIGINS,
    PAUSE,
    PINS,
    PORT,
    PRICE,
    PROXY,
    SECONDS,
    SESSION,
    SEVERAL,
    SIZE,
    SWITCH,
    VERBS,
    WEB_ADDRESS,
    WORDS,
    Kind,
    choice,
)
from oryn.paths import Paths
from oryn.records import Field, Record

Origin = Literal["flag", "environment", "config.toml", "default"]
OutputForm = Literal["text", "json"]
ColourUse = Literal["auto", "always", "never"]
StateEncryption = Literal["off", "environment", "keyring"]
VaultUse = Literal["auto", "keyring", "file"]
LogLevel = Literal["debug", "info", "warning", "error"]
Backend = Literal["headless", "remote"]
Redaction = Literal["off", "values", "all"]
ResearchEngine = Literal["local", "ray"]


class Setting(Record):
    """One setting. `default` is the value itself, not text."""

    name: str
    kind: Kind
    default: Any
    help: str
    environment: str
    flag: str

    @property
    def is_switch(self) -> bool:
        return self.kind is SWITCH

    def show(self, value: Any) -> str:
        """The value as `config.toml` has it, or `-` for none; a secret in it as dots."""
        value = self.public(value)
        if value is None:
            return "-"
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, float):
            return f"{value:g}"
        if isinstance(value, tuple):
            between = os.pathsep if isinstance(value[0], Path) else "," if isinstance(value[0], str) else "x"
            return between.join(map(str, value))
        return str(value)

    def public(self, value: Any) -> Any:
        """The value with dots in the place of a secret."""
        return value if self.kind.shown is None else self.kind.shown(value)


FORM = choice("text", "json")
STATE_ENCRYPTION = choice("off", "environment", "keyring")
VAULT = choice("auto", "keyring", "file")
COLOUR = choice("auto", "always", "never")
BACKEND = choice("headless", "remote")
REDACTION = choice("off", "values", "all")
ENGINE = choice("local", "ray")
LEVEL = choice("debug", "info", "warning", "error")


class Declared(Field):
    """A field of `Settings`."""

    __slots__ = ("help", "kind")

    def __init__(self, default: Any, kind: Kind, help: str) -> None:
        super().__init__(default=default, keyword=True)
        self.kind = kind
        self.help = help


def _declared(default: Any, kind: Kind, text: str) -> Any:
    return Declared(default, kind, text)


class Settings(Record):
    """The values that hold. `Settings()` has the defaults; `load` resolves those of a process."""

    browser: str | None = _declared(
        None, WORDS, "The browser to run: a path, or a name such as chrome, chromium, edge or brave."
    )
    headful: bool = _declared(False, SWITCH, "Show the browser's window.")
    profile: str | None = _declared(
        None, SESSION, "Keep cookies and storage in the profile of this name; without one, nothing is kept."
    )
    browser_url: str | None = _declared(
        None,
        BROWSER_URL,
        "Attach to the browser at this address instead of starting one: ws:// or wss:// and its DevTools endpoint, or "
        "http:// and its port.",
    )
    ephemeral: bool = _declared(
        False, SWITCH, "Keep nothing of the session for later, where a host keeps its sessions: the daemon does."
    )
    attachable: bool = _declared(
        False, SWITCH, "Open a port over which other programs of this computer can drive the session's browser too."
    )
    session: str = _declared("default", SESSION, "The session's name.")
    timeout: float = _declared(30.0, SECONDS, "How long a command may take, unless it says otherwise with --timeout.")
    strict: bool = _declared(False, SWITCH, "Refuse a target that several elements fit equally well.")
    viewport: tuple[int, int] = _declared((1280, 720), SIZE, "The size of a page's viewport.")
    observe_limit: int = _declared(200, COUNT, "How many elements an observation lists; 0 is all.")
    settle_limit: float = _declared(3.0, SECONDS, "How long to wait for a page to become quiet after an action.")
    files_root: tuple[Path, ...] | None = _declared(
        None, FOLDERS, "The folders that commands may read and write files in; without one, every folder."
    )
    downloads: Path | None = _declared(
        None, FOLDER, "The folder for downloads; without one it is made beside the user's data, or in the files root."
    )
    download_limit: int = _declared(1000, COUNT, "The largest download, in megabytes; 0 is no limit.")
    state_encryption: StateEncryption = _declared(
        "off",
        STATE_ENCRYPTION,
        "Where the key is that 'state save' encrypts with: environment is ORYN_STATE_KEY, keyring the system's own.",
    )
    vault: VaultUse = _declared(
        "auto",
        VAULT,
        "Where the key is that 'oryn vault' encrypts with: the system's keyring, or a file, or ORYN_VAULT_KEY where it "
        "is set. auto is ORYN_VAULT_KEY, else where it was, else the keyring, else the file.",
    )
    extensions: tuple[Path, ...] | None = _declared(
        None, FOLDERS, "The folders of unpacked browser extensions to load."
    )
    max_output: int = _declared(
        0, COUNT, "The most characters of an answer; what is longer is cut, and kept whole in a file. 0 is no limit."
    )
    proxy: str | None = _declared(None, PROXY, "The proxy that requests go through.")
    proxy_bypass: str | None = _declared(
        None,
        WORDS,
        "Hosts that the proxy is not for, such as *.example.org,10.0.0.0/8; <-loopback> sends even this computer's own "
        "through it.",
    )
    ignore_certificate_errors: bool = _declared(False, SWITCH, "Accept certificates that nobody vouches for.")
    certificate_pins: tuple[str, ...] | None = _declared(
        None,
        PINS,
        "Accept certificates that nobody vouches for where their public key, or that of one above them, has one of "
        "these hashes.",
    )
    client_certificate: Path | None = _declared(
        None, FILE, "A PEM file with a certificate and its key, to show to servers of client_certificate_origins."
    )
    client_certificate_origins: tuple[str, ...] | None = _declared(
        None, ORIGINS, "The servers that the client certificate is for."
    )
    allowed_domains: tuple[str, ...] | None = _declared(
        None,
        DOMAINS,
        "The only hosts that pages may be loaded from and may speak to: example.org is that host alone, *.example.org "
        "all below it too.",
    )
    denied_domains: tuple[str, ...] | None = _declared(
        None, DOMAINS, "Hosts that no page may be loaded from or speak to, also where they are allowed."
    )
    read_only: bool = _declared(False, SWITCH, "Refuse commands that may change something; looking and moving stay.")
    confirm: tuple[str, ...] | None = _declared(
        None,
        VERBS,
        "Commands that wait for a person's yes, such as click,upload,eval; all is every one that may change something.",
    )
    boundaries: bool = _declared(
        False, SWITCH, "Fence what may come from a page with a random word, anew in each answer."
    )
    captcha_service: str | None = _declared(
        None,
        CAPTCHA_SERVICE,
        "The service that 'captcha solve' asks; without one, it solves nothing. Many sites forbid it.",
    )
    captcha_key: str | None = _declared(None, KEY, "The key of your account at captcha_service.")
    cache: bool = _declared(True, SWITCH, "Keep what was loaded, and use it again.")
    port: int = _declared(7720, PORT, "The daemon's port on this computer; 0 is any that is free.")
    backend: Backend = _declared(
        "headless",
        BACKEND,
        "Where the daemon's sessions are that say nothing else: headless Chromium, or remote, the user's own browser "
        "with the extension.",
    )
    idle_stop: float = _declared(3600.0, SECONDS, "How long a daemon without anything to do stays.")
    research_idle: float = _declared(
        300.0, SECONDS, "How long a daemon keeps the process that does research, with its model, without work for it."
    )
    most_sessions: int = _declared(50, COUNT, "How many sessions a daemon may have open; 0 is no limit.")
    most_commands: int = _declared(64, COUNT, "How many commands a daemon takes at once; 0 is no limit.")
    most_pages: int = _declared(
        100, COUNT, "How many tabs a session may have; what a page opens beyond that is closed. 0 is no limit."
    )
    model: str | None = _declared(None, WORDS, "The model that 'oryn agent' asks, by its name at the endpoint.")
    endpoint: str = _declared(
        "https://api.openai.com/v1",
        ENDPOINT,
        "Where the model is: an API with OpenAI's chat completions, here or elsewhere; what /chat/completions follows.",
    )
    model_key: str | None = _declared(
        None, KEY, "The key for the endpoint; as a flag only the name of one in the vault, for others see arguments."
    )
    input_price: float | None = _declared(
        None, PRICE, "The price of a million tokens that the model reads, for what a run costs."
    )
    output_price: float | None = _declared(
        None, PRICE, "The price of a million tokens that the model writes, for what a run costs."
    )
    max_steps: int = _declared(50, COUNT, "How many replies of the model an agent's run may have; 0 is no limit.")
    max_tabs: int = _declared(3, SEVERAL, "How many tabs an agent may have; one more releases the oldest.")
    redact: Redaction = _declared(
        "values",
        REDACTION,
        "Where emails, phone and card numbers and tokens are kept from an agent's model: nowhere, in the values of "
        "fields, or in all that a page says.",
    )
    page_text: int = _declared(
        0, COUNT, "How many characters of a page's text an agent's model is told with its elements; 0 is none."
    )
    search_provider: str = _declared(
        "duckduckgo", WORDS, "Who is asked for pages: duckduckgo, wikipedia, searxng or brave."
    )
    search_url: str | None = _declared(
        None, WEB_ADDRESS, "Where the provider duckduckgo is asked, in the place of its own address."
    )
    searxng_url: str | None = _declared(
        None, WEB_ADDRESS, "Your own SearXNG, for the provider searxng; its settings.yml has to list the format json."
    )
    wikipedia_url: str | None = _declared(
        None, WEB_ADDRESS, "The Wikipedia that the provider wikipedia asks; without one, https://en.wikipedia.org."
    )
    brave_key: str | None = _declared(None, KEY, "The key of your account at Brave Search, for the provider brave.")
    throttle: float = _declared(
        1.0, PAUSE, "The least time between two requests of research to one host; its robots.txt may ask for more."
    )
    fetch_timeout: float = _declared(30.0, SECONDS, "How long fetching one page may take, its redirects included.")
    max_body: int = _declared(10, SEVERAL, "The largest page that research takes, in megabytes, also decompressed.")
    allow_private: bool = _declared(
        False, SWITCH, "Let research fetch from this computer and from private networks, also where a page leads there."
    )
    user_agent: str | None = _declared(None, WORDS, "Who research says it is; without one, oryn and its version.")
    concurrency: int = _declared(8, SEVERAL, "How many pages research fetches at once, each from another host.")
    page_cache: Path | None = _declared(
        None, FOLDER, "The folder of the pages that research has fetched; without one, beside the user's other caches."
    )
    index: Path | str | None = _declared(
        None, INDEX, "Where the index of passages is; without one, a folder beside the user's data."
    )
    index_key: str | None = _declared(None, KEY, "The key of the Qdrant server that index names.")
    collection: str = _declared("passages", COLLECTION, "The collection that research puts passages into.")
    embedding_model: Path | None = _declared(
        None,
        FOLDER,
        "A folder with model.onnx and tokenizer.json for passages' vectors; without one, the installed package's.",
    )
    engine: ResearchEngine = _declared(
        "local", ENGINE, "Where research crawls, reads and embeds: in this computer's processes, or on Ray."
    )
    ray_address: str | None = _declared(
        None, WORDS, "The Ray cluster to use, such as HOST:6379 or auto; without one, Ray is started on this computer."
    )
    output: OutputForm = _declared("text", FORM, "The form of answers.")
    colour: ColourUse = _declared("auto", COLOUR, "Colour on a terminal.")
    log_level: LogLevel = _declared("warning", LEVEL, "What is logged to standard error.")


def _setting(field: Field) -> Setting:
    assert isinstance(field, Declared)
    name = field.name
    return Setting(name, field.kind, field.default, field.help, f"ORYN_{name.upper()}", f"--{name.replace('_', '-')}")


SETTINGS: dict[str, Setting] = {name: _setting(field) for name, field in Settings.__fields__.items()}
"""Every setting by its name, which is also its key in `config.toml`."""

EVERYWHERE = ("log_level",)
SERVING = ("port", "backend", "idle_stop", "research_idle", "most_sessions", "most_commands")
"""The settings of the daemon alone."""
STORING = ("vault",)
"""The settings of what stores secrets."""
AGENT = (
    "model",
    "endpoint",
    "model_key",
    "input_price",
    "output_price",
    "max_steps",
    "max_tabs",
    "redact",
    "page_text",
)
"""The settings of agents alone."""
RESEARCH = (
    "search_provider",
    "search_url",
    "searxng_url",
    "wikipedia_url",
    "brave_key",
    "throttle",
    "fetch_timeout",
    "max_body",
    "allow_private",
    "user_agent",
    "concurrency",
    "page_cache",
    "index",
    "index_key",
    "collection",
    "embedding_model",
    "engine",
    "ray_address",
)
"""The settings of research alone; each is an option of `oryn.research.options.ResearchOptions` of the same name."""
BROWSING = tuple(name for name in SETTINGS if name not in (*EVERYWHERE, *SERVING, *STORING, *AGENT, *RESEARCH))
"""The settings of a command that drives a browser."""


LIMITS = frozenset(
    {"allowed_domains", "denied_domains", "read_only", "confirm", "boundaries", "files_root", "download_limit"}
)
"""Settings that limit what a session may do: who asks for a session may set them, but not change what its host has."""


NOT_FOR_CALLERS = frozenset(
    {
        "captcha_service",
        "captcha_key",
        "endpoint",
        "model_key",
        "allow_private",
        "search_url",
        "searxng_url",
        "wikipedia_url",
        "brave_key",
        "page_cache",
        "index",
        "index_key",
        "embedding_model",
        "ray_address",
    }
)
"""Settings that only the host has: with one of its own, a caller could have a secret sent elsewhere, or reach places
that are the host's."""


class Configuration(Record):
    """The settings of a process, where each came from, and the folders."""

    settings: Settings
    origins: Mapping[str, Origin]
    paths: Paths

    def replaced(self, settings: Mapping[str, Any]) -> Configuration:
        """With these values, as text or as TOML has them, in the place of its own. Raises `ConfigurationError`."""
        for name in settings:
            if name not in SETTINGS:
                raise _unknown(name, "there is")
            if name in NOT_FOR_CALLERS:
                raise ConfigurationError(f"{name} is the host's to say", "Set it where the host is started.")
        values = {name: _read(SETTINGS[name], value, "flag") for name, value in settings.items()}
        for name in LIMITS.intersection(values):
            if getattr(self.settings, name) not in (SETTINGS[name].default, values[name]):
                raise ConfigurationError(
                    f"{name} is the host's to say, and it has said so", "Leave the setting out: the host's holds."
                )
        origins: dict[str, Origin] = {**self.origins, **dict.fromkeys(values, "flag")}
        return Configuration(self.settings.replace(**values), origins, self.paths)

    def without(self, name: str) -> Configuration:
        """With the default in the place of one value."""
        settings = self.settings.replace(**{name: SETTINGS[name].default})
        return Configuration(settings, {**self.origins, name: "default"}, self.paths)


def load(
    flags: Mapping[str, Any],
    paths: Paths,
    environment: Mapping[str, str] = os.environ,
) -> Configuration:
    """Resolve every setting. `flags` holds what the command line gave; a value of None was not given.

    Raises `ConfigurationError` naming the setting, the value, where it came from and what it may be."""
    layers: list[tuple[Origin, Mapping[str, Any]]] = [
        ("flag", {name: value for name, value in flags.items() if value is not None}),
        # An empty variable counts as unset, as everywhere on a command line.
        ("environment", {s.name: text for s in SETTINGS.values() if (text := environment.get(s.environment))}),
        ("config.toml", _read_file(paths.config_file)),
    ]
    values: dict[str, Any] = {}
    origins: dict[str, Origin] = {}
    for name, setting in SETTINGS.items():
        for origin, layer in layers:
            if name in layer:
                values[name], origins[name] = _read(setting, layer[name], origin), origin
                break
        else:
            values[name], origins[name] = setting.default, "default"
    return Configuration(Settings(**values), origins, paths)


def _read(setting: Setting, raw: Any, origin: Origin) -> Any:
    try:
        return setting.kind.read(raw)
    except (ValueError, TypeError) as error:
        source = {
            "flag": f"the flag {setting.flag}",
            "environment": f"the environment variable {setting.environment}",
            "config.toml": "config.toml",
            "default": "the default",
        }[origin]
        raise ConfigurationError(
            f"{setting.name} can't be {setting.public(raw)!r} (from {source})",
            f"{setting.name} may be {setting.kind.may_be}.",
        ) from (None if setting.kind.shown else error)


def _unknown(name: str, where: str) -> ConfigurationError:
    import difflib

    near = difflib.get_close_matches(name, SETTINGS, 1)
    known = f"Did you mean {near[0]}?" if near else "'oryn config' lists the settings."
    return ConfigurationError(f"{where} no setting called {name!r}", known)


def _read_file(file: Path) -> Mapping[str, Any]:
    if not file.is_file():
        return {}
    import tomllib

    try:
        with file.open("rb") as stream:
            table = tomllib.load(stream)
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"can't read {file}: {error}", "Correct the file or remove it.") from error
    for key in table:
        if key not in SETTINGS:
            raise _unknown(key, "config.toml has")
    return cast("Mapping[str, Any]", table)
