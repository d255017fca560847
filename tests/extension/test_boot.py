"""The engine in the service worker: it comes up when wanted, and the bridge carries both ways."""

from __future__ import annotations

from tests.extension.browser import ExtendedBrowser, Target


async def test_the_engine_is_ready_when_it_is_wanted(worker: Target) -> None:
    assert await worker.evaluate("oryn.engine.state") == "ready"
    assert await worker.evaluate("oryn.pyodide.runPython('import oryn; oryn.__version__')")


async def test_the_id_of_the_extension_is_always_the_same(extended: ExtendedBrowser) -> None:
    assert extended.id == "kidkfejemcaammjoicambgihhoeehacc"
