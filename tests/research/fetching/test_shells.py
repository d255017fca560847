"""Which pages are only a script's shell, and which are just short."""

from __future__ import annotations

import pytest

from oryn.research.html.js_shell import js_shell_reason

WORDS = "Ferns grow in the shade of large trees, over moss and stones, and have done so for ages. " * 4
BIG = "<script>" + "var data = [1, 2, 3];" * 2000 + "</script>"

SHELLS = {
    "react": (
        '<title>Shop</title><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>'
        '<script src="/static/js/main.js"></script>',
        'its <div id="root"> is empty, for a script to fill it',
    ),
    "vue": ('<div id="app"></div><script type=module src=x.js></script>', 'its <div id="app"> is empty'),
    "next": ('<div id="__next"></div><script id="__NEXT_DATA__">{}</script>', 'its <div id="__next"> is empty'),
    "nuxt": ('<div id="__nuxt"><!-- --></div><script src=x></script>', 'its <div id="__nuxt"> is empty'),
    "loading": (
        '<div id="root"><p class=spin>Loading…</p></div><script src=x></script>',
        'its <div id="root"> is empty',
    ),
    "svg-spinner": (
        "<div id=app><svg><text>a spinner with words</text></svg><style>.x{}</style></div><script src=x></script>",
        "is empty",
    ),
    "angular": ("<app-root></app-root><script src=main.js></script>", "its <app-root> is empty"),
    "component": ("<my-shop>Loading...</my-shop><script src=main.js></script>", "its <my-shop> is empty"),
    "main": ("<main id=root></main><footer>© 2026</footer><script src=x></script>", 'its <main id="root"> is empty'),
    "menu-around": (
        f'<nav><a href=/>{WORDS}</a></nav><div id="app"></div><footer>{WORDS}</footer><script src=x></script>',
        'its <div id="app"> is empty',
    ),
    "noscript": (
        "<noscript>Please <b>enable JavaScript</b> to view this site.</noscript><div></div><script src=x></script>",
        "it says that it needs JavaScript",
    ),
    "noscript-other-words": (
        "<noscript>This site requires JavaScript.</noscript><div></div><script>go()</script>",
        "it says that it needs JavaScript",
    ),
    "german": (
        "<noscript>Bitte aktivieren Sie JavaScript, um fortzufahren.</noscript><div></div><script src=x></script>",
        "it says that it needs JavaScript",
    ),
    "french": (
        "<noscript>Veuillez activer JavaScript.</noscript><div></div><script src=x></script>",
        "it says that it needs JavaScript",
    ),
    "spanish": (
        "<noscript>JavaScript es necesario para usar esta página.</noscript><div></div><script src=x></script>",
        "it says that it needs JavaScript",
    ),
    "said-in-text": (
        "<p>Sorry, this page needs JavaScript enabled.</p><script src=x></script>",
        "it says that it needs JavaScript",
    ),
    "challenge": (
        "<title>Just a moment...</title><p>Enable JavaScript and cookies to continue</p><script src=x></script>",
        "it says that it needs JavaScript",
    ),
    "nothing": ("<div class=a></div><script src=a></script><script src=b></script>", "it has 2 scripts and no text"),
    "one": ("<script src=a></script>", "it has 1 script and no text"),
    "data": (f"<h1>Shop</h1>{BIG}", "it has 1 script and no text"),
    "waiting": ("<p>Please wait while we load</p><script src=x></script>", "it only says that it is loading"),
    "templates": (
        "<h1>{{ title }}</h1><p>{{ text }}</p><p>{{ more }}</p><script src=angular.js></script>",
        "its text is still the templates of a script",
    ),
}

PAGES = {
    "short": "<h1>Closed</h1><p>We are closed on Mondays.</p>",
    "short-with-a-script": "<h1>Closed</h1><p>We are closed on Mondays.</p><script src=analytics.js></script>",
    "no-scripts": "<noscript>Enable JavaScript</noscript><div id=root></div>",
    "empty": "",
    "only-space": "  \n",
    "article": f"<article><p>{WORDS}</p></article><script src=x></script>",
    "article-and-a-widget": f"<article>{WORDS}</article><div id=app></div><script src=x></script>",
    "rendered": f'<div id="root"><p>{WORDS}</p></div><script src=x></script>',
    "rendered-short": '<div id="app"><h1>Opening hours</h1><p>From nine to five, but not on Mondays.</p></div>'
    "<script src=x></script>",
    "tracking-noscript": "<p>Hello there.</p><noscript><img src=//t.example/x.gif></noscript><script>track()</script>",
    "noscript-beside-text": f"<p>{WORDS}</p><noscript>Enable JavaScript to comment.</noscript><script src=x></script>",
    "about-scripts": f"<p>JavaScript is required reading. {WORDS}</p><script src=x></script>",
    "picture": "<img src=fern.jpg><script src=x></script>",
    "video": "<video src=x></video><script src=x></script>",
    "login": f"<form><input name=user><input name=pw><button>Log in</button></form>{BIG}",
    "frames": "<frameset cols='*'><frame src=a></frameset>",
    "gallery": '<div id="app"><img src=a><img src=b></div><script src=x></script>',
    "data-only": '<h1>Fern</h1><p>x</p><script type="application/ld+json">{}</script>',
    "code": "<pre>npm install fern\nfern grow --shade</pre><script src=prism.js></script>",
    "one-template": "<p>Write {{ name }} where the name is to stand.</p><script src=x></script>",
    "not-html": "just some words",
    "component-with-text": f"<my-article><p>{WORDS}</p></my-article><script src=x></script>",
}


@pytest.mark.parametrize("name", SHELLS)
def test_shells(name: str) -> None:
    page, why = SHELLS[name]
    assert why in js_shell_reason(page)
    assert why in js_shell_reason(
        f"<!doctype html><html><head><meta charset=utf-8></head><body>{page}</body></html>".encode()
    )


@pytest.mark.parametrize("name", PAGES)
def test_pages(name: str) -> None:
    assert js_shell_reason(PAGES[name]) == ""
    assert (
        js_shell_reason(f"<!doctype html><html><head></head><body>{PAGES[name]}</body></html>".encode(), "utf-8") == ""
    )


@pytest.mark.parametrize(
    "page", ["<div>" * 5000 + "x", "<script>" * 3000, "\0<script></script>", "<p>\ud800<script src=x></script>"]
)
def test_odd_pages(page: str) -> None:
    assert isinstance(js_shell_reason(page), str)
