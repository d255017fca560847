"""`oryn remote` with a browser attached, for whoever speaks the line protocol: `make -s remote-engine`.

A headless Chromium, or Firefox with `--firefox` as the first argument, with the built extension is connected and paired
through the extension's own popup, as a user would; then standard input and output are those of `oryn remote`. The
browser ends with it."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from scripts.extension import copy
from scripts.extension.firefox import FirefoxBrowser
from scripts.extension.paired_browser import PairedBrowser
from scripts.ports import free_port


async def main(arguments: list[str]) -> int:
    port = free_port()
    with tempfile.TemporaryDirectory() as home:
        browser: PairedBrowser | FirefoxBrowser
        if arguments[:1] == ["--firefox"]:
            arguments = arguments[1:]
            browser = FirefoxBrowser(copy(Path(home, "extension"), "firefox"), Path(home))
        else:
            browser = PairedBrowser(copy(Path(home, "extension")), Path(home))
        try:
            code = await browser.asks_for(f"ws://127.0.0.1:{port}")
            environment = {"ORYN_HOME": home, **os.environ}
            command = [sys.executable, "-m", "oryn", "remote", "--port", str(port), "--pair", code, *arguments]
            engine = await asyncio.create_subprocess_exec(*command, env=environment)
            return await engine.wait()
        finally:
            await browser.close()


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
