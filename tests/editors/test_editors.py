"""Text goes into real editors exactly, or the answer says how it differs; and `value` reads them whole."""

from __future__ import annotations

from typing import Any

import pytest

from tests.editors.catalogue import PAGES, SAMPLES, TARGETS, plain_breaks

pytestmark = pytest.mark.browser

HARD = ("loop", "go", "blank lines", "typographic", "joined emoji", "mixed directions", "10,000 characters")
"""The samples that were hardest; `benchmarks/editors.py` has all."""
CODE = ("codemirror5", "codemirror6", "monaco", "ace")
RICH = ("prosemirror", "lexical", "quill", "draft", "tinymce", "ckeditor")
LOSES_TABS = ("tinymce", "ckeditor")
WITHOUT_BREAKS = ("input",)


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
async def test_samples(oryn: Any, name: str) -> None:
    """Each text replaces the one before."""
    await oryn.open(name)
    for sample in HARD:
        text = plain_breaks(SAMPLES[sample])
        notes = await oryn.type(text)
        held = await oryn.run("model()")
        assert await oryn.value() == held
        differs = ("\t" in text and name in LOSES_TABS) or ("\n" in text and name in WITHOUT_BREAKS)
        if differs:
            assert any("took another text" in note or "no line breaks" in note for note in notes), (sample, notes)
        else:
            assert (held, notes) == (text, []), sample


@pytest.mark.slow
@pytest.mark.parametrize("name", [*CODE, *RICH])
async def test_append_and_clear(oryn: Any, name: str) -> None:
    await oryn.open(name)
    await oryn.type("if (a) {\n  b")
    assert await oryn.type('("x")\nc', options="--append") == []
    expected = 'if (a) {\n  b("x")\nc'
    assert [await oryn.run("model()"), await oryn.value()] == [expected, expected]
    assert (await oryn.ok('clear css("#editor")')).notes == []
    assert [await oryn.run("model()"), await oryn.value()] == ["", ""]
    assert await oryn.type("") == []


@pytest.mark.parametrize(("name", "target"), [(name, target) for name in TARGETS for target in TARGETS[name]])
async def test_the_editor_around_or_inside_the_target(oryn: Any, name: str, target: str) -> None:
    await oryn.open(name)
    assert await oryn.type("a {\n  b", target) == []
    assert [await oryn.run("model()"), await oryn.value(target)] == ["a {\n  b", "a {\n  b"]


async def test_the_hidden_field_that_an_editor_stands_for(oryn: Any) -> None:
    await oryn.show("""<link rel=stylesheet href=/codemirror5/lib/codemirror.css><label for=field>Body</label>
        <textarea id=field></textarea><script src=/codemirror5/lib/codemirror.js></script>
        <script>const cm = CodeMirror.fromTextArea(field)</script>""")
    assert await oryn.type("one\n  two", 'css("#field")') == []
    assert [await oryn.run("cm.getValue()"), await oryn.value('css("#field")')] == ["one\n  two", "one\n  two"]


@pytest.mark.slow
async def test_an_editor_whose_object_is_out_of_reach(oryn: Any) -> None:
    """As in a page whose Monaco is part of a bundle. It renders about twenty of the lines."""
    await oryn.open("monaco")
    await oryn.run("delete window.monaco")
    text = "\n".join(f"line {number} (" for number in range(200))
    assert await oryn.type(text) == []
    assert [await oryn.run("model()"), await oryn.value()] == [text, text]


@pytest.mark.slow
async def test_an_editor_that_copies_nothing_either(oryn: Any) -> None:
    await oryn.open("monaco")
    await oryn.run("delete window.monaco; addEventListener('copy', (e) => e.stopImmediatePropagation(), true)")
    notes = await oryn.type("\n".join(f"line {number} (" for number in range(200)))
    assert notes == ["the editor took another text: only the lines that it shows can be read back"]
    answer = await oryn.ok('value css("#editor")')
    assert answer.notes == ["only the lines that the editor shows could be read"]
    assert "line 199 (" in answer.data


@pytest.mark.parametrize("name", [*CODE, *RICH])
async def test_a_page_that_forbids_pasting(oryn: Any, name: str) -> None:
    await oryn.open(name)
    documents = "[document, ...Array.from(frames, (each) => each.document)]"
    await oryn.run(f"""for (const each of {documents}) each.addEventListener('paste', (event) => {{
        event.preventDefault(); event.stopImmediatePropagation() }}, true)""")
    notes = await oryn.type("f(x)\n  y")
    held = await oryn.run("model()")
    assert await oryn.value() == held
    assert (held == "f(x)\n  y") == (notes == [])
    assert all("took another text" in note for note in notes)


@pytest.mark.parametrize("name", ["codemirror6", "prosemirror", "draft"])
async def test_words_are_typed_with_keys(oryn: Any, name: str) -> None:
    """So that the page can complete them."""
    await oryn.open(name)
    await oryn.run("keys = []; addEventListener('keydown', (event) => keys.push(event.key), true)")
    await oryn.type("two words")
    assert (await oryn.run("keys.join('')")).endswith("two words")


async def test_a_read_only_editor(oryn: Any) -> None:
    await oryn.open("codemirror5")
    await oryn.run("document.querySelector('.CodeMirror').CodeMirror.setOption('readOnly', true)")
    answer = await oryn.session.execute('type css("#editor") "a (b"')
    assert "the editor took another text" in answer.render() or "read-only" in answer.render()
    assert await oryn.run("model()") == ""


@pytest.mark.slow
async def test_nothing_is_lost_by_appending(oryn: Any) -> None:
    """Another way to write replaces all content: that of an editor that can't be read whole, and pictures, would go."""
    await oryn.open("monaco")
    text = "\n".join(f"line {number}" for number in range(200))
    await oryn.type(text)
    await oryn.run("delete window.monaco; addEventListener('copy', (e) => e.stopImmediatePropagation(), true)")
    await oryn.type("(", options="--append")
    await oryn.ok("""wait until "model().endsWith('(')\"""")  # Monaco takes a paste a moment later
    assert (await oryn.run("model()")) == f"{text}("
    await oryn.show("<div id=editor contenteditable><img id=picture width=9 height=9></div>")
    await oryn.run("editor.onpaste = (event) => event.preventDefault()")
    answer = await oryn.session.execute('type css("#editor") "a (b)" --append')
    assert answer.error is not None and answer.error.code == "NOT_DONE"
    assert await oryn.run("editor.contains(document.querySelector('#picture'))")


async def test_a_paste_that_navigates_is_not_repeated(oryn: Any) -> None:
    await oryn.open("contenteditable")
    await oryn.run("editor.onpaste = (event) => { event.preventDefault(); location = '/textarea' }")
    answer = await oryn.session.execute('type css("#editor") "a (b)"')
    assert answer.ok and "/textarea" in answer.render(), answer.render()
    await oryn.ok('wait until "window.model"')
    assert await oryn.run("model()") == ""
