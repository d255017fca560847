"""Pictures of the user's own browser: what its window shows, cut to what was asked for."""

from __future__ import annotations

import base64
import struct

from tests.extension.driver import PairedBrowser, paired_browser, untrusted

__all__ = ["paired_browser", "untrusted"]

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


async def test_numbers_in_the_picture(untrusted: PairedBrowser) -> None:
    await untrusted.show(PAGE)
    png, answer = await _picture(untrusted, "screenshot --annotate --output numbers.png")
    assert _size(png) == await _viewport(untrusted)
    assert "1 element numbered" in answer
    assert not (await untrusted("hover 1")).startswith("error")


async def test_the_whole_page_is_the_seeds_error(untrusted: PairedBrowser) -> None:
    await untrusted.show(PAGE)
    assert (await untrusted("screenshot --fullpage")).startswith(
        "error screenshot --fullpage: fullpage not supported\n"
    )


async def test_more_pictures_than_the_browser_takes_in_a_second(untrusted: PairedBrowser) -> None:
    await untrusted.show(PAGE)
    for _ in range(4):
        png, answer = await _picture(untrusted, "screenshot")
        assert png.startswith(b"\x89PNG"), answer


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
