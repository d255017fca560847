"""The routes of the shop. They are pure except that they change the visitor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from oryn.demo import pages
from oryn.demo.models import PLANTS, Plant, ShopVisitor, search


@dataclass(frozen=True, slots=True)
class ShopRequest:
    """A request: the visitor, the rest of the path after the route, the query and form values, the shop's other
    origin."""

    visit: ShopVisitor
    argument: str
    values: Mapping[str, str]
    other_origin: str


@dataclass(frozen=True, slots=True)
class ShopResponse:
    """An HTML page, or a redirect if there is a `location`."""

    html: str = ""
    status: int = 200
    location: str | None = None


Route = Callable[[ShopRequest], ShopResponse]


def route(method: str, path: str) -> tuple[Route, str]:
    """The route of a path and the argument that follows it: `/plants/monstera` is `/plants/` and `monstera`."""
    routes = _POST if method == "POST" else _GET
    if path in routes:
        return routes[path], ""
    first, _, argument = path.lstrip("/").partition("/")
    return routes.get(f"/{first}/", not_found), argument


def not_found(request: ShopRequest) -> ShopResponse:
    """The page for a path that does not exist, with status 404."""
    return _render_page(request, "Not found", '<h1>Nothing grows here</h1><p><a href="/">See the plants</a></p>', 404)


def _render_page(request: ShopRequest, title: str, body: str, status: int = 200) -> ShopResponse:
    return ShopResponse(pages.page(title, body, request.visit, request.values.get("q", "")), status)


def _plant_route(show: Callable[[ShopRequest, Plant], ShopResponse]) -> Route:
    def render_plant(request: ShopRequest) -> ShopResponse:
        plant = PLANTS.get(request.argument)
        return show(request, plant) if plant else not_found(request)

    return render_plant


# --- pages ------------------------------------------------------------------------------------------------------


def _home(request: ShopRequest) -> ShopResponse:
    return _render_page(request, "Plants", pages.catalogue(list(PLANTS.values()), "Plants for every corner"))


def _search(request: ShopRequest) -> ShopResponse:
    words = request.values.get("q", "")
    return _render_page(request, f"Search: {words}", pages.catalogue(search(words), f"Results for “{words}”"))


@_plant_route
def _plant(request: ShopRequest, plant: Plant) -> ShopResponse:
    return _render_page(request, plant.name, pages.plant_page(plant, request.other_origin))


@_plant_route
def _care(request: ShopRequest, plant: Plant) -> ShopResponse:
    return ShopResponse(pages.care(plant))


@_plant_route
def _reviews(request: ShopRequest, plant: Plant) -> ShopResponse:
    # The frame is of another site, so the browser sends no cookie with it. The author who was thanked is a form value.
    return ShopResponse(pages.reviews(plant, request.values.get("author")))


def _cart(request: ShopRequest) -> ShopResponse:
    return _render_page(request, "Cart", pages.cart(request.visit))


def _login_page(request: ShopRequest) -> ShopResponse:
    return _render_page(request, "Sign in", pages.login())


# --- actions ----------------------------------------------------------------------------------------------------


def _consent(request: ShopRequest) -> ShopResponse:
    request.visit.consent = True
    return ShopResponse()


def _login(request: ShopRequest) -> ShopResponse:
    if request.visit.sign_in(request.values.get("email", ""), request.values.get("password", "")):
        return ShopResponse(location="/")
    return _render_page(request, "Sign in", pages.login(failed=True), 401)


def _logout(request: ShopRequest) -> ShopResponse:
    request.visit.name = None
    return ShopResponse(location="/")


def _add(request: ShopRequest) -> ShopResponse:
    count = request.values.get("count", "1")
    request.visit.add(request.values.get("plant", ""), int(count) if count.isdecimal() else 0)
    return ShopResponse(location="/cart")


def _remove(request: ShopRequest) -> ShopResponse:
    request.visit.cart.pop(request.values.get("plant", ""), None)
    return ShopResponse(location="/cart")


def _checkout(request: ShopRequest) -> ShopResponse:
    if not request.visit.cart:
        return ShopResponse(location="/cart")
    body = pages.thanks(request.visit.order(), request.values.get("when", "soon"), "gift" in request.values)
    return _render_page(request, "Thank you", body)


_GET: dict[str, Route] = {
    "/": _home, "/search": _search, "/plants/": _plant, "/care/": _care, "/reviews/": _reviews,
    "/cart": _cart, "/login": _login_page,
}  # fmt: skip
_POST: dict[str, Route] = {
    "/consent": _consent, "/login": _login, "/logout": _logout, "/cart/add": _add, "/cart/remove": _remove,
    "/checkout": _checkout, "/reviews/": _reviews,
}  # fmt: skip
