"""`diff picture`: where two pictures differ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.pictures import colours, content, is_like, names_in

PAGE = """<body style="margin:0;background:#fff"><title>Prices</title>
<div style="position:absolute;left:100px;top:100px;width:80px;height:40px;background:{}"></div>
<div style="position:absolute;left:600px;top:400px;width:64px;height:64px;background:{}"></div>
<p style="position:absolute;left:300px;top:600px;font:16px sans-serif">Ordinary text with soft edges</p>"""
GREEN, GREY = "#0a0", "#888"


async def _picture(oryn: Any, file: Path, *colors: str, options: str = "") -> Path:
    await oryn.show(PAGE.format(*colors))
    await oryn.ok(f"screenshot --output {file} {options}")
    return file


async def _before(oryn: Any, folder: Path) -> Path:
    return await _picture(oryn, folder / "before.png", GREEN, GREY)


async def _data(oryn: Any, line: str) -> dict[str, Any]:
    answer = await oryn.session.execute(line)
    assert answer.error is None, answer.error
    data: dict[str, Any] = answer.data
    return data


async def test_the_same_picture(oryn: Any, tmp_path: Path) -> None:
    before = await _before(oryn, tmp_path)
    assert (await oryn.ok(f"diff picture {before} {before}")).splitlines()[2:] == ["no difference"]
    data = await _data(oryn, f"diff picture {before} {before} --fail-over 0")
    assert (data["same"], data["share"], data["differing"], data["regions"]) == (True, 0, 0, [])


@pytest.mark.slow
async def test_regions_that_differ(oryn: Any, tmp_path: Path) -> None:
    before = await _before(oryn, tmp_path)
    after = await _picture(oryn, tmp_path / "after.png", "#a0a", "#0f8")
    data = await _data(oryn, f"diff picture {before} {after}")
    assert data["differing"] == 80 * 40 + 64 * 64
    assert data["share"] == pytest.approx((80 * 40 + 64 * 64) / (1280 * 720))
    assert data["regions"] == [
        {"x": 100, "y": 100, "width": 80, "height": 40},
        {"x": 600, "y": 400, "width": 64, "height": 64},
    ]
    assert data["first"] == data["second"] == {"width": 1280, "height": 720}
    answer = await oryn.ok(f"diff picture {before} {after}")
    assert answer.splitlines()[2:] == [
        "0.79 % of the pixels differ, in 2 regions",
        "100,100,80,40",
        "600,400,64,64",
    ]


@pytest.mark.slow
async def test_what_can_be_seen_now(oryn: Any, tmp_path: Path) -> None:
    before = await _before(oryn, tmp_path)
    assert (await _data(oryn, f"diff picture {before}"))["same"] is True
    await oryn.show(PAGE.format(GREEN, "#0f8"))
    assert (await _data(oryn, f"diff picture {before}"))["regions"] == [{"x": 600, "y": 400, "width": 64, "height": 64}]


@pytest.mark.slow
async def test_the_whole_page_as_it_is_now(oryn: Any, tmp_path: Path) -> None:
    tall = PAGE + "<div style='height:2000px'></div><b style='position:absolute;top:1500px;left:0'>{}</b>"
    await oryn.show(tall.format(GREEN, GREY, ""))
    file = tmp_path / "whole.png"
    await oryn.ok(f"screenshot --fullpage --output {file}")
    await oryn.show(tall.format(GREEN, GREY, "far below"))
    (region,) = (await _data(oryn, f"diff picture {file} --fullpage"))["regions"]
    assert 1500 <= region["y"] <= 1520
    assert (await oryn.session.execute(f"diff picture {file} {file} --fullpage")).error.code == "CONFLICTING_OPTIONS"


@pytest.mark.slow
async def test_what_is_masked_is_left_out(oryn: Any, tmp_path: Path) -> None:
    before = await _before(oryn, tmp_path)
    after = await _picture(oryn, tmp_path / "after.png", "#a0a", "#0f8")
    data = await _data(oryn, f"diff picture {before} {after} --mask 590,390,80,80")
    assert data["regions"] == [{"x": 100, "y": 100, "width": 80, "height": 40}]
    assert data["share"] == pytest.approx(80 * 40 / (1280 * 720 - 80 * 80))
    for masks in ("--mask 590,390,80,80 --mask 100,100,80,40", '--mask "590,390,80,80 100,100,80,40"'):
        assert (await _data(oryn, f"diff picture {before} {after} {masks}"))["same"] is True
    everything = await _data(oryn, f"diff picture {before} {after} --mask 0,0,5000,5000")
    assert (everything["same"], everything["share"]) == (True, 0)


@pytest.mark.slow
async def test_colours_that_are_near(oryn: Any, tmp_path: Path) -> None:
    before = await _before(oryn, tmp_path)
    after = await _picture(oryn, tmp_path / "after.png", GREEN, "#8a8a8a")
    assert (await _data(oryn, f"diff picture {before} {after}"))["same"] is True
    assert (await _data(oryn, f"diff picture {before} {after} --threshold 0"))["differing"] == 64 * 64
    assert (await _data(oryn, f"diff picture {before} --threshold 1"))["same"] is True


@pytest.mark.slow
async def test_a_share_that_fails(oryn: Any, tmp_path: Path) -> None:
    before = await _before(oryn, tmp_path)
    after = await _picture(oryn, tmp_path / "after.png", "#a0a", "#0f8")
    await oryn.ok(f"diff picture {before} {after} --fail-over 1")
    answer = await oryn.session.execute(f"diff picture {before} {after} --fail-over 0.5")
    assert answer.error.code == "PICTURES_DIFFER"
    assert answer.error.message == "0.79 % of the pixels differ, in 2 regions, more than 0.5 %"
    assert len(answer.data["regions"]) == 2
    assert (await oryn.session.execute(f"diff picture {before} {after} --fail-over 0")).error is not None


@pytest.mark.slow
async def test_pictures_of_different_sizes(oryn: Any, tmp_path: Path) -> None:
    before = await _before(oryn, tmp_path)
    after = await _picture(oryn, tmp_path / "after.png", GREEN, GREY, options="--scale 0.5")
    data = await _data(oryn, f"diff picture {before} {after}")
    assert (data["same"], data["share"], data["differing"]) == (False, 1, None)
    assert "the sizes differ: 1280x720 and 640x360" in await oryn.ok(f"diff picture {before} {after}")
    answer = await oryn.session.execute(f"diff picture {before} {after} --fail-over 99")
    assert answer.error.code == "PICTURES_DIFFER"
    assert answer.error.message == "the sizes differ: 1280x720 and 640x360"


@pytest.mark.slow
async def test_a_picture_of_the_differences(oryn: Any, tmp_path: Path) -> None:
    before = await _before(oryn, tmp_path)
    after = await _picture(oryn, tmp_path / "after.webp", "#a0a", "#0f8")
    drawn = tmp_path / "drawn.png"
    data = await _data(oryn, f"diff picture {before} {after} --mask 100,100,80,40 --output {drawn}")
    assert data["path"] == str(drawn)
    size, masked, differs, elsewhere = await colours(oryn, drawn, (120, 110), (630, 430), (20, 20))
    assert size == [1280, 720]
    assert is_like(masked, (96, 96, 160))
    assert is_like(differs, (255, 0, 0))
    assert is_like(elsewhere, (255, 255, 255))


async def test_what_is_no_picture(oryn: Any, tmp_path: Path) -> None:
    before = await _before(oryn, tmp_path)
    (tmp_path / "letter.png").write_text("a letter")
    (tmp_path / "cut.png").write_bytes(content(before)[:60])
    for name in ("letter.png", "cut.png"):
        for pair in (f"{tmp_path / name} {before}", f"{before} {tmp_path / name}", f"{tmp_path / name}"):
            answer = await oryn.session.execute(f"diff picture {pair} --output {tmp_path / 'drawn.png'}")
            assert answer.error.code == "FILE_ERROR", pair
            assert name in answer.error.message
    assert (await oryn.session.execute(f"diff picture {tmp_path / 'none.png'}")).error.code == "FILE_ERROR"
    assert "drawn.png" not in names_in(tmp_path)


async def test_a_page_that_forbids_pictures_and_scripts(oryn: Any, tmp_path: Path) -> None:
    before = await _before(oryn, tmp_path)
    policy = "default-src 'none'; sandbox; require-trusted-types-for 'script'"
    oryn.pages["/strict"] = (200, {"Content-Security-Policy": policy}, "<p>Nothing is allowed here")
    await oryn.ok(f"goto {oryn.pages.url('/strict')}")
    assert (await _data(oryn, f"diff picture {before} {before}"))["same"] is True
