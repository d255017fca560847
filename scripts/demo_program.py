"""`make demo-program`: every plant under €30 into the cart of the demo's shop, with a reminder to water it: first as
lines, then as a program. The last lines say what each costs an agent.

usage: python -m scripts.demo_program"""

from __future__ import annotations

import asyncio
import re
import sys

from oryn import Oryn
from oryn.demo.server import open_shop

LIMIT = 30
PROGRAM = """
for name in [plant.name for plant in observe() if "€" in plant.name]:
    plant, price = name.rsplit(" €", 1)
    if int(price) < {limit}:
        click(name)
        check("Remind me to water it")
        click("Add to cart")
        goto("{url}")
click("Cart")
extract("tables")[0].rows
"""


class Cost:
    """What a way costs: its calls, and the characters that an agent writes and reads."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.calls = self.written = self.read = 0

    def add(self, written: str, read: str) -> None:
        """Add a call."""
        self.calls += 1
        self.written += len(written)
        self.read += len(read)
        print(f"> {written}\n{read}\n", flush=True)

    def __str__(self) -> str:
        return f"{self.name}: {self.calls} calls, {self.written} characters written, {self.read} read"


async def as_lines(oryn: Oryn, url: str) -> Cost:
    """Do the task line by line, as an agent does that reads each answer."""
    cost = Cost("as lines")

    async def send(line: str) -> str:
        answer = await oryn.send(line)
        cost.add(line, answer)
        return answer

    for name, price in re.findall(r'\] link "(.+?) €(\d+)"', await send("observe")):
        if int(price) < LIMIT:
            for line in (
                f'click "{name} €{price}"',
                'check "Remind me to water it"',
                'click "Add to cart"',
                f"goto {url}",
            ):
                await send(line)
    await send('click "Cart"')
    await send("extract tables")
    return cost


async def as_program(oryn: Oryn, url: str) -> Cost:
    """Do the task with one call."""
    cost = Cost("as a program")
    text = PROGRAM.format(limit=LIMIT, url=url)
    result = await oryn.program(text=text)
    cost.add(text, result.text)
    return cost


async def main() -> int:
    """Do the task both ways, each in a browser of its own; the exit code."""
    costs, carts = [], []
    with open_shop() as shop:
        for way in (as_lines, as_program):
            async with Oryn("headless") as oryn:
                await oryn.send(f"goto {shop.url}")
                await oryn.send('click "Only what is needed"')
                costs.append(await way(oryn, shop.url))
                carts.append(await oryn.send("extract tables"))
    print(*costs, sep="\n")
    return 0 if carts[0] == carts[1] and costs[1].calls == 1 else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
