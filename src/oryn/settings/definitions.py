"""Every setting, declared once: name, type, default, help. Its flag, environment variable and key in `config.toml` are
derived from the name, unless the declaration has another flag. The end of the file lists the groups of settings
(`BROWSING`, `RESEARCH` …)."""

from __future__ import annotations

from pathlib import Path

from oryn.core.records import Record
from oryn.settings.setting import (
    Group,
    Setting,
    define_agent,
    define_everywhere,
    define_research,
    define_serving,
    define_setting,
    define_storing,
)
from oryn.settings.types import (
    ADDRESS,
    API_ENDPOINT,
    BACKEND,
    BROWSER_CONTEXT,
    BROWSER_URL,
    CAPTCHA_SERVICE,
    COLLECTION,
    COLOUR_USE,
    COUNT,
    DOMAINS,
    FILE,
    FOLDER,
    FOLDERS,
    HOST_NAMES,
    HOST_PORT,
    INDEX,
    KEY,
    LABELS,
    LOG_FORMAT,
    LOG_LEVEL,
    MEGABYTES,
    NETWORKS,
    ORIGINS,
    OUTPUT_FORM,
    PAUSE,
    PINS,
    PLAYWRIGHT_ENGINE,
    PORT,
    POSITIVE_COUNT,
    POSITIVE_MEGABYTES,
    PRICE,
    PROXY,
    RECORDS,
    REDACTION,
    RESEARCH_ENGINE,
    SEARCH_PROVIDER,
    SECONDS,
    SESSION,
    SHARE,
    SIZE,
    STATE_ENCRYPTION,
    SWITCH,
    TEXT,
    TRACE_ENDPOINT,
    VAULT_USE,
    VERBS,
    WEB_ADDRESS,
    WEBKIT_ENGINE,
    Backend,
    BrowserContextUse,
    ColourUse,
    LogFormat,
    LogLevel,
    OutputForm,
    PlaywrightEngine,
    Redaction,
    ResearchEngine,
    StateEncryption,
    VaultUse,
    WebKitEngine,
)


class Settings(Record):
    """The values of all settings. `Settings()` has the defaults; `load` resolves those of a process."""

    browser: str | None = define_setting(
        None, TEXT, "Path or name of the browser to run, such as chrome, chromium, edge or brave."
    )
    headful: bool = define_setting(False, SWITCH, "Show the browser's window.")
    profile: str | None = define_setting(
        None,
        SESSION,
        "Name of the profile that stores cookies and web storage. Without one, only hosts that save sessions, such as "
        "the daemon, keep them.",
    )
    browser_url: str | None = define_setting(
        None,
        BROWSER_URL,
        "Attach to a running browser instead of starting one: ws:// or wss:// with its DevTools endpoint, "
        "http:// with its debugging port, or the name of one that runs here, such as chrome. With the backend "
        "playwright also the ws:// address of a Playwright server.",
    )
    browser_context: BrowserContextUse = define_setting(
        "private",
        BROWSER_CONTEXT,
        "Where a session works in the browser at browser_url: private is a context of its own, shared is the browser's "
        "own, with the tabs and logins of its user. 'oryn attach' uses shared.",
    )
    providers: Path | None = define_setting(
        None,
        FILE,
        "TOML file that names providers of browsers: this computer, DevTools addresses, Selenium Grids, Playwright "
        "servers. Without it, browsers start here.",
        hosts=True,
    )
    provider: str | None = define_setting(
        None,
        SESSION,
        "Name of the provider that the session's browser comes from; without it, any that has its labels.",
    )
    labels: tuple[str, ...] | None = define_setting(
        None, LABELS, "Labels that the provider of the session's browser must have.", flag="label"
    )
    min_free_memory: int = define_setting(
        0,
        MEGABYTES,
        "Memory in megabytes that must stay free when another session starts on this computer; until then it waits. 0 "
        "is no limit.",
        hosts=True,
    )
    webkit_engine: WebKitEngine = define_setting(
        "wpe",
        WEBKIT_ENGINE,
        "Engine of a session with the backend embedded: wpe and cog show WPE WebKit, webkitgtk WebKitGTK on a display.",
    )
    inspector_address: str | None = define_setting(
        None,
        HOST_PORT,
        "Address of a WebKit that runs already, for a session with the backend embedded: it was started with "
        "WEBKIT_INSPECTOR_SERVER and --automation, on a device for example.",
    )
    playwright_engine: PlaywrightEngine = define_setting(
        "chromium",
        PLAYWRIGHT_ENGINE,
        "Engine of a session with the backend playwright. firefox and webkit are Playwright's builds.",
    )
    ephemeral: bool = define_setting(
        False,
        SWITCH,
        "Don't save the session for later; only matters for hosts that save sessions, such as the daemon.",
    )
    attachable: bool = define_setting(
        False, SWITCH, "Open a port on this computer through which other programs can drive the session's browser too."
    )
    session: str = define_setting("default", SESSION, "Name of the session.")
    timeout: float = define_setting(
        30.0,
        SECONDS,
        "Time limit of a command without --timeout. 'login' (5 minutes) and research commands (1 minute to 1 hour) "
        "have their own.",
    )
    strict: bool = define_setting(False, SWITCH, "Reject a target that matches several elements equally well.")
    viewport: tuple[int, int] = define_setting((1280, 720), SIZE, "Size of the page's viewport in CSS pixels.")
    observe_limit: int = define_setting(200, COUNT, "Maximum number of elements in an observation; 0 is unlimited.")
    settle_limit: float = define_setting(
        3.0, SECONDS, "Maximum time to wait for a page to become quiet after an action."
    )
    settle_grace: float = define_setting(
        0.4,
        SECONDS,
        "Time that a page has for its first reaction to an action, before the answer says that nothing changed.",
    )
    action_wait: float = define_setting(
        5.0,
        SECONDS,
        "Time that an element may be hidden, disabled or covered before an action on it is refused.",
    )
    presence_wait: float = define_setting(
        1.0,
        SECONDS,
        "Time that the target of an action may be missing before it is not found; action_wait applies while the page "
        "is still loading.",
    )
    tab_lease: float = define_setting(
        180.0,
        SECONDS,
        "Time without a command after which a tab of a shared browser is no longer the session's, so that others may "
        "act on it.",
    )
    files_root: tuple[Path, ...] | None = define_setting(
        None,
        FOLDERS,
        "Folders in which commands may read and write files. Default: every folder; 'oryn mcp' and read-only "
        "sessions get a private one.",
        limits=True,
    )
    downloads: Path | None = define_setting(
        None,
        FOLDER,
        "Folder for downloads. Default: one per session, in Oryn's data folder or in the first files root.",
    )
    download_limit: int = define_setting(
        1000, MEGABYTES, "Maximum size of a download in megabytes; 0 is unlimited.", limits=True
    )
    state_encryption: StateEncryption = define_setting(
        "off",
        STATE_ENCRYPTION,
        "Where 'state save' gets its encryption key: environment reads ORYN_STATE_KEY, keyring uses the "
        "system's keyring, off disables encryption.",
    )
    vault: VaultUse = define_storing(
        "auto",
        VAULT_USE,
        "Where 'oryn vault' gets its encryption key: the system's keyring, or a file (ORYN_VAULT_KEY instead, if set). "
        "auto uses ORYN_VAULT_KEY if set, otherwise the place used before, otherwise the keyring, otherwise the file.",
    )
    passkey: str | None = define_setting(
        None,
        SESSION,
        "Name of passkeys in the vault ('oryn vault passkey') that the session's pages use, and add to, without a "
        "person.",
    )
    sandbox: bool = define_setting(
        True,
        SWITCH,
        "Run pages in Chromium's sandbox, except as root. Without it, a page that breaks into its browser has the "
        "rights of the user.",
        hosts=True,
    )
    extensions: tuple[Path, ...] | None = define_setting(
        None, FOLDERS, "Folders of unpacked browser extensions to load."
    )
    max_output: int = define_setting(
        0,
        COUNT,
        "Maximum number of characters in an answer; longer answers are truncated, and the full text is "
        "written to a file. 0 is unlimited.",
    )
    proxy: str | None = define_setting(None, PROXY, "Proxy server for the browser's requests.")
    proxy_bypass: str | None = define_setting(
        None,
        TEXT,
        "Hosts that bypass the proxy, such as *.example.org,10.0.0.0/8; <-loopback> sends requests to this "
        "computer through it too.",
    )
    ignore_certificate_errors: bool = define_setting(
        False, SWITCH, "Accept untrusted TLS certificates, such as self-signed ones. Insecure."
    )
    certificate_pins: tuple[str, ...] | None = define_setting(
        None,
        PINS,
        "Accept an untrusted TLS certificate if its public key, or that of a certificate above it in the "
        "chain, has one of these hashes.",
    )
    client_certificate: Path | None = define_setting(
        None,
        FILE,
        "PEM file with the TLS client certificate and private key for the servers in client_certificate_origins.",
    )
    client_certificate_origins: tuple[str, ...] | None = define_setting(
        None, ORIGINS, "Origins of the servers that receive the client certificate."
    )
    allowed_domains: tuple[str, ...] | None = define_setting(
        None,
        DOMAINS,
        "The only hosts that pages may load from or connect to: example.org is that host alone, *.example.org"
        " includes its subdomains.",
        limits=True,
    )
    denied_domains: tuple[str, ...] | None = define_setting(
        None,
        DOMAINS,
        "Hosts that pages may never load from or connect to, even if they match allowed_domains.",
        limits=True,
    )
    read_only: bool = define_setting(
        False, SWITCH, "Reject commands that may change something; observing and navigating stay allowed.", limits=True
    )
    confirm: tuple[str, ...] | None = define_setting(
        None,
        VERBS,
        "Commands that wait for a person's approval, such as click,upload,eval; all is every command that may"
        " change something.",
        limits=True,
    )
    boundaries: bool = define_setting(
        False, SWITCH, "Wrap untrusted page content in markers with a random token per answer.", limits=True
    )
    captcha_service: str | None = define_setting(
        None,
        CAPTCHA_SERVICE,
        "Service that 'captcha solve' uses; without one, Oryn solves no captchas. Many sites forbid such services.",
        hosts=True,
    )
    captcha_key: str | None = define_setting(None, KEY, "API key for captcha_service.", hosts=True)
    cache: bool = define_setting(True, SWITCH, "Use the browser's HTTP cache.")
    port: int = define_serving(7720, PORT, "The daemon's TCP port on this computer; 0 picks a free port.")
    listen: str = define_serving(
        "127.0.0.1",
        ADDRESS,
        "IP address that the daemon listens on. Others than loopback are for containers and other computers.",
    )
    tls_certificate: Path | None = define_serving(
        None,
        FILE,
        "PEM file with the daemon's certificate, and those of its CAs after it: the port then speaks TLS alone. Needs"
        " tls_key.",
        hosts=True,
    )
    tls_key: Path | None = define_serving(
        None, FILE, "PEM file with the private key of tls_certificate, without a password.", hosts=True
    )
    allowed_hosts: tuple[str, ...] | None = define_serving(
        None,
        HOST_NAMES,
        "Names by which other computers reach the daemon, besides those of loopback: the Host of a request must be one"
        " of them. A name without a port allows every port.",
        hosts=True,
    )
    tokens: Path | None = define_serving(
        None,
        FILE,
        "JSON or TOML file of tokens, as 'oryn token' makes it, such as a mounted secret. Default: tokens.json in the "
        "daemon's folder.",
        hosts=True,
    )
    trusted_proxies: tuple[str, ...] | None = define_serving(
        None,
        NETWORKS,
        "Addresses of the proxies in front of the daemon. Oryn believes Forwarded, and X-Forwarded-For, -Proto and"
        " -Host, only from them.",
        hosts=True,
    )
    backend: Backend = define_serving(
        "headless",
        BACKEND,
        "Default browser of sessions of the daemon and of tests: headless is Chromium, embedded is WebKit, playwright "
        "is a browser that Playwright drives, remote is the user's own browser with the extension.",
    )
    records: str | None = define_serving(
        None,
        RECORDS,
        "Database with the sessions, the history and the tokens of all daemons that name it. Default: files of this "
        "daemon alone.",
        hosts=True,
    )
    daemon_name: str | None = define_serving(
        None,
        SESSION,
        "Name of this daemon among those with the same records. Default: the computer's name.",
        hosts=True,
    )
    advertise: str | None = define_serving(
        None,
        WEB_ADDRESS,
        "Address at which the other daemons with the same records reach this one. Default: what listen and port say.",
        hosts=True,
    )
    idle_stop: float = define_serving(3600.0, SECONDS, "Shut down after this much idle time.")
    research_idle: float = define_serving(
        300.0, SECONDS, "Stop the research process and unload its model after this much idle time."
    )
    max_sessions: int = define_serving(50, COUNT, "Maximum number of open sessions in the daemon; 0 is unlimited.")
    max_commands: int = define_serving(
        64, COUNT, "Maximum number of commands that the daemon accepts at once; 0 is unlimited."
    )
    metrics: bool = define_serving(False, SWITCH, "Serve metrics for Prometheus at /metrics.")
    tracing: str | None = define_serving(
        None,
        TRACE_ENDPOINT,
        "Send a trace of each command to this OpenTelemetry endpoint (OTLP over HTTP); /v1/traces is its default path.",
    )
    max_pages: int = define_setting(
        100,
        COUNT,
        "Maximum number of tabs in a session; tabs that pages open beyond it are closed. 0 is unlimited.",
    )
    model: str | None = define_agent(
        None, TEXT, "Chat model for 'oryn agent', 'research' and 'graph': its name at the endpoint."
    )
    endpoint: str = define_agent(
        "https://api.openai.com/v1",
        API_ENDPOINT,
        "Base URL of an API compatible with OpenAI's chat completions; Oryn appends /chat/completions.",
        hosts=True,
    )
    model_key: str | None = define_agent(
        None,
        KEY,
        "API key for the endpoint. The flag accepts only a vault reference such as {{vault:model.key}}, because other "
        "users can see arguments.",
        hosts=True,
    )
    input_price: float | None = define_agent(
        None, PRICE, "Price of a million input tokens, for the reported cost of a run."
    )
    output_price: float | None = define_agent(
        None, PRICE, "Price of a million output tokens, for the reported cost of a run."
    )
    max_steps: int = define_agent(50, COUNT, "Maximum number of model replies in an agent's run; 0 is unlimited.")
    max_tabs: int = define_agent(
        3, POSITIVE_COUNT, "Maximum number of tabs an agent may have; one more releases the oldest."
    )
    redact: Redaction = define_agent(
        "values",
        REDACTION,
        "Where to hide emails, phone numbers, card numbers and tokens from an agent's model: nowhere, in "
        "field values, or in all page content.",
    )
    page_text: int = define_agent(
        0,
        COUNT,
        "Maximum number of characters of page text that an agent's model gets with the elements; 0 sends no text.",
    )
    page_updates: float = define_agent(
        0.0,
        PAUSE,
        "How long to wait for a page to change after a model's reply without a command. The model then gets the "
        "change. 0 ends the run instead.",
    )
    search_provider: str = define_research(
        "duckduckgo",
        SEARCH_PROVIDER,
        "Where research searches for pages: duckduckgo (ddg for short), wikipedia, searxng, brave, index "
        "(pages already read) or hybrid (index and duckduckgo).",
    )
    search_url: str | None = define_research(
        None, WEB_ADDRESS, "URL to query instead of DuckDuckGo's own, for the provider duckduckgo.", hosts=True
    )
    searxng_url: str | None = define_research(
        None,
        WEB_ADDRESS,
        "URL of your SearXNG server, for the provider searxng; its settings.yml must enable the format json.",
        hosts=True,
    )
    wikipedia_url: str | None = define_research(
        None,
        WEB_ADDRESS,
        "URL of the Wikipedia for the provider wikipedia. Default: https://en.wikipedia.org.",
        hosts=True,
    )
    brave_key: str | None = define_research(None, KEY, "API key for Brave Search, for the provider brave.", hosts=True)
    search_limit: int = define_research(10, POSITIVE_COUNT, "Maximum number of results of 'search'.")
    rerank_threshold: float = define_research(
        0.0, SHARE, "Similarity to the query below which 'search --rerank' leaves a result out; 0 keeps all of them."
    )
    research_results: int = define_research(8, COUNT, "Number of search results that 'research' reads.")
    research_depth: int = define_research(
        0, COUNT, "How many levels of links 'research' follows from each result; 0 reads only the results."
    )
    summary_sentences: int = define_research(6, POSITIVE_COUNT, "Maximum number of sentences in a report's summary.")
    throttle: float = define_research(
        1.0, PAUSE, "Minimum time between two research requests to a host; its robots.txt may demand more."
    )
    fetch_timeout: float = define_research(30.0, SECONDS, "Time limit for fetching one page, redirects included.")
    max_body: int = define_research(
        10,
        POSITIVE_MEGABYTES,
        "Maximum size of a page that research fetches, in megabytes; it also applies after decompression.",
    )
    allow_private: bool = define_research(
        False,
        SWITCH,
        "Let research fetch from this computer and private networks, including through links and redirects.",
        hosts=True,
    )
    user_agent: str | None = define_research(
        None, TEXT, "User-Agent that research sends. Default: oryn and its version."
    )
    concurrency: int = define_research(
        8, POSITIVE_COUNT, "Maximum number of pages that research fetches at once, each from another host."
    )
    page_cache: Path | None = define_research(
        None,
        FOLDER,
        "Folder that caches pages fetched by research. Default: a folder in Oryn's cache folder.",
        hosts=True,
    )
    index: Path | str | None = define_research(
        None, INDEX, "Folder or Qdrant URL of the passage index. Default: a folder in Oryn's data folder.", hosts=True
    )
    index_key: str | None = define_research(None, KEY, "API key for the Qdrant server that index names.", hosts=True)
    collection: str = define_research("passages", COLLECTION, "Collection in which research stores passages.")
    embedding_model: Path | None = define_research(
        None,
        FOLDER,
        "Folder with the embedding model's model.onnx and tokenizer.json. Default: the model of the installed package.",
        hosts=True,
    )
    engine: ResearchEngine = define_research(
        "local",
        RESEARCH_ENGINE,
        "Where research crawls, extracts and embeds: local uses processes on this computer, ray a Ray cluster.",
    )
    ray_address: str | None = define_research(
        None,
        TEXT,
        "Address of the Ray cluster, such as HOST:6379 or auto; without one, Oryn starts Ray on this computer.",
        hosts=True,
    )
    output: OutputForm = define_setting("text", OUTPUT_FORM, "Format of answers.")
    colour: ColourUse = define_everywhere(
        "auto", COLOUR_USE, "Whether to colour output; auto: on a terminal, unless NO_COLOR is set.", flag="color"
    )
    log_level: LogLevel = define_everywhere("warning", LOG_LEVEL, "Minimum level of log messages on standard error.")
    log_format: LogFormat = define_everywhere(
        "text", LOG_FORMAT, "Format of log messages: json is one object a line, with the command that it belongs to."
    )


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
