"""Pictures of the user's own browser: what its window shows, cut to what was asked for."""

from __future__ import annotations

import base64
import struct

import pytest

from tests.extension.driver import PairedBrowser, paired_browser, trusted, untrusted

__all__ = ["paired_browser", "trusted", "untrusted"]

PAGE = """<style>body { margin: 0 } div { position: absolute; left: 40px; top: 30px; width: 200px; height: 100px;
background: rgb(255, 0, 0) }</style><div role=button tabindex=0>Red</div><p style='margin-top: 3000px'>Low</p>"""


async def _picture(oryn: PairedBrowser, line: str) -> tuple[bytes, str]:
    """The file that a line writes, and its answer."""
    answer, files = await oryn.with_files(line)
    return next(iter(files.values()), b""), answer


def _size(png: bytes) -> tuple[int, int]:
    width, height = struct.unpack(">II", png[16:24])
    return width, height


async def _viewport(oryn: PairedBrowser) -> tuple[int, int]:
    width, height = (await oryn.value("[innerWidth, innerHeight].join()")).split(",")
    return int(width), int(height)


@pytest.mark.slow
async def test_the_viewport(untrusted: PairedBrowser) -> None:
    await untrusted.show(PAGE)
    png, answer = await _picture(untrusted, "screenshot --output page.png")
    assert png.startswith(b"\x89PNG")
    assert _size(png) == await _viewport(untrusted)
    assert answer.startswith('ok screenshot --output page.png\n\n"')
    jpeg, _ = await _picture(untrusted, "screenshot --output page.jpg")
    assert jpeg.startswith(b"\xff\xd8\xff")
    webp, _ = await _picture(untrusted, "screenshot --format webp")
    assert webp[8:12] == b"WEBP"


@pytest.mark.slow
async def test_one_element(untrusted: PairedBrowser) -> None:
    await untrusted.show(PAGE)
    png, _ = await _picture(untrusted, 'screenshot "Red" --output red.png')
    assert _size(png) == (200, 100)
    # Cut at its very borders: every corner is red.
    data = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    corners = await untrusted.value(
        f"""fetch("{data}").then(r => r.blob()).then(createImageBitmap).then(picture => {{
          const pen = new OffscreenCanvas(200, 100).getContext('2d');
          pen.drawImage(picture, 0, 0);
          const corners = [[0, 0], [199, 0], [0, 99], [199, 99]];
          return corners.map(([x, y]) => pen.getImageData(x, y, 1, 1).data.join()).join(' ');
        }})"""
    )
    assert corners == " ".join(["255,0,0,255"] * 4)


@pytest.mark.slow
async def test_a_region_and_sizes(untrusted: PairedBrowser) -> None:
    await untrusted.show(PAGE)
    png, answer = await _picture(untrusted, "screenshot --clip 30,20,100,50 --scale 0.5 --output part.png")
    assert _size(png) == (50, 25)
    assert "# note" not in answer
    png, answer = await _picture(untrusted, 'zoom "Red" --scale 2 --output red.png')
    assert _size(png) == (400, 200)
    assert "200x100 at 40,30, 2 times as large" in answer
    assert "this browser draws nothing larger" in answer
    width, height = await _viewport(untrusted)
    png, _ = await _picture(untrusted, "screenshot --scale 0.5 --output half.png")
    assert _size(png) == ((width + 1) // 2, (height + 1) // 2)


@pytest.mark.slow
async def test_what_differs_between_two_pictures(untrusted: PairedBrowser) -> None:
    await untrusted.show(PAGE)
    before, _ = await _picture(untrusted, "screenshot --output before.png")
    same, _ = await untrusted.with_files("diff picture before.png", {"before.png": before})
    assert same.endswith("no difference")
    await untrusted.show(PAGE.replace("rgb(255, 0, 0)", "rgb(0, 0, 255)"))
    answer, files = await untrusted.with_files("diff picture before.png --output red.png", {"before.png": before})
    assert "\n40,30,200,100\n" in answer
    assert _size(files["red.png"]) == _size(before)


@pytest.mark.slow
async def test_quality(untrusted: PairedBrowser) -> None:
    await untrusted.show("<body style='background: linear-gradient(45deg, red, blue)'><h1>Words</h1>")
    rough, _ = await _picture(untrusted, "screenshot --format jpeg --quality 5")
    fine, _ = await _picture(untrusted, "screenshot --format jpeg --quality 95")
    assert len(rough) < len(fine)


@pytest.mark.slow
async def test_pictures_only_if_something_has_changed(untrusted: PairedBrowser) -> None:
    await untrusted.show(PAGE)
    assert (await _picture(untrusted, "screenshot"))[0]
    await untrusted.show("<h1>Changed")
    assert (await _picture(untrusted, "screenshot --if-changed"))[0]
    none, answer = await _picture(untrusted, "screenshot --if-changed")
    assert none == b""
    assert answer.endswith("unchanged since its last picture")


@pytest.mark.slow
async def test_zoom_with_the_debugger(trusted: PairedBrowser) -> None:
    await trusted.show(PAGE)
    png, answer = await _picture(trusted, 'zoom "Red" --output red.png')
    assert _size(png) == (800, 400)
    assert "# note" not in answer


@pytest.mark.slow
async def test_numbers_in_the_picture(untrusted: PairedBrowser) -> None:
    await untrusted.show(PAGE)
    png, answer = await _picture(untrusted, "screenshot --annotate --output numbers.png")
    assert _size(png) == await _viewport(untrusted)
    assert "1 element numbered" in answer
    assert not (await untrusted("hover 1")).startswith("error")


async def test_the_whole_page_is_the_seeds_error(untrusted: PairedBrowser) -> None:
    await untrusted.show(PAGE)
    assert await untrusted("screenshot --fullpage") == (
        "error screenshot --fullpage: fullpage not supported\n\n"
        "# hint\nIt needs 'Real keys and mouse', a setting of the extension in Chromium."
    )


@pytest.mark.slow
async def test_the_whole_page_with_the_debugger(trusted: PairedBrowser) -> None:
    await trusted.show(PAGE)
    png, answer = await _picture(trusted, "screenshot --fullpage --output page.png")
    assert answer.startswith("ok screenshot")
    width, height = _size(png)
    assert f"{width},{height}" == await trusted.value("[innerWidth, document.documentElement.scrollHeight].join()")
    assert height > 3000
    webp, _ = await _picture(trusted, "screenshot --fullpage --format webp")
    assert webp[8:12] == b"WEBP"


@pytest.mark.slow
async def test_an_element_larger_than_the_window_with_the_debugger(trusted: PairedBrowser) -> None:
    await trusted.show("<div role=button tabindex=0 style='width: 300px; height: 2500px'>Long</div>")
    png, _ = await _picture(trusted, 'screenshot "Long" --output long.png')
    assert _size(png) == (300, 2500)


@pytest.mark.slow
async def test_pdf_with_the_debugger(trusted: PairedBrowser) -> None:
    await trusted.show(PAGE)
    answer, files = await trusted.with_files("pdf page.pdf --format Letter --landscape")
    assert answer.startswith('ok pdf page.pdf --format Letter --landscape\n\n"/files/ID/page.pdf"')
    assert files["page.pdf"].startswith(b"%PDF-")
    assert b"%%EOF" in files["page.pdf"][-16:]


@pytest.mark.slow
async def test_no_pdf_without_the_debugger(untrusted: PairedBrowser) -> None:
    await untrusted.show(PAGE)
    answer, files = await untrusted.with_files("pdf page.pdf")
    assert answer.startswith("error pdf page.pdf: not supported in this mode\n\n# hint\nIt needs 'Real keys and mouse'")
    assert files == {}


@pytest.mark.slow
async def test_more_pictures_than_the_browser_takes_in_a_second(untrusted: PairedBrowser) -> None:
    await untrusted.show(PAGE)
    for _ in range(4):
        png, answer = await _picture(untrusted, "screenshot")
        assert png.startswith(b"\x89PNG"), answer


@pytest.mark.slow
async def test_a_tab_that_is_not_in_front_comes_there_for_its_picture(untrusted: PairedBrowser) -> None:
    await untrusted.show("<title>Blue</title><body style='background: blue'>")
    first = int((await untrusted.ok("tabs")).splitlines()[2].partition(" ")[0])
    untrusted.pages["/white"] = "<title>White</title>"
    await untrusted.ok("tab new /white")
    blue, _ = await _picture(untrusted, f"@tab{first} screenshot")
    white, _ = await _picture(untrusted, "screenshot")
    assert blue.startswith(b"\x89PNG")
    assert blue != white
    assert '"White"' in await untrusted("title")
    await untrusted.ok("tab close")
