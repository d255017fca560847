"""`upload` in the user's own browser, where the user allows its debugger: pages get what the server has sent, and
nothing of the browser's computer."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import pytest

from tests.extension.driver import PairedBrowser, paired_browser, trusted, untrusted
from tests.extension.test_console import NEEDS

__all__ = ["paired_browser", "trusted", "untrusted"]

NOTES = {"notes.txt": "# Grüße\n".encode()}
FIELD = "<label>Files <input type=file id=field {more}></label><output></output>"
EVENT_LOG = """<script>
  const heard = [];
  for (const kind of ['input', 'change'])
    addEventListener(kind, (event) => { if (event.target.type === 'file') heard.push(kind) });
</script>"""
CONTENTS = "Promise.all(Array.from(field.files, async each => [each.name, each.type, await each.text()]))"


async def uploaded(oryn: PairedBrowser, line: str, files: Mapping[str, bytes] = NOTES) -> str:
    answer, _ = await oryn.with_files(line, files)
    return answer


@pytest.mark.slow
async def test_a_file_input(trusted: PairedBrowser) -> None:
    await trusted.show(FIELD.format(more="") + EVENT_LOG)
    answer = await uploaded(trusted, 'upload "Files" /home/ann/notes.txt')
    assert answer.startswith('ok upload "Files" /home/ann/notes.txt')
    assert await trusted.value(f"{CONTENTS}.then(JSON.stringify)") == '[["notes.txt","text/plain","# Grüße\\n"]]'
    assert await trusted.value("heard.join()") == "input,change"


@pytest.mark.slow
async def test_several_files(trusted: PairedBrowser) -> None:
    await trusted.show(FIELD.format(more="multiple accept=image/*") + EVENT_LOG)
    files = {"a.png": b"\x89PNG\0", "empty.txt": b""}
    answer = await uploaded(trusted, 'upload "Files" a.png empty.txt', files)
    assert 'empty.txt" is not a type that the field accepts' in answer
    assert await trusted.value("Array.from(field.files, each => each.name + each.size + each.type).join()") == (
        "a.png5image/png,empty.txt0text/plain"
    )
    await trusted.show(FIELD.format(more=""))
    assert "takes one file, not 2" in await uploaded(trusted, 'upload "Files" a.png empty.txt', files)


@pytest.mark.slow
async def test_a_large_file_comes_in_pieces(trusted: PairedBrowser) -> None:
    content = bytes(range(256)) * 4 * 5000  # 5 MB
    await trusted.show(FIELD.format(more=""))
    assert (await uploaded(trusted, 'upload "Files" large.bin', {"large.bin": content})).startswith("ok ")
    digest = "crypto.subtle.digest('SHA-256', buffer)"
    hexadecimal = "Array.from(new Uint8Array(d), b => b.toString(16).padStart(2, '0')).join('')"
    assert (
        await trusted.value(f"field.files[0].arrayBuffer().then(buffer => {digest}).then(d => {hexadecimal})")
        == hashlib.sha256(content).hexdigest()
    )


@pytest.mark.slow
async def test_the_chooser_of_a_button(trusted: PairedBrowser) -> None:
    """The field is in no document, so nothing but the debugger knows it."""
    await trusted.show(
        """<button onclick="globalThis.field = document.createElement('input'); field.type = 'file';
        field.onchange = () => document.title = field.files[0].name; field.click()">Choose</button>"""
    )
    answer = await uploaded(trusted, 'upload "Choose" notes.txt')
    assert answer.startswith('ok upload "Choose" notes.txt'), answer
    assert await trusted.value("document.title") == "notes.txt"
    assert await trusted.value(f"{CONTENTS}.then(JSON.stringify)") == '[["notes.txt","text/plain","# Grüße\\n"]]'


@pytest.mark.slow
async def test_a_drop(trusted: PairedBrowser) -> None:
    await trusted.show(
        """<div role=button tabindex=0 style='width: 300px; height: 200px' ondragover='event.preventDefault()'
        >Drop here</div><script>
        document.querySelector('div').addEventListener('drop', (event) => {
          event.preventDefault();
          for (const file of event.dataTransfer.files) file.text().then((text) => document.title = file.name + text);
        });</script>"""
    )
    assert (await uploaded(trusted, 'upload "Drop here" notes.txt')).startswith("ok ")
    await trusted.ok("wait until \"document.title.trim() === 'notes.txt# Grüße'\"")


@pytest.mark.slow
async def test_a_frame_of_another_site(trusted: PairedBrowser) -> None:
    trusted.pages["/inner"] = FIELD.format(more="")
    await trusted.show(f"<iframe src='{trusted.pages.url('/inner', 'localhost')}'></iframe>")
    await trusted.ok("frame css(iframe)")
    answer = await uploaded(trusted, 'upload "Files" notes.txt')
    assert answer.startswith("ok "), answer
    assert await trusted.value("field.files[0].name") == "notes.txt"
    await trusted.ok("frame main")


async def test_a_page_sees_no_more_than_a_file(trusted: PairedBrowser) -> None:
    """The attack: to catch what the extension uses, or to make it give files elsewhere."""
    await trusted.show(
        """<script>
        globalThis.oryn_input = new Proxy({}, {get: (_, name) => (...values) => document.title += name});
        globalThis.DataTransfer = globalThis.File = globalThis.atob = () => document.title = 'caught';
        </script>"""
        + FIELD.format(more="")
    )
    await uploaded(trusted, 'upload "Files" notes.txt')
    assert await trusted.value("[document.title, field.files[0].name].join()") == ",notes.txt"


@pytest.mark.parametrize("line", ['upload "Files" /etc/hostname', "upload css(input) /proc/self/environ"])
async def test_the_browsers_computer_gives_no_file(trusted: PairedBrowser, line: str) -> None:
    await trusted.show(FIELD.format(more=""))
    answer = await trusted(line)
    assert ": not supported in this mode\n" in answer
    assert await trusted.value("field.files.length") == "0"


@pytest.mark.slow
async def test_an_element_that_takes_no_files(trusted: PairedBrowser) -> None:
    await trusted.show("<button>Nothing</button>")
    assert "it takes no files: it is not a file input" in await uploaded(trusted, 'upload "Nothing" notes.txt')


async def test_a_mock_answer_of_a_file(trusted: PairedBrowser) -> None:
    await trusted.show("<p>page")
    assert (await uploaded(trusted, 'intercept "*/data" --respond-file notes.txt')).startswith("ok ")
    assert await trusted.value("fetch('/data').then(answer => answer.text()).then(text => text.trim())") == "# Grüße"
    await trusted.ok("intercept clear")


async def test_not_without_the_debugger(untrusted: PairedBrowser) -> None:
    await untrusted.show(FIELD.format(more="") + "<button onclick='pressed = true'>Choose</button>")
    for target in ("Files", "Choose"):
        line = f'upload "{target}" notes.txt'
        assert await uploaded(untrusted, line) == f"error {line}: {NEEDS}"
    assert await untrusted.value("[field.files.length, globalThis.pressed].join()") == "0,"
