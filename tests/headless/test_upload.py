"""`upload`: file inputs however they are shown, choosers that buttons open, places to drop files on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from oryn.engine import Options, Session

SEEN = """<script>addEventListener('change', (e) => {
  document.title = [...e.target.files].map((file) => `${file.name}:${file.size}`).join(',') + (e.isTrusted ? ' trusted' : '') });</script>"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "cv.pdf").write_bytes(b"x" * 48)
    (tmp_path / "photo.png").write_bytes(b"y" * 7)
    (tmp_path / "two words.txt").write_text("z")
    return tmp_path


async def title(oryn: Any) -> str:
    answer: str = await oryn.ok("title")
    return answer.split("\n\n")[1].strip('"')


async def test_a_file_input(oryn: Any, files: Path) -> None:
    await oryn.show(f"<input type=file aria-label=Resume>{SEEN}")
    assert await oryn(f'upload "Resume" {files}/cv.pdf') == (
        f'ok upload "Resume" {files}/cv.pdf\n\n# changes\n~ title: "cv.pdf:48 trusted"\n'
        '~ [1] input/file "Resume" value: "cv.pdf"'
    )
    assert await title(oryn) == "cv.pdf:48 trusted"
    await oryn.ok(f'upload 1 "{files}/two words.txt"')
    assert await title(oryn) == "two words.txt:1 trusted"


async def test_several_files(oryn: Any, files: Path) -> None:
    await oryn.show(f"<input type=file multiple aria-label=All><input type=file aria-label=One>{SEEN}")
    assert 'value: "cv.pdf, photo.png"' in await oryn(f"upload All {files}/cv.pdf {files}/photo.png")
    assert await title(oryn) == "cv.pdf:48,photo.png:7 trusted"
    answer = await oryn(f"upload One {files}/cv.pdf {files}/photo.png")
    assert "the file input takes one file, not 2" in answer
    assert "# hint\nUpload one file." in answer


@pytest.mark.parametrize(
    "html",
    [
        "<label>Resume <input type=file hidden></label>",
        "<label for=f>Resume</label><input id=f type=file style='display: none'>",
        "<div class=zone onclick='1'>Resume<input type=file style='opacity: 0'></div>",
        "<button onclick='f.click()'>Resume</button><input id=f type=file hidden>",
        "<div style='position: relative; width: 120px'><button>Resume</button><input type=file style='position: absolute; inset: 0; opacity: 0'></div>",
        "<div><button type=button>Resume</button><div><input type=file style='display: none'></div></div>",
        "<button onclick=\"const i = document.createElement('input'); i.type = 'file'; document.body.append(i); i.click()\">Resume</button>",
        "<button onclick='setTimeout(() => f.click(), 50)'>Resume</button><input id=f type=file hidden>",
    ],
)
async def test_inputs_behind_labels_and_buttons(oryn: Any, files: Path, html: str) -> None:
    await oryn.show(html + SEEN)
    answer = await oryn.ok(f"upload Resume {files}/cv.pdf")
    assert "asks for a file" not in answer
    assert await title(oryn) == "cv.pdf:48 trusted"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_in_a_frame(oryn: Any, files: Path, host: str) -> None:
    oryn.pages["/inner"] = """<input type=file aria-label=Plain onchange="p.textContent = files[0].name"><p id=p></p>
        <button onclick="f.click()">Chooser</button><input id=f type=file hidden onchange="q.textContent = files[0].name"><p id=q></p>"""
    await oryn.show(f"<iframe src={oryn.pages.url('/inner', host)}></iframe>")
    await oryn.ok(f"upload Plain {files}/cv.pdf")
    await oryn.ok(f"upload Chooser {files}/photo.png")
    text = await oryn("text")
    assert "cv.pdf" in text
    assert "photo.png" in text


ZONE = """<!doctype html><div id=zone style="height: 100px; background: #eee"><p>Drop here</p></div><script>
  zone.addEventListener('dragover', (e) => e.preventDefault());
  zone.addEventListener('drop', (e) => { e.preventDefault();
    document.title = [...e.dataTransfer.files].map((file) => `${file.name}:${file.size}`).join(',') + (e.isTrusted ? ' trusted' : '') });
</script>"""


async def test_a_place_that_only_takes_drops(oryn: Any, files: Path) -> None:
    await oryn.show(ZONE)
    await oryn.ok(f'upload "Drop here" {files}/cv.pdf {files}/photo.png')
    assert await title(oryn) == "cv.pdf:48,photo.png:7 trusted"
    await oryn.show(ZONE)
    await oryn.ok(f"upload at(60,60) {files}/cv.pdf")
    assert await title(oryn) == "cv.pdf:48 trusted"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_place_to_drop_on_in_a_frame(oryn: Any, files: Path, host: str) -> None:
    oryn.pages["/zone"] = ZONE.replace("document.title", "zone.textContent")
    await oryn.show(f"<p>x</p><iframe src={oryn.pages.url('/zone', host)}></iframe>")
    await oryn.ok(f'upload "Drop here" {files}/cv.pdf')
    assert "cv.pdf:48 trusted" in await oryn("text")


async def test_unaccepted_file_type_is_noted(oryn: Any, files: Path) -> None:
    await oryn.show(
        f"""<input type=file aria-label=Picture accept="image/*"><input type=file aria-label=Paper accept=".PDF, text/plain">
        <button onclick="f.click()">Chooser</button><input id=f type=file hidden accept=".doc">{SEEN}"""
    )
    assert '# note\n"cv.pdf" is not a type that the field accepts: image/*' in await oryn(
        f"upload Picture {files}/cv.pdf"
    )
    assert await title(oryn) == "cv.pdf:48 trusted"
    assert "# note" not in await oryn(f"upload Picture {files}/photo.png")
    assert "# note" not in await oryn(f"upload Paper {files}/cv.pdf")
    assert "# note" not in await oryn(f'upload Paper "{files}/two words.txt"')
    assert '"cv.pdf" is not a type that the field accepts: .doc' in await oryn(f"upload Chooser {files}/cv.pdf")


async def test_files_that_are_none(oryn: Any, files: Path) -> None:
    await oryn.show(f"<input type=file aria-label=Resume>{SEEN}")
    for path, message in [
        ("none.pdf", f"there is no file {files}/none.pdf"),
        ("", f"{files} is not a file"),
    ]:
        answer = await oryn(f"upload Resume {files}/{path}")
        assert answer.startswith(f'error upload "Resume" {files}/{path}: {message}'), answer
        assert "# hint" in answer
    answer = await oryn(f"upload Resume {files}/cv.pdf {files}/none.pdf")
    assert answer.startswith("error upload")
    assert await title(oryn) == ""


async def test_outside_the_allowed_folders(oryn: Any, files: Path) -> None:
    root = files / "root"
    root.mkdir()
    (root / "in.txt").write_text("ok")
    (root / "link.txt").symlink_to(files / "cv.pdf")
    oryn.session = Session(oryn.session.browser, options=Options(timeout=60, files_root=[root]))
    await oryn.show(f"<input type=file aria-label=Resume>{SEEN}")
    for path in ("../cv.pdf", str(files / "cv.pdf"), "link.txt"):
        answer = await oryn(f"upload Resume {path}")
        assert "outside the allowed folders" in answer
        assert await title(oryn) == ""
    await oryn.ok("upload Resume in.txt")
    assert await title(oryn) == "in.txt:2 trusted"


@pytest.mark.slow
async def test_upload_to_an_element_without_files_is_an_error(oryn: Any, files: Path) -> None:
    await oryn.show(
        "<button>Plain</button><input type=file disabled aria-label=Off><input type=file webkitdirectory aria-label=Folder>"
    )
    answer = await oryn(f"upload Plain {files}/cv.pdf")
    assert answer.startswith(f'error upload "Plain" {files}/cv.pdf: it takes no files')
    assert "# hint" in answer
    assert "the file input is disabled" in await oryn(f"upload Off {files}/cv.pdf")
    assert "takes a folder, not files" in await oryn(f"upload Folder {files}/cv.pdf")
    assert "element not found" in await oryn(f"upload None {files}/cv.pdf")


async def test_a_button_that_asks_first(oryn: Any, files: Path) -> None:
    await oryn.show("<button onclick=\"confirm('Really?')\">Choose</button>")
    answer = await oryn(f"upload Choose {files}/cv.pdf")
    assert "pressing it opened a dialog" in answer
    await oryn.ok("dialog accept")


async def test_a_click_says_that_a_file_is_wanted(oryn: Any) -> None:
    await oryn.show("<button onclick='f.click()'>Choose</button><input id=f type=file hidden>")
    assert "# note\nthe page asks for a file: upload <target> <path>" in await oryn("click Choose")


async def test_programs_get_the_files(oryn: Any, files: Path) -> None:
    await oryn.show("<input type=file aria-label=Resume>")
    await oryn("output json")
    result = json.loads(await oryn(f"upload Resume {files}/cv.pdf"))["result"]
    assert result == {"files": [{"path": str(files / "cv.pdf"), "size": 48}]}


async def test_a_button_far_down_with_an_input_over_it(oryn: Any, files: Path) -> None:
    await oryn.show(
        "<p style='height: 3000px'>Text</p><div style='position: relative; width: 160px'><a href=#>Add an image</a>"
        f"<input type=file style='position: absolute; inset: 0; opacity: 0'></div>{SEEN}"
    )
    await oryn.ok(f'upload "Add an image" {files}/photo.png')
    assert await title(oryn) == "photo.png:7 trusted"


@pytest.mark.slow
async def test_a_button_between_several_inputs(oryn: Any, files: Path) -> None:
    """Which of them is meant is not to be guessed."""
    await oryn.show(f"<div><button>Add</button><input type=file hidden><input type=file hidden></div>{SEEN}")
    assert "pressing it opened no file chooser" in await oryn(f"upload Add {files}/cv.pdf")


@pytest.mark.parametrize("heard", ["0", "e.preventDefault()"], ids=["takes none", "cancels all"])
async def test_a_button_on_a_page_that_hears_of_all_drops_opens_its_chooser(oryn: Any, files: Path, heard: str) -> None:
    await oryn.show(
        "<div id=root><p><button id=b>Attach</button></p><p><input type=file id=f style='display:none'></p></div><p id=out></p>"
        "<script>for (const kind of ['dragover', 'drop']) root.addEventListener(kind, (e) => HEARD); b.onclick = () => f.click();"
        "f.onchange = () => { out.textContent = 'Got ' + f.files[0].name }</script>".replace("HEARD", heard)
    )
    assert '+ text "Got cv.pdf"' in await oryn.ok(f'upload "Attach" "{files}/cv.pdf"')


@pytest.mark.slow
async def test_a_button_that_opens_no_chooser_takes_the_drop(oryn: Any, files: Path) -> None:
    await oryn.show(
        "<button id=b>Drop here</button><p id=out></p><script>b.ondragover = (e) => e.preventDefault();"
        "b.ondrop = (e) => { e.preventDefault(); out.textContent = 'Got ' + e.dataTransfer.files[0].name }</script>"
    )
    assert '+ text "Got cv.pdf"' in await oryn.ok(f'upload "Drop here" "{files}/cv.pdf"')
