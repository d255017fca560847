"""Numbers outlive the elements that have them: what is rendered again as a whole keeps them, and nothing else gets them."""

from __future__ import annotations

from typing import Any

import pytest

RENDER = "<div id=app></div><script>function render(html) { app.innerHTML = html }</script>"


def numbers(page: Any) -> dict[str, int]:
    return {e["text"]: e["id"] for e in page.scan(keep_ids=True)["elements"]}


def rendered(show: Any, html: str) -> Any:
    page = show(RENDER)
    page.run(f"render(`{html}`)")
    page.lines(keep_ids=True)
    return page


def render(page: Any, html: str) -> str:
    page.run(f"render(`{html}`)")
    return str(page.lines(keep_ids=True))


def test_a_page_that_is_rendered_again_keeps_its_numbers(show: Any) -> None:
    html = "<h1>0</h1><button>Add</button><a href=/x>Link</a><label>Name <input></label>"
    page = rendered(show, html)
    assert render(page, html.replace("0", "1")) == '[1] button "Add"\n[2] link "Link"\n[3] input/text "Name"'
    new = html.replace("<a", "<button>Undo</button><a")
    assert render(page, new).split("\n")[:2] == ['[1] button "Add"', '[4] button "Undo"']
    assert render(page, html) == '[1] button "Add"\n[2] link "Link"\n[3] input/text "Name"'


def test_a_number_reaches_what_has_replaced_its_element(show: Any) -> None:
    page = rendered(show, "<button>Add</button><button>Other</button>")
    page.run("render('<button>Add</button><button onclick=\"this.dataset.hit = 1\">Other</button>')")
    page.do("click", id=2)
    assert page.run("document.querySelector('[data-hit]').textContent") == "Other"


def rows(*names: str) -> str:
    return "".join(f"<li>{name} <button>Delete</button></li>" for name in names)


@pytest.mark.parametrize("item", ["li", "div"])
def test_a_number_never_means_another_row(show: Any, item: str) -> None:
    def section(*names: str) -> str:
        return f"<section>{rows(*names).replace('li>', f'{item}>')}</section>"

    page = rendered(show, section("A", "B", "C"))
    assert render(page, section("B", "C")) == '[2] button "Delete"\n[3] button "Delete"'
    assert render(page, section("C", "B", "D")) == '[3] button "Delete"\n[2] button "Delete"\n[4] button "Delete"'
    assert page.refusal("locate", id=1).startswith("ELEMENT_STALE")
    assert render(page, section("E", "F", "G")) == '[5] button "Delete"\n[6] button "Delete"\n[7] button "Delete"'


def test_a_row_whose_text_changes_is_found_by_what_its_author_calls_it(show: Any) -> None:
    section = "<ul><li data-id=a>{0} <button>+</button></li><li data-id=b>{1} <button>+</button></li></ul>"
    page = rendered(show, section.format(0, 0))
    assert render(page, section.format(1, 0)) == '[1] button "+"\n[2] button "+"'
    assert render(page, section.replace("=a", "=c").format(2, 0)) == '[3] button "+"\n[2] button "+"'


def test_rows_that_can_not_be_told_apart_get_new_numbers(show: Any) -> None:
    page = rendered(show, "<p><button>x</button></p><p><button>x</button></p>")
    assert render(page, "<p><button>x</button></p>") == '[3] button "x"'


def test_another_dialog_has_other_buttons(show: Any) -> None:
    page = rendered(show, "<div role=dialog>Delete A? <button>OK</button></div>")
    assert render(page, "<div role=dialog>Delete B? <button>OK</button></div>") == '[2] button "OK"'


def test_other_places_roles_and_names_are_others(show: Any) -> None:
    page = rendered(show, "<p><button>Go</button></p>")
    assert render(page, "<p><a href=#>Go</a></p>") == '[2] link "Go"'
    assert render(page, "<h2><a href=#>Go</a></h2>") == '[3] link "Go"'
    assert render(page, "<h2><a href=#>Stop</a></h2>") == '[4] link "Stop"'


def test_what_left_before_the_last_action_is_gone_for_good(show: Any) -> None:
    page = rendered(show, "<button>Go</button>")
    assert render(page, "") == ""
    assert render(page, "<button>Go</button>") == '[1] button "Go"', "one action: a spinner came between"
    assert render(page, "") == ""
    page.do("watch")
    assert render(page, "<button>Go</button>") == '[2] button "Go"'


def test_another_document_of_a_frame_has_other_numbers(show: Any) -> None:
    page = show("<iframe src=/inner></iframe>", inner="<button>Go</button>")
    assert page.lines(keep_ids=True) == '[1] button "Go"'
    page.run(
        "await new Promise((done) => { const f = document.querySelector('iframe'); f.onload = done; f.src = '/inner?2' })"
    )
    assert page.lines(keep_ids=True) == '[2] button "Go"'


def test_removed_shadow_content_is_succeeded(show: Any) -> None:
    page = show(
        "<x-app></x-app><script>const root = document.querySelector('x-app').attachShadow({mode: 'open'})</script>"
    )
    page.run("root.innerHTML = '<p><button>Go</button></p>'")
    assert page.lines(keep_ids=True) == '[1] button "Go"'
    page.run("root.innerHTML = '<p><button>Go</button></p>'")
    assert page.lines(keep_ids=True) == '[1] button "Go"'


def test_the_first_look_numbers_the_whole_page_in_order(show: Any) -> None:
    html = "<button>a</button><div style='height:3000px'></div><p>place</p><button>b</button><button style='display:none'>h</button>"
    assert show(html).lines(keep_ids=True, near="place") == '[2] button "b"'
    page = show(html)
    assert page.lines(keep_ids=True, viewport_only=True) == '[1] button "a"'
    assert page.lines(keep_ids=True) == '[1] button "a"\n[2] button "b"'
    assert page.lines(keep_ids=True, include_hidden=True).endswith('[3] button "h" {hidden}')


@pytest.mark.slow
def test_ten_thousand_rows_that_are_rendered_again(show: Any) -> None:
    page = show(RENDER)
    script = "render(Array.from({length: 10000}, (_, i) => `<li>${i} <button>x</button></li>`).join(''))"
    page.run(script)
    page.scan(keep_ids=True, max_elements=0)
    page.run(script)
    data = page.scan(keep_ids=True, max_elements=0)
    assert data["next_id"] >= 10001


def followed(page: Any, selector: str) -> int:
    found: int = page.do("find", target={"css": selector}, follow=True)["matches"][0]["id"]
    return found


def found_again(page: Any, number: int) -> str:
    return str(page.do("find", target={"id": number})["matches"][0]["text"])


@pytest.mark.slow
def test_a_followed_element_that_is_not_interactive_is_found_again(show: Any) -> None:
    html = "<section><h2>Plants</h2><p>Ferns love shade.</p></section><section><p>Cacti love sun.</p></section>"
    page = rendered(show, html)
    number = followed(page, "section p")
    page.run(f"render(`{html}`)")
    page.run("document.querySelector('section p').lang = 'en'")
    assert page.do("get_html", id=number)["html"].startswith('<p lang="en">')
    page.run(f"render(`{html.replace('Ferns love shade.', 'Ferns love rain.')}`)")
    assert page.refusal("find", target={"id": number}).startswith("ELEMENT_STALE")
    page.run(f"render(`{html}`)")  # it comes back, whoever has looked meanwhile
    assert page.do("get_html", id=number)["html"] == "<p>Ferns love shade.</p>"


def test_a_followed_element_is_found_again_after_actions_have_begun(show: Any) -> None:
    html = "<button>Save</button><button>Other</button>"
    page = rendered(show, html)
    number = followed(page, "button")
    page.run("render('<button>Loading</button>')")
    page.lines(keep_ids=True)
    page.do("watch")
    page.run(f"render(`{html}`)")
    page.lines(keep_ids=True)
    assert found_again(page, number) == "Save"


def test_a_followed_element_never_means_another_of_several_alike(show: Any) -> None:
    page = rendered(show, "<p>Sold out</p><p>Sold out</p>")
    number = followed(page, "p")
    page.run("render('<p>Sold out</p>')")
    page.run("render('<p>Sold out</p><p>Sold out</p><p>Sold out</p>')")
    assert page.refusal("find", target={"id": number}).startswith("ELEMENT_STALE")
