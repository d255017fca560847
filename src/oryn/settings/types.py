"""The types of settings: how text or a TOML value becomes a setting's value, which values are allowed, and how secrets
in them are redacted."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

from oryn.core.modes import MODES
from oryn.core.records import Record
from oryn.system.paths import is_session_name


class SettingType(Record):
    """The values that a setting may have. `read` takes text or a TOML value, and raises `ValueError` if
    it is invalid."""

    description: str
    read: Callable[[Any], Any]
    metavar: str
    choices: tuple[str, ...] = ()
    redact: Callable[[Any], Any] | None = None
    """Masks the secret in a value, or in an invalid value, before Oryn prints it."""
    separator: str = ""
    """The separator of a list; empty for other types. A flag of a list type may be repeated: its values
    are combined."""
    unit: str = ""
    """The unit of a number: `s`."""


def _switch(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word in ("1", "true", "yes", "on"):
        return True
    if word in ("0", "false", "no", "off"):
        return False
    raise ValueError(value)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise ValueError(value)
    return value.strip()


def _session(value: Any) -> str:
    if not isinstance(value, str) or not is_session_name(value):
        raise ValueError(value)
    return value


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str) or (number := int(value)) < 0:
        raise ValueError(value)
    return number


def _positive_count(value: Any) -> int:
    if (number := _count(value)) < 1:
        raise ValueError(value)
    return number


def _share(value: Any) -> float:
    found = _price(value)
    if found > 1:
        raise ValueError(value)
    return found


def _price(value: Any) -> float:
    if isinstance(value, bool) or not 0 <= (price := float(value)) < float("inf"):
        raise ValueError(value)
    return price


def _port(value: Any) -> int:
    if (number := _count(value)) > 65_535:
        raise ValueError(value)
    return number


COLLECTION_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "": 1.0}


def _seconds(value: Any) -> float:
    seconds = _pause(value)
    if not seconds:
        raise ValueError(value)
    return seconds


def _pause(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(value)
    text = str(value).strip()
    unit = next(unit for unit in _UNITS if text.endswith(unit))
    seconds = float(text.removesuffix(unit)) * _UNITS[unit]
    if not 0 <= seconds < 86_400:
        raise ValueError(value)
    return seconds


def _size(value: Any) -> tuple[int, int]:
    width, height = value.lower().split("x") if isinstance(value, str) else value
    size = (_count(width), _count(height))
    if not all(1 <= side <= 16_384 for side in size):
        raise ValueError(value)
    return size


def choice_of(*choices: str) -> SettingType:
    """The type of a setting with one of these values, in lower case. Upper case is accepted too. Its `read` raises
    `ValueError`."""

    def read(value: Any) -> str:
        if not isinstance(value, str) or value.lower() not in choices:
            raise ValueError(value)
        return value.lower()

    return SettingType(" or ".join((", ".join(choices[:-1]), choices[-1])), read, "|".join(choices), choices)


def _folders(value: Any) -> tuple[Path, ...]:
    parts = value.split(os.pathsep) if isinstance(value, str) else value
    if not parts or not all(isinstance(part, str) and part.strip() and "\0" not in part for part in parts):
        raise ValueError(value)
    return tuple(Path(part).expanduser().absolute() for part in parts)


def _folder(value: Any) -> Path:
    return Path(_text(value)).expanduser().absolute()


# https://chromium.googlesource.com/chromium/src/+/main/net/docs/proxy.md
_PROXY_SCHEMES = ("http", "https", "socks4", "socks5")


def _proxy(value: Any) -> str:
    text = _text(value)
    parts = urlsplit(text if "://" in text else f"http://{text}")
    if parts.scheme not in _PROXY_SCHEMES or not parts.hostname or parts.path.strip("/") or parts.query:
        raise ValueError(value)
    if parts.username and parts.scheme.startswith("socks"):
        raise ValueError(value)  # Chromium doesn't support authentication with SOCKS proxies
    port = f":{parts.port}" if parts.port is not None else ""
    login, at, place = parts.netloc.rpartition("@")
    host = place.rpartition(":")[0] if port else place
    return f"{parts.scheme}://{login}{at}{host}{port}"


def _redact_password(value: Any) -> Any:
    """Mask the password in a URL."""
    return re.sub(r"^((?:[^/@]*//)?[^:/@]*):.*@", r"\1:••••@", value) if isinstance(value, str) else value


def _browser_url(value: Any) -> str:
    from oryn.core import urls

    return urls.parse_browser_url(value)


def _redact_browser_url(value: Any) -> Any:
    from oryn.core import urls

    return urls.redact_browser_url(value)


def _pins(value: Any) -> tuple[str, ...]:
    import base64

    parts = value.split(",") if isinstance(value, str) else value
    pins = tuple(str(part).strip().removeprefix("sha256/") for part in parts)
    if not pins or any(len(base64.b64decode(pin, validate=True)) != 32 for pin in pins):
        raise ValueError(value)
    return pins


def _origins(value: Any) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else value
    found = tuple(_text(part).rstrip("/") for part in parts)
    for each in found:
        url = urlsplit(each)
        # `port` raises if the port is invalid.
        if url.scheme != "https" or not url.hostname or url.path or url.query or "@" in url.netloc or url.port == 0:
            raise ValueError(value)
    return found


def _split_list(value: Any) -> list[str]:
    """Split a list: text with commas, or an array."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list) or not parts:
        raise ValueError(value)
    return [_text(part) for part in parts]


def _domains(value: Any) -> tuple[str, ...]:
    from oryn.core.urls import parse_domain_rule

    return tuple(str(parse_domain_rule(part)) for part in _split_list(value))


def _host_names(value: Any) -> tuple[str, ...]:
    found = _domains(value)
    if any(each.startswith("*.") and "." not in each[2:] for each in found):
        raise ValueError(value)  # every name below a top-level domain: anybody can register one
    return found


def _networks(value: Any) -> tuple[str, ...]:
    return tuple(str(ip_network(part)) for part in _split_list(value))


def _verbs(value: Any) -> tuple[str, ...]:
    return tuple(" ".join(part.lower().split()) for part in _split_list(value))


CAPTCHA_SERVICES = ("2captcha", "anticaptcha", "capsolver")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def _captcha_service(value: Any) -> str:
    text = _text(value)
    if text.lower() in CAPTCHA_SERVICES:
        return text.lower()
    url = urlsplit(text)
    safe = url.scheme == "https" or (url.scheme == "http" and url.hostname in _LOOPBACK)
    if not safe or not url.hostname or url.query or url.fragment or "@" in url.netloc or url.port == 0:
        raise ValueError(value)
    return text.rstrip("/")


def _api_endpoint(value: Any) -> str:
    text = _text(value)
    url = urlsplit(text)
    if url.scheme not in ("http", "https") or not url.hostname or url.query or url.fragment or "@" in url.netloc:
        raise ValueError(value)
    if url.port == 0:  # `port` raises if the port is invalid
        raise ValueError(value)
    return text.rstrip("/").removesuffix("/chat/completions")


def _trace_endpoint(value: Any) -> str:
    """The address that traces are sent to; `/v1/traces` is the default path of OTLP over HTTP."""
    text = _api_endpoint(value)
    return text if urlsplit(text).path else f"{text}/v1/traces"


def _web_address(value: Any) -> str:
    text = _text(value)
    url = urlsplit(text)
    if url.scheme not in ("http", "https") or not url.hostname or url.fragment or "@" in url.netloc or url.port == 0:
        raise ValueError(value)
    return text


def _host_port(value: Any) -> str:
    host, _, port = _text(value).rpartition(":")
    if not host.strip("[]") or not 0 < int(port) < 1 << 16:
        raise ValueError(value)
    return f"{host}:{int(port)}"


def _records(value: Any) -> str:
    text = _text(value)
    url = urlsplit(text)
    if url.scheme == "sqlite":
        place = text.removeprefix("sqlite:///")
        if place == text or not place:
            raise ValueError(value)
        return f"sqlite:///{Path(place).expanduser().absolute()}"
    if url.scheme != "postgresql" or not url.hostname or not url.path.strip("/") or url.port == 0:
        raise ValueError(value)
    return text


def _address(value: Any) -> str:
    return str(ip_address(_text(value).strip("[]")))


def _index(value: Any) -> Path | str:
    text = _text(value)
    return _web_address(text).rstrip("/") if text.startswith(("http://", "https://")) else _folder(text)


def _collection(value: Any) -> str:
    if not isinstance(value, str) or not COLLECTION_NAME.fullmatch(value):
        raise ValueError(value)
    return value


def _redact_key(value: Any) -> Any:
    """Mask a key, but not a reference to the vault, which isn't secret."""
    refers = isinstance(value, str) and re.fullmatch(r"\{\{\s*vault:[^{}]*\}\}", value.strip())
    return value if value is None or refers else "••••"


_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,62}=[A-Za-z0-9][A-Za-z0-9._/-]{0,62}")


def _labels(value: Any) -> tuple[str, ...]:
    found = tuple(_split_list(list(value) if isinstance(value, tuple) else value))
    if not all(map(_LABEL.fullmatch, found)):
        raise ValueError(value)
    return found


SWITCH = SettingType("true or false", _switch, "")
TEXT = SettingType("text", _text, "TEXT")
SESSION = SettingType("a name of a letter or _, then letters, digits, _ and -; not new or close", _session, "NAME")
COUNT = SettingType("a whole number, 0 or more", _count, "NUMBER")
POSITIVE_COUNT = SettingType("a whole number, 1 or more", _positive_count, "NUMBER")
MEGABYTES = SettingType("a whole number, 0 or more", _count, "NUMBER", unit="MB")
POSITIVE_MEGABYTES = SettingType("a whole number, 1 or more", _positive_count, "NUMBER", unit="MB")
SHARE = SettingType("a number from 0 to 1", _share, "NUMBER")
PRICE = SettingType("a number, 0 or more", _price, "PRICE")
ADDRESS = SettingType("an IP address such as 127.0.0.1 or ::1", _address, "ADDRESS")
HOST_PORT = SettingType("a host and a port such as 192.168.1.5:9222", _host_port, "HOST:PORT")
PORT = SettingType("a number from 0 to 65535", _port, "PORT")
SECONDS = SettingType("a time such as 30, 30s, 500ms or 2m, below a day", _seconds, "TIME", unit="s")
PAUSE = SettingType("a time such as 1, 1s or 500ms, below a day, or 0 for none", _pause, "TIME", unit="s")
SIZE = SettingType("a width and a height in pixels, such as 1280x720", _size, "WIDTHxHEIGHT", unit="px")
FOLDER = SettingType("a folder", _folder, "FOLDER")
FOLDERS = SettingType(f"folders, with {os.pathsep} between them", _folders, "FOLDERS", separator=os.pathsep)
PROXY = SettingType(
    "a URL such as http://user:password@host:8080, with http, https or, without a user, socks4 or socks5",
    _proxy,
    "URL",
    redact=_redact_password,
)
BROWSER_URL = SettingType(
    "the address of a browser, such as ws://host:9222/devtools/browser/… or http://host:9222, or a name such as chrome",
    _browser_url,
    "URL",
    redact=_redact_browser_url,
)
FILE = SettingType("a file", _folder, "FILE")
ORIGINS = SettingType(
    "origins such as https://example.org or https://localhost:8443, with , between them",
    _origins,
    "ORIGINS",
    separator=",",
)
PINS = SettingType("SHA-256 hashes of public keys in base64, with , between them", _pins, "HASHES", separator=",")
DOMAINS = SettingType(
    "hosts such as example.org, *.example.org (with all below it), localhost:3000 or 127.0.0.1, with , between them",
    _domains,
    "HOSTS",
    separator=",",
)
HOST_NAMES = SettingType(
    "names such as oryn.example.org, *.example.org (with all below it), oryn:7720 or 10.0.0.5, with , between them",
    _host_names,
    "NAMES",
    separator=",",
)
NETWORKS = SettingType(
    "IP addresses or networks such as 10.0.0.5, 10.0.0.0/8 or fd00::/8, with , between them",
    _networks,
    "ADDRESSES",
    separator=",",
)
LABELS = SettingType("labels such as region=eu, with , between them", _labels, "KEY=VALUE", separator=",")
VERBS = SettingType(
    "commands such as click, cookies set or all, with , between them", _verbs, "COMMANDS", separator=","
)
CAPTCHA_SERVICE = SettingType(
    "2captcha, anticaptcha, capsolver, or the https:// address of a service with their protocol",
    _captcha_service,
    "SERVICE",
)
API_ENDPOINT = SettingType("the address of an API such as http://localhost:11434/v1", _api_endpoint, "URL")
WEB_ADDRESS = SettingType("an address such as https://example.org/search", _web_address, "URL")
TRACE_ENDPOINT = SettingType("an OTLP endpoint such as http://localhost:4318", _trace_endpoint, "URL")
INDEX = SettingType("a folder, or the address of a Qdrant server such as http://localhost:6333", _index, "FOLDER|URL")
RECORDS = SettingType(
    "postgresql://user:password@host/database or sqlite:///file", _records, "URL", redact=_redact_password
)
COLLECTION = SettingType("letters, digits, _ and -, at most 64", _collection, "NAME")
KEY = SettingType("text, or {{vault:name}}", _text, "KEY", redact=_redact_key)

OutputForm = Literal["text", "json"]
ColourUse = Literal["auto", "always", "never"]
StateEncryption = Literal["off", "environment", "keyring"]
VaultUse = Literal["auto", "keyring", "file"]
LogLevel = Literal["debug", "info", "warning", "error"]
LogFormat = Literal["text", "json"]
Backend = Literal["headless", "embedded", "playwright", "remote"]
BrowserContextUse = Literal["private", "shared"]
WebKitEngine = Literal["wpe", "cog", "webkitgtk"]
PlaywrightEngine = Literal["chromium", "firefox", "webkit"]
Redaction = Literal["off", "values", "all"]
ResearchEngine = Literal["local", "ray"]


def _backend(value: Any) -> str:
    """Return the mode."""
    if not isinstance(value, str) or value.lower() not in MODES:
        raise ValueError(value)
    return MODES[value.lower()]


OUTPUT_FORM = choice_of(*get_args(OutputForm))
COLOUR_USE = choice_of(*get_args(ColourUse))
STATE_ENCRYPTION = choice_of(*get_args(StateEncryption))
VAULT_USE = choice_of(*get_args(VaultUse))
LOG_LEVEL = choice_of(*get_args(LogLevel))
LOG_FORMAT = choice_of(*get_args(LogFormat))
BACKEND = SettingType(
    "headless, embedded, playwright or remote", _backend, "|".join(get_args(Backend)), get_args(Backend)
)
BROWSER_CONTEXT = choice_of(*get_args(BrowserContextUse))
WEBKIT_ENGINE = choice_of(*get_args(WebKitEngine))
PLAYWRIGHT_ENGINE = choice_of(*get_args(PlaywrightEngine))
REDACTION = choice_of(*get_args(Redaction))
SEARCH_PROVIDER = choice_of("duckduckgo", "ddg", "wikipedia", "searxng", "brave", "index", "hybrid")
"""The values of `--source`; a test compares them with those of `oryn.research.search`."""
RESEARCH_ENGINE = choice_of(*get_args(ResearchEngine))
