"""Bad input: each gets an `error …` with a hint within its time, and the next command works."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.soak import repeated, repetitions


async def works(oryn: Any) -> None:
    await oryn.show("<title>Alive</title><button>Fine</button>", "/alive")
    assert 'button "Fine"' in await oryn("observe")
    await oryn.ok("click Fine")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("frobnicate", "error frobnicate: "),
        ("clik 5", "error clik 5: "),
        ("click 5", "error click 5: element not found"),
        ('click css("#[")', "error click css"),
        ('click xpath("//[")', "error click xpath"),
        ('exists css("::::")', "error exists"),
        ("goto javascript:alert(1)", "error goto"),
        ("goto http://", "error goto"),
        ("goto no-such-host.invalid", "error goto"),
        ('click "' + "x" * 1_000_000, "error click"),
        ("\x00\x01\ud800", "error"),
    ],
)
async def test_bad_lines(oryn: Any, line: str, message: str) -> None:
    answer = await oryn(line)
    assert answer.startswith(message), answer[:200]
    assert "# hint" in answer
    assert len(answer) < 2_000
    await works(oryn)


@pytest.mark.slow
async def test_a_page_that_loops_forever(oryn: Any) -> None:
    await oryn.show("<button onclick='for(;;);'>Loop</button><script>setTimeout(() => {}, 0)</script>")
    answer = await oryn("click Loop --timeout 1s")
    assert answer.startswith("error click"), answer
    assert "# hint" in answer
    await works(oryn)


@pytest.mark.slow
async def test_a_page_that_loops_while_it_loads(oryn: Any) -> None:
    oryn.pages["/loop"] = "<title>x</title><script>for(;;);</script>"
    answer = await oryn(f"goto {oryn.pages.url('/loop')} --timeout 1s")
    assert answer.startswith("error goto"), answer
    await works(oryn)


EVERY_FRAME = """<div id=root></div><p id=out></p><script>let n = 0; const render = () => { n++; root.innerHTML = `<h1>Tick ${n}</h1>
 <button onclick="out.textContent = 'Pressed'">Go</button><label>Name <input></label>`; requestAnimationFrame(render) }; render()</script>"""


@pytest.mark.slow
async def test_a_page_that_renders_itself_each_frame(oryn: Any) -> None:
    await oryn.show(EVERY_FRAME)
    assert 'button "Go"' in await oryn.ok("observe --timeout 30s")
    assert '+ text "Pressed"' in await oryn.ok('click "Go" --timeout 30s')
    await oryn("type Name Ada --timeout 30s")
    await works(oryn)


@pytest.mark.slow
async def test_a_page_that_never_rests(oryn: Any) -> None:
    await oryn.show(
        "<button id=go onclick=\"out.textContent = 'Pressed'\">Go</button><p id=out></p><div id=log></div><script>"
        "setInterval(() => { log.insertAdjacentHTML('beforeend', `<p><a href=#>${log.children.length}</a></p>`);"
        "document.body.style.paddingTop = `${log.children.length % 300}px`; for (const end = Date.now() + 8; Date.now() < end;); }, 10)</script>"
    )
    assert 'button "Go"' in await oryn.ok("observe --timeout 30s")
    answer = await oryn('click "Go" --timeout 30s')
    assert '+ text "Pressed"' in answer or "does not come to rest" in answer, answer
    await works(oryn)


@pytest.mark.slow
async def test_alerts_in_a_loop(oryn: Any) -> None:
    oryn.pages["/alerts"] = "<script>for(;;) alert('again')</script>"
    answer = await oryn(f"goto {oryn.pages.url('/alerts')} --timeout 2s")
    assert "alert" in answer or answer.startswith("error goto")
    await works(oryn)


@pytest.mark.slow
@repeated
async def test_thousands_of_elements(oryn: Any) -> None:
    count = repetitions(20_000, soak=100_000)
    oryn.pages["/many"] = f"<body><script>document.body.innerHTML = '<p><a href=#>x</a>'.repeat({count})</script>"
    await oryn.ok(f"goto {oryn.pages.url('/many')} --timeout 60s")
    answer = await oryn("observe --timeout 60s")
    assert '[1]-[200] 200 × link "x"' in answer
    assert f"{count - 200} more elements" in answer
    await oryn.ok("click 5 --timeout 60s")
    await works(oryn)


@pytest.mark.slow
async def test_a_page_whose_layout_does_not_end(oryn: Any) -> None:
    # A line of 100,000 inline elements without a break takes the browser minutes; asking for a place makes it begin at once.
    oryn.pages["/long"] = (
        "<body><script>document.body.innerHTML = '<a href=#>x</a>'.repeat(100000); document.body.offsetTop</script>"
    )
    answer = await oryn(f"goto {oryn.pages.url('/long')} --timeout 1s")
    assert answer.startswith("error goto"), answer
    assert (await oryn("observe --timeout 1s")).startswith("error observe")
    await works(oryn)


@pytest.mark.slow
async def test_frames_sixty_deep(oryn: Any) -> None:
    oryn.pages["/deep"] = """<button>Level</button><script>
        const depth = Number(location.search.slice(1) || 0);
        if (depth < 60) document.body.append(Object.assign(document.createElement('iframe'), {src: '/deep?' + (depth + 1)}));</script>"""
    await oryn.ok(f"goto {oryn.pages.url('/deep')} --timeout 40s")
    answer = await oryn("observe --limit 0 --timeout 40s")
    assert int(re.search(r'\[1\]-\[(\d+)\] \1 × button "Level"', answer)[1]) > 20
    await works(oryn)


async def test_a_page_that_removes_itself(oryn: Any) -> None:
    await oryn.show(
        "<button>One</button><script>setInterval(() => document.documentElement && document.documentElement.remove(), 1)</script>"
    )
    answer = await oryn("observe")
    assert answer.startswith(("@ ", "error"))
    await works(oryn)


async def test_a_world_turned_against_the_scanner(oryn: Any) -> None:
    await oryn.show(
        """<form id=f><input name=children><input name=parentNode><input name=attributes aria-label=Named></form><img name=body><a id=querySelectorAll href=#>Real</a>
        <script>Array.prototype.map = Array.prototype.push = JSON.stringify = Object.keys = () => { throw 1 };
        Object.prototype.toJSON = () => 'forged'; Array.prototype.toJSON = () => 'forged'; Function.prototype.toString = () => 'forged';
        Element.prototype.getBoundingClientRect = () => { throw 2 }; document.querySelectorAll = null;
        Object.defineProperty(HTMLElement.prototype, 'innerText', {get() { throw 3 }});</script>"""
    )
    seen = await oryn("observe")
    assert 'link "Real"' in seen
    assert '"Named"' in seen
    await oryn.ok('click "Real"')
    await works(oryn)


async def test_a_page_that_never_finishes_loading(oryn: Any) -> None:
    await oryn.show("<title>Slow</title>")
    answer = await oryn("wait navigation --timeout 300ms")
    assert answer.startswith("error wait navigation")
    await works(oryn)


async def test_a_page_that_crashes(oryn: Any) -> None:
    await oryn.show("<title>x</title>")
    answer = await oryn("goto chrome://crash --timeout 5s")
    assert answer.startswith("error goto"), answer
    assert (await oryn("observe")).startswith("error observe")
    await works(oryn)


@pytest.mark.parametrize(
    "line",
    [
        'type css("#day") "tomorrow"', 'type "Go" "x"', 'check "Go"', 'select css("select") 9', 'attribute "Go" zz',
        "pdf /none/x.pdf", "click @e3", "press foo", "wait .5s", "observe --full --minimal", 'click "Go',
        "cookies get none", "storage get none", 'eval "nope()"', 'wait until "nope.x" --timeout 100ms', "frame parent",
        "dialog accept", "tab close", "tab switch 9", "logout", 'dismiss "none"', 'fill_form {"none": 1}',
        "screenshot --output /none/x.png", '@other title', 'hover "none"', "goto http://", "goto ftp://example.org",
    ],
)  # fmt: skip
async def test_every_error_has_a_hint(oryn: Any, line: str) -> None:
    await oryn.show("<button>Go</button><input id=day type=date><select><option>1</select>")
    answer = await oryn(line)
    assert answer.startswith("error "), answer
    assert "\n\n# hint\n" in answer
    assert "unexpected" not in answer


LEADS_OUTSIDE = """<title>Out</title><a href='tel:123'>Call</a> <button onclick="document.title = 'Pressed'">Go</button>
 <script>document.querySelector('a').onclick = () => setTimeout(() => document.body.append('later'), 1500)</script>"""


@pytest.mark.slow
async def test_a_link_to_another_program_leaves_the_page_usable(oryn: Any) -> None:
    """The browser would ask about it a moment later, in a window that keeps all input from the page."""
    await oryn.show(LEADS_OUTSIDE)
    assert "does not open URLs of this kind" in await oryn("click Call")
    await oryn.ok('wait visible "later"')
    await oryn.ok("click Go")
    assert '"Pressed"' in await oryn("title")
