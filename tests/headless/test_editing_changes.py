"""Selections, and formats in editors, as changes."""

from __future__ import annotations

import pytest

from tests.headless.conftest import Driver, changes

pytestmark = pytest.mark.usefixtures("default_grace")


EDITOR = (
    "<button onmousedown='event.preventDefault()' onclick='{act}'>Go</button>"
    "<div contenteditable aria-label=Note id=it><p>alpha <span>beta</span> gamma</p></div><script>"
    "addEventListener('load', () => {{ it.focus(); getSelection().selectAllChildren(it.querySelector('span')) }})</script>"
)


@pytest.mark.parametrize(
    ("act", "told"),
    [
        ('document.execCommand("bold")', 'format "beta" bold'),
        ('document.execCommand("italic")', 'format "beta" italic'),
        ('document.execCommand("formatBlock", false, "h2")', 'format "alpha beta gamma" heading 2'),
        ('document.execCommand("insertUnorderedList")', 'format "alpha beta gamma" bullet list'),
        ('document.execCommand("justifyCenter")', 'format "alpha beta gamma" aligned center'),
        ('it.innerHTML = "<p>al<em>ph</em>a beta gamma</p>"', 'format "ph" italic'),
        ('it.innerHTML = "<ol><li>alpha beta gamma</ol>"', 'format "alpha beta gamma" numbered list'),
        ("getSelection().selectAllChildren(it)", 'selection "alpha beta gamma"'),
    ],
    ids=["bold", "italic", "heading", "list", "alignment", "a part", "drawn anew", "selection"],
)
async def test_formats_and_selections_in_an_editor_are_changes(oryn: Driver, act: str, told: str) -> None:
    await oryn.show(EDITOR.format(act=act))
    assert f"~ {told}" in changes(await oryn.ok('click "Go"'))


async def test_a_format_that_ends_and_an_editor_in_a_frame(oryn: Driver) -> None:
    await oryn.show(
        "<iframe id=frame srcdoc='<body contenteditable><p><b>alpha</b> beta</p></body>'></iframe>"
        "<button onclick=\"frame.contentDocument.querySelector('p').textContent = 'alpha beta'\">Go</button>"
    )
    assert '~ format "alpha" not bold' in changes(await oryn.ok('click "Go"'))


@pytest.mark.slow
async def test_what_is_selected_in_a_field_and_on_a_page(oryn: Driver) -> None:
    await oryn.show(
        "<input aria-label=Name value='Ada Lovelace'><input type=password aria-label=Word value=secret><p>alpha</p>"
    )
    await oryn.ok('click "Name"')
    assert '~ selection "Ada Lovelace"' in changes(await oryn.ok("press ctrl+a"))
    await oryn.ok('click "Word"')
    assert "selection" not in await oryn.ok("press ctrl+a")
    assert '~ selection "alpha"' in changes(await oryn.ok('click "alpha" --double'))
