"""Elements seen: the scanner's list against Chromium's own accessibility tree, on saved pages.

usage: elements.py FOLDER [--errors]

FOLDER holds `elements/articles.jsonl.gz`, one page a line: `{"page": id, "elements": [{"path", "role", "name", "visible"}]}`,
and `extraction/html/<id>.html.gz`. Truth is every visible element with an interactive role. An element that only
listens for clicks (role ""), or one of type `generic` outside the truth, is neither hit nor error. The last line has the three figures.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import sys
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline' data:; img-src data:; font-src data:; frame-src 'none'; form-action 'none'"
)
# The path that the truth names elements by, for elements given as XPaths.
PATHS = """xpaths => xpaths.map(xpath => { const out = [];
  let e = document.evaluate(xpath, document, null, 9, null).singleNodeValue;
  for (; e && e.nodeType === 1; e = e.parentElement) { const t = e.localName;
    out.push(t === 'html' || t === 'body' ? t : t + ':nth-child(' + ([...e.parentElement.children].indexOf(e) + 1) + ')'); }
  return out.reverse().join('>'); })"""


class SavedPages:
    """Serves saved pages on loopback with scripts and everything outside blocked."""

    def __init__(self, folder: Path) -> None:
        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                file = folder / (self.path.strip("/") + ".gz")
                if not re.fullmatch(r"/[0-9a-f]+\.html", self.path) or not file.exists():
                    self.send_error(404)
                    return
                data = gzip.decompress(file.read_bytes())
                data = re.sub(rb"(?i)<meta[^>]+http-equiv=[\"']?(refresh|content-security-policy)[^>]*>", b"", data)
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Security-Policy", POLICY)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def url(self, page: str) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/{page}.html"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@dataclass
class Score:
    """Counts over all pages; the three figures are shares between 0 and 1."""

    wanted: int = 0
    listed: int = 0
    hits: int = 0
    named: int = 0
    same: int = 0

    def add(self, truth: list[dict[str, Any]], seen: list[dict[str, Any]]) -> list[str]:
        """Count one page; returns a line for each miss."""
        wanted = {e["path"]: e for e in truth if e["visible"] and e["role"]}
        neutral = {e["path"] for e in truth if not e["role"]}
        listed = {e["path"]: e for e in seen if e["type"] != "generic" or e["path"] in wanted}
        errors = [f"missed   {e['role']} {e['name']!r} {path}" for path, e in wanted.items() if path not in listed]
        errors += [f"surplus  {e['type']} {e['name']!r} {path}" for path, e in listed.items() if path not in wanted | dict.fromkeys(neutral)]
        self.wanted += len(wanted)
        self.listed += len(listed.keys() - neutral)
        for path in wanted.keys() & listed.keys():
            self.hits += 1
            name = normal(wanted[path]["name"])
            if name:
                self.named += 1
                if name == normal(listed[path]["name"]):
                    self.same += 1
                else:
                    errors.append(f"name     {wanted[path]['name']!r} seen as {listed[path]['name']!r} {path}")
        return errors

    def __str__(self) -> str:
        recall, precision, same = self.hits / max(self.wanted, 1), self.hits / max(self.listed, 1), self.same / max(self.named, 1)
        return f"recall {recall:.4f}  precision {precision:.4f}  same name {same:.4f}"


def normal(text: str) -> str:
    return re.sub(r"\s+", " ", text or "").strip().lower()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--errors", action="store_true", help="print what was missed, surplus or named otherwise")
    options = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "scanner"))
    from driver import Chromium  # type: ignore[import-not-found]

    with gzip.open(options.folder / "elements" / "articles.jsonl.gz", "rt", encoding="utf-8") as lines:
        truth = {row["page"]: row["elements"] for row in map(json.loads, lines)}
    site = SavedPages(options.folder / "extraction" / "html")
    browser = Chromium(os.environ.get("ORYN_BROWSER", "/usr/bin/chromium"))
    score = Score()
    try:
        for page, elements in truth.items():
            browser.goto(site.url(page))
            browser.listeners()
            hints = browser.listeners()
            data = browser.scanner("scan", fields=["xpath"], max_elements=0, listeners=hints.get("positions"), listeners_of=hints.get("count"))["data"]
            seen = [e for e in data["elements"] if e["xpath"].startswith("/html")]
            paths = browser.evaluate(f"({PATHS})({json.dumps([e['xpath'] for e in seen])})")
            errors = score.add(elements, [{"path": path, "type": e["type"], "name": e["text"]} for path, e in zip(paths, seen, strict=True)])
            if options.errors:
                print(page[:12], *errors, sep="\n  ")
    finally:
        browser.close()
        site.close()
    print(f"pages {len(truth)}  truth {score.wanted}  listed {score.listed}  named {score.named}")
    print(score)


if __name__ == "__main__":
    main()
