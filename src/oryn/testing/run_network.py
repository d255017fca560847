"""The network of one run of a test: recorded into the test's HAR file, or answered from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from oryn.core.records import Record
from oryn.errors import InvalidHar, NotSupported, PreparationFailed
from oryn.testing.files import read_file, replace_file
from oryn.testing.har_file import MAX_HAR_BYTES, RecordedAnswers, parse_har, render_har
from oryn.testing.network_archive import ArchiveRecorder, ArchiveReplay, ArchiveScope, UnmatchedRequest
from oryn.testing.step_session import StepSession

SUFFIX = ".har"


class HarUse(Record):
    """What is done with the tests' HAR files. `everything`: not only with the answers of other origins than the test's
    base. `files`: what is replayed, by the test's file."""

    mode: Literal["record", "replay"]
    everything: bool = False
    files: Mapping[Path, RecordedAnswers] = {}


def har_path(test: Path) -> Path:
    """The HAR file of a test, which is beside it."""
    return test.with_suffix(SUFFIX)


def read_hars(tests: Iterable[Path], *, everything: bool) -> dict[Path, RecordedAnswers]:
    """Read the HAR files of tests. Raises `InvalidHar`, `FileError`."""
    found = {}
    for test in tests:
        file = har_path(test)
        content = read_file(file, MAX_HAR_BYTES + 1, "'oryn test run --har record' writes it.")
        if len(content) > MAX_HAR_BYTES:
            raise InvalidHar(f"{file}: longer than {MAX_HAR_BYTES // 1_000_000} MB")
        found[test] = har = parse_har(content, str(file))
        if everything and har.everything is False:
            raise InvalidHar(f"{file}: log._oryn: recorded without --har-all, so the answers of the base are missing")
    return found


class RunNetwork:
    """The network of a run. `base` is the URL of the site that is tested."""

    def __init__(self, session: StepSession, file: Path, base: str, use: HarUse) -> None:
        self._session = session
        self._test = file
        self._use = use
        self._scope = ArchiveScope(base, use.everything)
        self._recorder: ArchiveRecorder | None = None
        self._replay: ArchiveReplay | None = None

    async def begin(self) -> None:
        """Record, or answer, each request from now on. Raises `PreparationFailed`, `NotSupported`."""
        if not self._scope.base and not self._use.everything:
            raise PreparationFailed(
                "the test has no base, so nothing is another origin", "Give one with --base-url, or say --har-all."
            )
        mask = self._session.mask
        try:
            if self._use.mode == "record":
                self._recorder = ArchiveRecorder(self._scope, mask)
                await self._session.record_exchanges(self._recorder)
            else:
                self._replay = ArchiveReplay(self._use.files[self._test], self._scope, mask)
                await self._session.answer_requests(self._replay)
        except NotSupported as error:
            self._recorder = None
            raise NotSupported(f"--har {self._use.mode}: {error.message}", "Use --backend headless.") from error

    @property
    def has_unmatched(self) -> bool:
        return self._replay is not None and self._replay.has_unmatched

    def take_unmatched(self) -> list[UnmatchedRequest]:
        """The requests that were refused since the last call, because the file has no answer for them."""
        return [] if self._replay is None else self._replay.take_unmatched()

    async def end(self, *, passed: bool) -> list[str]:
        """End the recording, and write it if the test has passed. Returns what is to be said. Raises `InvalidHar` if it
        could not be replayed, and `FileError`; then an earlier file stays as it was."""
        notes = [
            f"a WebSocket to {url} was opened: a HAR can't replay it, so its messages are those of the server"
            for url in dict.fromkeys(self._session.web_sockets())
            if self._scope.covers(_http_url(url))
        ]
        if self._recorder is None:
            return notes
        file = har_path(self._test)
        browser = await self._session.end_recording()
        if not passed:
            return [*notes, f"{file.name} is not written, because the test has not passed"]
        text = render_har(self._recorder.entries(), browser, self._scope.base, everything=self._use.everything)
        content = text.encode()
        count = len(parse_har(content, file.name).exchanges)
        replace_file(file, content, private=True)
        return [*notes, f"{file.name} has {count} answer{'' if count == 1 else 's'}"]


def _http_url(url: str) -> str:
    """The URL with the scheme of the same origin's documents: `https` for `wss`."""
    return urlsplit(url)._replace(scheme="https" if url.startswith("wss:") else "http").geturl()
