"""`make demo-embedded`: the demo's shop, bought from in WPE WebKit, through the Python client library. Then requests of
a page are answered in the shop's place, and held back."""

from __future__ import annotations

import asyncio
import sys

from oryn import Oryn
from oryn.demo.server import example_script, open_shop, with_address_of

HELD_BACK = """
# Oryn answers a request in the shop's place, and holds another one back: no server sees them.
intercept "*/care/*" --respond {"light": "candles"}
intercept "*/reviews/*" --block
goto localhost:4780/plants/boston-fern
requests
"""
RULES = ('{intercept "*/care/*"}', '{intercept "*/reviews/*"}')
"""What the last answer says of the requests that were held back."""


async def main() -> int:
    """Print each line with its answer, up to the first error; the exit code."""
    with open_shop() as shop:
        async with Oryn("embedded") as oryn:
            answer = ""
            for line in filter(str.strip, with_address_of(example_script() + HELD_BACK, shop).splitlines()):
                if line.startswith("#"):
                    print(line)
                    continue
                answer = await oryn.send(line)
                print(f"> {line}\n{answer}\n", flush=True)
                if answer.startswith("error "):
                    return 1
    return 0 if all(rule in answer for rule in RULES) else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
