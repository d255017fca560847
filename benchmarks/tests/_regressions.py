"""A test of the demo shop in 30 steps, and sixty regressions: where each has to be found, and what is to be said."""

from __future__ import annotations

from benchmarks.tests._altered_shop import Alteration
from benchmarks.tests._runs import lines_of

LINES = lines_of("""
goto {{base}}/
accept cookies
click "Sign in"
type "E-mail address" "ada@example.org"
type "Password" "wrong"
click button "Sign in"
type "E-mail address" "ada@example.org"
type "Password" "lovelace"
click button "Sign in"
search "fern"
click "Boston fern"
click "More"
click "More"
click "Fewer"
check "Remind me to water it"
click "Helpful: Grace"
click "Add to cart"
click link "Boston fern"
click link "Fernhill"
click "Monstera"
click "Add to cart"
click "Remove Boston fern"
exists "Monstera"
click "Check out"
select "Deliver" "On Saturday"
check "Wrap it as a gift"
click "Go back"
click "Check out"
click "Place order"
click "Sign out"
""")

_SCRIPT = "</main>"
_HOME, _PLANT, _CART = "GET /", "GET /plants/boston-fern", "GET /cart"


def _page(name: str, step: int, says: str, where: str, old: str, new: str = "") -> Alteration:
    return Alteration(name, {old: new}, where, step, says)


def _script(name: str, step: int, says: str, old: str, new: str = "") -> Alteration:
    return Alteration(name, {old: new}, "GET /shop.js", step, says)


REGRESSIONS = (
    # texts and prices
    _page("heading of the shop", 1, "Plants for all", _HOME, "Plants for every corner", "Plants for all"),
    _page("price in the catalogue", 1, "19", _HOME, "€18", "€19"),
    _page("currency", 1, "$", _HOME, "€", "$"),
    _page("heading of the search", 10, "Results for", "GET /search.*", "Results for", "Nothing like"),
    _page("price of a plant", 11, "81", _PLANT, "€18", "€81"),
    _page("text about a plant", 11, "dry desert", _PLANT, "steamy bathroom", "dry desert"),
    _page("name of a plant", 11, "Boston fern", _PLANT, "<h1>Boston fern</h1>", "<h1>Bracken</h1>"),
    _page("total of the cart", 17, "54", _CART, "Total</th><td></td><td>€36", "Total</th><td></td><td>€54"),
    _page("count in the header", 17, "Cart (0)", _CART, "Cart (2)", "Cart (0)"),
    _page("count in the cart", 17, "36", _CART, "<td>2</td><td>€36</td>", "<td>3</td><td>€36</td>"),
    _page("greeting", 9, "Bob", _HOME, "Hello, Ada", "Hello, Bob"),
    _page("title of the cart", 17, "Basket", _CART, "Cart · Fernhill", "Basket · Fernhill"),
    _page("day of delivery", 29, "today", "POST /checkout", "on Saturday", "today"),
    _page("the gift", 29, "Order", "POST /checkout", ", wrapped as a gift", ""),
    # rows, fields and buttons that are lost
    _page("a plant of the catalogue", 1, "Monstera", _HOME, "<h2>Monstera</h2>", ""),
    _page("the price in the cart's row", 17, "Boston fern", _CART, "<td>2</td><td>€36</td>", "<td>2</td><td></td>"),
    _page("the field of the password", 3, "Password", "GET /login", 'type="password"', 'type="hidden"'),
    _page("the search field", 1, "Search plants", _HOME, 'type="search"', 'type="hidden"'),
    _page("signing out", 9, "Sign out", _HOME, '<button class="plain">Sign out</button>', ""),
    _page("the gift's box", 24, "Wrap it as a gift", _CART, 'type="checkbox" name="gift"', 'type="hidden"'),
    _page("a choice of delivery", 25, "On Saturday", _CART, "<option>On Saturday</option>", ""),
    _page("the care guide", 11, "Remind me", _PLANT, "/care/boston-fern", "/style.css"),
    _page("the reviews", 11, "Helpful", _PLANT, 'class="reviews" title', 'class="reviews" hidden title'),
    _page("thanks", 29, "Thank you", "POST /checkout", "<h1>Thank you</h1>", ""),
    _page("the button of the cart", 11, "Add to cart", _PLANT, '<button class="main">Add to cart</button>', ""),
    _page("the cart's link", 1, "Cart (0)", _HOME, '<a href="/cart">Cart (0)</a>', ""),
    # dead and disabled
    _script("a dead button: more", 12, "nothing changed", "more.addEventListener", "more.removeEventListener"),
    _script("a dead button: fewer", 14, "nothing changed", "fewer.addEventListener", "fewer.removeEventListener"),
    _page("a dead button: cart", 17, "nothing changed", _PLANT, 'action="/cart/add"', 'action="javascript:void 0"'),
    _script("a dead button: check out", 24, "nothing changed", ".showModal()", ".dataset"),
    _script("a dead button: go back", 27, "nothing changed", '.closest("dialog").close()', '.closest("dialog")'),
    _script(
        "a banner that stays", 2, "", '.getElementById("cookie-banner").remove()', '.getElementById("cookie-banner")'
    ),
    _page("a disabled button: cart", 11, "disabled", _PLANT, '<button class="main">Add', "<button disabled>Add"),
    _page(
        "a disabled button: check out", 17, "disabled", _CART, 'data-opens="checkout"', 'data-opens="checkout" disabled'
    ),
    # values and states
    _script("a step of two", 12, "3", "this.#count + 1", "this.#count + 2"),
    _script(
        "a box that unchecks itself",
        15,
        "",
        'document.querySelector("output")',
        'event.target.checked = false; document.querySelector("output")',
    ),
    _script("no reminder", 15, "We will write to you", '"We will write to you."', '""'),
    _script("another reminder", 15, "Sorry", "We will write to you.", "Sorry, not now."),
    _page("the delivery's default", 24, "Tomorrow", _CART, "<option>Tomorrow", "<option selected>Tomorrow"),
    _page("a box that is checked", 24, "checked", _CART, 'name="gift"', 'name="gift" checked'),
    _page("a field that loses its text", 4, "", "GET /login", 'name="email"', 'name="email" oninput="this.value=\'\'"'),
    # messages
    _page("no alert", 6, "do not belong together", "POST /login", '<p role="alert">', "<p hidden>"),
    _page(
        "another alert",
        6,
        "locked",
        "POST /login",
        "That e-mail address and password do not belong together",
        "This account is locked",
    ),
    _page("an alert", 9, "Payments do not work", _HOME, _SCRIPT, '<p role="alert">Payments do not work.</p></main>'),
    # pages
    Alteration("a wrong password is good enough", {}, "POST /login", 6, "instead of", location="/"),
    _page("the sign-in link", 3, "/search", _HOME, 'href="/login"', 'href="/search"'),
    Alteration("the cart is skipped", {}, "POST /cart/add", 17, "instead of", location="/"),
    _page("a link that leads home", 18, "/", _CART, 'href="/plants/boston-fern"', 'href="/"'),
    _page("home leads to the cart", 19, "/cart", _PLANT, 'class="brand" href="/"', 'class="brand" href="/cart"'),
    _page("a link to nothing", 18, "/plants/boston", _CART, "/plants/boston-fern", "/plants/boston"),
    Alteration("signing out leads elsewhere", {}, "POST /logout", 30, "/login", location="/login"),
    Alteration(
        "the order fails",
        {"Thank you · Fernhill": "Error", "Thank you": "Server error"},
        "POST /checkout",
        29,
        "",
        status=500,
    ),
    Alteration("the cart fails", {}, "POST /cart/add", 17, "", status=500),
    _page("what is removed", 22, "", _CART, 'value="boston-fern"', 'value="boston"'),
    # what nobody sees
    _page(
        "an error of a script",
        17,
        "the cart is broken",
        _CART,
        _SCRIPT,
        "<script>throw new Error('the cart is broken')</script></main>",
    ),
    _page("a request that fails", 11, "/api/stock", _PLANT, _SCRIPT, "<script>fetch('/api/stock')</script></main>"),
    _page("a picture that is missing", 11, "/fern.png", _PLANT, _SCRIPT, '<img src="/fern.png" alt=""></main>'),
    _page(
        "a script that is missing",
        10,
        "/search.js",
        "GET /search.*",
        _SCRIPT,
        '<script src="/search.js"></script></main>',
    ),
    Alteration("a slow plant", {}, _PLANT, 11, "took", delay=6),
    Alteration("a slow search", {}, "GET /search.*", 10, "took", delay=6),
)
"""Each has one step that has to find it, and a part of what its sentence says."""
