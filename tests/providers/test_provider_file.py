"""The file that names providers: what it makes, and where each mistake is."""

from __future__ import annotations

from pathlib import Path

import pytest

from oryn.errors import ConfigurationError
from oryn.providers import ProviderPool
from oryn.providers.configuration import read_providers

FILE = """
# browsers
[[provider]]
name = "farm"
kind = "grid"
url = "http://grid.example.org:4444"
labels = { region = "eu", size = "big" }
capabilities = { platformName = "linux" }

[[provider]]
name = "services"
kind = "cdp"
capacity = 2
addresses = ["http://10.0.0.5:9222", { url = "wss://browsers.example.org?token=x", capacity = 10 }]

[[provider]]
name = "servers"
kind = "playwright"
addresses = ["ws://10.0.0.6:3000/"]
labels = { region = "eu" }

[[provider]]
name = "here"
kind = "local"
capacity = 3
min_free_memory = 100
"""


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "providers.toml"
    file.write_text(text)
    return file


def test_each_kind_is_read(tmp_path: Path) -> None:
    found = read_providers(written(tmp_path, FILE))
    assert [(each.name, each.kind, each.capacity) for each in found] == [
        ("farm", "grid", None),
        ("services", "cdp", 12),
        ("servers", "playwright", None),
        ("here", "local", 3),
    ]


def test_a_session_chooses_by_name_and_by_labels(tmp_path: Path) -> None:
    pool = ProviderPool(read_providers(written(tmp_path, FILE)))
    assert [each.name for each in pool.matching(None, {"region": "eu"})] == ["farm", "servers"]
    assert [each.name for each in pool.matching("farm", {"size": "big"})] == ["farm"]
    with pytest.raises(ConfigurationError, match="there is no provider elsewhere"):
        pool.matching("elsewhere", {})
    with pytest.raises(ConfigurationError, match="no provider has the labels region=us"):
        pool.matching(None, {"region": "us"})


@pytest.mark.parametrize(
    ("before", "after", "line", "message"),
    [
        ('kind = "grid"', 'kind = "gird"', 5, "kind must be one of local, cdp, grid, playwright"),
        ('kind = "cdp"', "", 10, "kind is missing"),
        ("capacity = 2", "capacity = 0", 13, "capacity must be a number from 1"),
        ("capacity = 2", "capcity = 2", 13, "a provider of the kind cdp has no key 'capcity'"),
        ('url = "http://grid', 'url = "ws://grid', 6, "url must begin with http:// or https://"),
        ('addresses = ["ws://', 'addresses = ["http://', 19, "addresses must begin with ws:// or wss://"),
        ('name = "here"', 'name = "farm"', 23, "another provider is named farm"),
        ('name = "here"', 'name = "h e r e"', 23, "name must be"),
        ("min_free_memory = 100", 'min_free_memory = "1 GB"', 26, "min_free_memory must be a number of megabytes"),
        ('size = "big"', "size = 3", 7, "labels must be texts by name"),
    ],
)
def test_a_mistake_is_reported_with_its_line(tmp_path: Path, before: str, after: str, line: int, message: str) -> None:
    assert FILE.count(before) == 1
    file = written(tmp_path, FILE.replace(before, after))
    with pytest.raises(ConfigurationError) as raised:
        read_providers(file)
    assert str(raised.value.message).startswith(f"{file}, line {line}: {message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it names no provider"),
        ("[[providers]]\nname = 'x'", "line 1: there is no key 'providers' here"),
        ("[[provider]]\nname = \n", "is not TOML: Invalid value"),
        ("provider = 3", "line 1: it names no provider"),
    ],
)
def test_a_file_without_providers_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        read_providers(written(tmp_path, text))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="No such file"):
        read_providers(tmp_path / "none.toml")
