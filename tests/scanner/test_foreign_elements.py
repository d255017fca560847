"""What strict types found: elements of SVG and other namespaces, and pages that name their fields after properties,
where the scanner expected a control of HTML."""

from __future__ import annotations

from typing import Any

from oryn.scanner import page_call


def test_a_form_with_a_field_called_like_a_property_has_an_end(show: Any) -> None:
    page = show("<form style='position: relative'><input name=offsetParent aria-label=Name><button>Go</button></form>")
    assert [each["text"] for each in page.scan()["elements"]] == ["Name", "Go"]
    assert page.answer("popups")["ok"] and page.answer("changed_texts")["ok"]


def test_only_a_form_of_html_is_sent(show: Any) -> None:
    page = show("<svg><form id=drawn><button>Drawn</button></form></svg><form id=real><input aria-label=Name></form>")
    page.run("real.addEventListener('submit', (event) => { event.preventDefault(); window.sent = true })")
    page.do("submit", selector="input")
    assert page.run("window.sent") is True


def test_a_box_of_svg_is_checked(show: Any) -> None:
    page = show(
        "<svg width=40 height=40><g id=box role=checkbox aria-checked=false tabindex=0>"
        "<rect width=30 height=30 /></g></svg>"
    )
    page.run("box.addEventListener('click', () => box.setAttribute('aria-checked', 'true'))")
    page.do("check", selector="#box")
    assert page.run("box.getAttribute('aria-checked')") == "true"


def test_an_event_at_a_text_is_no_invalid_field(show: Any) -> None:
    page = show("<p id=text>a<p>b")
    page.do("watch", acting=True)
    page.run("text.firstChild.dispatchEvent(new Event('invalid', { bubbles: true }))")
    assert page.answer("changed_texts")["ok"]


def test_a_captchas_answer_reaches_the_callback_beside_a_field_that_is_none(show: Any) -> None:
    page = show("<div name=g-recaptcha-response data-sitekey=key data-callback=done></div>")
    page.run("window.done = (token) => { window.token = token }")
    answer = {"field": "[name=g-recaptcha-response]", "sitekey": "key", "token": "t"}
    assert page.run(page_call("captcha_answer", answer)) == {"fields": 0, "callbacks": 1}
    assert page.run("window.token") == "t"


def test_a_parameter_that_is_null_is_absent(show: Any) -> None:
    page = show("<button>a</button>")
    with_nulls = page.do("scan", max_elements=None, fields=None)
    assert with_nulls["elements"] == page.do("scan")["elements"]
