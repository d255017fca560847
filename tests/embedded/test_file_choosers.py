"""Files of this computer for a page: in its fields, through choosers that it opens, and dropped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from oryn.errors import ElementStale
from tests.embedded.input_tab import InputTab, tab
from tests.headless.conftest import Pages

__all__ = ["tab"]

PAGE = """<!doctype html><style>body { margin: 0 } body > * { position: absolute; left: 0 }</style>
<input type=file id=one style="top: 0"><input type=file id=many multiple accept=".txt,image/*" style="top: 50px">
<button id=button style="top: 100px; width: 200px; height: 50px">Upload</button>
<div id=place style="top: 200px; width: 200px; height: 100px">Drop here</div>
<script>
  const log = [];
  for (const kind of ['click', 'input', 'change']) {
    addEventListener(kind, (event) => log.push(`${kind} ${event.target.id} ${event.isTrusted}`), true);
  }
  const names = (files) => [...files].map((file) => `${file.name} ${file.size}`).join();
</script>"""


@pytest.fixture(autouse=True)
def displayed(run: Any, tab: InputTab, pages: Pages) -> None:
    pages.bodies.clear()
    pages["/"] = PAGE
    run(tab.goto(pages.url("/")))


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    paths = [tmp_path / "first.txt", tmp_path / "second note.txt", tmp_path / "third.pdf"]
    for number, path in enumerate(paths):
        path.write_text("x" * (number + 1))
    return [str(path) for path in paths]


async def field(tab: InputTab, element: str) -> int:
    """The scanner's number of an element of the page."""
    answer = await tab.scanner({"cmd": "scan", "hidden": True})  # type: ignore[typeddict-unknown-key]
    assert answer["ok"], answer
    numbers = [each["id"] for each in answer["data"]["elements"]]
    for number in numbers:
        found = await tab.scanner_client.element(number, tab.frame_tree.top)
        if found and await called(tab, found, "function() { return this.id }") == element:
            return int(number)
    raise AssertionError(f"{element} is not among {answer['data']['elements']}")


async def called(tab: InputTab, object_id: str, function: str) -> Any:
    params = {"objectId": object_id, "functionDeclaration": function, "returnByValue": True}
    return (await tab.channel.call("Runtime.callFunctionOn", params))["result"].get("value")


async def test_a_field_gets_files(tab: InputTab, files) -> None:
    await tab.set_files(await field(tab, "one"), files[:1])
    assert await tab.js("[names(one.files), log.splice(0)]") == ["first.txt 1", ["input one true", "change one true"]]
    await tab.set_files(await field(tab, "many"), files[:2])
    assert await tab.js("names(many.files)") == "first.txt 1,second note.txt 2"


async def test_a_field_gets_files_of_types_that_it_does_not_accept(tab: InputTab, files) -> None:
    await tab.set_files(await field(tab, "many"), files)
    found = await tab.js("[names(many.files), log.splice(0)]")
    assert found == ["first.txt 1,second note.txt 2,third.pdf 3", ["input many false", "change many false"]]


async def test_a_page_opens_the_chooser_of_a_field(tab: InputTab, files) -> None:
    await tab.js("one.hidden = many.hidden = true; button.onclick = () => many.click(); 0")
    checkpoint = tab.checkpoint()
    await tab.mouse.click(50, 120)
    chooser = await tab.file_chooser(checkpoint, timeout=5)
    assert chooser is not None and (chooser.multiple, chooser.accept) == (True, ".txt,image/*")
    assert tab.file_chooser_waits(checkpoint)
    await tab.js("log.splice(0); 0")
    await tab.choose_files(chooser, files[:2])
    assert await tab.js("[names(many.files), log]") == [
        "first.txt 1,second note.txt 2",
        ["input many true", "change many true"],
    ]
    assert not tab.file_chooser_waits(checkpoint)


async def test_a_page_opens_the_chooser_of_a_field_in_no_document(tab: InputTab, files) -> None:
    await tab.js(
        """button.onclick = () => {
          const input = document.createElement('input');
          input.type = 'file';
          input.accept = '.txt';
          input.onchange = () => { document.title = names(input.files) };
          input.click();
        }; 0"""
    )
    checkpoint = tab.checkpoint()
    await tab.mouse.click(50, 120)
    chooser = await tab.file_chooser(checkpoint, timeout=5)
    assert chooser is not None and (chooser.multiple, chooser.accept) == (False, ".txt")
    await tab.choose_files(chooser, files[:1])
    assert await tab.js("document.title") == "first.txt 1"


async def test_no_chooser_opens(tab: InputTab) -> None:
    checkpoint = tab.checkpoint()
    await tab.mouse.click(50, 120)
    assert await tab.file_chooser(checkpoint, timeout=0.2) is None


async def test_choosers_of_the_page_stay_empty(tab: InputTab, files) -> None:
    await tab.set_files(await field(tab, "one"), files[:1])
    await tab.mouse.click(30, 10)
    checkpoint = tab.checkpoint()
    await tab.mouse.click(30, 60)
    assert await tab.file_chooser(checkpoint, timeout=5) is not None
    assert await tab.js("[names(one.files), names(many.files)]") == ["first.txt 1", ""]


async def test_the_chooser_of_a_field_that_has_gone_can_t_be_answered(tab: InputTab, pages: Pages, files) -> None:
    checkpoint = tab.checkpoint()
    await tab.mouse.click(30, 10)
    chooser = await tab.file_chooser(checkpoint, timeout=5)
    assert chooser is not None
    await tab.goto(pages.url("/"))
    with pytest.raises(ElementStale):
        await tab.choose_files(chooser, files[:1])


async def test_files_are_dropped(tab: InputTab, files) -> None:
    await tab.js(
        """place.ondragover = (event) => event.preventDefault();
        place.ondrop = (event) => {
          event.preventDefault();
          document.title = [names(event.dataTransfer.files), event.dataTransfer.types].join(' ');
        }; 0"""
    )
    assert await tab.js("new DataTransfer().types.length") == 0
    await tab.drop_files(50, 250, files[:2])
    assert await tab.js("document.title") == "first.txt 1,second note.txt 2 Files"
    assert await tab.js("log") == []


async def test_files_are_dropped_into_frames(tab: InputTab, pages: Pages, files) -> None:
    pages["/in"] = (
        "<script>addEventListener('dragover', (event) => event.preventDefault());"
        "addEventListener('drop', (event) => { found = event.dataTransfer.files[0].name })</script>"
    )
    for host in ("", "localhost"):
        url = pages.url("/in", host=host) if host else pages.url("/in")
        pages["/around"] = f"<iframe src='{url}' style='width:300px;height:300px'></iframe>"
        await tab.goto(pages.url("/around"))
        await tab.drop_files(100, 100, files[:1])
        params = {"expression": "found", "contextId": tab.frame_tree.top.children[0].context, "returnByValue": True}
        assert (await tab.channel.call("Runtime.evaluate", params))["result"]["value"] == "first.txt"
