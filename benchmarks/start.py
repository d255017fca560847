"""From nothing to the first answered `goto`, against launching the browser and navigating with bare protocol calls.

usage: start.py      Medians of rounds run in turn, and their ratio.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable

from _host import FORM, Host, OnePage
from oryn.browsers.cdp.discovery import find_browser

ROUNDS = 9
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-quic --remote-debugging-pipe about:blank"
)


def bare(executable: str, url: str) -> float:
    """Launch, attach, navigate, and wait for the load event; the moment when it came."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        to_browser, ours_out = os.pipe()
        ours_in, from_browser = os.pipe()

        def wire() -> None:
            os.dup2(to_browser, 3)
            os.dup2(from_browser, 4)

        # Above 10, so that duplicating onto 3 and 4 overwrites neither pipe.
        to_browser, from_browser = (os.dup2(end, end + 20) for end in (to_browser, from_browser))
        process = subprocess.Popen(
            [executable, *FLAGS.split(), f"--user-data-dir={profile}"],
            preexec_fn=wire, pass_fds=(3, 4), stderr=subprocess.DEVNULL,
        )  # fmt: skip
        stream, number = os.fdopen(ours_in, "rb"), 0

        def messages() -> dict[str, object]:
            data = bytearray()
            while (byte := stream.read1(1)) != b"\0":
                data += byte
            return json.loads(data)  # type: ignore[no-any-return]

        def call(method: str, session: str | None = None, **params: object) -> dict[str, object]:
            nonlocal number
            number += 1
            message = {"id": number, "method": method, "params": params} | ({"sessionId": session} if session else {})
            os.write(ours_out, json.dumps(message).encode() + b"\0")
            while (answer := messages()).get("id") != number:
                pass
            return answer["result"]  # type: ignore[return-value]

        targets = call("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")  # type: ignore[attr-defined]
        session = str(call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"])
        call("Page.enable", session)
        call("Page.navigate", session, url=url)
        while messages().get("method") != "Page.loadEventFired":
            pass
        ended = time.perf_counter()
        process.kill()
        process.wait()
        os.close(ours_out)
        return ended


def measure(work: Callable[[], float]) -> float:
    started = time.perf_counter()
    return work() - started


def main() -> None:
    executable = str(find_browser())

    def run_oryn() -> float:
        host = Host()
        answer = host.ask(f"goto {page.url}")
        ended = time.perf_counter()
        assert answer.startswith("ok"), answer
        host.close()
        return ended

    with OnePage(FORM) as page:
        times = [(measure(lambda: bare(executable, page.url)), measure(run_oryn)) for _ in range(ROUNDS + 1)][1:]
    base, ours = (statistics.median(column) for column in zip(*times, strict=True))
    print(f"bare {base:.3f} s  oryn headless {ours:.3f} s  ratio {ours / base:.2f}  (medians of {ROUNDS})")


if __name__ == "__main__":
    main()
