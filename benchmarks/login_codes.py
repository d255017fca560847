"""Logins with one-time passwords at a site whose verifier is pyotp, and whose clock is up to 30 s off: in one field or
in six boxes, with a foreign site between that asks for the code too. Prints how many were let in, and where a code was
found: in answers, the history, logs, the trace, the HAR file; how many were sent twice, or to the foreign site.

The session's clock is the benchmark's, which moves on where a command waits for the next window.

    .venv/bin/python -m benchmarks.login_codes [logins]
"""

from __future__ import annotations

import asyncio
import io
import json
import logging
import random
import re
import sys
import tempfile
import threading
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pyotp

from benchmarks._session import headless_session, must, row
from oryn.engine import Session
from oryn.system import paths
from oryn.vault import Vault
from oryn.vault.totp import parse_one_time_password

_DIGITS = re.compile(r"(?<![0-9A-Za-z.])\d{6}(?![0-9A-Za-z.])")
"""What may be a code: times in microseconds, and pictures, have others' digits."""
TRACED_LOGINS = 20
"""How many logins the trace has, which takes pictures of each command."""
KEY = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
FIELD = "<input name=code aria-label=Code maxlength=6 autocomplete=one-time-code>"
BOXES = """{}<input type=hidden name=code><script>
const all = [...document.querySelectorAll('input[maxlength]')];
all.forEach((box, at) => {{ box.oninput = () => box.value && all[at + 1]?.focus() }});
document.forms[0].onsubmit = () => {{ document.forms[0].code.value = all.map((box) => box.value).join('') }}</script>"""
ROW = "".join(
    f"<input maxlength=1 style='width:30px' aria-label='{f'Digit {at}' if at else 'Code'}'>" for at in range(6)
)
PAGE = "<title>Second step</title><form method=post>{}<button>Sign in</button></form>"


class Site:
    """The site, at 127.0.0.1, and another one, at localhost, on one port."""

    def __init__(self, clock: Clock) -> None:
        self.codes: list[str] = []
        self.steps: set[int] = set()
        self.accepted = self.repeated = self.foreign = 0
        self.skew = 0.0
        site, verifier = self, pyotp.TOTP(KEY)

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                self.reply(PAGE.format(BOXES.format(ROW) if "boxes" in self.path else FIELD))

            def do_POST(self) -> None:
                text = self.rfile.read(int(self.headers["Content-Length"])).decode()
                code = parse_qs(text).get("code", [""])[0]
                site.foreign += "localhost" in self.headers["Host"] and bool(code)
                at = clock.now + site.skew
                step = next((at_step for at_step in _steps(at) if verifier.at(at_step * 30) == code), None)
                is_right = step is not None and verifier.verify(code, for_time=at, valid_window=1)
                site.repeated += step in site.steps
                is_right = is_right and step not in site.steps
                if step is not None:
                    site.steps.add(step)
                site.codes.append(code)
                site.accepted += is_right
                self.reply(f"<h1>{'Welcome' if is_right else 'Wrong code'}</h1>")

            def reply(self, body: str) -> None:
                data = body.encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def _steps(at: float) -> tuple[int, ...]:
    """The windows whose codes the site accepts: the current one, and those beside it."""
    return int(at // 30), int(at // 30) - 1, int(at // 30) + 1


class Clock:
    def __init__(self) -> None:
        self.now = time.time()

    def time(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


async def said_to(session: Session, line: str) -> str:
    return (await must(session, line)).render()


async def measure(logins: int, folder: Path) -> dict[str, Any]:
    clock, chance = Clock(), random.Random(46)
    site, said = Site(clock), io.StringIO()
    logging.basicConfig(stream=said, level=logging.DEBUG, force=True)
    own, foreign = f"http://127.0.0.1:{site.port}", f"http://localhost:{site.port}"
    vault = Vault(paths.find({"ORYN_HOME": str(folder)}), "file", {}, clock=clock.time, sleep=clock.sleep)
    vault.store_one_time_password("shop.totp", parse_one_time_password(KEY), [own])
    answers: list[str] = []
    async with headless_session() as session:
        session.vault = lambda: vault
        answers += [await said_to(session, f"har start {folder / 'all.har'}"), await said_to(session, "trace start")]
        for at in range(logins):
            if at == TRACED_LOGINS:
                answers.append(await said_to(session, f"trace stop {folder / 'all.zip'}"))
            site.skew = chance.uniform(-30, 30)
            clock.now += chance.uniform(0, 45)
            if at % 10 == 0:
                await must(session, f"goto {foreign}/")
                refused = (await session.execute('type Code "{{vault:shop.totp}}"')).render()
                assert refused.startswith("error"), refused
                answers.append(refused)
            answers.append(await said_to(session, f"goto {own}/{'boxes' if at % 2 else 'field'}"))
            answers.append(await said_to(session, 'type Code "{{vault:shop.totp}}"'))
            answers.append(await said_to(session, 'click "Sign in"'))
        answers += [await said_to(session, each) for each in ("console", "requests", "text", "observe")]
        if logins <= TRACED_LOGINS:
            answers.append(await said_to(session, f"trace stop {folder / 'all.zip'}"))
        answers.append(await said_to(session, "har stop"))
        history = json.dumps([repr(each) for each in session.history.commands])
    with zipfile.ZipFile(folder / "all.zip") as trace:
        names = [name for name in trace.namelist() if not name.endswith((".png", ".jpeg", ".jpg", ".webp"))]
        texts = [trace.read(name).decode("utf-8", "replace") for name in names]
    places = {
        "answers": "\n".join(answers),
        "history": history,
        "logs": said.getvalue(),
        "trace": "\n".join(texts),
        "har": (folder / "all.har").read_text(),
    }
    found = {name: len(set(site.codes) & set(_DIGITS.findall(text))) for name, text in places.items()}
    site.server.shutdown()
    return {
        "logins": logins,
        "let in": site.accepted,
        "codes sent twice": site.repeated,
        "codes at the foreign site": site.foreign,
        **{f"codes in {name}": count for name, count in found.items()},
        "bytes looked at": sum(map(len, places.values())),
    }


def main() -> None:
    logins = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as folder:
        for name, value in asyncio.run(measure(logins, Path(folder))).items():
            row(name, value)


if __name__ == "__main__":
    main()
