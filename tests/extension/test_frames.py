"""Frames of the user's own browser: a content script in each, and the browser's word for who speaks."""

from __future__ import annotations

import json

import pytest

from tests.extension.driver import PairedBrowser, paired_browser, trusted, untrusted

__all__ = ["paired_browser", "trusted", "untrusted"]

SAME = """<button onclick="this.textContent = 'same pressed'">Same</button>"""
OTHER = """<title>Out</title><button onclick="this.textContent = 'other pressed'">Other</button><p>Foreign words</p>"""


def _both(oryn: PairedBrowser) -> str:
    oryn.pages["/in"] = SAME
    oryn.pages["/out"] = OTHER
    other = oryn.pages.url("/out", "localhost")
    return f'<button>Top</button><iframe name=inner src=/in></iframe><iframe name=guest src="{other}"></iframe>'


@pytest.mark.slow
async def test_frames_of_both_origins_are_in_one_numbering(untrusted: PairedBrowser) -> None:
    await untrusted.show(_both(untrusted))
    seen = await untrusted("observe")
    assert 'button "Top"' in seen
    assert 'button "Same"' in seen
    assert 'button "Other"' in seen
    assert 'button "same pressed"' in await untrusted("click Same")
    assert 'button "other pressed"' in await untrusted("click Other")
    assert "| Foreign words" in await untrusted("text")
    assert '"guest"' in await untrusted("frames")


@pytest.mark.slow
async def test_a_frame_is_chosen_by_its_element(untrusted: PairedBrowser) -> None:
    await untrusted.show(_both(untrusted))
    answer = await untrusted('frame css("iframe[name=guest]")')
    assert answer.endswith(f'{untrusted.pages.url("/out", "localhost")[7:]} "guest"')
    seen = await untrusted("observe")
    assert '[2] button "Other"' in seen
    assert "Top" not in seen
    assert 'button "other pressed"' in await untrusted("click 2")
    await untrusted.ok("frame parent")
    assert '/in "inner"' in await untrusted('frame "inner"')
    assert 'button "Same"' in await untrusted("observe")
    await untrusted.ok("frame main")
    assert (await untrusted('frame "Top"')).startswith('error frame "Top": no such frame')


@pytest.mark.slow
async def test_real_input_reaches_a_frame_of_another_origin(trusted: PairedBrowser) -> None:
    await trusted.show(_both(trusted))
    assert 'button "other pressed"' in await trusted("click Other")


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["open", "closed"])
async def test_frames_in_shadow_trees_sandboxes_and_each_other(untrusted: PairedBrowser, mode: str) -> None:
    untrusted.pages["/in"] = SAME
    other = untrusted.pages.url("/nest", "localhost")
    untrusted.pages["/nest"] = f'<button>Nest</button><iframe src="{untrusted.pages.url("/in")}"></iframe>'
    await untrusted.show(
        f"""<div><template shadowrootmode={mode}><iframe name=shadow src="{other}"></iframe></template></div>
        <iframe sandbox=allow-scripts srcdoc='<button>Boxed</button>'></iframe>"""
    )
    seen = await untrusted("observe")
    assert 'button "Nest"' in seen
    assert 'button "Same"' in seen
    assert 'button "Boxed"' in seen
    assert 'button "same pressed"' in await untrusted("click Same")
    await untrusted.ok("frame css(iframe[name=shadow])")
    assert 'button "Nest"' in await untrusted("observe")
    await untrusted.ok("frame main")


async def test_a_frame_that_leaves_is_seen_no_more(untrusted: PairedBrowser) -> None:
    drop = "document.querySelector('[name=guest]').remove()"
    await untrusted.show(f'{_both(untrusted)}<button onclick="{drop}">Drop</button>')
    await untrusted.ok("observe")
    assert 'button "Other"' in await untrusted("click Drop")
    assert "guest" not in await untrusted("frames")


async def test_a_frame_that_comes_between_two_commands_is_seen(untrusted: PairedBrowser) -> None:
    other = untrusted.pages.url("/other", "localhost")
    untrusted.pages["/other"] = "<button>Late</button>"
    await untrusted.show("<p>nothing yet</p>")
    assert "Late" not in await untrusted("observe")
    worker = await untrusted.browser.worker()
    told = f"chrome.webNavigation.onCompleted.addListener(({{url}}) => url === {json.dumps(other)} && done(true))"
    await worker.evaluate(f"void (globalThis.told = new Promise((done) => {told}))")
    assert untrusted.target is not None
    frame = f"Object.assign(document.createElement('iframe'), {{src: {json.dumps(other)}}})"
    await untrusted.target.evaluate(f"void document.body.append({frame})")
    assert await worker.evaluate("told")  # so the engine, which listens to the same, has heard of it before
    await worker.detach()
    assert 'button "Late"' in await untrusted("observe")


@pytest.mark.slow
async def test_frames_of_a_page_that_is_shown_again_are_seen(untrusted: PairedBrowser) -> None:
    await untrusted.show(_both(untrusted), "/both")
    seen = await untrusted("observe")
    assert 'button "Other"' in seen
    await untrusted.show("<button onclick='history.back()'>Back</button>", "/behind")
    assert "/both" in await untrusted("click Back")
    assert await untrusted("observe") == seen


async def test_a_page_learns_nothing_of_the_tokens_and_can_forge_none(untrusted: PairedBrowser) -> None:
    await untrusted.show(
        _both(untrusted)
        + """<script>
        const heard = []; addEventListener('message', event => heard.push(event.data), true);
        for (const view of [window, ...frames]) view.postMessage('oryn:' + '0'.repeat(32), '*');
        </script>"""
    )
    await untrusted.ok("frame css(iframe[name=guest])")
    await untrusted.ok("frame main")
    assert await untrusted.value("heard.length") == "0"
