"""`make demo-remote`: the demo's shop, bought from through the extension, without a hand on the browser.

A headless Chromium with the built extension is connected through the extension's popup to the Python client library,
which speaks the lines of the demo's script and prints the dialogue."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from oryn import Oryn
from oryn.demo.server import example_script, open_shop, with_address_of
from scripts.extension import copy
from scripts.extension.paired_browser import PairedBrowser
from scripts.ports import free_port


async def main() -> int:
    print("Building the extension, and starting a browser with it …", flush=True)
    port = free_port()
    with tempfile.TemporaryDirectory() as home, open_shop() as shop:
        browser = PairedBrowser(copy(Path(home, "extension")), Path(home))
        try:
            code = await browser.asks_for(f"ws://127.0.0.1:{port}")
            print(f"Its popup asks for ws://127.0.0.1:{port} and shows the pairing code {code}.\n", flush=True)
            async with Oryn("remote", port=port, pair=code) as oryn:
                return await _dialogue(oryn, with_address_of(example_script(), shop))
        finally:
            await browser.close()


async def _dialogue(oryn: Oryn, script: str) -> int:
    """Print each line with its answer, up to the first error; the exit code."""
    for line in filter(str.strip, script.splitlines()):
        if line.startswith("#"):
            print(line)
            continue
        answer = await oryn.send(line)
        print(f"> {line}\n{answer}\n", flush=True)
        if answer.startswith("error "):
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
