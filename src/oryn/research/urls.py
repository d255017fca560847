"""URL normalisation: when two URLs are the same page, and their host, origin and registered domain. Pure.

`normalize_url` is what is requested, `url_key` what is compared: tracking parameters are removed from both, the
order of the others does not count for the second. Differences that servers do distinguish are kept: the scheme,
`www.`, a final slash, capitals in a path."""

from __future__ import annotations

import functools
import hashlib
import re
from urllib.parse import parse_qsl, urljoin, urlsplit

import idna

_PORTS = {"http": 80, "https": 443}
_CONTROLS = dict.fromkeys((*range(0x20), 0x7F))
_ESCAPED = re.compile(r"%([0-9A-Fa-f]{2})")
# What may stand in a path or query as it is; everything else is escaped: https://datatracker.ietf.org/doc/html/rfc3986
_ESCAPES = re.compile(r"[^!$&'()*+,\-./0-9:;=?@A-Z\[\]_a-z~%|]+|%(?![0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

_TRACKING = re.compile(
    r"utm_\w+|mc_[ce]id|mkt_tok|_hs(enc|mi)|hsctatracking|igshid|srsltid|_g[al]|_openstat"
    r"|fbclid|gclid|gclsrc|dclid|gbraid|wbraid|msclkid|yclid|ysclid|ttclid|twclid|li_fat_id"
    r"|phpsessid|jsessionid|aspsessionid\w*|cfid|cftoken|session_?id",
    re.IGNORECASE,
)
"""Names of parameters that identify a visitor or a campaign, never a page."""
_SESSION = re.compile(r"(sid|s|session|sess)=[0-9a-f-]{16,}", re.IGNORECASE)
_PATH_SESSION = re.compile(r";(jsessionid|phpsessid|sid|sessionid)=[^/?;]*", re.IGNORECASE)


def normalize_url(url: str, base: str = "") -> str:
    """A URL in the form in which it is requested, absolute by `base`: host in lower case and punycode, without user,
    default port, dot segments, fragment, and tracking parameters. Empty if it is no URL of the web."""
    url = url.strip().translate(_CONTROLS)
    try:
        parts = urlsplit(urljoin(base, url) if base else url)
        host, port = _host(parts.hostname or ""), parts.port
    except ValueError:
        return ""
    scheme = parts.scheme.lower()
    if scheme not in _PORTS or not host:
        return ""
    netloc = host if port in (None, _PORTS[scheme]) else f"{host}:{port}"
    path = _PATH_SESSION.sub("", _without_dots(_escaped(parts.path.replace("\\", "/")))) or "/"
    query = "&".join(each for each in _escaped(parts.query).split("&") if each and not _is_tracking(each))
    return f"{scheme}://{netloc}{path}" + (f"?{query}" if query else "")


def url_key(url: str) -> str:
    """The form in which normalized URLs are compared: with sorted parameters."""
    address, _, query = url.partition("?")
    return f"{address}?{'&'.join(sorted(query.split('&')))}" if query else address


def url_digest(url: str) -> bytes:
    """A digest of `url_key`, of 16 bytes."""
    return hashlib.blake2b(url_key(url).encode(), digest_size=16).digest()


def host_of(url: str) -> str:
    """The host of a normalized URL, with the port if it is not the default one of the scheme."""
    return urlsplit(url).netloc


def origin_of(url: str) -> str:
    """The origin of a normalized URL: `https://example.com:8443`."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


@functools.lru_cache(4096)
def domain_of(host: str) -> str:
    """The registered domain: `example.co.uk` of `www.example.co.uk:8080`; the host itself if it has none, like
    addresses and `localhost`. By the public suffix list that `tld` contains."""
    from tld import get_fld  # it reads the list when it is imported

    name = urlsplit(f"http://{host}").hostname or host
    return get_fld(f"http://{host}", fail_silently=True, search_private=True) or name


def parameters(url: str) -> list[str]:
    """The names of a URL's parameters, each once, sorted."""
    return sorted({name for name, _ in parse_qsl(urlsplit(url).query, keep_blank_values=True)})


def _host(host: str) -> str:
    host = host.rstrip(".").lower()
    if ":" in host:
        return f"[{host}]"
    if not host.isascii():
        try:
            return idna.encode(host, uts46=True).decode()
        except idna.IDNAError as error:
            raise ValueError(str(error)) from None
    return host if re.fullmatch(r"[a-z0-9_.-]+", host) else ""


def _is_tracking(parameter: str) -> bool:
    return bool(_TRACKING.fullmatch(parameter.partition("=")[0]) or _SESSION.fullmatch(parameter))


def _escaped(text: str) -> str:
    """The text with its escapes normalized: in upper case, none for unreserved characters, and one for each reserved
    character."""
    text = _ESCAPES.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "replace")), text)
    return _ESCAPED.sub(lambda found: _unescaped(found[1]), text)


def _unescaped(digits: str) -> str:
    letter = chr(int(digits, 16))
    return letter if letter in _UNRESERVED else f"%{digits.upper()}"


def _without_dots(path: str) -> str:
    """https://datatracker.ietf.org/doc/html/rfc3986#section-5.2.4"""
    result: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del result[-1:]
        elif segment != ".":
            result.append(segment)
    folder = "/" if segments and segments[-1] in (".", "..") and result else ""
    return "/" + "/".join(result) + folder
