# ruff: noqa: E501 -- a case is read best in few lines
"""What the answer of an act says about the reactions that it caused: a page with 40 and more ways to react.

usage: python -m benchmarks.reactions [CASE …] [--answers] [--python OTHER_PYTHON] [--mode embedded]

For each case one command acts, and a moment later another one acts on something else. A case is `told` if the answer of
the first command has the reaction, `late` if only the second one has it and says so (`# meanwhile`), `wrong` if the
second one has it among its own changes, `missing` otherwise. CASEs select by name, `--answers` prints what was answered,
`--python` is that of another checkout, to compare with; `--mode` is another browser's.

Last line: the number of cases whose reaction was told, of how many, and told as another command's.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from benchmarks._host import Host


class Case(NamedTuple):
    """A way to react. `body` and `script` are the page's; `act` is the command, and `expected` what its answer has to
    contain, in any of these forms."""

    name: str
    script: str
    expected: tuple[str, ...]
    body: str = ""
    act: str = 'click "Go"'


OUT = "<div id=out>Step 1 of 3</div>"
SAY = "out.textContent = 'Saved 7 ferns'"
SAID = ("Saved 7 ferns",)


def after(milliseconds: int, what: str = SAY) -> str:
    return f"go.onclick = () => setTimeout(() => {{ {what} }}, {milliseconds})"


CASES: tuple[Case, ...] = (
    Case("text at once", f"go.onclick = () => {{ {SAY} }}", SAID),
    Case("text in a promise", f"go.onclick = async () => {{ await 0; {SAY} }}", SAID),
    *(Case(f"timer of {ms} ms", after(ms), SAID) for ms in (0, 10, 50, 100, 150, 200, 300, 400)),
    Case("timers in steps", "go.onclick = () => setTimeout(() => { out.textContent = 'One'; setTimeout(() => { "
         + SAY + " }, 150) }, 150)", SAID),
    Case("text that says so", "go.onclick = () => { out.textContent = 'Saving…'; setTimeout(() => { " + SAY + " }, 800) }", SAID),
    Case("button that says so", "go.onclick = () => { go.disabled = true; go.textContent = 'Saving…'; setTimeout(() => { "
         "go.disabled = false; go.textContent = 'Saved 7 ferns' }, 800) }", SAID),
    Case("folded text", "go.onclick = () => { it.style.maxHeight = '90px' }", SAID,
         "<div id=it style='max-height: 0; overflow: hidden; transition: max-height .3s'>Saved 7 ferns</div>"),
    Case("drawer", "go.onclick = () => { it.style.transform = 'none' }", SAID,
         "<div id=it style='position: fixed; right: 0; transform: translateX(100%); transition: transform .3s'>Saved 7 ferns</div>"),
    Case("next slide", "go.onclick = () => { it.style.transform = 'translateX(-200px)' }", SAID,
         "<div style='width: 200px; overflow: hidden'><div id=it style='display: flex; transition: transform .3s'>"
         "<div style='min-width: 200px'>First</div><div style='min-width: 200px'>Saved 7 ferns</div></div></div>"),
    Case("sorted rows", "go.onclick = () => it.append(it.firstChild)", ("order", "Bream"), "<ul id=it><li>Cod</li><li>Bream</li></ul>"),
    Case("progress bar", "go.onclick = () => { it.value = 70 }", ("70%",), "<progress id=it max=100 value=10></progress>"),
    Case("picture", "go.onclick = () => { it.alt = 'Saved 7 ferns' }", SAID, "<img id=it alt=Fern width=40 height=40 src=data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7>"),
    Case("half checked", "go.onclick = () => { it.indeterminate = true }", ("mixed",), "<input type=checkbox id=it aria-label=All>"),
    Case("focus", "go.onclick = () => it.focus()", ("focused", "Town"), "<input id=it aria-label=Town>"),
    Case("error of a script", "go.onclick = () => { throw new Error('no rows') }", ("no rows",)),
    Case("timers in a chain", "let n = 0; go.onclick = function step() { if (++n < 6) setTimeout(step, 60); else "
         + SAY + " }", SAID),
    Case("animation frame", f"go.onclick = () => requestAnimationFrame(() => requestAnimationFrame(() => {{ {SAY} }}))", SAID),
    Case("idle callback", f"go.onclick = () => requestIdleCallback(() => {{ {SAY} }})", SAID),
    Case("microtask queue", f"go.onclick = () => queueMicrotask(() => {{ {SAY} }})", SAID),
    Case("fetch, quick", f"go.onclick = () => fetch('/slow?ms=5').then(() => {{ {SAY} }})", SAID),
    Case("fetch, 300 ms", f"go.onclick = () => fetch('/slow?ms=300').then(() => {{ {SAY} }})", SAID),
    Case("fetch, 900 ms", f"go.onclick = () => fetch('/slow?ms=900').then(() => {{ {SAY} }})", SAID),
    Case("fetch after a pause", f"go.onclick = () => setTimeout(() => fetch('/slow?ms=100').then(() => {{ {SAY} }}), 150)", SAID),
    Case("two fetches", f"go.onclick = async () => {{ await fetch('/slow?ms=150'); await fetch('/slow?ms=150'); {SAY} }}", SAID),
    Case("XMLHttpRequest", "go.onclick = () => { const x = new XMLHttpRequest(); x.open('GET', '/slow?ms=200');"
         f" x.onload = () => {{ {SAY} }}; x.send() }}", SAID),
    Case("failing fetch", "go.onclick = () => fetch('/fail?ms=120').then((r) => { if (!r.ok) out.innerHTML ="
         " '<p role=alert>Could not save</p>' })", ("Could not save",)),
    Case("debounced field", "let t; field.oninput = () => { clearTimeout(t); t = setTimeout(() => {"
         " out.textContent = `3 results for ${field.value}` }, 250) }", ("3 results for fern",),
         "<label>Find <input id=field></label>", 'type "Find" "fern"'),
    Case("pushState", "go.onclick = () => { history.pushState(null, '', '/saved'); document.title = 'Saved'; "
         + SAY + " }", ("Saved 7 ferns",)),
    Case("hash", "go.onclick = () => { location.hash = 'two' }; onhashchange = () => { " + SAY + " }", SAID),
    Case("location", "go.onclick = () => { location = '/next' }", ("Next page",)),
    Case("location after 200 ms", "go.onclick = () => setTimeout(() => { location = '/next' }, 200)", ("Next page",)),
    Case("location after a fetch", "go.onclick = () => fetch('/slow?ms=150').then(() => { location = '/next' })", ("Next page",)),
    Case("form, slow server", "", ("Next page",), "<form action=/next><input type=hidden name=ms value=400>"
         "<button>Send</button></form>", 'click "Send"'),
    Case("form, message on the next page", "", ("Fern was saved.",), "<form action=/done><button>Send</button></form>",
         'click "Send"'),
    Case("transition", "go.onclick = () => panel.classList.add('open')", ("Deep ferns",),
         "<style>#panel{visibility:hidden;opacity:0;transition:all .3s}#panel.open{visibility:visible;opacity:1}</style>"
         "<div id=panel><button>Deep ferns</button></div>"),
    Case("CSS animation", "go.onclick = () => { panel.className = 'in'; panel.hidden = false }", ("Slid in",),
         "<style>@keyframes in{from{transform:translateX(-300px);opacity:0}}.in{animation:in .35s}</style>"
         "<div id=panel hidden><p role=status>Slid in</p></div>"),
    Case("web worker", "const w = new Worker(URL.createObjectURL(new Blob(['onmessage = () => setTimeout(() =>"
         " postMessage(1), 80)']))); w.onmessage = () => { " + SAY + " }; go.onclick = () => w.postMessage(1)", SAID),
    Case("message channel", "const c = new MessageChannel(); c.port1.onmessage = () => { " + SAY
         + " }; go.onclick = () => c.port2.postMessage(1)", SAID),
    Case("server-sent event", "go.onclick = () => { new EventSource('/events').onmessage = () => { " + SAY + " } }", SAID),
    Case("shadow root", "host.attachShadow({mode:'open'}).innerHTML = '<p id=o></p>'; go.onclick = () => setTimeout(() => {"
         " host.shadowRoot.querySelector('#o').textContent = 'Saved 7 ferns' }, 60)", SAID, "<div id=host></div>"),
    Case("frame", "go.onclick = () => { frame.srcdoc = '<p>Saved 7 ferns</p>' }", SAID,
         "<iframe id=frame width=300 height=80></iframe>"),
    Case("toast that vanishes", "go.onclick = () => { out.innerHTML = '<p role=status>Saved 7 ferns</p>';"
         " setTimeout(() => { out.innerHTML = '' }, 900) }", SAID),
    Case("short toast after 150 ms", "go.onclick = () => setTimeout(() => { out.innerHTML = '<p role=status>Saved 7"
         " ferns</p>'; setTimeout(() => { out.innerHTML = '' }, 250) }, 150)", SAID),
    Case("live region", "go.onclick = () => setTimeout(() => { live.textContent = 'Saved 7 ferns' }, 120)", SAID,
         "<div id=live aria-live=polite></div>"),
    Case("button that is enabled", "go.onclick = () => setTimeout(() => { next.disabled = false }, 150)", ("Continue",),
         "<button id=next disabled>Continue</button>"),
    Case("toggle", "go.setAttribute('aria-pressed', 'false'); go.onclick = () => go.setAttribute('aria-pressed', 'true')",
         ("pressed",)),
    Case("accordion", "go.setAttribute('aria-expanded', 'false'); go.onclick = () => { go.setAttribute('aria-expanded',"
         " 'true'); more.hidden = false }", ("Ferns like shade",), "<div id=more hidden>Ferns like shade</div>"),
    Case("tab", "two.onclick = () => { one.setAttribute('aria-selected', 'false'); two.setAttribute('aria-selected',"
         " 'true'); out.textContent = 'Prices from 7 to 9' }", ("Prices from 7 to 9",),
         "<div role=tablist><button role=tab id=one aria-selected=true>About</button>"
         "<button role=tab id=two aria-selected=false>Prices</button></div>", 'click "Prices"'),
    Case("list that is rendered anew", "let n = 3; const render = () => { list.innerHTML = Array.from({length: n}, (_, i) =>"
         " `<li>Row ${i + 1} <button>Remove ${i + 1}</button></li>`).join('') }; render();"
         " go.onclick = () => setTimeout(() => { n = 4; render() }, 60)", ("Remove 4",), "<ul id=list></ul>"),
    Case("row that goes", "list.onclick = (e) => { const row = e.target.closest('li'); if (row) setTimeout(() =>"
         " row.remove(), 150) }", ("Remove Bern",), "<ul id=list><li>Bern <button>Remove Bern</button></li>"
         "<li>Oslo <button>Remove Oslo</button></li></ul>", 'click "Remove Bern"'),
    Case("count", "let n = 2; go.onclick = () => fetch('/slow?ms=80').then(() => { cart.textContent = `Cart: ${++n}` })",
         ("Cart: 3",), "<p id=cart>Cart: 2</p>"),
    Case("optimistic update taken back", "go.onclick = () => { out.textContent = 'Liked'; fetch('/fail?ms=250').then(() => {"
         " out.innerHTML = '<p role=alert>Not liked: offline</p>' }) }", ("Not liked",)),
    Case("validation by the page", "form.onsubmit = (e) => { e.preventDefault(); name_.setAttribute('aria-invalid', 'true');"
         " problem.textContent = 'Enter a name' }", ("Enter a name",),
         "<form id=form><label>Name <input id=name_ aria-describedby=problem></label><p id=problem></p>"
         "<button>Send</button></form>", 'click "Send"'),
    Case("validation by the browser", "", ("fill", "required", "invalid"),
         "<form action=/next><label>Name <input name=n required></label><button>Send</button></form>", 'click "Send"'),
    Case("value that is changed", "field.oninput = () => { field.value = field.value.toUpperCase() }", ("FERN",),
         "<label>Code <input id=field></label>", 'type "Code" "fern"'),
    Case("alert", "go.onclick = () => setTimeout(() => alert('Saved 7 ferns'), 60)", SAID),
    Case("dialog element", "go.onclick = () => fetch('/slow?ms=90').then(() => dialog.showModal())", ("Really delete",),
         "<dialog id=dialog><h2>Really delete?</h2><button>Yes, delete</button></dialog>"),
    Case("new tab", "go.onclick = () => open('/next')", ("Next page", "/next")),
    Case("download", "go.onclick = () => { const a = document.createElement('a'); a.href = '/file'; a.click() }",
         ("ferns.csv",)),
    Case("busy region", "go.onclick = () => { out.setAttribute('aria-busy', 'true'); setTimeout(() => {"
         " out.removeAttribute('aria-busy'); " + SAY + " }, 700) }", SAID),
    Case("spinner", "go.onclick = () => { out.innerHTML = '<div role=progressbar aria-label=Loading></div>'; setTimeout(() =>"
         " { " + SAY + " }, 800) }", SAID),
    Case("hover menu", "menu.onmouseenter = () => setTimeout(() => { items.hidden = false }, 120)", ("Moss garden",),
         "<div id=menu><button>Gardens</button><ul id=items hidden><li><a href=/next>Moss garden</a></ul></div>",
         'hover "Gardens"'),
    Case("key", "field.onkeydown = (e) => { if (e.key === 'Enter') fetch('/slow?ms=120').then(() => { " + SAY + " }) }", SAID,
         "<label>Add <input id=field></label>", 'type "Add" "fern" --enter'),
    Case("selection", "field.onchange = () => setTimeout(() => { out.textContent = `Ships to ${field.value}` }, 90)",
         ("Ships to Oslo",), "<label>City <select id=field><option>Bern<option>Oslo</select></label>",
         'select "City" "Oslo"'),
    Case("check box", "field.onchange = () => fetch('/slow?ms=60').then(() => { out.textContent = 'Gift: 2.50 more' })",
         ("Gift: 2.50 more",), "<label><input type=checkbox id=field> Gift</label>", 'check "Gift"'),
    Case("innerText of a paragraph", "go.onclick = () => setTimeout(() => { out.firstChild.data = 'Step 2 of 3' }, 40)",
         ("Step 2 of 3",)),
    Case("nothing", "", ("nothing changed",)),
)  # fmt: skip


def document(case: Case) -> str:
    go = "" if "<button>Send" in case.body else "<button id=go>Go</button>"
    other = "<button onclick='void 0'>Other</button>"
    return (
        f"<!doctype html><meta charset=utf-8><title>{case.name}</title><h1>Ferns</h1>{go}{case.body}{OUT}"
        f"<footer>{other}</footer><script>{case.script}</script>"
    )


class Site:
    """A server of the cases' pages at `/case?name=N`, and of what their scripts ask for."""

    def __init__(self) -> None:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                url = urlsplit(self.path)
                query = {name: values[0] for name, values in parse_qs(url.query).items()}
                time.sleep(int(query.get("ms", "0")) / 1000)
                status, kind, body = answer(url.path, query)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                if url.path == "/file":
                    self.send_header("Content-Disposition", "attachment; filename=ferns.csv")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()


def answer(path: str, query: dict[str, str]) -> tuple[int, str, bytes]:
    html = "text/html; charset=utf-8"
    match path:
        case "/case":
            return 200, html, document(CASES[int(query["number"])]).encode()
        case "/slow":
            return 200, "application/json", json.dumps({"ok": True}).encode()
        case "/fail":
            return 503, "text/plain", b"offline"
        case "/events":
            return 200, "text/event-stream", b"data: 1\n\n"
        case "/file":
            return 200, "text/csv", b"fern,price\n"
        case "/done":
            return 200, html, b"<title>Ferns</title><p role=status>Fern was saved.</p><button>Other</button>"
    return 200, html, b"<title>Next page</title><h1>Next page</h1><button>Other</button>"


def own_part(text: str) -> str:
    """An answer without what it says happened before its command."""
    return text.partition("# meanwhile")[0]


def outcome(case: Case, first: str, second: str) -> str:
    if any(each in first.split("\n", 1)[-1] for each in case.expected):
        return "told"
    if any(each in own_part(second).split("\n", 1)[-1] for each in case.expected):
        return "wrong"
    return "late" if any(each in second for each in case.expected) else "missing"


def run_cases(host: Host, site: Site, names: list[str]) -> Iterator[tuple[Case, str, float, str, str]]:
    for number, case in enumerate(CASES):
        if names and not any(name in case.name for name in names):
            continue
        host.ask(f"goto {site.url}/case?number={number}")
        host.ask("observe")
        started = time.perf_counter()
        first = host.ask(case.act)
        seconds = time.perf_counter() - started
        time.sleep(1.5)  # all reactions have happened by then
        if "dialog" in first:
            host.ask("dialog accept")
        second = host.ask('click "Other"')
        yield case, outcome(case, first, second), seconds, first, second


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", metavar="CASE")
    parser.add_argument("--answers", action="store_true")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--mode", default="headless")
    arguments = parser.parse_args()
    outcomes: list[str] = []
    with tempfile.TemporaryDirectory() as home:
        host, site = Host(python=arguments.python, home=home, mode=arguments.mode), Site()
        for case, result, seconds, first, second in run_cases(host, site, arguments.names):
            outcomes.append(result)
            print(f"{result:8} {seconds * 1000:6.0f} ms  {case.name}")
            if arguments.answers:
                print(f"{first}--\n{second}")
        host.close()
    print(f"told {outcomes.count('told')} of {len(outcomes)}, as another command's {outcomes.count('wrong')}")


if __name__ == "__main__":
    main()
