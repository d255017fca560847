"""Every setting, declared once: name, kind, default, help. Its flag, environment variable and key follow from the name,
and so do the tables of those that belong together."""

from __future__ import annotations

from pathlib import Path

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
)
from oryn.records import Record
from oryn.settings.choices import (
    BACKEND,
    COLOUR,
    ENGINE,
    FORM,
    LEVEL,
    REDACTION,
    SEARCH_PROVIDER,
    STATE_ENCRYPTION,
    VAULT,
    Backend,
    ColourUse,
    LogLevel,
    OutputForm,
    Redaction,
    ResearchEngine,
    StateEncryption,
    VaultUse,
)
from oryn.settings.setting import Group, Setting, agent, declared, everywhere, research, serving, storing


class Settings(Record):
    """The values that hold. `Settings()` has the defaults; `load` resolves those of a process."""

    browser: str | None = declared(
        None, WORDS, "The browser to run: a path, or a name such as chrome, chromium, edge or brave."
    )
    headful: bool = declared(False, SWITCH, "Show the browser's window.")
    profile: str | None = declared(
        None, SESSION, "Keep cookies and storage in the profile of this name; without one, nothing is kept."
    )
    browser_url: str | None = declared(
        None,
        BROWSER_URL,
        "Attach to the browser at this address instead of starting one: ws:// or wss:// and its DevTools endpoint, or "
        "http:// and its port.",
    )
    ephemeral: bool = declared(
        False, SWITCH, "Keep nothing of the session for later, where a host keeps its sessions: the daemon does."
    )
    attachable: bool = declared(
        False, SWITCH, "Open a port over which other programs of this computer can drive the session's browser too."
    )
    session: str = declared("default", SESSION, "The session's name.")
    timeout: float = declared(30.0, SECONDS, "How long a command may take, unless it says otherwise with --timeout.")
    strict: bool = declared(False, SWITCH, "Refuse a target that several elements fit equally well.")
    viewport: tuple[int, int] = declared((1280, 720), SIZE, "The size of a page's viewport.")
    observe_limit: int = declared(200, COUNT, "How many elements an observation lists; 0 is all.")
    settle_limit: float = declared(3.0, SECONDS, "How long to wait for a page to become quiet after an action.")
    files_root: tuple[Path, ...] | None = declared(
        None,
        FOLDERS,
        "The folders that commands may read and write files in; without one, every folder, save that 'oryn mcp' and "
        "read-only sessions have a private one.",
        limits=True,
    )
    downloads: Path | None = declared(
        None, FOLDER, "The folder for downloads; without one it is made beside the user's data, or in the files root."
    )
    download_limit: int = declared(1000, COUNT, "The largest download, in megabytes; 0 is no limit.", limits=True)
    state_encryption: StateEncryption = declared(
        "off",
        STATE_ENCRYPTION,
        "Where the key is that 'state save' encrypts with: environment is ORYN_STATE_KEY, keyring the system's own.",
    )
    vault: VaultUse = storing(
        "auto",
        VAULT,
        "Where the key is that 'oryn vault' encrypts with: the system's keyring, or a file, or ORYN_VAULT_KEY where it "
        "is set. auto is ORYN_VAULT_KEY, else where it was, else the keyring, else the file.",
    )
    extensions: tuple[Path, ...] | None = declared(None, FOLDERS, "The folders of unpacked browser extensions to load.")
    max_output: int = declared(
        0, COUNT, "The most characters of an answer; what is longer is cut, and kept whole in a file. 0 is no limit."
    )
    proxy: str | None = declared(None, PROXY, "The proxy that requests go through.")
    proxy_bypass: str | None = declared(
        None,
        WORDS,
        "Hosts that the proxy is not for, such as *.example.org,10.0.0.0/8; <-loopback> sends even this computer's own "
        "through it.",
    )
    ignore_certificate_errors: bool = declared(False, SWITCH, "Accept certificates that nobody vouches for.")
    certificate_pins: tuple[str, ...] | None = declared(
        None,
        PINS,
        "Accept certificates that nobody vouches for where their public key, or that of one above them, has one of "
        "these hashes.",
    )
    client_certificate: Path | None = declared(
        None, FILE, "A PEM file with a certificate and its key, to show to servers of client_certificate_origins."
    )
    client_certificate_origins: tuple[str, ...] | None = declared(
        None, ORIGINS, "The servers that the client certificate is for."
    )
    allowed_domains: tuple[str, ...] | None = declared(
        None,
        DOMAINS,
        "The only hosts that pages may be loaded from and may speak to: example.org is that host alone, *.example.org "
        "all below it too.",
        limits=True,
    )
    denied_domains: tuple[str, ...] | None = declared(
        None, DOMAINS, "Hosts that no page may be loaded from or speak to, also where they are allowed.", limits=True
    )
    read_only: bool = declared(
        False, SWITCH, "Refuse commands that may change something; looking and moving stay.", limits=True
    )
    confirm: tuple[str, ...] | None = declared(
        None,
        VERBS,
        "Commands that wait for a person's yes, such as click,upload,eval; all is every one that may change something.",
        limits=True,
    )
    boundaries: bool = declared(
        False, SWITCH, "Fence what may come from a page with a random word, anew in each answer.", limits=True
    )
    captcha_service: str | None = declared(
        None,
        CAPTCHA_SERVICE,
        "The service that 'captcha solve' asks; without one, it solves nothing. Many sites forbid it.",
        hosts=True,
    )
    captcha_key: str | None = declared(None, KEY, "The key of your account at captcha_service.", hosts=True)
    cache: bool = declared(True, SWITCH, "Keep what was loaded, and use it again.")
    port: int = serving(7720, PORT, "The daemon's port on this computer; 0 is any that is free.")
    backend: Backend = serving(
        "headless",
        BACKEND,
        "Where the daemon's sessions are that say nothing else: headless Chromium, or remote, the user's own browser "
        "with the extension.",
    )
    idle_stop: float = serving(3600.0, SECONDS, "How long a daemon without anything to do stays.")
    research_idle: float = serving(
        300.0, SECONDS, "How long a daemon keeps the process that does research, with its model, without work for it."
    )
    most_sessions: int = serving(50, COUNT, "How many sessions a daemon may have open; 0 is no limit.")
    most_commands: int = serving(64, COUNT, "How many commands a daemon takes at once; 0 is no limit.")
    most_pages: int = declared(
        100, COUNT, "How many tabs a session may have; what a page opens beyond that is closed. 0 is no limit."
    )
    model: str | None = agent(None, WORDS, "The model that 'oryn agent' asks, by its name at the endpoint.")
    endpoint: str = agent(
        "https://api.openai.com/v1",
        ENDPOINT,
        "Where the model is: an API with OpenAI's chat completions, here or elsewhere; what /chat/completions follows.",
        hosts=True,
    )
    model_key: str | None = agent(
        None,
        KEY,
        "The key for the endpoint; as a flag only the name of one in the vault, for others see arguments.",
        hosts=True,
    )
    input_price: float | None = agent(
        None, PRICE, "The price of a million tokens that the model reads, for what a run costs."
    )
    output_price: float | None = agent(
        None, PRICE, "The price of a million tokens that the model writes, for what a run costs."
    )
    max_steps: int = agent(50, COUNT, "How many replies of the model an agent's run may have; 0 is no limit.")
    max_tabs: int = agent(3, SEVERAL, "How many tabs an agent may have; one more releases the oldest.")
    redact: Redaction = agent(
        "values",
        REDACTION,
        "Where emails, phone and card numbers and tokens are kept from an agent's model: nowhere, in the values of "
        "fields, or in all that a page says.",
    )
    page_text: int = agent(
        0, COUNT, "How many characters of a page's text an agent's model is told with its elements; 0 is none."
    )
    search_provider: str = research(
        "duckduckgo",
        SEARCH_PROVIDER,
        "Who is asked for pages: duckduckgo (ddg for short), wikipedia, searxng, brave, the index of what was read, or "
        "hybrid, the index with duckduckgo.",
    )
    search_url: str | None = research(
        None, WEB_ADDRESS, "Where the provider duckduckgo is asked, in the place of its own address.", hosts=True
    )
    searxng_url: str | None = research(
        None,
        WEB_ADDRESS,
        "Your own SearXNG, for the provider searxng; its settings.yml has to list the format json.",
        hosts=True,
    )
    wikipedia_url: str | None = research(
        None,
        WEB_ADDRESS,
        "The Wikipedia that the provider wikipedia asks; without one, https://en.wikipedia.org.",
        hosts=True,
    )
    brave_key: str | None = research(
        None, KEY, "The key of your account at Brave Search, for the provider brave.", hosts=True
    )
    throttle: float = research(
        1.0, PAUSE, "The least time between two requests of research to one host; its robots.txt may ask for more."
    )
    fetch_timeout: float = research(30.0, SECONDS, "How long fetching one page may take, its redirects included.")
    max_body: int = research(10, SEVERAL, "The largest page that research takes, in megabytes, also decompressed.")
    allow_private: bool = research(
        False,
        SWITCH,
        "Let research fetch from this computer and from private networks, also where a page leads there.",
        hosts=True,
    )
    user_agent: str | None = research(None, WORDS, "Who research says it is; without one, oryn and its version.")
    concurrency: int = research(8, SEVERAL, "How many pages research fetches at once, each from another host.")
    page_cache: Path | None = research(
        None,
        FOLDER,
        "The folder of the pages that research has fetched; without one, beside the user's other caches.",
        hosts=True,
    )
    index: Path | str | None = research(
        None, INDEX, "Where the index of passages is; without one, a folder beside the user's data.", hosts=True
    )
    index_key: str | None = research(None, KEY, "The key of the Qdrant server that index names.", hosts=True)
    collection: str = research("passages", COLLECTION, "The collection that research puts passages into.")
    embedding_model: Path | None = research(
        None,
        FOLDER,
        "A folder with model.onnx and tokenizer.json for passages' vectors; without one, the installed package's.",
        hosts=True,
    )
    engine: ResearchEngine = research(
        "local", ENGINE, "Where research crawls, reads and embeds: in this computer's processes, or on Ray."
    )
    ray_address: str | None = research(
        None,
        WORDS,
        "The Ray cluster to use, such as HOST:6379 or auto; without one, Ray is started on this computer.",
        hosts=True,
    )
    output: OutputForm = declared("text", FORM, "The form of answers.")
    colour: ColourUse = declared("auto", COLOUR, "Colour on a terminal.")
    log_level: LogLevel = everywhere("warning", LEVEL, "What is logged to standard error.")


SETTINGS: dict[str, Setting] = {name: Setting.of(field) for name, field in Settings.__fields__.items()}
"""Every setting by its name, which is also its key in `config.toml`."""


def _group(group: Group) -> tuple[str, ...]:
    return tuple(name for name, setting in SETTINGS.items() if setting.group == group)


BROWSING = _group("browsing")
"""The settings of a command that drives a browser."""
EVERYWHERE = _group("everywhere")
SERVING = _group("serving")
"""The settings of the daemon alone."""
STORING = _group("storing")
"""The settings of what stores secrets."""
AGENT = _group("agent")
"""The settings of agents alone."""
RESEARCH = _group("research")
"""The settings of research alone; each is an option of `oryn.research.options.ResearchOptions` of the same name."""
LIMITS = frozenset(name for name, setting in SETTINGS.items() if setting.limits)
