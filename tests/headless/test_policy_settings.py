"""The limits as a user sets them: flags of `oryn headless` and `oryn run`, whole processes with a browser of their own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import oryn
from oryn.core.urls import DomainPolicy
from oryn.errors import ConfigurationError, PolicyError
from oryn.hosts import session_factory
from oryn.language import Click
from oryn.settings import LIMITS, Configuration, load
from oryn.system.paths import find
from tests.headless.conftest import Pages

SOURCE = str(Path(oryn.__file__).parent.parent)
PAGE = "<link rel=icon href=data:,><title>shop</title><button>Buy</button><img src='http://ads.localhost/'>"


def run_oryn(home: Path, *arguments: str, lines: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "oryn", *arguments],
        input=lines, capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "PYTHONPATH": SOURCE, "ORYN_HOME": str(home), **environment},
    )  # fmt: skip


def configured(home: Path, **flags: Any) -> Configuration:
    return load(flags, find({"ORYN_HOME": str(home)}), {})


@pytest.mark.slow
@pytest.mark.browser
def test_all_limits_over_the_line_protocol(pages: Pages, tmp_path: Path) -> None:
    pages["/"] = PAGE
    url = pages.url("/", "shop.localhost")
    flags = ("--allowed-domains", "*.shop.localhost", "--confirm", "click,upload", "--boundaries")
    lines = f'goto {url}\ngoto http://ads.localhost/\nclick "Buy"\nconfirm c_1\nexit\n'
    answers = re.sub(r"page-\w+", "page-…", run_oryn(tmp_path, "headless", *flags, lines=lines).stdout).split("\n---\n")
    place = url.removeprefix("http://").removesuffix("/")
    assert answers[1] == (
        f'ok goto {url}\n\n<page-…>\n@ http://{place}/ "shop"\n\n'
        "# note\nblocked 1 request: ads.localhost is not in allowed_domains\n</page-…>"
    )
    assert answers[2] == (
        "error goto http://ads.localhost/\n\n# hint\nGo elsewhere: only the user can change the setting.\n\n"
        "<page-…>\nads.localhost is not in allowed_domains\n</page-…>"
    )
    assert answers[3].startswith('error click "Buy"\n\n<page-…>\nclick "Buy" waits for a person\'s approval: c_')
    assert answers[4].startswith('error confirm c_1: unknown command "confirm"')


@pytest.mark.browser
def test_a_script_that_may_only_look_ends_with_the_error(pages: Pages, tmp_path: Path) -> None:
    pages["/"] = PAGE
    script = tmp_path / "buy.oil"
    script.write_text(f"goto {pages.url()}\nclick Buy\ntitle\n", "utf-8")
    ended = run_oryn(tmp_path, "run", str(script), "--denied-domains", "ads.localhost", ORYN_READ_ONLY="true")
    assert ended.returncode == PolicyError.exit_code
    assert "blocked 1 request: ads.localhost is in denied_domains" in ended.stdout
    assert 'error click "Buy": click may change something' in ended.stdout
    assert "> title" not in ended.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--allowed-domains", "https://shop.org"), "allowed_domains can't be 'https://shop.org'"),
        (("--denied-domains", "*.10.0.0.1"), "denied_domains can't be '*.10.0.0.1'"),
        (("--allowed-domains", "a.org,,b.org"), "allowed_domains can't be 'a.org,,b.org'"),
        (("--confirm", "clik"), "confirm can't be 'clik': there is no such command"),
        (("--confirm", ","), "confirm can't be ','"),
    ],
)
def test_settings_that_mean_nothing_are_refused(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    ended = run_oryn(tmp_path, "headless", *arguments, lines="exit\n")
    assert ended.returncode == 2
    assert message in ended.stderr


def test_settings_are_kept_in_one_spelling(tmp_path: Path) -> None:
    shown = run_oryn(
        tmp_path,
        "config",
        "--json",
        ORYN_ALLOWED_DOMAINS=" *.Shop.org., LOCALHOST:3000",
        ORYN_CONFIRM="Click, cookies  set",
    )
    told = json.loads(shown.stdout)
    assert "*.shop.org,localhost:3000" in json.dumps(told).replace('", "', ",")
    assert "click,cookies set" in json.dumps(told).replace('", "', ",")


def test_the_settings_of_a_file_are_lists(tmp_path: Path) -> None:
    paths = find({"ORYN_HOME": str(tmp_path)})
    paths.config_file.parent.mkdir(parents=True)
    paths.config_file.write_text('allowed_domains = ["shop.org", "*.cdn.org"]\nconfirm = ["click"]\n', "utf-8")
    policy = session_factory._policy(load({}, paths, {}).settings)
    assert policy is not None
    assert policy.domains == DomainPolicy.of(["shop.org", "*.cdn.org"], None)
    assert Click in policy.confirm


@pytest.mark.parametrize(
    ("flags", "limited"),
    [({}, False), ({"read_only": True}, True), ({"boundaries": True}, True), ({"denied_domains": "a.org"}, True)],
)
def test_a_host_knows_whether_it_has_limits(tmp_path: Path, flags: dict[str, Any], limited: bool) -> None:
    assert session_factory.sessions_of(configured(tmp_path, **flags)).limited is limited


# --- who asks a host for a session ---

TIGHTER: Mapping[str, Any] = {
    "allowed_domains": "shop.org", "denied_domains": "ads.org", "read_only": "true", "confirm": "click",
    "boundaries": "true", "files_root": "/tmp", "download_limit": "5",
}  # fmt: skip


OTHER: Mapping[str, Any] = {
    "allowed_domains": "bank.org", "denied_domains": "a.org", "read_only": "false", "confirm": "upload",
    "boundaries": "false", "files_root": "/", "download_limit": "0",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(LIMITS))
def test_a_session_may_be_asked_for_with_limits_and_not_without_the_hosts(tmp_path: Path, name: str) -> None:
    free = configured(tmp_path)
    limited = free.with_settings({name: TIGHTER[name]})
    assert getattr(limited.settings, name) != getattr(free.settings, name)
    assert limited.with_settings({name: TIGHTER[name]}).settings == limited.settings
    with pytest.raises(ConfigurationError, match=f"{name} is fixed by the host"):
        limited.with_settings({name: OTHER[name]})
