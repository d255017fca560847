"""A few pages about ferns and a search page in DuckDuckGo's structure, on loopback."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from urllib.parse import quote

from tests.research.server import Reply, Site

SPORES = (
    "Ferns have neither flowers nor seeds: they reproduce by spores. The spores form in small cases, the sporangia, "
    "which stand together in sori on the underside of the fronds. A single plant can release millions of spores in a "
    "season, and the wind carries them for hundreds of kilometres.",
    "A spore that falls on moist ground grows into a prothallus, a green plate of a few millimetres in the shape of a "
    "heart. The prothallus bears the organs of both sexes. In a film of water the sperm swim to the egg, and from the "
    "fertilised egg a new fern grows, which lives on its own once it has roots.",
)
CARE = (
    "Boston ferns want moist air, best above fifty percent, and a bright place without direct sun. Water them when the "
    "surface of the soil feels dry, and mist the fronds in winter, when heating dries the air of rooms.",
    "Brown tips are a sign of air that is too dry. Cut off old fronds near the ground, and feed the plant once a month "
    "from spring to autumn with half of the usual dose.",
)
CARS = (
    "The gearbox of the new model has eight gears and shifts faster than the one before it. Its makers promise that it "
    "needs a litre less of fuel on a hundred kilometres.",
    "Test drives begin in May, and the first cars will be handed over to their buyers in the late summer of the year.",
)


def article(title: str, paragraphs: Sequence[str], more: str = "") -> str:
    text = "".join(f"<p>{escape(each)}</p>" for each in paragraphs)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title></head>'
        f"<body><nav><a href='/'>Home</a></nav><main><article><h1>{escape(title)}</h1>{text}{more}</article></main>"
        "<footer>All rights reserved</footer></body></html>"
    )


def results(*urls: str) -> str:
    """A page of DuckDuckGo's with these results; none is what it says where there is none."""
    found = "".join(
        f'<div class="result results_links web-result"><h2 class="result__title"><a class="result__a" '
        f'href="//duckduckgo.com/l/?uddg={quote(url, safe="")}&amp;rut=1">Result {number}</a></h2>'
        f'<a class="result__snippet" href="#">What {escape(url)} says.</a></div>'
        for number, url in enumerate(urls, 1)
    )
    return f'<html><body><div id="links">{found or "<div class=no-results>No results.</div>"}</div></body></html>'


def answer(site: Site, *urls: str) -> None:
    """Let the search page of a site answer with these results."""
    site.put("/html/", Reply(results(*urls)))


def refuse(site: Site) -> None:
    site.put("/html/", Reply('<form id="challenge-form"></form>', status=202))
