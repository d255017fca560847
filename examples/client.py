"""Put a fern into the cart of the demo shop (`oryn demo --serve`), with the Python client library.

python examples/client.py [ADDRESS]
"""

from __future__ import annotations

import asyncio
import sys

from oryn import Oryn
from oryn.errors import OrynError


async def main(address: str) -> None:
    async with Oryn(timeout=60) as oryn:
        print(await oryn.goto(address))
        print(await oryn.accept_cookies())
        print(await oryn.site_search("fern"))
        print(await oryn.click("Boston fern"))
        print(await oryn.click("Add to cart"))
        print(await oryn.title())


if __name__ == "__main__":
    try:
        asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "localhost:4780"))
    except OrynError as error:
        sys.exit(f"{error} ({error.hint})")
