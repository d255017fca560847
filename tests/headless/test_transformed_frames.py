"""Frames that are scaled, turned, zoomed or mirrored: presses inside reach what they are for, and boxes lie where it is."""

from __future__ import annotations

import pytest

from oryn.browsers.base import Rect
from oryn.engine.page.annotation import boxes_of
from tests.headless.conftest import Driver

HOSTS = {"same origin": "127.0.0.1", "another origin": "localhost"}
INNER = (
    "<body style='margin:0'><div style='height:120px'></div><button style='margin-left:230px;width:90px;height:24px'"
    " onclick=\"parent.postMessage('Save','*')\">Save</button><button onclick=\"parent.postMessage('Drop','*')\">Drop</button>"
)
OUTER = (
    "<p id=out></p><script>addEventListener('message', (event) => { out.textContent = 'did ' + event.data })</script>"
)
AROUND = {
    "plain": "",
    "scaled": "transform:scale(.5);transform-origin:0 0",
    "turned": "transform:rotate(30deg) scale(.8)",
    "a quarter": "transform:rotate(90deg)",
    "mirrored": "transform:scaleX(-1)",
    "skewed": "transform:skew(20deg, 5deg)",
    "zoomed": "zoom:1.4",
    "zoomed and turned": "zoom:.7;rotate:200deg",
    "single properties": "scale:.6 .9;rotate:15deg;translate:30px 20px",
    "turned away": "transform:rotateY(40deg)",
}


@pytest.mark.parametrize("host", HOSTS.values(), ids=list(HOSTS))
@pytest.mark.parametrize("style", AROUND.values(), ids=list(AROUND))
async def test_a_press_in_a_transformed_frame(oryn: Driver, style: str, host: str) -> None:
    oryn.pages["/inner"] = INNER
    frame = (
        f"<iframe style='width:420px;height:220px;border:5px solid;padding:7px' src={oryn.pages.url('/inner', host)}>"
    )
    await oryn.show(f"{OUTER}<div style='width:450px;margin:90px;{style}'>{frame}</iframe></div>")
    assert "did Save" in await oryn.ok('click "Save"')


@pytest.mark.parametrize("host", HOSTS.values(), ids=list(HOSTS))
async def test_transformations_of_nested_frames_add_up(oryn: Driver, host: str) -> None:
    oryn.pages["/inner"] = INNER.replace("parent", "top")
    oryn.pages["/middle"] = (
        f"<div style='rotate:-20deg;margin:80px 20px'><iframe style='width:400px;height:190px'"
        f" src={oryn.pages.url('/inner', host)}></iframe></div>"
    )
    await oryn.show(
        f"{OUTER}<div style='height:1500px'></div><div style='transform:rotate(45deg) scale(.75);margin:150px'>"
        f"<iframe style='width:560px;height:420px' src={oryn.pages.url('/middle')}></iframe></div>"
    )
    assert "did Save" in await oryn.ok('click "Save"')


async def test_a_frame_in_a_box_that_keeps_depth(oryn: Driver) -> None:
    """The card is turned over, and its back is turned over too: one sees that upright."""
    oryn.pages["/inner"] = INNER
    await oryn.show(
        f"{OUTER}<div style='width:450px;transform-style:preserve-3d;transform:rotateY(180deg)'>"
        "<div style='transform:rotateY(180deg)'><iframe src=/inner style='width:420px;height:220px'></iframe></div></div>"
    )
    assert "did Save" in await oryn.ok('click "Save"')


async def test_a_frame_in_a_drawing(oryn: Driver) -> None:
    oryn.pages["/inner"] = INNER
    await oryn.show(
        f"{OUTER}<svg width=300 height=200 viewBox='0 0 600 400' style='rotate:10deg'><foreignObject width=600 height=400>"
        "<iframe src=/inner style='width:420px;height:220px'></iframe></foreignObject></svg>"
    )
    assert "did Save" in await oryn.ok('click "Save"')


@pytest.mark.parametrize("host", HOSTS.values(), ids=list(HOSTS))
async def test_a_tall_frame_is_scrolled_to_what_is_pressed(oryn: Driver, host: str) -> None:
    oryn.pages["/inner"] = INNER.replace("height:120px", "height:2200px")
    frame = f"<iframe style='width:420px;height:2600px' src={oryn.pages.url('/inner', host)}></iframe>"
    await oryn.show(f"{OUTER}<div style='height:300px;overflow:auto'>{frame}</div><p style='height:2000px'>")
    assert "did Save" in await oryn.ok('click "Save"')


@pytest.mark.parametrize("host", HOSTS.values(), ids=list(HOSTS))
async def test_boxes_in_a_scaled_frame(oryn: Driver, host: str) -> None:
    oryn.pages["/inner"] = INNER
    await oryn.show(
        "<body style='margin:0'><div style='transform:scale(.5);transform-origin:0 0'><iframe src="
        f"{oryn.pages.url('/inner', host)} style='width:420px;height:220px;border:0'></iframe></div>"
    )
    page, frames = oryn.session.page, {}
    data = await page.scanner({"cmd": "scan", "next_id": 1}, page.roots(None)[-1])
    (save, _) = data["data"]["elements"]
    frames[save["id"]] = page.roots(None)[-1]
    boxes = await boxes_of(page, [save["id"]], frames, timeout=5)
    assert boxes == {save["id"]: Rect(115, 60, 45, 12)}
