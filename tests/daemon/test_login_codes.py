"""What is left of a login code when a daemon's session has used it: nothing, in answers and in all of its files."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from oryn.system import paths
from oryn.vault import Vault
from oryn.vault.totp import parse_one_time_password
from tests.daemon.daemon_process import RunningDaemon, daemon_environment
from tests.headless.conftest import Pages

pytestmark = pytest.mark.browser

FIELDS = {
    "one": "<input name=code aria-label=Code>",
    "boxes": "".join(
        f"<input name=d{at} maxlength=1 style='width: 30px' aria-label={'Digit' if at else 'Code'}>" for at in range(6)
    ),
}
PAGE = "<title>Second step</title><form method=post action=/check>{}<button>Go on</button></form>"
PRINTED = "<p id=out></p><script>{}</script>"
TELLS = (
    "document.querySelector('form').oninput = () => { const all = [...document.querySelectorAll('input')]"
    ".map((box) => box.value); console.log('typed', all.join('')); localStorage.setItem('typed', all.join(''));"
    "console.log(JSON.stringify(all)); document.title = all.join('') }"
)


def texts_of(folder: Path) -> Iterator[tuple[str, str]]:
    """The content of all files below a folder, and of the files in archives."""
    for place, _, names in os.walk(folder):
        for name in names:
            file = Path(place, name)
            try:
                data = file.read_bytes()
            except OSError:  # a socket
                continue
            if zipfile.is_zipfile(file):
                with zipfile.ZipFile(file) as archive:
                    yield from ((f"{file}!{each}", archive.read(each).decode("latin-1")) for each in archive.namelist())
            yield str(file), data.decode("latin-1")


@pytest.mark.slow
@pytest.mark.parametrize("kind", FIELDS)
async def test_nothing_is_left_of_a_code(
    daemon_of: Callable[..., RunningDaemon], pages: Pages, tmp_path: Path, kind: str
) -> None:
    sent: list[str] = []

    def check(request: object) -> str:
        length = int(request.headers["Content-Length"])  # type: ignore[attr-defined]
        form = parse_qs(request.rfile.read(length).decode())  # type: ignore[attr-defined]
        sent.append("".join(value for values in form.values() for value in values))
        return f"<title>Checked</title><p>You sent {sent[-1]}.</p>"

    pages["/"] = PAGE.format(FIELDS[kind]) + PRINTED.format(TELLS)
    pages["/check"] = check
    daemon = daemon_of(ORYN_VAULT="file")
    vault = Vault(paths.find(daemon_environment(daemon.home)), "file", {})
    key = parse_one_time_password("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
    vault.store_one_time_password("shop.totp", key, [pages.url().rstrip("/")])
    files = tmp_path / "files"
    files.mkdir()
    answers = [
        await daemon.ok(line)
        for line in (
            f"har start {files / 'all.har'}",
            f"trace start {files / 'all.zip'}",
            f"goto {pages.url()}",
            'type Code "{{vault:shop.totp}}"',
            f"screenshot --output {files / 'page.png'}",
            "observe",
            "console",
            "storage list",
            "title",
            "eval \"[...document.querySelectorAll('input')].map((box) => box.value)\"",
            'click "Go on"',
            "text",
            "requests",
            "har stop",
            "trace stop",
        )
    ]
    (code,) = sent
    assert len(code) == 6
    assert code not in json.dumps(answers)
    assert json.dumps(list(code)) not in json.dumps(answers)
    assert code not in json.dumps(daemon.rows()) + daemon.log()
    spread = "&".join(f"d{at}={digit}" for at, digit in enumerate(code))
    own = ("/profile", "/browser", "/data/daemon/sessions/")  # the page's own storage, restored as it was
    remains = [
        name
        for name, text in [*texts_of(files), *texts_of(daemon.home)]
        if (code in text or spread in text) and not any(each in name for each in own)
    ]
    assert remains == []
