"""Pictures of parts, smaller and closer ones, and those that are only taken if something has changed."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from tests.pictures import colours, content, is_like, names_in, png_size

PAGE = """<body style="margin:0;background:#fff"><title>Parts</title>
<button style="position:absolute;left:100px;top:100px;width:80px;height:40px;background:#f00;border:0">One</button>
<p style="position:absolute;left:300px;top:100px;margin:0;width:200px;font:7px sans-serif">small print of the page</p>
<div style="position:absolute;left:0;top:2000px;width:50px;height:50px;background:#00f"></div>
<div style="height:3000px"></div><script>window.resizes = 0; addEventListener('resize', () => resizes++)</script>"""
RED, BLUE, WHITE = (255, 0, 0), (0, 0, 255), (255, 255, 255)


async def _error(oryn: Any, line: str) -> tuple[str, str]:
    """The code and the message of a refused line."""
    answer = await oryn.session.execute(line)
    assert answer.error is not None, line
    return answer.error.code, answer.error.message


async def test_a_region_of_the_viewport(oryn: Any, tmp_path: Path) -> None:
    await oryn.show(PAGE)
    await oryn.session.page.evaluate("scrollTo(0, 60)")
    file = tmp_path / "a.png"
    await oryn.ok(f"screenshot --clip 90,30,100,60 --output {file}")
    size, outside, inside = await colours(oryn, file, (5, 5), (12, 14))
    assert size == [100, 60]
    assert is_like(outside, WHITE)
    assert is_like(inside, RED)
    assert await oryn.session.page.evaluate("new Promise(done => requestAnimationFrame(() => done(resizes)))") == 0


async def test_a_region_of_the_page(oryn: Any, tmp_path: Path) -> None:
    await oryn.show(PAGE)
    await oryn.session.page.evaluate("scrollTo(0, 60)")
    file = tmp_path / "a.png"
    await oryn.ok(f"screenshot --clip 0,1990,100,100 --fullpage --output {file}")
    size, above, inside = await colours(oryn, file, (5, 5), (5, 15))
    assert size == [100, 100]
    assert is_like(above, WHITE)
    assert is_like(inside, BLUE)


async def test_what_lies_outside_of_it_is_cut_off(oryn: Any, tmp_path: Path) -> None:
    await oryn.show(PAGE)
    answer = await oryn.ok(f"screenshot --clip 1200,700,500,500 --output {tmp_path / 'a.png'}")
    assert "# note\nthe region is cut to the viewport, which is 1280x720" in answer
    assert png_size(content(tmp_path / "a.png")) == (80, 20)
    code, message = await _error(oryn, f"screenshot --clip 0,800,10,10 --output {tmp_path / 'b.png'}")
    assert (code, message) == ("INVALID_VALUE", "the region is outside the viewport, which is 1280x720")
    code, message = await _error(oryn, "screenshot --clip 0,3000,10,10 --fullpage")
    assert message == "the region is outside the page, which is 1280x3000"
    assert names_in(tmp_path) == ["a.png"]


@pytest.mark.parametrize(
    ("what", "size"),
    [
        ("--scale 0.5", [640, 360]),
        ("--scale 0.5 --fullpage", [640, 1500]),
        ("--scale 2", [2560, 1440]),
        ('"One" --scale 0.25', [20, 10]),
        ("--clip 100,100,80,40 --scale 3", [240, 120]),
        ("--scale 0.5 --annotate", [640, 360]),
    ],
)
@pytest.mark.parametrize("format", ["png", "jpeg", "webp"])
async def test_its_size(oryn: Any, tmp_path: Path, what: str, size: list[int], format: str) -> None:
    await oryn.show(PAGE)
    file = tmp_path / "picture"
    await oryn.ok(f"screenshot {what} --format {format} --output {file}")
    assert (await colours(oryn, file))[0] == size


async def test_a_long_page_in_small(oryn: Any, tmp_path: Path) -> None:
    """It is cut at a length of the picture, not of the page."""
    await oryn.show("<body style='margin:0'><div style='height:30000px'></div>")
    await oryn.ok(f"screenshot --fullpage --scale 0.1 --output {tmp_path / 'a.png'}")
    assert png_size(content(tmp_path / "a.png")) == (128, 3000)


async def test_numbers_in_a_small_picture_can_be_read(oryn: Any, tmp_path: Path) -> None:
    await oryn.show(PAGE)
    file = tmp_path / "a.png"
    answer = await oryn.session.execute(f"screenshot --annotate --scale 0.5 --output {file}")
    assert answer.data["boxes"] == [{"id": 1, "x": 100, "y": 100, "width": 80, "height": 40}]
    # The number's box is 15 pixels high, above the frame's corner at half of the element's place.
    _, number, above = await colours(oryn, file, (51, 36), (51, 33))
    assert not is_like(number, WHITE)
    assert is_like(above, WHITE)


@pytest.mark.parametrize("format", ["jpeg", "webp"])
@pytest.mark.parametrize("more", ["", " --annotate"])
async def test_quality(oryn: Any, tmp_path: Path, format: str, more: str) -> None:
    await oryn.show("<body style='background:linear-gradient(45deg, red, blue)'><h1>Words</h1><button>One</button>")
    sizes = []
    for quality in (1, 60, 100):
        answer = await oryn.session.execute(f"screenshot --format {format} --quality {quality}{more}")
        sizes.append(answer.data["size"])
    assert sizes[0] < sizes[1] < sizes[2]


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("screenshot --quality 50 --output {}/a.png", "INVALID_VALUE", "png pictures have no quality"),
        ("screenshot --quality 50", "INVALID_VALUE", "png pictures have no quality"),
        ("zoom One --quality 50", "INVALID_VALUE", "png pictures have no quality"),
        ("screenshot --quality 0 --format jpeg", "INVALID_VALUE", 'not an integer from 1 to 100: "0"'),
        ("screenshot --quality 101 --format jpeg", "INVALID_VALUE", 'not an integer from 1 to 100: "101"'),
        ("screenshot --scale 0", "INVALID_VALUE", 'not a number from 0.05 to 10: "0"'),
        ("screenshot --scale 11", "INVALID_VALUE", 'not a number from 0.05 to 10: "11"'),
        ("screenshot --clip 1,2,3", "INVALID_VALUE", 'not a region: "1,2,3"'),
        ("screenshot --clip 1,2,0,4", "INVALID_VALUE", 'not a region: "1,2,0,4"'),
        ("screenshot --clip -1,2,3,4", "INVALID_VALUE", 'not a region: "-1,2,3,4"'),
        ("screenshot One --clip 1,2,3,4", "CONFLICTING_OPTIONS", "<target> and --clip exclude each other"),
        ("screenshot One --fullpage", "CONFLICTING_OPTIONS", "<target> and --fullpage exclude each other"),
        ("zoom One --clip 1,2,3,4", "CONFLICTING_OPTIONS", "<target> and --clip exclude each other"),
        ("zoom", "MISSING_ARGUMENT", "zoom needs <target>"),
        ("screenshot css('main') --scale 10", "INVALID_VALUE", "would be more than 16384 pixels wide or high"),
    ],
)
async def test_what_makes_no_sense_is_refused(oryn: Any, tmp_path: Path, line: str, code: str, message: str) -> None:
    await oryn.show("<button>One</button><main><div style='height:4000px'>Long</div></main>")
    found = await _error(oryn, line.format(tmp_path))
    assert found[0] == code
    assert message in found[1]
    assert names_in(tmp_path) == []


# --- --if-changed ---


async def test_only_if_something_has_changed(oryn: Any, tmp_path: Path) -> None:
    await oryn.show(PAGE)
    first = tmp_path / "a.png"
    await oryn.ok(f"screenshot --if-changed --output {first}")
    answer = await oryn.session.execute(f"screenshot --if-changed --output {tmp_path / 'b.png'}")
    assert answer.render().endswith("\n\nunchanged since its last picture")
    assert answer.data == {"unchanged": True}
    assert names_in(tmp_path) == ["a.png"]
    await oryn.session.page.evaluate("document.querySelector('p').textContent = 'other print'")
    assert (await oryn.ok(f"screenshot --if-changed --output {tmp_path / 'b.png'}")).endswith('b.png"')
    assert (await oryn.ok("screenshot --if-changed")).endswith("unchanged since its last picture")


@pytest.mark.slow
async def test_places_options_and_tabs_have_pictures_of_their_own(oryn: Any, tmp_path: Path) -> None:
    await oryn.show(PAGE)
    lines = ["screenshot", "screenshot One", "screenshot --scale 0.5", "screenshot --clip 0,0,50,50",
             "screenshot --format jpeg", "screenshot --annotate", "zoom One", "zoom One --scale 2",
             "screenshot --fullpage"]  # fmt: skip
    for line in lines:
        assert "unchanged" not in await oryn.ok(f"{line} --if-changed"), line
    for line in lines:
        assert "unchanged" in await oryn.ok(f"{line} --if-changed"), line
    await oryn.ok(f"tab new {oryn.pages.url()}")
    assert "unchanged" not in await oryn.ok("screenshot --if-changed")
    await oryn.ok("tab close")
    assert "unchanged" in await oryn.ok("screenshot --if-changed")


async def test_a_picture_without_the_option_counts_too(oryn: Any) -> None:
    await oryn.show(PAGE)
    await oryn.ok("screenshot --if-changed")
    await oryn.session.page.evaluate("document.body.style.background = '#eee'")
    await oryn.ok("screenshot")
    assert "unchanged" in await oryn.ok("screenshot --if-changed")


# --- zoom ---


async def test_zoom_shows_more_than_larger_pixels(oryn: Any, tmp_path: Path) -> None:
    await oryn.show(PAGE)
    small, large, file = tmp_path / "small.png", tmp_path / "large.png", tmp_path / "zoom.png"
    await oryn.ok(f'screenshot "small print" --output {small}')
    await oryn.ok(f'screenshot "small print" --scale 4 --output {large}')
    answer = await oryn.session.execute(f'zoom "small print" --output {file}')
    assert answer.ok
    assert answer.data["scale"] == 4
    assert answer.data["region"] | {"height": 0} == {"x": 300, "y": 100, "width": 200, "height": 0}
    height = answer.data["region"]["height"]
    assert f'zoom.png"\n200x{height:.0f} at 300,100, 4 times as large' in answer.render()
    assert content(file) == content(large)
    assert png_size(content(file)) == (800, 4 * height)
    # Drawn anew, letters have edges of their own: not every block of 4 pixels is of one colour.
    assert await _blocks_of_one_colour(oryn, content(file)) < 0.95


async def _blocks_of_one_colour(oryn: Any, picture: bytes) -> float:
    """The share of blocks of 4x4 pixels that have one colour, among those that are not white."""
    script = """async data => {
      const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
      const pen = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
      pen.drawImage(picture, 0, 0);
      let all = 0, plain = 0;
      for (let y = 0; y < picture.height; y += 4) for (let x = 0; x < picture.width; x += 4) {
        const data = new Uint32Array(pen.getImageData(x, y, 4, 4).data.buffer);
        if (data.every(each => each === 0xffffffff)) continue;
        all++;
        plain += data.every(each => each === data[0]);
      }
      return plain / all;
    }"""
    share: float = await oryn.session.page.evaluate(f"({script})('{base64.b64encode(picture).decode()}')")
    return share


async def test_zoom_into_a_region_of_the_viewport(oryn: Any, tmp_path: Path) -> None:
    await oryn.show(PAGE)
    await oryn.session.page.evaluate("scrollTo(0, 60)")
    file = tmp_path / "a.webp"
    answer = await oryn.session.execute(f"zoom --clip 100,40,80,40 --output {file} --format webp --quality 90")
    assert answer.data["region"] == {"x": 100, "y": 40, "width": 80, "height": 40}
    size, inside = await colours(oryn, file, (3, 3))
    assert size == [320, 160]
    assert is_like(inside, RED)
    assert content(file).startswith(b"RIFF")
    assert await oryn.session.page.evaluate("new Promise(done => requestAnimationFrame(() => done(resizes)))") == 0


async def test_zoom_fits_what_models_read(oryn: Any, tmp_path: Path) -> None:
    await oryn.show(PAGE)
    answer = await oryn.session.execute(f"zoom --clip 0,0,784,300 --output {tmp_path / 'a.png'}")
    assert answer.data["scale"] == 2
    assert png_size(content(tmp_path / "a.png")) == (1568, 600)
    answer = await oryn.session.execute(
        f"zoom --clip 0,0,784,300 --scale 1.5 --overwrite --output {tmp_path / 'a.png'}"
    )
    assert answer.data["scale"] == 1.5


async def test_zoom_scrolls_to_its_element(oryn: Any, tmp_path: Path) -> None:
    await oryn.show(PAGE)
    file = tmp_path / "a.png"
    answer = await oryn.session.execute(f'zoom css("div[style*=background]") --output {file}')
    size, inside = await colours(oryn, file, (100, 100))
    assert size == [200, 200]
    assert is_like(inside, BLUE)
    assert 0 <= answer.data["region"]["y"] <= 670
