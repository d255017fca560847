"""The shop's plants, their pictures and reviews, and its visitors (cart, sign-in, orders). In memory, by a cookie."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from math import cos, radians, sin


@dataclass(frozen=True, slots=True)
class Plant:
    """A plant of the shop. `leaves` describes its picture of 200 × 200: how many leaves, how long, how wide, which
    green."""

    slug: str
    name: str
    price: int
    light: str
    water: str
    text: str
    leaves: tuple[int, int, int, str]
    pot: str


@dataclass(frozen=True, slots=True)
class Review:
    """A review of a plant, with one to five stars."""

    author: str
    stars: int
    text: str


PLANTS: dict[str, Plant] = {
    plant.slug: plant
    for plant in (
        Plant(
            "boston-fern", "Boston fern", 18, "Half shade", "Twice a week",
            "Arching fronds that like a steamy bathroom more than any of us do.", (13, 78, 9, "#4f8a4c"), "#c8794f",
        ),
        Plant(
            "maidenhair-fern", "Maidenhair fern", 22, "Half shade", "Every other day",
            "Black stems, a cloud of green. Forgets nothing, forgives little.", (17, 60, 7, "#7fb069"), "#e2b07a",
        ),
        Plant(
            "snake-plant", "Snake plant", 25, "Anything", "Once a month",
            "Stands straight in the darkest corner and thrives on being ignored.", (7, 84, 11, "#3f6f57"), "#51606e",
        ),
        Plant(
            "fiddle-leaf-fig", "Fiddle-leaf fig", 64, "Bright", "Once a week",
            "A small tree with large opinions about where it stands.", (9, 70, 22, "#5c8d4a"), "#d8cbb8",
        ),
        Plant(
            "string-of-pearls", "String of pearls", 15, "Bright", "Every two weeks",
            "Beads on a thread, trailing from any shelf you give it.", (15, 58, 5, "#8fb996"), "#b5654a",
        ),
        Plant(
            "monstera", "Monstera", 48, "Bright, no sun", "Once a week",
            "The one from the posters. Climbs, if you let it.", (8, 82, 26, "#2f6b45"), "#8b8f6b",
        ),
    )
}  # fmt: skip

REVIEWS: dict[str, tuple[Review, ...]] = {
    "boston-fern": (
        Review("Grace", 5, "Arrived with more fronds than promised."),
        Review("Edsger", 3, "Considered harmful by my cat."),
    ),
    "monstera": (Review("Barbara", 5, "Substitutes for any other plant."),),
}


def search(words: str) -> list[Plant]:
    """The plants whose name or text contains every one of the words."""
    wanted = words.lower().split()
    return [plant for plant in PLANTS.values() if all(word in f"{plant.name} {plant.text}".lower() for word in wanted)]


def picture(plant: Plant) -> str:
    """The plant as an SVG element. It is hidden from assistive technology, as the name is next to it."""
    count, length, width, green = plant.leaves
    leaves = "".join(_leaf(index, count, length, width, green) for index in range(count))
    pot = f'<path d="M68 138h64l-9 46H77z" fill="{plant.pot}"/><path d="M63 130h74v12H63z" fill="{plant.pot}"/>'
    return f'<svg viewBox="0 0 200 200" aria-hidden="true">{leaves}{pot}</svg>'


def _leaf(index: int, count: int, length: int, width: int, green: str) -> str:
    angle = -75 + 150 * index / (count - 1)
    x, y = 100 + sin(radians(angle)) * length * 0.62, 132 - cos(radians(angle)) * length * 0.62
    shade = 0.7 + 0.3 * (index % 2)
    return (
        f'<ellipse cx="{x:.1f}" cy="{y:.1f}" rx="{width}" ry="{length * 0.62:.1f}" fill="{green}" '
        f'fill-opacity="{shade:.2f}" transform="rotate({angle:.0f} {x:.1f} {y:.1f})"/>'
    )


ACCOUNTS = {"ada@example.org": ("Ada", "lovelace")}
"""E-mail address to name and password. They are not secret: the sign-in page prints them."""


@dataclass(slots=True)
class ShopVisitor:
    """One visitor. `name` is None until sign-in, `cart` has the counts by the plants' slugs, `orders` counts the
    visitor's orders."""

    name: str | None = None
    consent: bool = False
    cart: dict[str, int] = field(default_factory=dict)
    orders: int = 0

    def items(self) -> list[tuple[Plant, int]]:
        """The plants in the cart, each with its count."""
        return [(PLANTS[slug], count) for slug, count in self.cart.items()]

    def total(self) -> int:
        """The price of the cart in euros."""
        return sum(plant.price * count for plant, count in self.items())

    def add(self, slug: str, count: int) -> None:
        """Add to the cart. An unknown plant, or a count that is not between 1 and 20, is ignored."""
        if slug in PLANTS and 0 < count <= 20:
            self.cart[slug] = self.cart.get(slug, 0) + count

    def sign_in(self, email: str, password: str) -> bool:
        """Sign in, and return whether the e-mail address and password match."""
        name, expected = ACCOUNTS.get(email.strip().lower(), ("", ""))
        if not name or not secrets.compare_digest(password.encode(), expected.encode()):
            return False
        self.name = name
        return True

    def order(self) -> int:
        """Empty the cart and return the order's number."""
        self.cart.clear()
        self.orders += 1
        return 1000 + self.orders


class ShopVisitors:
    """All visitors, by the key in their cookie."""

    def __init__(self) -> None:
        self._visitors: dict[str, ShopVisitor] = {}

    def of(self, key: str | None) -> tuple[str, ShopVisitor]:
        """The key and the visitor with this key, or a new visitor with a new key if it is unknown."""
        if key is None or key not in self._visitors:
            key = secrets.token_urlsafe(12)
            self._visitors[key] = ShopVisitor()
        return key, self._visitors[key]
