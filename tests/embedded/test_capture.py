"""Pictures of a page."""

from __future__ import annotations

import asyncio
import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.base.recording import ScreencastFrame
from oryn.browsers.webkit import WebKitBrowser
from tests.headless.conftest import Driver


@pytest.fixture
def browser(wpe: WebKitBrowser) -> WebKitBrowser:
    return wpe


@pytest.fixture
def oryn(embedded: Driver) -> Driver:
    return embedded


def png_size(path: Path) -> tuple[int, int]:
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", content[16:24])
    return width, height


def jpeg_size(content: bytes) -> tuple[int, int]:
    assert content.startswith(b"\xff\xd8")
    start = content.index(b"\xff\xc0")
    height, width = struct.unpack(">HH", content[start + 5 : start + 9])
    return width, height


def test_screenshots(oryn: Driver, run: Any, tmp_path: Path) -> None:
    run(
        oryn.show(
            "<body style='margin:0'><button style='width:300px;height:200px'>Press</button><div style='height:2800px'>"
        )
    )
    run(oryn.ok(f"screenshot --output {tmp_path}/view.png"))
    assert png_size(tmp_path / "view.png") == (1280, 720)
    run(oryn.ok(f"screenshot --output {tmp_path}/page.png --fullpage"))
    assert png_size(tmp_path / "page.png") == (1280, 3000)
    run(oryn.ok(f'screenshot "Press" --output {tmp_path}/button.png'))
    assert png_size(tmp_path / "button.png") == (300, 200)


def test_a_very_long_page_is_cut(oryn: Driver, run: Any, tmp_path: Path) -> None:
    run(oryn.show("<body style='margin:0'><div style='height:50000px'>"))
    run(oryn.ok(f"screenshot --output {tmp_path}/page.png --fullpage"))
    assert png_size(tmp_path / "page.png") == (1280, 16384)


def test_pictures_as_jpeg(oryn: Driver, browser: WebKitBrowser, run: Any, tmp_path: Path) -> None:
    run(oryn.show("<body style='background:linear-gradient(red,blue)'><h1>Words</h1>"))
    run(oryn.ok(f"screenshot --output {tmp_path}/view.jpg --format jpeg"))
    assert jpeg_size((tmp_path / "view.jpg").read_bytes()) == (1280, 720)
    rough = run(browser.page.screenshot(format="jpeg", quality=10))
    fine = run(browser.page.screenshot(format="jpeg", quality=95))
    assert len(rough) < len(fine)


def test_parts_and_sizes(oryn: Driver, run: Any, tmp_path: Path) -> None:
    run(oryn.show("<body style='margin:0'><button style='width:300px;height:200px'>Press</button>"))
    run(oryn.ok(f"screenshot --clip 10,20,100,50 --output {tmp_path}/part.png"))
    assert png_size(tmp_path / "part.png") == (100, 50)
    run(oryn.ok(f"screenshot --scale 0.5 --output {tmp_path}/half.png"))
    assert png_size(tmp_path / "half.png") == (640, 360)
    answer = run(oryn.ok(f'zoom "Press" --format jpeg --quality 90 --output {tmp_path}/zoom.jpg'))
    assert "300x200 at 0,0, 4 times as large" in answer
    assert "this browser draws nothing larger" in answer
    assert jpeg_size((tmp_path / "zoom.jpg").read_bytes()) == (1200, 800)
    assert "unchanged" in run(oryn.ok("screenshot --scale 0.5 --if-changed"))


def test_what_differs_between_two_pictures(oryn: Driver, run: Any, tmp_path: Path) -> None:
    page = "<body style='margin:0'><div style='width:300px;height:200px;background:{}'></div>"
    run(oryn.show(page.format("red")))
    run(oryn.ok(f"screenshot --output {tmp_path}/before.png"))
    assert "no difference" in run(oryn.ok(f"diff picture {tmp_path}/before.png"))
    run(oryn.show(page.format("blue")))
    answer = run(oryn.ok(f"diff picture {tmp_path}/before.png --output {tmp_path}/drawn.png"))
    assert "\n0,0,300,200\n" in answer
    assert png_size(tmp_path / "drawn.png") == (1280, 720)


def test_a_screencast_shows_changes(oryn: Driver, browser: WebKitBrowser, run: Any) -> None:
    run(oryn.show("<body style='margin:0'><p>still</p>"))
    frames: list[ScreencastFrame] = []
    arrived = asyncio.Event()

    def show(frame: ScreencastFrame) -> None:
        frames.append(frame)
        arrived.set()

    async def watch() -> None:
        await browser.page.start_screencast(show, frames_per_second=10)
        await asyncio.wait_for(arrived.wait(), 5)
        arrived.clear()
        await browser.page.evaluate("document.body.style.background = 'red'")
        await asyncio.wait_for(arrived.wait(), 5)
        await browser.page.stop_screencast(show)

    run(watch())
    assert len(frames) == 2
    assert jpeg_size(frames[0].image) == (1280, 720)
    assert frames[0].viewport == (1280, 720)
    assert frames[0].image != frames[1].image


def test_a_trace(oryn: Driver, run: Any, tmp_path: Path) -> None:
    run(oryn.show("<p>here"))
    run(oryn.ok("trace start"))
    run(oryn.show("<script>document.title = 'traced'; document.body?.offsetTop</script><p>there", "/b"))
    run(oryn.ok(f"trace stop {tmp_path}/t.zip"))
    with zipfile.ZipFile(tmp_path / "t.zip") as archive:
        events = json.loads(archive.read("trace.json"))["traceEvents"]
    assert {"EvaluateScript", "RecalculateStyles"} <= {event["name"] for event in events}
    assert all(event["dur"] >= 0 for event in events if event["ph"] == "X")
