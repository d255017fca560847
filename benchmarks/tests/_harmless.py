"""A hundred changes of the demo shop that nobody would call a fault."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.tests._altered_shop import UPDATED, Alteration
from benchmarks.tests._runs import lines_of

LINES = lines_of("""
goto {{base}}/
accept cookies
click "Sign in"
type "E-mail address" "ada@example.org"
type "Password" "lovelace"
click button "Sign in"
search "fern"
click "Boston fern"
click "More"
check "Remind me to water it"
click "Add to cart"
click "Check out"
select "Deliver" "On Saturday"
check "Wrap it as a gift"
click "Place order"
""")
VARY = ("date", "time")


def _each(kind: str, *pairs: tuple[str, str], where: str = ".*") -> Iterator[Alteration]:
    for number, (old, new) in enumerate(pairs, 1):
        yield Alteration(f"{kind} {number}", {old: new}, where)


def _changes() -> Iterator[Alteration]:
    names = (
        "brand",
        "search",
        "plain",
        "card",
        "cards",
        "plant",
        "portrait",
        "price",
        "main",
        "reviews",
        "sheet",
        "aside",
    )
    yield from _each("class", *((f'class="{name}"', f'class="x-{name}-7f3"') for name in names))
    yield from _each("no class", *((f' class="{name}"', "") for name in ("card", "price", "sheet", "plant", "aside")))
    yield from _each(
        "order of attributes",
        ('type="search" name="q"', 'name="q" type="search"'),
        ('method="post" action="/cart/add"', 'action="/cart/add" method="post"'),
        ('method="post" action="/checkout"', 'action="/checkout" method="post"'),
        ('type="email" name="email"', 'name="email" type="email"'),
        ('type="password" name="password"', 'name="password" type="password"'),
        ('class="main" data-opens="checkout"', 'data-opens="checkout" class="main"'),
        ('class="plain" type="button" data-closes', 'data-closes type="button" class="plain"'),
        ('class="brand" href="/"', 'href="/" class="brand"'),
    )
    for number, (old, new) in enumerate(
        (("cookie-banner", "consent-1"), ("checkout-title", "t-9"), ('id="login"', 'id="f0"')), 1
    ):
        yield Alteration(f"id {number}", {old: new}, "GET /.*")
    yield from _each(
        "added id",
        ("<main>", '<main id="m">'),
        ("<header>", '<header id="h">'),
        ("<footer>", '<footer id="f">'),
        ('<button class="main">', '<button class="main" id="b1">'),
        ("<table>", '<table id="t1">'),
        ("<article", '<article id="a1"'),
    )
    yield from _each(
        "test id",
        ("<main>", '<main data-testid="main">'),
        ('<button class="main"', '<button data-test="go" class="main"'),
        ("<a class", '<a data-cy="link" class'),
        ("<table>", '<table data-qa="rows">'),
    )
    banners = (
        "<div>Free shipping this week</div>",
        '<aside class="promo">Two for one: mosses</aside>',
        '<section aria-label="Offer"><h2>Offer of the week</h2><p>A cactus for €3.</p></section>',
        '<div role="region" aria-label="News">We have moved to Dublin. <a href="/news">Read more</a></div>',
        '<div role="banner">Open on Sunday</div>',
        '<p class="notice">New: string of hearts</p>',
        '<div>Free shipping <button type="button">Close</button></div>',
        "<marquee>Spring is here</marquee>",
        '<p role="note">Prices include tax.</p>',
        '<div><a href="/sale">Sale: up to 30 %</a></div>',
    )
    yield from _each("banner above", *(("<header>", f"{each}<header>") for each in banners))
    yield from _each("banner below", *(("<footer>", f"{each}<footer>") for each in banners[:5]))
    moments = (
        "1 December 2026 at 9:15",
        "2 January 2027 at 23:59",
        "15 March 2027 at 0:01",
        "30 November 2026 at 12:01",
        "7 August 2031 at 6:30",
        "28 February 2027 at 18:00",
        "December 24, 2026 at 8:00",
        "2026-12-01 at 10:10:10",
    )
    yield from _each("date", *((UPDATED, f"<p>Updated on {each}.</p></footer>") for each in moments))
    yield from _each(
        "moved",
        ("<footer>", "<footer hidden></footer><footer>"),
        ('<p class="price">', '<p>In stock.</p><p class="price">'),
        ('<nav aria-label="Account">', '</header><header><nav aria-label="Account">'),
        ("<main>", '<nav aria-label="Places"><a href="/shops">Our shops</a></nav><main>'),
        ("</main>", "<section><h2>You may like</h2><p>More ferns soon.</p></section></main>"),
        ('<iframe title="Care guide"', '<hr><iframe title="Care guide"'),
        ("<h1>", "<p>Home / here</p><h1>"),
        ("</header>", '<a href="/help">Help</a></header>'),
    )
    yield from _each(
        "wrapped",
        ("<main>", "<div><div><main>"),
        ("<h1>", "<div><h1>"),
        ('<ul class="cards">', '<div><ul class="cards">'),
        ("<table>", "<div><table>"),
        ('<p class="price">', '<div></div><p class="price">'),
        ('<button class="main">Add to cart</button>', '<span><button class="main">Add to cart</button></span>'),
        (">Add to cart<", "><span>Add to cart</span><"),
        (">Check out<", "><b>Check out</b><"),
        (">Place order<", "><i></i>Place order<"),
        (">Sign in<", "><span>Sign in</span><"),
    )
    yield from _each(
        "other tag",
        ("<h2>", '<h2 class="t">'),
        ("<b>", "<strong>"),
        ("<ul class", "<ul role=list class"),
        ('<p class="aside">', '<p class="aside" lang="en">'),
        ("<main>", "<main tabindex=-1>"),
        ("<article class", "<article role=article class"),
    )
    yield from _each(
        "style",
        ("</head>", "<style>body{font-family:serif}</style></head>"),
        ("</head>", "<style>h1{font-size:60px;color:#333}</style></head>"),
        ("</head>", "<style>.cards{display:block}</style></head>"),
        ("</head>", "<style>button{padding:20px}</style></head>"),
        ("</head>", "<style>main{margin-top:300px}</style></head>"),
        ("</head>", "<style>*{letter-spacing:.1em}</style></head>"),
        ("</head>", "<style>header{display:flex;flex-direction:row-reverse}</style></head>"),
    )
    yield from _each(
        "script",
        ("</head>", "<script>console.warn('old API')</script></head>"),
        ("</head>", "<script>console.log('hello')</script></head>"),
        ("</head>", "<script>window.analytics = {page: 1}</script></head>"),
        ("</head>", "<script src='http://127.0.0.1:9/analytics.js' async></script></head>"),
        ("</head>", "<meta name='theme-color' content='#fff'></head>"),
    )
    yield from _each(
        "typography",
        ("“", "&quot;"),
        ("Place the order?", "Place the&nbsp;order?"),
        ("Wrap it as a gift", "Wrap it as a  gift"),
        ("Hello, ", "Hello,  "),
        ("It ships with Oryn,", "It ships with Oryn —"),
    )
    for seconds in (0.2, 0.5, 1.0):
        yield Alteration(f"later by {seconds} s", {}, "GET /.*", delay=seconds)


HARMLESS = tuple(_changes())
