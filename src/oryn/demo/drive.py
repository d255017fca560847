"""Drives the shop: a script that names the shop's usual address runs against wherever the shop is served now."""

from __future__ import annotations

from importlib.resources import files

from oryn.demo.server import PORT, Shop

USUAL_ADDRESS = f"localhost:{PORT}"


def open_shop() -> Shop:
    """The shop on its usual port, or on a free one when that is taken."""
    try:
        return Shop(PORT)
    except OSError:
        return Shop(0)


def example_script() -> str:
    return files("oryn.demo").joinpath("shop.oil").read_text("utf-8")


def at_address(text: str, shop: Shop) -> str:
    """`text` with the shop's usual address replaced by the one where it is."""
    return text.replace(USUAL_ADDRESS, f"localhost:{shop.port}")
