"""`script add`, `script list`, `script remove` in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from oryn.errors import BrowserFailed

pytestmark = pytest.mark.browser

FROM_NOW_ON = "\n\n# note\nit runs in pages loaded from now on: 'refresh' to run it in this one"
SEEN = "<p id=seen></p><script>document.getElementById('seen').textContent = window.mark || 'none'</script>"


@pytest.fixture(autouse=True)
def reset_page_scripts(oryn: Any, run: Any) -> Iterator[None]:
    yield
    for script in list(oryn.session.browser.page_scripts.all()):
        run(oryn.ok(f"script remove {script.number}"))


@pytest.fixture
def script(tmp_path: Path) -> Any:
    def write(text: str, name: str = "mark.js") -> Path:
        file = tmp_path / name
        file.write_text(text, "utf-8")
        return file

    return write


def number_of(answer: str) -> str:
    return answer.split("\n\n")[1].partition(" ")[0]


async def test_a_script_runs_before_the_pages_own(oryn: Any, script: Any) -> None:
    file = script("window.mark = 'marked – früh'")
    await oryn.show(SEEN)
    answer = await oryn(f"script add {file}")
    number = number_of(answer)
    assert answer == f'ok script add {file}\n\n{number} "{file}"{FROM_NOW_ON}'
    assert (await oryn("text")).endswith("| none")
    await oryn.ok("refresh")
    assert (await oryn("text")).endswith("| marked – früh")


async def test_it_runs_in_frames_and_new_tabs(oryn: Any, script: Any) -> None:
    await oryn.ok(f"script add {script('window.mark = location.hostname')}")
    oryn.pages["/inner"] = SEEN
    await oryn.show(
        f"{SEEN}<iframe id=near src=/inner></iframe><iframe id=far src={oryn.pages.url('/inner', 'localhost')}></iframe>"
    )
    for frame, host in (("css(#near)", "127.0.0.1"), ("css(#far)", "localhost")):
        await oryn.ok(f"frame {frame}")
        assert (await oryn("eval mark")).endswith(f"| {host}")
        await oryn.ok("frame main")
    await oryn.ok(f"tab new {oryn.pages.url('/inner', 'localhost')}")
    assert (await oryn("text")).endswith("| localhost")


async def test_scripts_run_in_their_order_and_keep_their_numbers(oryn: Any, script: Any) -> None:
    first = number_of(await oryn.ok(f"script add {script('window.mark = 1', 'a.js')}"))
    second = number_of(await oryn.ok(f"script add {script('window.mark += 1', 'b.js')}"))
    third = number_of(await oryn.ok(f"script add {script('window.mark *= 10', 'c.js')}"))
    await oryn.show(SEEN)
    assert (await oryn("text")).endswith("| 20")
    assert await oryn(f"script remove {second}") == (
        f"ok script remove {second}\n\n# note\npages that are already loaded keep its effects"
    )
    await oryn.ok("refresh")
    assert (await oryn("text")).endswith("| 10")
    listed = (await oryn("script list")).split("\n")
    assert [row.partition(" ")[0] for row in listed[2:]] == [first, third]
    assert listed[3].endswith('c.js"')


async def test_the_file_is_read_when_it_is_added(oryn: Any, script: Any) -> None:
    file = script("window.mark = 'old'")
    await oryn.ok(f"script add {file}")
    script("window.mark = 'new'")
    await oryn.show(SEEN)
    assert (await oryn("text")).endswith("| old")


async def test_no_scripts(oryn: Any) -> None:
    assert await oryn("script list") == "ok script list\n\nno scripts"
    assert (await oryn("script remove 7")).startswith(
        "error script remove 7: there is no script 7\n\n# hint\nScripts: "
    )


async def test_a_missing_script(oryn: Any, tmp_path: Path) -> None:
    file = tmp_path / "missing.js"
    assert (
        await oryn(f"script add {file}")
        == f"error script add {file}: there is no file {file}\n\n# hint\nCheck the path."
    )


async def test_a_script_that_does_not_compile(oryn: Any, script: Any) -> None:
    await oryn.show(SEEN)
    assert "SyntaxError" in (answer := await oryn(f"script add {script('window.mark = (')}"))
    assert answer.startswith("error")
    assert await oryn("script list") == "ok script list\n\nno scripts"


async def test_a_script_that_is_no_text_or_too_long(oryn: Any, tmp_path: Path) -> None:
    (tmp_path / "binary.js").write_bytes(b"\xff\xfe\x00")
    assert "is not valid UTF-8" in await oryn(f"script add {tmp_path / 'binary.js'}")
    with (tmp_path / "long.js").open("wb") as file:
        file.truncate(9_000_000)
    assert "is larger than 8000000 bytes" in await oryn(f"script add {tmp_path / 'long.js'}")


async def test_a_script_outside_the_allowed_folders(oryn: Any, browser: Any, script: Any, tmp_path: Path) -> None:
    (tmp_path / "allowed").mkdir()
    session = Session(browser, options=Options(files_root=[tmp_path / "allowed"]))
    answer = await session.execute(f"script add {script('1')}")
    assert answer.error is not None
    assert answer.error.code == "PATH_NOT_ALLOWED"


@pytest.mark.slow
async def test_a_script_outlives_the_browser(tmp_path: Path, pages: Any, script: Any) -> None:
    pages["/"] = SEEN
    browser = ChromiumBrowser(runtime_dir=tmp_path)
    session = Session(browser, options=Options(timeout=60))
    kept, dropped = script("window.mark = 'kept'", "kept.js"), script("window.mark = 'dropped'", "dropped.js")
    try:
        assert (await session.execute(f"goto {pages.url()}")).ok
        assert (await session.execute(f"script add {kept}")).ok
        assert (await session.execute(f"script add {dropped}")).ok
        with suppress(BrowserFailed):
            await browser._connection.root.call("Browser.crash")
        assert (await session.execute(f"goto {pages.url()}")).ok
        assert (await session.execute("text")).block == "dropped"
        assert (await session.execute("script remove 2")).ok
        assert (await session.execute("refresh")).ok
        assert (await session.execute("text")).block == "kept"
    finally:
        await session.close()
