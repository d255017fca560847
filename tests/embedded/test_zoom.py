"""What is zoomed: WebKit tells its boxes in its own pixels, and presses and pictures go by those of the viewport."""

from __future__ import annotations

import pytest

from tests.embedded.conftest import Driver
from tests.headless.test_transformed_frames import INNER, OUTER


@pytest.mark.parametrize("zoom", ["1.5", "0.6"])
async def test_a_press_on_what_is_zoomed(embedded: Driver, zoom: str) -> None:
    await embedded.show(
        f"<p id=out></p><div style='height:150px'></div><div style='zoom:{zoom}'><div style='zoom:1.2'>"
        "<button onclick=\"out.textContent = 'did Drop'\">Drop</button>"
        "<button onclick=\"out.textContent = 'did Save'\" style='margin-left:90px'>Save</button></div></div>"
    )
    assert "did Save" in await embedded.ok('click "Save"')


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@pytest.mark.parametrize("style", ["zoom:1.5", "zoom:1.5;transform:scale(.5)"])
async def test_a_press_in_a_zoomed_frame(embedded: Driver, style: str, host: str) -> None:
    embedded.pages["/inner"] = INNER
    source = embedded.pages.url("/inner", host)
    frame = f"<iframe style='width:420px;height:220px;border:5px solid;padding:7px' src={source}>"
    await embedded.show(f"{OUTER}<div style='width:450px;margin:60px;{style}'>{frame}</iframe></div>")
    assert "did Save" in await embedded.ok('click "Save"')


async def test_the_box_of_what_is_zoomed(embedded: Driver) -> None:
    await embedded.show(
        "<body style='margin:0'><div style='zoom:2;padding:10px'>"
        "<button style='width:60px;height:20px'>Save</button></div>"
    )
    assert "20,20 120x40" in (await embedded.ok('box "Save"')).replace(" × ", "x").replace(", ", ",")


async def test_a_picture_map_that_is_zoomed(embedded: Driver) -> None:
    await embedded.show(
        "<p id=out></p><img usemap=#map style='zoom:2' width=100 height=50 src=data:,><map name=map>"
        "<area alt=Left shape=rect coords=0,0,50,50 href=#l onclick=\"out.textContent = 'did Left'\">"
        "<area alt=Right shape=rect coords=50,0,100,50 href=#r onclick=\"out.textContent = 'did Right'\"></map>"
    )
    assert "did Right" in await embedded.ok('click "Right"')
