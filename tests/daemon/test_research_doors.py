"""The commands of research, through a real daemon and its research process, on pages served on loopback."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.daemon.running import RunningDaemon, wait_for_end
from tests.research.server import Reply, Site

FERNS = """<html lang="en"><head><title>Ferns</title><meta name="author" content="Ann Bee"></head><body><nav>Menu</nav>
<main><article><h1>Ferns</h1><p>Ferns are plants without flowers, which reproduce by spores on the undersides of their
fronds. The spores are carried away by the wind, and each may become a small green plate, the prothallus.</p>
<p>On the prothallus the egg is fertilised when there is water, and from it the fern grows that everybody knows. Ferns
have done so for three hundred and sixty million years, long before there were flowers. <a href="/moss">Mosses</a> are
older still, and <a href="/gone">some</a> are gone.</p></article></main></body></html>"""
MOSS = FERNS.replace("Ferns", "Mosses").replace("fern", "moss")
SHELL = """<html><head><title>Shell</title></head><body><div id="root"></div><script>
document.getElementById("root").innerHTML = `%s`;</script></body></html>""" % FERNS[
    FERNS.index("<main>") : -14
].replace("Ferns", "Horsetails")


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site() as site:
        site.page("/", FERNS)
        site.page("/moss", MOSS)
        site.page("/shell", SHELL)
        yield site


@pytest.fixture(scope="module")
def lab(run: Any, site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    """A daemon whose search is a page of ours, and which may go to loopback."""
    running = RunningDaemon(
        tmp_path_factory.mktemp("lab"),
        {
            "ORYN_ALLOW_PRIVATE": "1",
            "ORYN_THROTTLE": "1ms",
            "ORYN_SEARCH_URL": site.url("/search"),
        },
    )
    yield running
    assert run(running.stop()) == 0, running.log()
    run(running.no_process())


async def asked(lab: RunningDaemon, *words: str, **envelope: Any) -> dict[str, Any]:
    return await lab.ask({"argv": list(words), **envelope})


async def told(lab: RunningDaemon, *words: str, **envelope: Any) -> dict[str, Any]:
    answer = await asked(lab, *words, **envelope)
    assert answer["ok"], answer["text"]
    return answer


def test_a_page_is_read_without_a_browser(lab: RunningDaemon, site: Site, run: Any) -> None:
    answer = run(told(lab, "extract", site.url("/"), "--format", "text"))
    lines = answer["text"].split("\n")
    assert lines[:4] == [
        f"ok extract {site.url('/')} --format text",
        "",
        f'"Ferns" {site.url("/")}',
        'by "Ann Bee", en',
    ]
    assert all(line.startswith("|") for line in lines[4:])
    [item] = answer["data"]["result"]
    assert "Menu" not in item["article"]["text"]
    assert "links" not in item["article"]
    assert run(lab.status())["sessions"] == []
