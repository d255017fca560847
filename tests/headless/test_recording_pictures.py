"""`screenshot`, `pdf` and `highlight`: what they write and draw, and that pages do not notice."""

from __future__ import annotations

import json
import re
import stat
import zlib
from pathlib import Path
from typing import Any

import pytest

from oryn.engine import Options
from tests.pictures import colours, is_like, names_in

FOUR = """<body style="margin:0;background:#fff"><title>Four</title>
<button style="position:absolute;left:100px;top:100px;width:80px;height:40px">One</button>
<button style="position:absolute;left:300px;top:100px;width:80px;height:40px">Two</button>
<div style="height:3000px"></div>
<button style="position:absolute;left:100px;top:2000px;width:80px;height:40px">Far</button>"""


# --- screenshot ---


@pytest.mark.parametrize(("name", "begins"), [("a.png", b"\x89PNG"), ("a.jpg", b"\xff\xd8"), ("a.webp", b"RIFF")])
async def test_a_picture_has_the_format_of_its_name(oryn: Any, tmp_path: Path, name: str, begins: bytes) -> None:
    await oryn.show(FOUR)
    assert await oryn(f"screenshot --output {tmp_path / name}") == (
        f'ok screenshot --output {tmp_path / name}\n\n"{tmp_path / name}"'
    )
    assert (tmp_path / name).read_bytes().startswith(begins)
    assert (await colours(oryn, tmp_path / name))[0] == [1280, 720]


@pytest.mark.parametrize(("format", "begins"), [("png", b"\x89PNG"), ("jpeg", b"\xff\xd8"), ("webp", b"RIFF")])
@pytest.mark.parametrize("extent", ["", " --fullpage", ' "One"'])
async def test_the_viewport_the_page_and_an_element(
    oryn: Any, tmp_path: Path, format: str, begins: bytes, extent: str
) -> None:
    await oryn.show(FOUR)
    file = tmp_path / "picture"
    await oryn.ok(f"screenshot --output {file} --format {format}{extent}")
    assert file.read_bytes().startswith(begins)
    size = (await colours(oryn, file))[0]
    assert size == {"": [1280, 720], " --fullpage": [1280, 3000], ' "One"': [80, 40]}[extent]


async def test_a_picture_of_nothing_is_an_error(oryn: Any, tmp_path: Path) -> None:
    await oryn.show("<button>One</button>")
    answer = await oryn(f'screenshot "Two" --output {tmp_path / "a.png"}')
    assert answer.startswith('error screenshot "Two" --output')
    assert "element not found" in answer
    assert names_in(tmp_path) == []


async def test_annotated_numbers_are_those_of_the_observation(oryn: Any, tmp_path: Path) -> None:
    await oryn.show(FOUR)
    await oryn.ok("observe")
    await oryn.session.page.evaluate("document.querySelector('button').remove()")
    await oryn.ok("output json")
    answer = json.loads(await oryn(f"screenshot --annotate --output {tmp_path / 'a.png'}"))
    await oryn.ok("output text")
    assert answer["result"]["boxes"] == [{"id": 2, "x": 300, "y": 100, "width": 80, "height": 40}]
    size, frame, inside, removed = await colours(oryn, tmp_path / "a.png", (300, 120), (310, 135), (100, 120))
    assert size == [1280, 720]
    assert not is_like(frame, (255, 255, 255)) and frame != inside
    assert removed == [255, 255, 255]


async def test_annotated_without_an_observation_looks_first_and_its_numbers_count(oryn: Any, tmp_path: Path) -> None:
    await oryn.show(FOUR)
    assert await oryn(f"screenshot --annotate --output {tmp_path / 'a.png'}") == (
        f'ok screenshot --annotate --output {tmp_path / "a.png"}\n\n"{tmp_path / "a.png"}"\n2 elements numbered'
    )
    assert (await oryn("click 2")).startswith("ok click 2")
    assert (await oryn("click 3")).startswith("error click 3: element not found")


async def test_annotated_full_page_and_element(oryn: Any, tmp_path: Path) -> None:
    await oryn.show(FOUR)
    page, element = tmp_path / "page.png", tmp_path / "element.jpg"
    assert (await oryn(f"screenshot --annotate --fullpage --output {page}")).endswith("3 elements numbered")
    size, frame, nothing = await colours(oryn, page, (100, 2020), (500, 2020))
    assert size == [1280, 3000]
    assert not is_like(frame, (255, 255, 255)) and nothing == [255, 255, 255]
    assert (await oryn(f'screenshot "Far" --annotate --output {element}')).endswith("1 element numbered")
    size, frame = await colours(oryn, element, (1, 20))
    assert size == [80, 40] and not is_like(frame, (239, 239, 239))


async def test_an_annotated_picture_takes_no_change_from_the_next_answer(oryn: Any, tmp_path: Path) -> None:
    await oryn.show(FOUR)
    await oryn.ok("observe")
    await oryn.session.page.evaluate("document.title = 'Other'; history.pushState(0, '', '/other')")
    await oryn.session.page.evaluate("document.body.prepend(document.createElement('input'))")
    await oryn.ok(f"screenshot --annotate --output {tmp_path / 'a.png'}")
    answer = await oryn("hover One")
    assert "# changes" not in answer
    assert answer.partition("# meanwhile\n")[2].splitlines()[-1] == '+ [4] input/text ""'


@pytest.mark.slow
async def test_annotated_pictures_of_endless_pages_are_cut(oryn: Any, tmp_path: Path) -> None:
    await oryn.show(
        "<body style='margin:0'><div style='display:flow-root'><button>Top</button><p style='height:50000px'></p><button>End</button></div>"
    )
    for what in ("--fullpage", 'css("div")'):
        answer = await oryn.session.execute(f"screenshot {what} --annotate --output {tmp_path / 'a.png'}")
        assert [box["id"] for box in answer.data["boxes"]] == [1]
        assert (await colours(oryn, tmp_path / "a.png"))[0] == [1280, 16384]


async def test_annotated_on_a_screen_with_more_pixels(oryn: Any, tmp_path: Path) -> None:
    """Boxes are in CSS pixels, whatever the picture's are."""
    await oryn.ok("device iPhone 14")
    await oryn.show(f'<meta name="viewport" content="width=device-width">{FOUR}')
    answer = await oryn.session.execute(f"screenshot --annotate --output {tmp_path / 'a.png'}")
    await oryn.ok("device reset")
    first = answer.data["boxes"][0]
    assert (first["x"], first["y"]) == (100, 100)
    (width, _), frame, inside = await colours(oryn, tmp_path / "a.png", (303, 360), (312, 408))
    assert width == 1170 and frame != inside and not is_like(frame, (255, 255, 255))


async def test_annotated_frames(oryn: Any, tmp_path: Path) -> None:
    """Frames of both kinds, what they have scrolled away left out."""
    inner = '<body style="margin:0"><button style="width:60px;height:30px">In</button><div style="height:500px"></div><button>Out'
    oryn.pages["/inner"] = inner
    frame = (
        '<iframe src="{}" style="position:absolute;left:{}px;top:50px;width:200px;height:100px;border:10px solid #000">'
    )
    other = frame.format(oryn.pages.url("/inner", "localhost"), 0)
    await oryn.show(f"<body style=margin:0>{other}</iframe>{frame.format('/inner', 400)}</iframe>")
    await oryn.ok("wait idle")
    seen = await oryn.ok("observe")
    numbers = {int(number) for number in re.findall(r'\[(\d+)\] button "In"', seen)}
    assert len(numbers) == 2
    answer = await oryn.session.execute(f"screenshot --annotate --output {tmp_path / 'a.png'}")
    boxes = {box["id"]: (box["x"], box["y"]) for box in answer.data["boxes"] if box["width"] == 60}
    assert boxes.keys() == numbers
    assert set(boxes.values()) == {(10, 60), (410, 60)}
    assert not {box["y"] for box in answer.data["boxes"]} - {50, 60}, "what lies below the frames' ends is not drawn"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_annotated_in_a_chosen_frame(oryn: Any, tmp_path: Path, host: str) -> None:
    oryn.pages["/inner"] = '<body style="margin:0"><button style="width:60px;height:30px">In</button>'
    frame = f'<iframe src="{oryn.pages.url("/inner", host)}" style="position:absolute;left:70px;top:80px;border:0">'
    await oryn.show(f"<button>Out</button>{frame}</iframe>")
    await oryn.ok("wait idle")
    await oryn.ok('frame css("iframe")')
    answer = await oryn.session.execute(f"screenshot --annotate --output {tmp_path / 'a.png'}")
    assert [(box["x"], box["y"]) for box in answer.data["boxes"]] == [(70, 80)]
    await oryn.ok("highlight In")
    await oryn.ok("frame main")
    assert await oryn("highlight clear") == "ok highlight clear\n\n1 removed"


async def test_what_a_scrolling_box_hides_has_no_number(oryn: Any, tmp_path: Path) -> None:
    await oryn.show(
        '<div style="height:50px;overflow:auto"><button>Seen</button><p style="height:200px"></p><button>Hidden</button></div>'
    )
    assert (await oryn(f"screenshot --annotate --output {tmp_path / 'a.png'}")).endswith("1 element numbered")


async def test_a_page_does_not_notice_annotations(oryn: Any, tmp_path: Path) -> None:
    await oryn.show(f"{FOUR}<script>window.seen = 0; new MutationObserver(() => seen++).observe(document,"
                    " {subtree: true, childList: true, attributes: true})</script>")  # fmt: skip
    await oryn.ok("observe")
    await oryn.ok(f"screenshot --annotate --output {tmp_path / 'a.png'}")
    assert await oryn.session.page.evaluate("new Promise(r => requestAnimationFrame(() => r(seen)))") == 0
    assert "# changes" not in await oryn.ok("hover 1")


async def test_annotated_while_a_dialog_waits(oryn: Any, tmp_path: Path) -> None:
    await oryn.show("<button onclick=\"confirm('Sure?')\">Ask</button>")
    await oryn.ok("click Ask")
    answer = await oryn(f"screenshot --annotate --output {tmp_path / 'a.png'}")
    assert answer.split("\n")[0].endswith('a dialog is open: confirm "Sure?"')
    assert (await oryn(f"pdf {tmp_path / 'a.pdf'}")).split("\n")[0].endswith('a dialog is open: confirm "Sure?"')
    assert (await oryn("highlight Ask")).split("\n")[0].endswith('a dialog is open: confirm "Sure?"')
    assert names_in(tmp_path) == []
    await oryn.ok("dialog dismiss")


async def test_a_picture_without_a_place_goes_to_the_hosts_folder(oryn: Any, tmp_path: Path) -> None:
    oryn.session.options = Options(timeout=60, screenshot_folder=tmp_path / "pictures")
    await oryn.show(FOUR)
    answer = await oryn.ok("screenshot --format webp")
    (file,) = (tmp_path / "pictures").iterdir()
    assert answer.endswith(f'"{file}"') and file.suffix == ".webp"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("command", ["screenshot Same --output a.png", "highlight Same"])
async def test_strict_takes_none_of_several(oryn: Any, command: str) -> None:
    await oryn.show("<button>Same</button><button>Same</button>")
    answer = await oryn.session.execute(f"{command} --strict")
    assert answer.error is not None and answer.error.code == "AMBIGUOUS"


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", ["screenshot One --output {}.png", "highlight One", "highlight clear", "pdf {}.pdf"]
)
async def test_a_page_that_is_busy_costs_no_more_than_the_time_given(oryn: Any, tmp_path: Path, command: str) -> None:
    await oryn.show(f"{FOUR}<script>addEventListener('hang', () => {{ for (;;); }})</script>")
    await oryn.ok("observe")
    await oryn.session.page.evaluate("setTimeout(() => dispatchEvent(new Event('hang')), 0) && 0")
    answer = await oryn.session.execute(f"{command.format(tmp_path / 'a')} --timeout 500ms")
    assert answer.error is not None and answer.error.code == "TIMEOUT"
    assert names_in(tmp_path) == []


# --- pdf ---


def paper(file: Path) -> tuple[int, int, int]:
    """Width and height of a PDF's first page in points, and how many pages it has."""
    content = file.read_bytes()
    assert content.startswith(b"%PDF-") and content.rstrip().endswith(b"%%EOF")
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", content)
    assert box
    return round(float(box[1])), round(float(box[2])), len(re.findall(rb"/Type /Page\b", content))


@pytest.mark.parametrize(
    ("options", "size"),
    [
        ("", (595, 842)),
        (" --format A4", (595, 842)),
        (" --format Letter", (612, 792)),
        (" --format Legal", (612, 1008)),
        (" --format Tabloid", (792, 1224)),
        (" --format A4 --landscape", (842, 595)),
    ],
)
async def test_pdf_papers(oryn: Any, tmp_path: Path, options: str, size: tuple[int, int]) -> None:
    await oryn.show("<p>One page")
    file = tmp_path / "page.pdf"
    assert await oryn(f"pdf {file}{options}") == f'ok pdf {file}{options}\n\n"{file}"'
    width, height, pages = paper(file)
    assert abs(width - size[0]) <= 1 and abs(height - size[1]) <= 1 and pages == 1
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


async def test_pdf_margins_and_backgrounds(oryn: Any, tmp_path: Path) -> None:
    """A wide margin leaves less room, so more pages; a background is a fill of its colour."""
    await oryn.show('<body style="margin:0"><div style="height:1100px;background:#ff0000">')
    await oryn.ok(f"pdf {tmp_path / 'narrow.pdf'} --margin 0")
    await oryn.ok(f"pdf {tmp_path / 'wide.pdf'} --margin 5")
    assert paper(tmp_path / "narrow.pdf")[2] == 1
    assert paper(tmp_path / "wide.pdf")[2] == 2
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", (tmp_path / "narrow.pdf").read_bytes(), re.DOTALL)
    drawn = b"".join(zlib.decompressobj().decompress(one) for one in streams if one.startswith(b"\x78"))
    assert b"1 0 0 rg" in drawn


async def test_pdf_margins_that_leave_nothing(oryn: Any, tmp_path: Path) -> None:
    await oryn.show("<p>One")
    file = tmp_path / "a.pdf"
    assert await oryn(f"pdf {file} --margin 10.5") == (
        f"error pdf {file} --margin 10.5: margins of 10.5 cm leave nothing of the paper\n\n"
        "# hint\nThe paper is 21 x 29.7 cm: choose less than 10.5."
    )
    assert not file.exists()


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("pdf a.pdf --format A5", "INVALID_VALUE"),
        ("pdf a.pdf --margin -1", "INVALID_VALUE"),
        ("pdf a.pdf --margin wide", "INVALID_VALUE"),
        ("pdf", "MISSING_ARGUMENT"),
        ("pdf /nowhere/at/all/a.pdf", "FILE_ERROR"),
        ("pdf /", "FILE_ERROR"),
        ("screenshot --format gif", "INVALID_VALUE"),
        ("screenshot --output /nowhere/at/all/a.png", "FILE_ERROR"),
    ],
)
async def test_bad_input(oryn: Any, line: str, code: str) -> None:
    answer = await oryn.session.execute(line)
    assert answer.error is not None and answer.error.code == code


# --- highlight ---


async def test_highlight_draws_a_frame_until_it_is_cleared(oryn: Any, tmp_path: Path) -> None:
    await oryn.show(FOUR)
    file = tmp_path / "a.png"
    assert await oryn("highlight One") == 'ok highlight "One"'
    assert await oryn('highlight "Two" --color "#0000ff"') == 'ok highlight "Two" --color "#0000ff"'
    await oryn.ok(f"screenshot --output {file}")
    assert (await colours(oryn, file, (98, 120), (298, 120)))[1:] == [[255, 0, 0], [0, 0, 255]]
    assert await oryn("highlight clear") == "ok highlight clear\n\n2 removed"
    await oryn.ok(f"screenshot --output {file}")
    assert (await colours(oryn, file, (98, 120), (298, 120)))[1:] == [[255, 255, 255]] * 2
    assert await oryn("highlight clear") == "ok highlight clear\n\n0 removed"


async def test_highlight_for_a_while(oryn: Any) -> None:
    await oryn.show(FOUR)
    await oryn.ok("highlight One --duration 100ms")
    await oryn.ok("highlight Two --duration 1m")
    await oryn.ok("wait until \"document.querySelectorAll('html > div').length == 1\"")
    assert await oryn("highlight clear") == "ok highlight clear\n\n1 removed"


async def test_highlight_again_takes_the_place_of_the_first(oryn: Any, tmp_path: Path) -> None:
    await oryn.show(FOUR)
    await oryn.ok("highlight One --duration 100ms")
    await oryn.ok("highlight One --color green")
    await oryn.ok("wait 200ms")
    await oryn.ok(f"screenshot --output {tmp_path / 'a.png'}")
    assert (await colours(oryn, tmp_path / "a.png", (98, 120)))[1] == [0, 128, 0]
    assert await oryn("highlight clear") == "ok highlight clear\n\n1 removed"


async def test_highlight_follows_its_element_and_lies_over_dialogs(oryn: Any, tmp_path: Path) -> None:
    await oryn.show(
        """<body style="margin:0;background:#fff"><dialog style="position:absolute;margin:0;left:0;top:0;width:600px;height:400px;border:0">
        <button style="position:absolute;left:100px;top:100px;width:80px;height:40px">One</button></dialog>
        <script>document.querySelector('dialog').showModal()</script>"""
    )
    await oryn.ok("highlight One --color lime")
    await oryn.session.page.evaluate("document.querySelector('button').style.left = '300px'")
    await oryn.ok('eval "new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))"')
    await oryn.ok(f"screenshot --output {tmp_path / 'a.png'}")
    assert (await colours(oryn, tmp_path / "a.png", (98, 120), (298, 120)))[1:] == [[255, 255, 255], [0, 255, 0]]


async def test_highlight_is_no_obstacle_and_in_no_observation(oryn: Any) -> None:
    await oryn.show("<button onclick=\"document.title = 'pressed'\">One</button>")
    seen = await oryn.ok("observe")
    await oryn.ok("highlight One")
    assert await oryn("observe") == seen
    assert "# changes" not in await oryn.ok("hover One")
    await oryn.ok("click One")
    assert await oryn("title") == 'ok title\n\n"pressed"'
    assert "div" not in (await oryn.ok("text"))


async def test_highlight_in_a_frame_of_another_origin(oryn: Any, tmp_path: Path) -> None:
    oryn.pages["/inner"] = (
        '<body style="background:#fff"><button style="position:absolute;left:50px;top:50px">In</button>'
    )
    inner = oryn.pages.url("/inner", "localhost")
    await oryn.show(f'<body style="margin:0"><iframe style="border:0" src="{inner}"></iframe>')
    await oryn.ok("wait idle")
    await oryn.ok("highlight In")
    await oryn.ok(f"screenshot --output {tmp_path / 'a.png'}")
    assert (await colours(oryn, tmp_path / "a.png", (48, 60)))[1] == [255, 0, 0]
    assert await oryn("highlight clear") == "ok highlight clear\n\n1 removed"


@pytest.mark.parametrize("color", ["blurple", '"#12"', '"red;x"', "inherit", '"url(x)"'])
async def test_highlight_in_a_colour_that_is_none(oryn: Any, color: str) -> None:
    await oryn.show(FOUR)
    assert await oryn(f"highlight One --color {color}") == (
        f'error highlight "One" --color {color}: no such colour: {color.strip(chr(34))}\n\n'
        '# hint\nUse a CSS name such as red, or "#rrggbb".'
    )


async def test_highlight_of_what_is_not_there(oryn: Any) -> None:
    await oryn.show(FOUR)
    assert (await oryn("highlight Nothing")).startswith('error highlight "Nothing": element not found')
