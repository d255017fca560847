"""`make demo-embedded`: the demo's shop, bought from in WPE WebKit, through the Python client library."""

from __future__ import annotations

import asyncio
import sys

from oryn import Oryn
from oryn.demo.server import example_script, open_shop, with_address_of


async def main() -> int:
    """Print each line with its answer, up to the first error; the exit code."""
    with open_shop() as shop:
        async with Oryn("embedded") as oryn:
            for line in filter(str.strip, with_address_of(example_script(), shop).splitlines()):
                if line.startswith("#"):
                    print(line)
                    continue
                answer = await oryn.send(line)
                print(f"> {line}\n{answer}\n", flush=True)
                if answer.startswith("error "):
                    return 1
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
