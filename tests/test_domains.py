"""Rules over hosts, and what a URL's host is, where somebody would rather have it be another."""

from __future__ import annotations

import pytest

from oryn.browsers.chromium.network_options import host_rule_arguments
from oryn.core.urls import DomainPolicy, DomainRefusal, parse_domain_rule


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("example.org", "example.org"),
        (" Example.ORG. ", "example.org"),
        ("*.Example.org", "*.example.org"),
        ("localhost:3000", "localhost:3000"),
        ("127.0.0.1", "127.0.0.1"),
        ("[::1]", "[::1]"),
        ("::1", "[::1]"),
        ("[0:0:0:0:0:0:0:1]:8443", "[::1]:8443"),
        ("münchen.example", "xn--mnchen-3ya.example"),
        ("xn--mnchen-3ya.example", "xn--mnchen-3ya.example"),
        ("_dmarc.example.org", "_dmarc.example.org"),
    ],
)
def test_rules_are_kept_in_one_spelling(written: str, kept: str) -> None:
    assert str(parse_domain_rule(written)) == kept
    assert parse_domain_rule(kept) == parse_domain_rule(written)


@pytest.mark.parametrize(
    "written",
    [
        "", "*", "*.", "*.*", "a.*.org", "https://example.org", "example.org/", "ann@example.org", "a b", "a..b",
        ".org", "-a.org", "example.org:0", "example.org:65536", "example.org:http", "*.127.0.0.1", "*.[::1]",
        "127.1", "1.2.3", "0x7f.1", "a.0x7f", "300.1.1.1", "[::1", "[127.0.0.1]", "straße.example", "ex\u200dample.org",
    ],
)  # fmt: skip
def test_invalid_domain_is_rejected(written: str) -> None:
    with pytest.raises(ValueError):
        parse_domain_rule(written)


SHOP = DomainPolicy.of(["*.shop.example", "localhost:3000", "[::1]"], ["ads.shop.example"])


@pytest.mark.parametrize(
    "url",
    [
        "https://shop.example/", "https://www.shop.example:8443/a?b#c", "HTTPS://WWW.SHOP.EXAMPLE./", "wss://shop.example/",
        "http://ann:secret@shop.example/", "http://localhost:3000/", "http://[::1]/", "about:blank", "about:srcdoc",
        "data:text/html,x", "blob:https://evil.example/1",
    ],
)  # fmt: skip
def test_where_requests_may_go(url: str) -> None:
    assert SHOP.refusal(url) is None


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("https://evil.example/", "evil.example"),
        ("https://notshop.example/", "notshop.example"),
        ("https://shop.example.evil.example/", "shop.example.evil.example"),
        ("http://shop.example@evil.example/", "evil.example"),
        ("http://shop.example:80@evil.example:80/", "evil.example"),
        ("http:\\\\evil.example\\@shop.example/", "evil.example"),
        (" \thttp://evil.example/", "evil.example"),
        ("ht\ntp://evil.example/", "evil.example"),
        ("http://localhost/", "localhost"),
        ("http://localhost:3001/", "localhost"),
        ("http://127.0.0.1/", "127.0.0.1"),
        ("http://[::2]/", "[::2]"),
        ("http://%65vil.example/", "%65vil.example"),
        ("http://ｓhop.example/", "ｓhop.example"),
        ("view-source:https://evil.example/", "evil.example"),
        ("VIEW-SOURCE:view-source:https://evil.example/", "evil.example"),
        ("filesystem:https://evil.example/temporary/x", "evil.example"),
        ("file:///etc/passwd", "file:"),
        ("file://shop.example/share", "file:"),
        ("fi\tle:///etc/passwd", "file:"),
        ("chrome://settings/", "chrome:"),
        ("devtools://devtools/bundled/", "devtools:"),
        ("javascript:1", "javascript:"),
        ("http://[::1", "http:"),
        ("", ":"),
    ],
)
def test_where_an_allow_list_lets_nothing_go(url: str, what: str) -> None:
    assert SHOP.refusal(url) == DomainRefusal(what, "allowed_domains")


def test_denied_domain_overrides_allowed_domain() -> None:
    assert str(SHOP.refusal("https://ADS.shop.example./")) == "ads.shop.example is in denied_domains"
    assert SHOP.refusal("https://www.ads.shop.example/") is None, "the rule is for that host alone"


def test_a_deny_list_alone_leaves_all_else() -> None:
    domains = DomainPolicy.of(None, ["*.ads.example", "10.0.0.1:8080"])
    assert domains.refusal("https://x.ads.example/") == DomainRefusal("x.ads.example", "denied_domains")
    assert domains.refusal("https://ads.example/") == DomainRefusal("ads.example", "denied_domains")
    assert domains.refusal("http://10.0.0.1:8080/") == DomainRefusal("10.0.0.1", "denied_domains")
    assert domains.refusal("file://ads.example/share") == DomainRefusal("ads.example", "denied_domains")
    for url in ("http://10.0.0.1/", "https://badads.example/", "file:///tmp/a.html", "chrome://version/"):
        assert domains.refusal(url) is None


def test_no_rules_are_no_limit() -> None:
    assert not DomainPolicy.of(None, None)
    assert DomainPolicy.of(None, ["a.example"]) and DomainPolicy.of(["a.example"], None)
    assert DomainPolicy().refusal("http://evil.example/") is None


def test_the_flags_that_keep_names_from_resolving() -> None:
    rules, *packets = host_rule_arguments(SHOP, "http://proxy.example:8080")
    assert rules == (
        "--host-resolver-rules=MAP ads.shop.example ~NOTFOUND, MAP ads.shop.example. ~NOTFOUND, MAP * ~NOTFOUND, "
        "EXCLUDE shop.example, EXCLUDE shop.example., EXCLUDE *.shop.example, EXCLUDE *.shop.example., "
        "EXCLUDE localhost, EXCLUDE localhost., EXCLUDE ::1, EXCLUDE ::1., EXCLUDE proxy.example"
    )
    assert "--webrtc-ip-handling-policy=disable_non_proxied_udp" in packets
    assert host_rule_arguments(DomainPolicy.of(None, ["a.example:81"])) == tuple(packets), (
        "other ports of the host are allowed"
    )
    assert host_rule_arguments(DomainPolicy()) == ()
