"""SSRF rules: which hosts are on the public internet, and which lead into a private network. Pure.

Names are checked before any request, addresses again when a name has been resolved (`pinned_connect`): the address
that was checked is the one that is connected to."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address

# https://www.iana.org/assignments/iana-ipv4-special-registry and …/iana-ipv6-special-registry, as lists of our own:
# what the standard library calls private differs between its versions.
_RANGES = tuple(
    (ip_network(network), what)
    for network, what in (
        ("169.254.169.254/32", "a cloud's metadata"),
        ("169.254.170.2/32", "a cloud's metadata"),
        ("100.100.100.200/32", "a cloud's metadata"),
        ("168.63.129.16/32", "a cloud's metadata"),
        ("192.0.0.192/32", "a cloud's metadata"),
        ("fd00:ec2::254/128", "a cloud's metadata"),
        ("0.0.0.0/8", "this machine"),
        ("10.0.0.0/8", "a private network"),
        ("100.64.0.0/10", "a provider's own network"),
        ("127.0.0.0/8", "this machine"),
        ("169.254.0.0/16", "the local link"),
        ("172.16.0.0/12", "a private network"),
        ("192.0.0.0/24", "reserved"),
        ("192.0.2.0/24", "for documentation"),
        ("192.88.99.0/24", "reserved"),
        ("192.168.0.0/16", "a private network"),
        ("198.18.0.0/15", "for measurements"),
        ("198.51.100.0/24", "for documentation"),
        ("203.0.113.0/24", "for documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
        ("::/128", "this machine"),
        ("::1/128", "this machine"),
        ("64:ff9b:1::/48", "a private network"),
        ("100::/32", "reserved"),
        ("2001::/23", "reserved"),
        ("2001:db8::/32", "for documentation"),
        ("3fff::/20", "for documentation"),
        ("5f00::/16", "reserved"),
        ("fc00::/7", "a private network"),
        ("fe80::/10", "the local link"),
        ("fec0::/10", "a private network"),
        ("ff00::/8", "multicast"),
    )
)

_NAMES = {
    "localhost": "this machine",
    "localhost.localdomain": "this machine",
    "ip6-localhost": "this machine",
    "ip6-loopback": "this machine",
    "metadata": "a cloud's metadata",
    "metadata.google.internal": "a cloud's metadata",
}
_SUFFIXES = {
    ".localhost": "this machine",
    ".local": "the local link",  # RFC 6762
    ".internal": "a private network",
    ".home.arpa": "a private network",  # RFC 8375
}

_EMBEDDED = (
    (IPv6Network("::ffff:0:0/96"), 0),  # IPv4-mapped
    (IPv6Network("::ffff:0:0:0/96"), 0),  # IPv4-translated, RFC 2765
    (IPv6Network("::/96"), 0),  # IPv4-compatible, RFC 4291
    (IPv6Network("64:ff9b::/96"), 0),  # NAT64, RFC 6052
    (IPv6Network("2002::/16"), 80),  # 6to4, RFC 3056
)
"""Networks whose addresses have one of IPv4 inside, and how many bits stand behind that."""

_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")


def non_public_reason(address: Address) -> str:
    """What kind of address it is if it does not belong to the public internet; empty if it does."""
    for network, what in _RANGES:
        if address in network:
            return what
    if isinstance(address, IPv6Address):
        for around, behind in _EMBEDDED:
            if address in around:
                return non_public_reason(IPv4Address(int(address) >> behind & 0xFFFF_FFFF))
    return ""


def non_public_host_reason(host: str) -> str:
    """The same for the host of a URL, in any spelling of an address. A name that is not special in itself is checked
    again when it is resolved."""
    name = host.lower().rstrip(".")
    address = parse_ip_literal(name)
    if address is not None:
        return non_public_reason(address)
    return _NAMES.get(name, "") or next((what for end, what in _SUFFIXES.items() if name.endswith(end)), "")


def parse_ip_literal(host: str) -> Address | None:
    """The address that the host of a URL is, in any of the spellings that browsers and resolvers accept (`127.1`,
    `0x7f000001`, `2130706433`, `0177.0.0.1`, `[::1]`, `fe80::1%eth0`); None for a name.
    https://url.spec.whatwg.org/#concept-ipv4-parser"""
    host = host.removeprefix("[").removesuffix("]").partition("%")[0]
    if ":" in host:
        try:
            return ip_address(host)
        except ValueError:
            return None
    parts = host.rstrip(".").split(".")
    if len(parts) > 4 or not all(_NUMBER.fullmatch(part) for part in parts):
        return None
    numbers = [_number(part) for part in parts]
    *first, last = numbers
    if None in numbers or last is None or last >= 256 ** (5 - len(parts)):
        return None
    value = last
    for place, number in enumerate(first):
        if number is None or number > 255:
            return None
        value += number << 8 * (3 - place)
    return IPv4Address(value)


def _number(part: str) -> int | None:
    """A part of an IPv4 address: hexadecimal, octal or decimal."""
    try:
        if part[:2].lower() == "0x":
            return int(part[2:] or "0", 16)
        return int(part, 8) if len(part) > 1 and part[0] == "0" else int(part)
    except ValueError:
        return None
