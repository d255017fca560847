"""Reading in processes of their own, and what runs where (`oryn.research.workers.interface`)."""

from __future__ import annotations

import asyncio
import hashlib
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

from oryn.errors import ExtractionFailed, NoText, NotSupported
from oryn.research.context import open_workers
from oryn.research.documents import Article, FetchedPage
from oryn.research.fetching.fetcher import OnSend
from oryn.research.options import ResearchOptions
from oryn.research.workers.extraction_pool import ExtractionPool
from oryn.research.workers.local import LocalWorkers
from tests.conftest import Run

PROJECT = Path(__file__).parent.parent.parent


def page(path: str, text: str = "Ferns have no flowers.") -> FetchedPage:
    url = f"http://example.com{path}"
    body = text.encode()
    return FetchedPage(
        url=url,
        requested=url,
        status=200,
        content_type="text/plain",
        body=body,
        sha256=hashlib.sha256(body).hexdigest(),
        fetched_at="2026-11-22T12:00:00Z",
    )


@pytest.fixture
def readers(monkeypatch: pytest.MonkeyPatch, run: Run[None]) -> Iterator[ExtractionPool]:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(PROJECT / "src"), str(PROJECT)]))
    readers = ExtractionPool(max_processes=2, read="tests.research.failing_extractor:read")
    yield readers
    run(readers.close())


async def test_a_page_is_read_in_another_process_which_stays_for_the_next(readers: ExtractionPool) -> None:
    first = await readers.article(page("/one", "One."))
    second = await readers.article(page("/two", "Two."))
    assert (first.text, second.text) == ("One.", "Two.")
    assert first.title == second.title != str(os.getpid())


async def test_there_are_as_many_processes_as_pages_at_once_up_to_the_most(readers: ExtractionPool) -> None:
    articles = await asyncio.gather(*(readers.article(page(f"/{number}", f"Page {number}.")) for number in range(12)))
    assert [article.text for article in articles] == [f"Page {number}." for number in range(12)]
    assert len({article.title for article in articles}) == 2


async def test_a_page_that_ends_its_process_costs_only_itself(readers: ExtractionPool) -> None:
    results = await asyncio.gather(
        *(readers.article(page(path)) for path in ("/a", "/crash", "/b", "/crash", "/c")), return_exceptions=True
    )
    assert [type(result) for result in results] == [Article, ExtractionFailed, Article, ExtractionFailed, Article]
    assert str(results[1]) == "http://example.com/crash can't be read: it ended the process that did"


async def test_a_page_that_takes_for_ever_is_cut_off(readers: ExtractionPool) -> None:
    await readers.article(page("/first"))
    readers._pool.seconds = 0.2
    with pytest.raises(ExtractionFailed, match=r"^http://example.com/hang can't be read within 0\.2 s$"):
        await readers.article(page("/hang"))
    readers._pool.seconds = 60
    assert (await readers.article(page("/after"))).text == "Ferns have no flowers."


async def test_who_no_longer_waits_leaves_no_answer_for_the_next(readers: ExtractionPool) -> None:
    await readers.article(page("/first"))
    given_up = asyncio.create_task(readers.article(page("/hang")))
    await asyncio.sleep(0)
    given_up.cancel()
    with pytest.raises(asyncio.CancelledError):
        await given_up
    assert (await readers.article(page("/next", "Next."))).text == "Next."


async def test_a_process_that_was_ended_while_it_was_idle_is_replaced(readers: ExtractionPool) -> None:
    first = await readers.article(page("/first"))
    (idle,) = readers._pool.idle
    os.kill(int(first.title), signal.SIGKILL)
    await idle.wait()
    assert (await readers.article(page("/next"))).title != first.title


async def test_extraction_error_is_raised_unchanged(readers: ExtractionPool) -> None:
    with pytest.raises(NoText, match=r"^nothing to read$") as caught:
        await readers.article(page("/empty"))
    assert caught.value.hint == "Look elsewhere."
    with pytest.raises(ExtractionFailed, match=r"can't be read: ValueError: a parser is surprised$"):
        await readers.article(page("/broken"))


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is the kernel's")
async def test_a_page_that_wants_all_memory_does_not_get_it(readers: ExtractionPool) -> None:
    with pytest.raises(ExtractionFailed, match=r"can't be read: MemoryError: "):
        await readers.article(page("/greedy"))


async def test_output_of_a_library_is_not_an_answer(readers: ExtractionPool, capfd: pytest.CaptureFixture[str]) -> None:
    assert (await readers.article(page("/chatty", "Quiet."))).text == "Quiet."
    assert capfd.readouterr() == ("", "what a library prints\n")


async def test_where_ray_is_not_installed_it_is_said_how_it_would_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    nothing = CountingWorkers()
    workers = open_workers(ResearchOptions(engine="ray"), fetcher=nothing.make, embedder=nothing.make)
    with pytest.raises(NotSupported, match=r"^the engine 'ray' needs ray, which is not installed$") as caught:
        await workers.fetch("http://example.com/")
    assert caught.value.hint == "Install it: pip install 'oryn-browser[ray]'."
    await workers.close()


def test_it_ends_quietly_with_whoever_asked() -> None:
    """Also when that one is killed while a page is read."""
    command = [
        sys.executable,
        "-P",
        "-m",
        "oryn.research.workers.extraction_process",
        "tests.research.failing_extractor:read",
    ]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PROJECT / "src"), str(PROJECT)])}
    asked = pickle.dumps(page("/late"))
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment) as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdout.close()
        process.stdin.write(len(asked).to_bytes(8, "big") + asked)
        process.stdin.close()
        assert process.wait(60) == 0
        assert process.stderr.read() == b""


class CountingWorkers:
    """A fetcher and an embedder that were asked for once."""

    made = 0

    async def make(self) -> CountingWorkers:
        self.made += 1
        return self

    async def fetch(
        self,
        url: str,
        *,
        fresh: bool = False,
        conditional: bool = True,
        follow: bool = True,
        sent: OnSend | None = None,
    ) -> FetchedPage:
        return page(f"{url}?{fresh},{conditional},{follow}")

    def embed(self, texts: Sequence[str]) -> Any:
        return [text.upper() for text in texts]


async def test_nothing_is_made_before_it_is_used() -> None:
    fetcher, embedder = CountingWorkers(), CountingWorkers()
    workers = open_workers(ResearchOptions(), fetcher=fetcher.make, embedder=embedder.make)
    assert isinstance(workers, LocalWorkers)
    assert (await workers.fetch("/a", fresh=True, follow=False)).url == "http://example.com/a?True,True,False"
    assert (fetcher.made, embedder.made) == (1, 0)
    assert list(await workers.embed(["a", "b"])) == ["A", "B"]
    await workers.close()
    await LocalWorkers(fetcher=fetcher.make, embedder=embedder.make).close()
    assert (fetcher.made, embedder.made) == (1, 1)
