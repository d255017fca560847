"""`make demo-plugins`: tools of other extensions for pages, and tools of pages for sessions.

A page in Firefox asks for a tool of the plugin `time` of the kit, the user allows it in the consent window, and the
page gets the answer. Then a session with Chromium lists and calls the tools that a page offers."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from oryn import Oryn
from scripts.extension import copy
from scripts.extension.hub import FirefoxHub, answer, consent_window

PROJECT = Path(__file__).parent.parent
KIT = PROJECT / "clients" / "plugin-kit"
ZONE = "Europe/Paris"

ASKING = """<!doctype html><title>Clock</title><p id=out>-</p>"""
OFFERING = """<!doctype html><title>Beds</title><h1>Beds</h1><ul></ul><script>
document.modelContext.registerTool({
  name: 'plant',
  description: 'Plants something in a bed, and returns how many plants there are.',
  inputSchema: {type: 'object', properties: {plant: {type: 'string'}}, required: ['plant']},
  execute({plant}) {
    const item = document.createElement('li');
    item.append(Object.assign(document.createElement('button'), {textContent: plant}));
    document.querySelector('ul').append(item);
    return {plants: document.querySelectorAll('li').length};
  },
});
</script>"""
LINES = ("tools", """tool call plant '{"plant": "Boston fern"}'""")


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve the pages on a free port of this computer; yields the URL."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *arguments: object) -> None:
            pass

    for name, text in (("clock.html", ASKING), ("beds.html", OFFERING)):
        (folder / name).write_text(text, "utf-8")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


async def page_calls_plugin(home: Path, url: str) -> None:
    """Firefox: a page, the consent window, the plugin."""
    browser = FirefoxHub(copy(home / "extension", "firefox"), home)
    try:
        await browser.start()
        hub = await browser.worker()
        plugin = await browser.load(KIT / "build" / "plugins" / "firefox" / "time")
        await hub.until(f"oryn.hub.registry.has('{plugin}')")
        print(f"The plugin {plugin} has registered.", flush=True)
        page = await browser.open(f"{url}/clock.html")
        call = f"agent.tools.call('{plugin}::now', {{timeZone: '{ZONE}'}})"
        print(f"A page calls {call}\n", flush=True)
        shown = "document.getElementById('out').textContent = JSON.stringify(result)"
        await page.evaluate(f"{call}.then(({{result}}) => {{ {shown} }}), 1")
        window = await consent_window(browser)
        print(
            "\n".join(
                f"    | {line}" for line in (await window.evaluate("document.body.innerText")).split("\n") if line
            )
        )
        await answer(browser, window, "once")
        print("\nThe user presses 'Allow for 10 minutes'. The page has:", flush=True)
        print(f"    {await page.until('document.getElementById(`out`).textContent.slice(1) && out.textContent')}\n")
    finally:
        await browser.close()


async def session_calls_page(url: str) -> int:
    """Chromium: a session lists and calls what a page offers; the exit code."""
    print("A session with Chromium, on a page that offers a tool:\n", flush=True)
    async with Oryn() as oryn:
        for line in (f"goto {url}/beds.html", *LINES):
            said = await oryn.send(line)
            print(f"> {line}\n{said}\n", flush=True)
            if said.startswith("error "):
                return 1
    return 0


async def main() -> int:
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as pages, served(Path(pages)) as url:
        await page_calls_plugin(Path(home), url)
        return await session_calls_page(url)


if __name__ == "__main__":
    print("Building the extension and the kit's plugins, and starting Firefox with them …", flush=True)
    subprocess.run(["npm", "run", "--silent", "plugins"], cwd=KIT, check=True)
    sys.exit(asyncio.run(main()))
