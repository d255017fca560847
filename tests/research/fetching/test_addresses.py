"""Which hosts are the public internet's."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from oryn.research.fetching.address_policy import non_public_host_reason, non_public_reason, parse_ip_literal


@pytest.mark.parametrize(
    "address",
    "1.1.1.1 8.8.8.8 93.184.215.14 172.15.0.1 172.32.0.1 100.63.0.1 2606:4700::1111 2a00::1"
    " ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1".split(),
)
def test_public(address: str) -> None:
    assert non_public_reason(ip_address(address)) == ""


@pytest.mark.parametrize(
    ("address", "what"),
    [
        ("127.0.0.1", "this machine"),
        ("127.9.9.9", "this machine"),
        ("0.0.0.0", "this machine"),
        ("10.1.2.3", "a private network"),
        ("172.16.0.1", "a private network"),
        ("172.31.255.255", "a private network"),
        ("192.168.1.1", "a private network"),
        ("100.64.0.1", "a provider's own network"),
        ("169.254.1.1", "the local link"),
        ("169.254.169.254", "a cloud's metadata"),
        ("168.63.129.16", "a cloud's metadata"),
        ("100.100.100.200", "a cloud's metadata"),
        ("fd00:ec2::254", "a cloud's metadata"),
        ("224.0.0.1", "multicast"),
        ("255.255.255.255", "reserved"),
        ("240.0.0.1", "reserved"),
        ("192.0.2.1", "for documentation"),
        ("198.18.0.1", "for measurements"),
        ("::", "this machine"),
        ("::1", "this machine"),
        ("fe80::1", "the local link"),
        ("fc00::1", "a private network"),
        ("fec0::1", "a private network"),
        ("ff02::1", "multicast"),
        ("2001:db8::1", "for documentation"),
        ("::ffff:127.0.0.1", "this machine"),
        ("::ffff:0:10.0.0.1", "a private network"),
        ("::10.0.0.1", "a private network"),
        ("64:ff9b::7f00:1", "this machine"),
        ("64:ff9b:1::808:808", "a private network"),
        ("2002:7f00:1::", "this machine"),
        ("2002:c0a8:101::1", "a private network"),
        ("2001:0:4136:e378:8000:63bf:3fff:fdd2", "reserved"),
    ],
)
def test_not_public(address: str, what: str) -> None:
    assert non_public_reason(ip_address(address)) == what


@pytest.mark.parametrize(
    "host",
    "127.0.0.1 127.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 127.0.0.1. [::1] 0 0x"
    " [::ffff:127.0.0.1] [::ffff:7f00:1] localhost LOCALHOST localhost. a.localhost ip6-localhost".split(),
)
def test_spellings_of_this_machine(host: str) -> None:
    assert non_public_host_reason(host) == "this machine"


@pytest.mark.parametrize(
    ("host", "what"),
    [
        ("printer.local", "the local link"),
        ("build.internal", "a private network"),
        ("nas.home.arpa", "a private network"),
        ("metadata.google.internal", "a cloud's metadata"),
        ("metadata", "a cloud's metadata"),
        ("0xa9fea9fe", "a cloud's metadata"),
        ("[fe80::1%eth0]", "the local link"),
    ],
)
def test_names_that_tell(host: str, what: str) -> None:
    assert non_public_host_reason(host) == what


@pytest.mark.parametrize(
    "host", ["example.org", "notlocalhost", "local", "localhost.example.org", "1.example", "8.8.8.8"]
)
def test_names_that_tell_nothing(host: str) -> None:
    assert non_public_host_reason(host) == ""


@pytest.mark.parametrize(
    "host", ["example.org", "1.2.3.4.5", "256.1.1.1", "1.2.3.256", "4294967296", "08.1.1.1", "", "a.1"]
)
def test_no_addresses(host: str) -> None:
    assert parse_ip_literal(host) is None


def test_numbers_may_have_the_octets_of_those_behind_them() -> None:
    assert str(parse_ip_literal("10.257")) == "10.0.1.1"
    assert str(parse_ip_literal("10.1.257")) == "10.1.1.1"
