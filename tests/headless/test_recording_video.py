"""`record start` and `record stop`: a WebM file that shows what the page showed, when it showed it."""

from __future__ import annotations

import base64
import json
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from oryn.recording.encoder import BrowserVideoEncoder

pytestmark = pytest.mark.browser

RED, BLUE = [255, 0, 0], [0, 0, 255]


def names_in(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def content(file: Path) -> bytes:
    return file.read_bytes()


def record_to(session: Session, folder: Path) -> None:
    """Let the session keep its pictures in `folder`, where the encoding browser lives too."""
    session.new_video_encoder = lambda: BrowserVideoEncoder(folder, lambda: ChromiumBrowser(runtime_dir=folder))


@pytest.fixture
def folder(oryn: Any, run: Any, tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "run"
    record_to(oryn.session, folder)
    yield folder
    while oryn.session.recorders:
        run(oryn.session.recorders.pop().close())
    assert not folder.exists() or names_in(folder) == [], "nothing is left of a recording"


async def watched(oryn: Any, file: Path, *times: float) -> dict[str, Any]:
    """The video as the browser plays it: length, size, the colour in its middle at some times."""
    script = """(async () => {
      const video = document.createElement('video');
      video.muted = true;
      video.src = URL.createObjectURL(await (await fetch('data:video/webm;base64,%s')).blob());
      await new Promise((ready, failed) => { video.oncanplay = ready; video.onerror = failed; });
      const { videoWidth: width, videoHeight: height, duration } = video;
      const colours = [];
      for (const time of %s) {
        video.currentTime = time < 0 ? duration + time : time;
        await new Promise(ready => { video.onseeked = ready; });
        const pen = new OffscreenCanvas(width, height).getContext('2d');
        pen.drawImage(video, 0, 0);
        colours.push([...pen.getImageData(width / 2, height / 2, 1, 1).data].slice(0, 3));
      }
      return { duration, width, height, colours };
    })()"""
    await oryn.ok("goto about:blank")
    data = base64.b64encode(content(file)).decode()
    found: dict[str, Any] = await oryn.session.page.evaluate(script % (data, json.dumps(times)))
    return found


def is_like(colour: list[int], wanted: list[int]) -> bool:
    return all(abs(one - other) < 30 for one, other in zip(colour, wanted, strict=True))


@pytest.mark.slow
async def test_a_video_shows_what_happened_when(oryn: Any, folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "demo.webm"
    told: list[tuple[str, float]] = []
    oryn.session.progress = lambda doing, share: told.append((doing, share))
    await oryn.show('<body style="background:#f00"><button onclick="document.body.style.background = `#00f`">Blue')
    assert await oryn(f"record start {file}") == f"ok record start {file}"
    await oryn.ok("wait 1200ms")
    await oryn.ok("click Blue")
    await oryn.ok("wait 800ms")
    answer = await oryn.session.execute("record stop")
    assert answer.render() == (f'ok record stop\n\n"{file}"\n{answer.data["seconds"]:.1f} s, 1280x720')
    assert answer.data["path"] == str(file) and answer.data["size"] == len(content(file))
    assert answer.data["seconds"] >= 2 and answer.data["frames"] >= 4
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert told[0] == ("encoding demo.webm", 0) and told[-1] == ("encoding demo.webm", 1)
    seen = await watched(oryn, file, 0.5, -0.3)
    assert abs(seen["duration"] - answer.data["seconds"]) < 0.05
    assert (seen["width"], seen["height"]) == (1280, 720)
    assert is_like(seen["colours"][0], RED) and is_like(seen["colours"][1], BLUE)


@pytest.mark.slow
async def test_a_video_follows_the_session_to_other_tabs_and_pages(oryn: Any, folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "demo.webm"
    oryn.pages["/blue"] = '<body style="background:#00f">'
    await oryn.show('<body style="background:#f00">')
    [first] = await oryn.session.browser.tabs()
    await oryn.ok(f"record start {file} --quality high")
    await oryn.ok("wait 600ms")
    await oryn.ok(f"tab new {oryn.pages.url('/blue')}")
    await oryn.ok("wait 600ms")
    await oryn.ok(f"tab switch {first.number}")
    await oryn.ok("wait 600ms")
    await oryn.ok(f"goto {oryn.pages.url('/blue', 'localhost')}")
    await oryn.ok("wait 600ms")
    length = (await oryn.session.execute("record stop")).data["seconds"]
    shown = [*(step * 0.1 for step in range(1, int(length * 10))), -0.1]
    colours = [
        "red" if is_like(one, RED) else "blue" for one in (await watched(oryn, file, *shown))["colours"]
        if is_like(one, RED) or is_like(one, BLUE)
    ]  # fmt: skip
    changes = [one for position, one in enumerate(colours) if position == 0 or colours[position - 1] != one]
    assert changes == ["red", "blue", "red", "blue"]


@pytest.mark.slow
@pytest.mark.parametrize("quality", ["low", "medium", "high"])
async def test_qualities(oryn: Any, folder: Path, tmp_path: Path, quality: str) -> None:
    await oryn.show("<p>Still")
    await oryn.ok(f"record start {tmp_path / 'a.webm'} --quality {quality}")
    await oryn.ok("record stop")
    assert content(tmp_path / "a.webm").startswith(b"\x1a\x45\xdf\xa3")


@pytest.mark.slow
async def test_better_quality_takes_more_room(oryn: Any, folder: Path, tmp_path: Path) -> None:
    """What changes everywhere all the time can only be made smaller by leaving something out."""
    await oryn.show("""<body style="margin:0"><canvas width="1280" height="720"></canvas><script>
      const pen = document.querySelector('canvas').getContext('2d');
      (function draw() {
        for (let x = 0; x < 1280; x += 40) for (let y = 0; y < 720; y += 40) {
          pen.fillStyle = `hsl(${Math.random() * 360} 80% 50%)`;
          pen.fillRect(x, y, 40, 40);
        }
        requestAnimationFrame(draw);
      })()</script>""")
    sizes = []
    for quality in ("low", "high"):
        await oryn.ok(f"record start {tmp_path / quality}.webm --quality {quality}")
        await oryn.ok("wait 1500ms")
        answer = await oryn.session.execute("record stop")
        sizes.append(answer.data["size"] / answer.data["frames"])
    assert sizes[0] * 1.5 < sizes[1]


@pytest.mark.slow
async def test_errors(oryn: Any, folder: Path, tmp_path: Path) -> None:
    assert await oryn("record stop") == (
        "error record stop: no video is being recorded\n\n# hint\nBegin one: record start <path>."
    )
    for line, code in (
        ("record start", "MISSING_ARGUMENT"),
        ("record start a.webm --quality best", "INVALID_VALUE"),
        ("record start a.mp4", "INVALID_VALUE"),
        ("record start /nowhere/at/all/a.webm", "FILE_ERROR"),
    ):
        answer = await oryn.session.execute(line)
        assert answer.error is not None and answer.error.code == code, line
    await oryn.ok(f"record start {tmp_path / 'a.webm'}")
    answer = await oryn.session.execute(f"record start {tmp_path / 'b.webm'}")
    assert answer.error.code == "ALREADY_RUNNING"
    await oryn.ok("record stop")
    assert names_in(tmp_path) == ["a.webm", "run"]


@pytest.mark.slow
async def test_what_failed_may_be_tried_again(oryn: Any, folder: Path, tmp_path: Path) -> None:
    browsers = iter([ChromiumBrowser("/nowhere/chromium", runtime_dir=folder), ChromiumBrowser(runtime_dir=folder)])
    oryn.session.new_video_encoder = lambda: BrowserVideoEncoder(folder, lambda: next(browsers))
    await oryn.show("<p>Still")
    await oryn.ok(f"record start {tmp_path / 'a.webm'} --timeout 5s")
    answer = await oryn.session.execute("record stop")
    assert answer.error is not None and answer.error.code == "BROWSER_NOT_FOUND"
    assert names_in(tmp_path) == ["run"], "nothing half-written"
    await oryn.ok("record stop --timeout 20s")
    assert names_in(tmp_path) == ["a.webm", "run"]


async def test_a_host_without_films(oryn: Any, tmp_path: Path) -> None:
    answer = await oryn.session.execute(f"record start {tmp_path / 'a.webm'}")
    assert answer.error is not None and answer.error.code == "NOT_SUPPORTED"


async def test_closing_the_session_discards_the_video(tmp_path: Path) -> None:
    session = Session(ChromiumBrowser(runtime_dir=tmp_path / "run"), options=Options(timeout=60))
    record_to(session, tmp_path / "run")
    assert (await session.execute(f"record start {tmp_path / 'a.webm'}")).ok
    await session.close()
    assert names_in(tmp_path / "run") == [] and names_in(tmp_path) == ["run"]


@pytest.mark.slow
async def test_a_crashed_browser_leaves_the_video_until_then(tmp_path: Path) -> None:
    session = Session(ChromiumBrowser(runtime_dir=tmp_path / "run"), options=Options(timeout=60))
    record_to(session, tmp_path / "run")
    try:
        await session.execute('goto "data:text/html,<body bgcolor=red>"')
        assert (await session.execute(f"record start {tmp_path / 'a.webm'}")).ok
        await session.execute("wait 300ms")
        session.browser.page.channel.session.send("Browser.crash")  # type: ignore[attr-defined]
        await session.execute("wait 300ms")
        answer = await session.execute("record stop")
        assert answer.ok, answer.render()
        assert content(tmp_path / "a.webm").startswith(b"\x1a\x45\xdf\xa3")
    finally:
        await session.close()
