"""When two URLs are one, and whose they are. Pure.

`tidy` is what is asked for, `key` what is compared: parameters that only follow a visitor about are gone from both, the
order of the others does not count for the second. Nothing is folded that servers do tell apart: the scheme, `www.`, a
final slash, capitals in a path.
"""

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

_FOLLOWING = re.compile(
    r"utm_\w+|mc_[ce]id|mkt_tok|_hs(enc|mi)|hsctatracking|igshid|srsltid|_g[al]|_openstat"
    r"|fbclid|gclid|gclsrc|dclid|gbraid|wbraid|msclkid|yclid|ysclid|ttclid|twclid|li_fat_id"
    r"|phpsessid|jsessionid|aspsessionid\w*|cfid|cftoken|session_?id",
    re.IGNORECASE,
)
"""Names of parameters that say who came and from where, never which page it is."""
_SESSION = re.compile(r"(sid|s|session|sess)=[0-9a-f-]{16,}", re.IGNORECASE)
_PATH_SESSION = re.compile(r";(jsessionid|phpsessid|sid|sessionid)=[^/?;]*", re.IGNORECASE)


def tidy(url: str, base: str = "") -> str:
    """A URL as it is asked for, absolute by `base`: host in lower case and punycode, no user, default port, dot
    segments, fragment, or parameters that only follow a visitor about. Empty when it is no URL of the web."""
    url = url.strip().translate(_CONTROLS)
    try:
        parts = urlsplit(urljoin(base, url) if base else url)
        host, port = _host(parts.hostname or ""), parts.port
    except ValueError:
        return ""
    scheme = parts.scheme.lower()
    if scheme not in _PORTS or not host:
        return ""
    place = host if port in (None, _PORTS[scheme]) else f"{host}:{port}"
    path = _PATH_SESSION.sub("", _without_dots(_escaped(parts.path.replace("\\", "/")))) or "/"
    query = "&".join(each for each in _escaped(parts.query).split("&") if each and not _follows(each))
    return f"{scheme}://{place}{path}" + (f"?{query}" if query else "")


def key(url: str) -> str:
    """What a tidy URL is compared by: its parameters are sorted."""
    address, _, query = url.partition("?")
    return f"{address}?{'&'.join(sorted(query.split('&')))}" if query else address


def digest(url: str) -> bytes:
    """`key`, in 16 bytes."""
    return hashlib.blake2b(key(url).encode(), digest_size=16).digest()


def host_of(url: str) -> str:
    """Whom a tidy URL asks: the host, and the port where it is not the scheme's own."""
    return urlsplit(url).netloc


def origin_of(url: str) -> str:
    """`https://example.com:8443`, of a tidy URL."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


@functools.lru_cache(4096)
def domain_of(host: str) -> str:
    """The domain that somebody registered: `example.co.uk` of `www.example.co.uk:8080`; the host itself where it has
    none, as addresses and `localhost`. By the public suffix list that `tld` carries."""
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


def _follows(parameter: str) -> bool:
    return bool(_FOLLOWING.fullmatch(parameter.partition("=")[0]) or _SESSION.fullmatch(parameter))


def _escaped(text: str) -> str:
    """With every escape in capitals, none for what needs none, and one for all that does."""
    text = _ESCAPES.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "replace")), text)
    return _ESCAPED.sub(lambda found: _unescaped(found[1]), text)


def _unescaped(digits: str) -> str:
    letter = chr(int(digits, 16))
    return letter if letter in _UNRESERVED else f"%{digits.upper()}"


def _without_dots(path: str) -> str:
    """https://datatracker.ietf.org/doc/html/rfc3986#section-5.2.4"""
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    folder = "/" if segments and segments[-1] in (".", "..") and kept else ""
    return "/" + "/".join(kept) + folder
