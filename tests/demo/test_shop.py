from __future__ import annotations

import http.client
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from oryn.demo.models import PLANTS, picture, search
from oryn.demo.server import PORT, Shop, example_script, with_address_of


class Visitor:
    """A browser without a page: keeps the cookie and follows no redirects."""

    def __init__(self, shop: Shop) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", shop.port, timeout=10)
        self._cookie = ""
        self.location: str | None = None

    def get(self, path: str, host: str = "localhost:1") -> tuple[int, str]:
        return self._ask("GET", path, None, host)

    def post(self, path: str, **values: str) -> tuple[int, str]:
        return self._ask("POST", path, urlencode(values), "localhost:1")

    def _ask(self, method: str, path: str, body: str | None, host: str) -> tuple[int, str]:
        self._connection.request(method, path, body, {"Cookie": self._cookie, "Host": host})
        response = self._connection.getresponse()
        self._cookie = response.headers.get("Set-Cookie", self._cookie).partition(";")[0]
        self.location = response.headers.get("Location")
        return response.status, response.read().decode()

    def close(self) -> None:
        self._connection.close()


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    with Shop(0) as shop:
        yield shop


@pytest.fixture
def visitor(shop: Shop) -> Iterator[Visitor]:
    visitor = Visitor(shop)
    yield visitor
    visitor.close()


@pytest.mark.parametrize(
    "path", ["/", "/search?q=fern", "/plants/monstera", "/cart", "/login", "/style.css", "/shop.js"]
)
def test_pages_are_served_and_need_nothing_from_outside(visitor: Visitor, path: str) -> None:
    status, text = visitor.get(path)
    assert status == 200
    assert "https://" not in text
    assert "http://" not in text.replace("http://127.0.0.1:", "")


@pytest.mark.parametrize(
    "path", ["/nothing", "/plants/", "/plants/nothing", "/care/x/y", "/../server.py", "/style.css/x"]
)
def test_unknown_path_is_not_found(visitor: Visitor, path: str) -> None:
    assert visitor.get(path)[0] == 404


def test_an_order_from_the_cart_to_the_thanks(visitor: Visitor) -> None:
    assert visitor.post("/cart/add", plant="monstera", count="2")[0] == 303
    assert visitor.location == "/cart"
    assert "€96" in visitor.get("/cart")[1]
    status, text = visitor.post("/checkout", when="Tomorrow", gift="on")
    assert (status, "Order 1001 comes tomorrow, wrapped as a gift." in text) == (200, True)
    assert "Your cart is empty." in visitor.get("/cart")[1]


@pytest.mark.parametrize("values", [{"plant": "nothing"}, {"plant": "monstera", "count": "-1"}, {"count": "²"}, {}])
def test_invalid_item_is_not_added_to_the_cart(visitor: Visitor, values: dict[str, str]) -> None:
    visitor.post("/cart/add", **values)
    assert "Your cart is empty." in visitor.get("/cart")[1]


def test_signing_in_and_out(visitor: Visitor) -> None:
    assert visitor.post("/login", email="ada@example.org", password="wrong")[0] == 401
    assert visitor.post("/login", email="Ada@example.org", password="lovelace")[0] == 303
    assert "Hello, Ada" in visitor.get("/")[1]
    visitor.post("/logout")
    assert "Hello" not in visitor.get("/")[1]


def test_consent_ends_the_banner_and_visits_are_apart(shop: Shop, visitor: Visitor) -> None:
    assert "cookie-banner" in visitor.get("/")[1]
    visitor.post("/consent")
    assert "cookie-banner" not in visitor.get("/")[1]
    other = Visitor(shop)
    assert "cookie-banner" in other.get("/")[1]
    other.close()


def test_reviews_come_from_the_other_origin(shop: Shop, visitor: Visitor) -> None:
    assert f'src="http://127.0.0.1:{shop.port}/reviews/monstera"' in visitor.get("/plants/monstera")[1]
    there = visitor.get("/plants/monstera", host=f"127.0.0.1:{shop.port}")[1]
    assert f'src="http://localhost:{shop.port}/reviews/monstera"' in there
    assert "Thank you" in visitor.post("/reviews/monstera", author="Barbara")[1]


def test_words_of_a_visitor_are_escaped(visitor: Visitor) -> None:
    _, text = visitor.get("/search?q=%3Cscript%3Ealert(1)%3C/script%3E%22")
    assert "<script>alert" not in text
    assert "&lt;script&gt;" in text


def test_search_wants_every_word() -> None:
    assert [plant.slug for plant in search("fern")] == ["boston-fern", "maidenhair-fern"]
    assert [plant.slug for plant in search("FERN boston")] == ["boston-fern"]
    assert search("fern monstera") == []


@pytest.mark.parametrize("slug", PLANTS)
def test_a_picture_stays_in_its_frame(slug: str) -> None:
    leaves = PLANTS[slug].leaves
    assert leaves[1] * 1.24 <= 105, "the outermost leaf would be cut off"
    assert picture(PLANTS[slug]).count("<ellipse") == leaves[0]


def test_the_script_goes_where_the_shop_is(shop: Shop) -> None:
    assert f"goto localhost:{PORT}" in example_script()
    assert f"goto localhost:{shop.port}" in with_address_of(example_script(), shop)
