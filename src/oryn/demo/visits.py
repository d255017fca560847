"""What the shop remembers of a visitor: the cart, who signed in, the orders. In memory, by a cookie."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

from oryn.demo.catalogue import PLANTS, Plant

ACCOUNTS = {"ada@example.org": ("Ada", "lovelace")}
"""E-mail address to name and password. It is a shop window: the sign-in page prints them."""


@dataclass(slots=True)
class Visit:
    name: str | None = None
    consent: bool = False
    cart: dict[str, int] = field(default_factory=dict)
    orders: int = 0

    def items(self) -> list[tuple[Plant, int]]:
        return [(PLANTS[slug], count) for slug, count in self.cart.items()]

    def total(self) -> int:
        return sum(plant.price * count for plant, count in self.items())

    def add(self, slug: str, count: int) -> None:
        if slug in PLANTS and 0 < count <= 20:
            self.cart[slug] = self.cart.get(slug, 0) + count

    def sign_in(self, email: str, password: str) -> bool:
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


class Visits:
    """All visitors, by the key in their cookie."""

    def __init__(self) -> None:
        self._visits: dict[str, Visit] = {}

    def of(self, key: str | None) -> tuple[str, Visit]:
        """The visit of this key, or a new one under a new key."""
        if key is None or key not in self._visits:
            key = secrets.token_urlsafe(12)
            self._visits[key] = Visit()
        return key, self._visits[key]
