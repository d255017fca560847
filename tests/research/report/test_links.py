from __future__ import annotations

import pytest

from oryn.research.report.links import text_fragment_url, web_address


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("Ferns have no flowers.", "Ferns%20have%20no%20flowers."),
        ("well-known, & so", "well%2Dknown%2C%20%26%20so"),
        (" ".join(map(str, range(20))), "0%201%202%203%204,15%2016%2017%2018%2019"),
        ("Heading\nof the text", "Heading,of%20the%20text"),
        ("Über\n\n", "%C3%9Cber"),
    ],
)
def test_a_link_leads_to_a_text(text: str, fragment: str) -> None:
    assert text_fragment_url("https://a.example/?x=1", text) == f"https://a.example/?x=1#:~:text={fragment}"


def test_a_link_keeps_the_page_s_own_fragment() -> None:
    assert text_fragment_url("https://a.example/#part", "Spores") == "https://a.example/#part:~:text=Spores"


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "http://", "http://[x", ""]
)
def test_a_link_leads_only_to_pages_of_the_web(url: str) -> None:
    assert web_address(url) == ""
    assert text_fragment_url(url, "Spores") == ""


def test_without_text_the_page_is_meant() -> None:
    assert text_fragment_url("https://a.example/", " \n") == "https://a.example/"
