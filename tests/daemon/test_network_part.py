"""`network start|stop|list|detail`, a part of the requests."""

from __future__ import annotations

from tests.daemon.daemon_process import RunningDaemon
from tests.headless.conftest import Pages


def network(action: str, **args: object) -> dict[str, object]:
    return {"action": "network", "args": {"action": action, **args}}


async def test_a_part_of_the_requests(daemon: RunningDaemon, pages: Pages) -> None:
    pages["/"], pages["/one"], pages["/two"] = "<title>here</title>", "1", "2"
    await daemon.ok(f"goto {pages.url()}", session="network")

    async def fetch(path: str) -> None:
        await daemon.ok(f"eval \"fetch('{path}').then(answer => answer.text())\"", session="network")

    async def listed(**args: object) -> list[str]:
        answer = await daemon.ok(network("list", **args), session="network")
        return [each["url"].removeprefix(pages.url()[:-1]) for each in answer["data"]["result"]]

    await fetch("/one")
    assert await listed(filter="/one") == ["/one"]
    assert (await daemon.ask(network("stop"), session="network"))["error_kind"] == "not_running"
    assert (await daemon.ok(network("start"), session="network"))["text"].endswith("requests are recorded from now on")
    await fetch("/two")
    await fetch("/one")
    assert await listed() == ["/two", "/one"]
    assert await listed(last=1, method="GET") == ["/one"]
    stopped = await daemon.ok(network("stop"), session="network")
    assert stopped["data"]["result"] == {"requests": 2}
    await fetch("/two")
    assert await listed() == ["/two", "/one"]
    number = (await daemon.ok(network("list"), session="network"))["data"]["result"][0]["number"]
    detail = await daemon.ok(network("detail", id=number), session="network")
    assert detail["action"] == "network detail" and "/two" in detail["text"]
    refused = await daemon.ask(network("pause"), session="network")
    assert refused["error_kind"] == "invalid_value"
    await daemon.ok({"action": "close"}, session="network")
