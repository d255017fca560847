"""What a host with limits lets its lines do, over the line protocol of a real process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from oryn.agent.runner.setup import with_agent_defaults
from oryn.engine.file_access import Files
from oryn.errors import PathNotAllowed
from oryn.hosts.session_factory import options_of
from oryn.settings import load
from oryn.system.paths import find
from tests.host.test_process import answer, ask, environment, start

__all__ = ["environment"]

pytestmark = pytest.mark.browser


@pytest.mark.slow
def test_no_line_leaves_the_limits(environment: dict[str, str], tmp_path: Path) -> None:
    page = b"goto data:text/html,<title>shop</title>"
    with start(environment, "headless", "--session", "free") as free:
        answer(free.stdout)
        assert ask(free, b"title").startswith("ok")
        with start(environment, "headless", "--read-only") as held:
            answer(held.stdout)
            for line in (b"@free url", b"session free", b"session close free", b"session close default"):
                assert ask(held, line).startswith("error"), line
            assert ask(held, b"session new within").startswith("ok")
            for line in (b'@within eval "1"', b"@within goto 'data:text/html,x'"):
                assert ask(held, b"output json").startswith("{")
                told = json.loads(ask(held, line))
                assert told["error"]["code"] in ("READ_ONLY", "DOMAIN_NOT_ALLOWED", "URL_NOT_ALLOWED"), told
                ask(held, b"output text")
            assert ask(held, b"session within").startswith("ok")
            assert ask(held, page).startswith("error")
            assert ask(held, b"session default").startswith("ok")
            assert ask(held, b"session close within").startswith("ok")
        assert ask(free, b"title").startswith("ok"), "it was not closed"


def test_output_folders_are_readable_by_commands(tmp_path: Path) -> None:
    paths = find({"ORYN_HOME": str(tmp_path)})
    configuration = load({}, paths, {})
    configurations = configuration, with_agent_defaults(configuration)
    usual, agents = (options_of(each, "a").file_access() for each in configurations)
    written = [paths.screenshots, paths.downloads / "a", paths.answers, paths.traces, paths.crawls, paths.intents]
    for folder in written:
        folder.mkdir(parents=True, exist_ok=True)
        Files().write_bytes(str(folder / "x"), b"1")
        assert usual.read_bytes(str(folder / "x")) == b"1"
    assert agents.write_bytes("x", b"1") == paths.agent_files / "x"
    for folder in (paths.daemon, paths.profiles, paths.config, paths.data, paths.agent, paths.ledger, paths.runtime):
        folder.mkdir(parents=True, exist_ok=True)
        Files().write_bytes(str(folder / "secret"), b"1")
        for files in (usual, agents):
            with pytest.raises(PathNotAllowed):
                files.readable(str(folder / "secret"))
