"""Which addresses commands open, and which file a `file:` URL means."""

from __future__ import annotations

from pathlib import Path

import pytest

from oryn.engine.file_access import Files, HostFolders
from oryn.engine.policy.urls import check_address, file_path
from oryn.errors import PathNotAllowed, UrlNotAllowed

OPENED = (
    "https://example.org", "HTTP://example.org", "about:blank", "ABOUT:blank#a", "about:version", "data:text/html,x",
    "blob:https://example.org/1", "file:///tmp/a", "view-source:https://example.org", "chrome://version",
    "chrome://version/",
)  # fmt: skip
REFUSED = (
    "chrome://settings", "CHROME://Settings", "chrome:settings", "chrome:///settings", "chrome://history/?q=a",
    "\x01chrome://settings", "chr\tome://settings", "chrome-untrusted://new-tab-page", "devtools://devtools/bundled/a",
    "chrome-extension://abc/a.html", "chrome-search://local-ntp", "chrome-error://chromewebdata/", "edge://settings",
    "brave://wallet", "about:settings", "about:config", "about://settings", "javascript:alert(1)", "java\nscript:1",
    "vbscript:x", "mailto:ann@example.org", "tel:1", "ftp://example.org", "ws://example.org", "filesystem:https://a/b",
    "view-source:chrome://settings", "view-source:chrome://version", "view-source:view-source:https://a.org",
    "VIEW-SOURCE:devtools://a", "isolated-app://a", "intent://a", "externalfile:a", "content://a", "", "settings",
    "chrome://version@settings", "chrome://settings/../version", "chrome://crash/../settings", "chrome://kill",
    "chrome://inducebrowsercrashforrealz", "chrome://quit", "chrome://restart", "chrome://policy", "chrome://version.a",
)  # fmt: skip


@pytest.mark.parametrize("url", OPENED)
def test_allowed_url_is_accepted(url: str) -> None:
    check_address(url, Files())


@pytest.mark.parametrize("url", REFUSED)
def test_disallowed_url_is_rejected(url: str) -> None:
    with pytest.raises(UrlNotAllowed) as refused:
        check_address(url, Files())
    assert "about:blank" in (refused.value.hint or "")


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("file:///a/b", "/a/b"),
        ("file:/a/b", "/a/b"),
        ("file:a", "/a"),
        ("file:////a//b", "/a/b"),
        ("FILE://localhost/a", "/a"),
        ("file:\\\\\\a\\b", "/a/b"),
        ("file:///a/%2e%2E/b?c#d", "/b"),
        ("file:///a/../../b", "/b"),
        ("file:///a%2f..%2fb", "/b"),
        ("file:///%C3%A9", "/é"),
        ("fi\nle:///a", "/a"),
    ],
)
def test_the_file_of_a_url(url: str, path: str) -> None:
    assert file_path(url) == Path(path)


@pytest.mark.parametrize("url", ["file://host/a", "file:///a%00b", "view-source:file:///own/a", "file:///own/a"])
def test_no_other_file_is_opened(url: str, tmp_path: Path) -> None:
    with pytest.raises(PathNotAllowed):
        check_address(url.replace("/own", str(tmp_path)), Files(host_folders=HostFolders(own=[tmp_path])))
