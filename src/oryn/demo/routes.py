"""What the shop answers to which path. Pure but for the visit that it changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from oryn.demo import pages
from oryn.demo.catalogue import PLANTS, Plant, search
from oryn.demo.visits import Visit


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: who asks, what follows the route in the path, the query and form values, the shop's other origin."""

    visit: Visit
    argument: str
    values: Mapping[str, str]
    elsewhere: str


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTML page, or a redirect when there is a `location`."""

    html: str = ""
    status: int = 200
    location: str | None = None


Route = Callable[[Asked], Reply]


def route(method: str, path: str) -> tuple[Route, str]:
    """The route of a path and the argument that follows it: `/plants/monstera` is `/plants/` and `monstera`."""
    routes = _POST if method == "POST" else _GET
    if path in routes:
        return routes[path], ""
    first, _, argument = path.lstrip("/").partition("/")
    return routes.get(f"/{first}/", not_found), argument


def not_found(asked: Asked) -> Reply:
    return _shown(asked, "Not found", '<h1>Nothing grows here</h1><p><a href="/">See the plants</a></p>', 404)


def _shown(asked: Asked, title: str, body: str, status: int = 200) -> Reply:
    return Reply(pages.page(title, body, asked.visit, asked.values.get("q", "")), status)


def _of_plant(show: Callable[[Asked, Plant], Reply]) -> Route:
    def shown(asked: Asked) -> Reply:
        plant = PLANTS.get(asked.argument)
        return show(asked, plant) if plant else not_found(asked)

    return shown


# --- pages ------------------------------------------------------------------------------------------------------


def _home(asked: Asked) -> Reply:
    return _shown(asked, "Plants", pages.catalogue(list(PLANTS.values()), "Plants for every corner"))


def _search(asked: Asked) -> Reply:
    words = asked.values.get("q", "")
    return _shown(asked, f"Search: {words}", pages.catalogue(search(words), f"Results for “{words}”"))


@_of_plant
def _plant(asked: Asked, plant: Plant) -> Reply:
    return _shown(asked, plant.name, pages.plant_page(plant, asked.elsewhere))


@_of_plant
def _care(asked: Asked, plant: Plant) -> Reply:
    return Reply(pages.care(plant))


@_of_plant
def _reviews(asked: Asked, plant: Plant) -> Reply:
    # The frame is of another site, so no cookie comes with it: who was thanked is in the form that thanks.
    return Reply(pages.reviews(plant, asked.values.get("author")))


def _cart(asked: Asked) -> Reply:
    return _shown(asked, "Cart", pages.cart(asked.visit))


def _login_page(asked: Asked) -> Reply:
    return _shown(asked, "Sign in", pages.login())


# --- what changes something -------------------------------------------------------------------------------------


def _consent(asked: Asked) -> Reply:
    asked.visit.consent = True
    return Reply()


def _login(asked: Asked) -> Reply:
    if asked.visit.sign_in(asked.values.get("email", ""), asked.values.get("password", "")):
        return Reply(location="/")
    return _shown(asked, "Sign in", pages.login(failed=True), 401)


def _logout(asked: Asked) -> Reply:
    asked.visit.name = None
    return Reply(location="/")


def _add(asked: Asked) -> Reply:
    count = asked.values.get("count", "1")
    asked.visit.add(asked.values.get("plant", ""), int(count) if count.isdecimal() else 0)
    return Reply(location="/cart")


def _remove(asked: Asked) -> Reply:
    asked.visit.cart.pop(asked.values.get("plant", ""), None)
    return Reply(location="/cart")


def _checkout(asked: Asked) -> Reply:
    if not asked.visit.cart:
        return Reply(location="/cart")
    body = pages.thanks(asked.visit.order(), asked.values.get("when", "soon"), "gift" in asked.values)
    return _shown(asked, "Thank you", body)


_GET: dict[str, Route] = {
    "/": _home, "/search": _search, "/plants/": _plant, "/care/": _care, "/reviews/": _reviews,
    "/cart": _cart, "/login": _login_page,
}  # fmt: skip
_POST: dict[str, Route] = {
    "/consent": _consent, "/login": _login, "/logout": _logout, "/cart/add": _add, "/cart/remove": _remove,
    "/checkout": _checkout, "/reviews/": _reviews,
}  # fmt: skip
