"""The controls of widget libraries, driven by plain commands: which hold what was asked, and which answers are true.

usage: python -m benchmarks.widgets [LIBRARY …] [--verbose]

The libraries come from npm with the first run (`package.json` here has their versions), and their pages are built from
`sources`. Each task begins on a fresh page; what the page's application holds afterwards decides. A task is `done` if
it holds what was asked and no answer was an error, `said` if it does not and an answer was an error, `wrong` if the
answers are not true: all were `ok` but the application holds something else, or one was an error although it holds
what was asked.

Last line: the tasks done, of how many, and the wrong ones.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

from benchmarks._session import headless_session, row, run
from oryn.engine import Session

FOLDER = Path(__file__).parent
WIDTHS = (16, 6, 6, 6, 90)
SETTLED_MILLISECONDS = 1000
"""How long a control may take to give its application what it shows."""
HOLDS = """new Promise((resolve) => {
  const wanted = Object.entries(%s), end = performance.now() + %d;
  const look = () => {
    const holds = wanted.every(([key, value]) => JSON.stringify(held[key] ?? null) === JSON.stringify(value));
    if (holds || performance.now() > end) resolve(holds);
    else requestAnimationFrame(look);
  };
  look();
})"""


class Task(NamedTuple):
    name: str
    lines: Sequence[str]
    expected: dict[str, Any]


TASKS = {
    task.name: task
    for task in (
        Task("select", ['select "Plan" "Pro"'], {"plan": "Pro"}),
        Task("combobox", ['select "City" "Oslo"'], {"city": "Oslo"}),
        Task("chosen again", ['select "City" "Bern"', 'select "City" "Bergen"'], {"city": "Bergen"}),
        Task("no such option", ['select "City" "Atlantis"'], {"city": None}),
        Task("several", ['select "Tags" "sea" "music"'], {"tags": ["sea", "music"]}),
        Task("cascade", ['select "Region" "Norway / Vestland"'], {"region": "n/v"}),
        Task("date", ['type "Start" "2026-12-24"'], {"start": "2026-12-24"}),
        Task("check box", ['check "News"'], {"news": True}),
        Task("switch", ['check "Alerts"'], {"alerts": True}),
        Task("switch off", ['check "Alerts"', 'uncheck "Alerts"'], {"alerts": False}),
        Task("number", ['type "Seats" "7"'], {"seats": 7}),
        Task("dialog", ['click "Add a note"', 'type "Note" "Bring rope"', 'click "OK"'], {"note": "Bring rope"}),
        Task("row", ['click "Delete" near "1002"'], {"deleted": "1002"}),
    )
}
FIELDS = ("select", "combobox", "chosen again", "no such option", "several", "date")
ALL = tuple(name for name in TASKS if name != "cascade")
LIBRARIES = {
    "antd": ("antd", tuple(TASKS)),
    "mui": ("mui", ALL),
    "vuetify": ("vuetify", tuple(name for name in ALL if name != "date")),
    "element-plus": ("element_plus", ALL),
    "fluent": ("fluent", tuple(name for name in ALL if name not in ("date", "several"))),
    "material-web": ("material_web", tuple(name for name in ALL if name not in ("date", "several"))),
    "react-select": ("react_select", FIELDS),
    "select2": ("plain", FIELDS),
    "choices": ("plain", FIELDS),
    "tom-select": ("plain", FIELDS),
}
"""By the name of a library: the source of its page, and the tasks that it has controls for."""


class Pages(SimpleHTTPRequestHandler):
    """Serves the bundles, and a page for each at `/<source>.html`."""

    def do_GET(self) -> None:
        source, is_page, _ = self.path.partition(".html")
        if not is_page:
            return super().do_GET()
        styles = f'<link rel="stylesheet" href="{source}.css">'
        has_styles = Path(self.directory, f"{source[1:]}.css").exists()
        page = f'<!doctype html><html lang="en"><title>Order</title>{styles if has_styles else ""}'
        page += f'<div id="root"></div><script src="{source}.js"></script>'
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(page.encode())

    def log_message(self, format: str, *arguments: object) -> None:
        pass


def prepare() -> Path:
    """Install and bundle the libraries unless that is done. Return the folder of the bundles."""
    bundles = FOLDER / "node_modules" / ".bundles"
    if not (FOLDER / "node_modules").exists():
        subprocess.run(["npm", "ci", "--silent", "--ignore-scripts"], cwd=FOLDER, check=True)
    newest = max(path.stat().st_mtime for path in (FOLDER / "sources").iterdir())
    if not bundles.exists() or min(path.stat().st_mtime for path in bundles.iterdir()) < newest:
        subprocess.run(["node", "build.mjs"], cwd=FOLDER, check=True)
    return bundles


async def outcome(session: Session, url: str, task: Task, verbose: bool) -> str:
    await session.execute(f"goto {url}")
    answers = [await session.execute(line) for line in task.lines]
    is_held = await session.page.evaluate(HOLDS % (json.dumps(task.expected), SETTLED_MILLISECONDS))
    if verbose:
        print(f"\n## {task.name}: {await session.page.evaluate('JSON.stringify(held)')}")
        print("\n".join(answer.render() for answer in answers))
    if task.name == "no such option":
        return "done" if is_held and not answers[-1].ok else "wrong"
    is_ok = all(answer.ok for answer in answers)
    if is_held:
        return "done" if is_ok else "wrong"
    return "wrong" if is_ok else "said"


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("libraries", nargs="*", choices=[*LIBRARIES, []])
    parser.add_argument("--verbose", action="store_true", help="print what was held and answered")
    options = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Pages, directory=prepare()))
    Thread(target=server.serve_forever, daemon=True).start()
    row("library", "done", "said", "wrong", "not done", widths=WIDTHS)
    total: dict[str, int] = {"done": 0, "said": 0, "wrong": 0}
    async with headless_session() as session:
        for library in options.libraries or LIBRARIES:
            source, names = LIBRARIES[library]
            url = f"http://127.0.0.1:{server.server_port}/{source}.html?library={library}"
            found = {name: await outcome(session, url, TASKS[name], options.verbose) for name in names}
            counts = [sum(each == kind for each in found.values()) for kind in total]
            for kind, count in zip(total, counts, strict=True):
                total[kind] += count
            others = ", ".join(f"{name} ({each})" for name, each in found.items() if each != "done")
            row(library, *counts, others, widths=WIDTHS)
    server.shutdown()
    print(f"{total['done']} of {sum(total.values())} tasks done, {total['wrong']} wrong")


if __name__ == "__main__":
    run(main)
