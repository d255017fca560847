"""The shop's pages as HTML."""

from __future__ import annotations

from html import escape

from oryn.demo.models import ACCOUNTS, REVIEWS, Plant, ShopVisitor, picture

SHOP = "Fernhill"


def page(title: str, body: str, visit: ShopVisitor, query: str = "") -> str:
    """A whole page: the header of the shop, `body` and, until it is answered, the cookie banner."""
    count = sum(visit.cart.values())
    account = (
        f'<form method="post" action="/logout"><span>Hello, {escape(visit.name)}</span> '
        '<button class="plain">Sign out</button></form>'
        if visit.name
        else '<a href="/login">Sign in</a>'
    )
    return _document(
        f"{title} · {SHOP}",
        f"""
<header>
  <a class="brand" href="/">{SHOP}</a>
  <form class="search" role="search" action="/search">
    <input type="search" name="q" placeholder="Search plants" aria-label="Search plants" value="{escape(query)}">
    <button>Search</button>
  </form>
  <nav aria-label="Account">{account} <a href="/cart">Cart ({count})</a></nav>
</header>
<main>{body}</main>
<footer>{SHOP} is not a real shop. It ships with Oryn, so that there is something to drive.</footer>
{"" if visit.consent else COOKIE_BANNER}""",
    )


COOKIE_BANNER = """
<section class="cookie-banner" id="cookie-banner" aria-label="Cookie consent">
  <p>We use cookies: one, to remember your cart. It has no sprinkles.</p>
  <button data-consent="all">Accept cookies</button>
  <button class="plain" data-consent="needed">Only what is needed</button>
</section>"""


def catalogue(plants: list[Plant], heading: str) -> str:
    """The list of plants, under a heading."""
    cards = "".join(
        f'<li><a class="card" href="/plants/{plant.slug}">{picture(plant)}<h2>{plant.name}</h2>'
        f"<span>€{plant.price}</span></a></li>"
        for plant in plants
    )
    empty = "" if plants else "<p>Nothing grows under that name. Try “fern”.</p>"
    return f'<h1>{escape(heading)}</h1>{empty}<ul class="cards">{cards}</ul>'


def plant_page(plant: Plant, elsewhere: str) -> str:
    """The page of one plant. `elsewhere` is the shop's other origin, which serves the reviews."""
    return f"""
<article class="plant">
  <div class="portrait">{picture(plant)}</div>
  <div>
    <h1>{plant.name}</h1>
    <p class="price">€{plant.price}</p>
    <p>{plant.text}</p>
    <form method="post" action="/cart/add">
      <input type="hidden" name="plant" value="{plant.slug}">
      <quantity-stepper name="count"></quantity-stepper>
      <button class="main">Add to cart</button>
    </form>
    <iframe title="Care guide" src="/care/{plant.slug}"></iframe>
  </div>
</article>
<iframe class="reviews" title="Reviews" src="{escape(elsewhere)}/reviews/{plant.slug}"></iframe>"""


def care(plant: Plant) -> str:
    """The care guide, a same-origin frame."""
    return _document(
        "Care guide",
        f"""<h2>Care</h2>
<dl><dt>Light</dt><dd>{plant.light}</dd><dt>Water</dt><dd>{plant.water}</dd></dl>
<label><input type="checkbox" data-reminder> Remind me to water it</label> <output role="status"></output>""",
        "frame",
    )


def reviews(plant: Plant, thanked: str | None) -> str:
    """The reviews of a plant, a frame of another origin. `thanked` is the author whose review was just marked as
    helpful."""
    rows = "".join(
        f"""<li><b>{review.author}</b> <span aria-label="{review.stars} of 5 stars">{"★" * review.stars}</span>
<p>{review.text}</p>
<form method="post" action="/reviews/{plant.slug}">
<button name="author" value="{review.author}" aria-label="Helpful: {review.author}">Helpful</button>
{"<span role=status>Thank you</span>" if review.author == thanked else ""}</form></li>"""
        for review in REVIEWS.get(plant.slug, ())
    )
    return _document("Reviews", f"<h2>Reviews</h2><ul>{rows}</ul>" if rows else "<p>No reviews yet.</p>", "frame")


def login(failed: bool = False) -> str:
    """The sign-in page, with an alert if the last attempt failed."""
    email, (_, password) = next(iter(ACCOUNTS.items()))
    alert = '<p role="alert">That e-mail address and password do not belong together.</p>' if failed else ""
    return f"""<h1>Sign in</h1>{alert}
<form class="sheet" id="login" method="post" action="/login">
  <label>E-mail address <input type="email" name="email" autocomplete="username" required></label>
  <label>Password <input type="password" name="password" autocomplete="current-password" required></label>
  <button class="main" type="submit">Sign in</button>
  <p class="aside">Try <code>{email}</code> with <code>{password}</code>.</p>
</form>"""


def cart(visit: ShopVisitor) -> str:
    """The cart, with its dialog for placing the order."""
    if not visit.cart:
        return '<h1>Cart</h1><p>Your cart is empty.</p><p><a href="/">See the plants</a></p>'
    rows = "".join(
        f"""<tr><td><a href="/plants/{plant.slug}">{plant.name}</a></td><td>{count}</td><td>€{plant.price * count}</td>
<td><form method="post" action="/cart/remove"><button class="plain" name="plant" value="{plant.slug}"
aria-label="Remove {plant.name}">Remove</button></form></td></tr>"""
        for plant, count in visit.items()
    )
    return f"""<h1>Cart</h1>
<table><thead><tr><th>Plant</th><th>Count</th><th>Price</th><th></th></tr></thead><tbody>{rows}</tbody>
<tfoot><tr><th>Total</th><td></td><td>€{visit.total()}</td><td></td></tr></tfoot></table>
<button class="main" data-opens="checkout">Check out</button>
<dialog id="checkout" aria-labelledby="checkout-title">
  <h2 id="checkout-title">Place the order?</h2>
  <form method="post" action="/checkout">
    <label>Deliver <select name="when"><option>Today</option><option>Tomorrow</option><option>On Saturday</option>
    </select></label>
    <label><input type="checkbox" name="gift"> Wrap it as a gift</label>
    <button class="main">Place order</button> <button class="plain" type="button" data-closes>Go back</button>
  </form>
</dialog>"""


def thanks(number: int, when: str, gift: bool) -> str:
    """The confirmation of the order `number`. `when` is the delivery time as the form sent it."""
    wrapped = ", wrapped as a gift" if gift else ""
    return f"<h1>Thank you</h1><p>Order {number} comes {escape(when[:1].lower() + when[1:])}{wrapped}.</p>"


def _document(title: str, body: str, kind: str = "shop") -> str:
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css">
<script src="/shop.js" type="module"></script></head><body class="{kind}">{body}</body></html>"""
