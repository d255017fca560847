"""The demo's shop: conditions on prices, totals and search results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.programs._task import Task, Way
from oryn import Oryn
from oryn.demo.server import Shop

PLANT = re.compile(r'\] link "(.+?) €(\d+)"')
WORDS = ("fern", "cactus", "pearls", "snake", "palm", "monstera")


@contextmanager
def application(data: Path) -> Iterator[Sequence[Task]]:
    with Shop(0) as shop:
        yield _tasks(shop.url)


def _tasks(url: str) -> Sequence[Task]:
    begin = (f"goto {url}", "cookies clear", f"goto {url}", "accept cookies")

    async def cart(oryn: Oryn) -> Any:
        await oryn.send(f"goto {url}/cart")
        return re.findall(r"^\| ?(\S.*)", await oryn.send("extract tables"), re.MULTILINE)

    def has(*names: str) -> Any:
        return lambda rows: [name for name in (*_NAMES,) if any(name in row for row in rows)] == list(names)

    async def reminders(way: Way) -> None:
        for name, price in PLANT.findall(await way.line("observe")):
            if int(price) < 30:
                await way.line(f'click "{name} €{price}"')
                await way.line('check "Remind me to water it"')
                await way.line('click "Add to cart"')
                await way.line(f"goto {url}")

    async def budget(way: Way) -> None:
        total = 0
        plants = PLANT.findall(await way.line("observe"))
        for name, price in sorted(plants, key=lambda plant: int(plant[1])):
            if total + int(price) > 100:
                break
            await way.line(f'click "{name} €{price}"')
            answer = await way.line('click "Add to cart"')
            if f"€{total + int(price)}" not in answer:
                answer = await way.line("text --selector tfoot")
            total += int(price)
            await way.line(f"goto {url}")

    async def remove(way: Way) -> None:
        answer = await way.line("extract tables")
        for name, price in re.findall(r"\| (.+)\t1\t€(\d+)", answer):
            if int(price) > 20:
                await way.line(f'click "Remove {name}"')

    async def searches(way: Way) -> None:
        for word in WORDS:
            found = PLANT.findall(await way.line(f'search "{word}"') + await way.line("observe"))
            if found:
                name, price = min(found, key=lambda plant: int(plant[1]))
                await way.line(f'click "{name} €{price}"')
                await way.line('click "More"')
                await way.line('click "Add to cart"')

    return (
        Task("S1", begin, reminders, f"""for name in [e.name for e in observe() if "€" in e.name]:
    if int(name.split("€")[1]) < 30:
        click(name)
        check("Remind me to water it")
        click("Add to cart")
        goto("{url}")""", cart, has("Boston fern", "Maidenhair fern", "Snake plant", "String of pearls")),
        Task("S2", begin, budget, f"""total = 0
plants = [e.name for e in observe() if "€" in e.name]
for name in sorted(plants, key=lambda name: int(name.split("€")[1])):
    price = int(name.split("€")[1])
    if total + price > 100:
        break
    click(name)
    click("Add to cart")
    total = int(text(selector="tfoot").split("€")[1])
    goto("{url}")
total""", cart, has("Boston fern", "Maidenhair fern", "Snake plant", "String of pearls")),
        Task(
            "S3",
            (*begin, *(line for name in _SLUGS for line in (f"goto {url}/plants/{name}", 'click "Add to cart"'))),
            remove,
            """for row in extract("tables")[0].rows[1:-1]:
    if int(row[2][1:]) > 20:
        click("Remove " + row[0])""",
            cart, has("Boston fern", "String of pearls"),
        ),
        Task("S4", begin, searches, f"""for word in {list(WORDS)}:
    search(word)
    found = [e.name for e in observe() if "€" in e.name]
    if found:
        click(min(found, key=lambda name: int(name.split("€")[1])))
        click("More")
        click("Add to cart")""", cart, has("Boston fern", "Snake plant", "String of pearls", "Monstera")),
    )  # fmt: skip


_NAMES = ("Boston fern", "Maidenhair fern", "Snake plant", "Fiddle-leaf fig", "String of pearls", "Monstera")
_SLUGS = tuple(name.lower().replace(" ", "-") for name in _NAMES)
