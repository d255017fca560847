"""Drives the shop: a script that names the shop's usual address runs against wherever the shop is served now."""

from __future__ import annotations

from importlib.resources import files

from oryn.demo.server import PORT, Shop
from oryn.errors import ConfigurationError

USUAL_ADDRESS = f"localhost:{PORT}"


def open_shop(port: int | None = None) -> Shop:
    """The shop on this port; without one on its usual port, or on a free one if that is taken. Raises
    `ConfigurationError`: the port that was asked for can't be had."""
    if port is not None:
        try:
            return Shop(port)
        except OSError as error:
            told = f"can't serve the shop at port {port}: {error.strerror}"
            raise ConfigurationError(told, "Name another with --port, or leave it out.") from error
    try:
        return Shop(PORT)
    except OSError:
        return Shop(0)


def example_script() -> str:
    return files("oryn.demo").joinpath("shop.oil").read_text("utf-8")


def at_address(text: str, shop: Shop) -> str:
    """`text` with the shop's usual address replaced by the one where it is."""
    return text.replace(USUAL_ADDRESS, f"localhost:{shop.port}")
