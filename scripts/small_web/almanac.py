"""The almanac (towns, lighthouses, waters) and the museum's pages (ships, what keepers told)."""

from __future__ import annotations

from collections.abc import Iterator

from scripts.small_web.article import Article, day, sentence, slug
from scripts.small_web.facts import LIGHTHOUSE, SHIP, TOWN, WATER, Lighthouse, Ship, Town, Water, person
from scripts.small_web.seeded_random import number


def almanac() -> Iterator[Article]:
    yield from map(_town, TOWN.values())
    yield from map(_light, LIGHTHOUSE.values())
    yield from map(_water, WATER.values())


def museum() -> Iterator[Article]:
    yield from map(_ship, SHIP.values())
    yield from map(_keeper, LIGHTHOUSE.values())


def _entry(name: str, folder: str, paragraphs: tuple[str, ...]) -> Article:
    title = name[0].upper() + name[1:]
    return Article(
        "almanac", f"/{folder}/{slug(name)}", title, paragraphs, "The editors", day(2018, 2025, name), about=name
    )


def _town(town: Town) -> Article:
    name = town.name
    return _entry(
        name,
        "towns",
        (
            f"{name} is a town on the Aldermere Isles with {town.people:,} inhabitants at the last count. "
            + sentence(
                f"It was founded in {town.founded} by {town.founder}, who had the right to hold a market from the abbot.",
                f"{town.founder} founded it in {town.founded}, after the older village had been given up to the dunes.",
                key=name,
            )
            + f" The market is held every {town.market}, and people come to it from the farms inland.",
            f"For three hundred years {name} lived on {town.trade}. "
            + sentence(
                "The guild's books are kept in the town hall and may be read on request.",
                "The last workshop closed two generations ago, but its sign still hangs over the door.",
                "A small part of the trade goes on, mostly for visitors and for the islands' own use.",
                key=name,
            )
            + f" The best known sight is {town.landmark}, which stands a few minutes from the quay.",
            f"In the tower of the parish church of {name} hang {town.bells} bells. "
            + sentence(
                "They are rung in rounds on feast days, and singly when a boat is late.",
                "The ringers practise after dark, which the owls do not seem to mind.",
                key=name,
            )
            + " The oldest was cast on the island and has a crack that nobody dares to mend.",
            sentence(
                "The climate is mild and damp; snow lies for a few days in most years and is gone by noon.",
                "Winters bring long westerly gales, and the houses turn their blind walls towards them.",
                "Fog comes in from the sound on one day in five and keeps the boats in harbour.",
                key=name,
            )
            + " Two footpaths lead along the shore; the lower one is under water at spring tides.",
        ),
    )


def _light(light: Lighthouse) -> Article:
    name = f"The lighthouse at {light.name}"
    return _entry(
        name,
        "lighthouses",
        (
            f"{name} guards the approach to {light.town}. "
            f"The light at {light.name} was first lit in {light.lit}, on the eve of the autumn gales. "
            + sentence(
                "Until then a fire of turf had been kept on the rock by monks, and later by nobody in particular.",
                "Before it was built, pilots had steered by the church tower and by guesswork.",
                key=name,
            ),
            f"The tower of the lighthouse at {light.name} is {light.height} metres high and built of dressed granite. "
            f"Its light shows {light.flashes} flashes every quarter of a minute and can be seen for eighteen miles. "
            "The lens was ground abroad and arrived with a chip that was turned towards the land.",
            sentence(
                "A stair inside the wall leads to the gallery; there is no lift, and there never will be.",
                "The store below the stair held oil for one winter, and in bad years it was not enough.",
                "The boathouse was washed away twice and is now a mere ring of bolts in the rock.",
                key=name,
            )
            + f" The light at {light.name} has been automatic since the last keepers left, and is looked after from the "
            f"harbour office at {light.town}.",
        ),
    )


def _water(water: Water) -> Article:
    name = water.name
    title = name[0].upper() + name[1:]
    return _entry(
        name,
        "waters",
        (
            f"{title} lies in the hills above {water.near}. "
            f"A survey with lead and line found {title if title.startswith('L') else name} to be {water.depth} metres deep "
            "at its deepest place, a little north of the middle.",
            f"The water of {name} is clear and rather rich in {water.mineral}. "
            + sentence(
                "It tastes of very little, although visitors are told to expect a great deal.",
                "Laundry was done in it for generations and came out slightly grey.",
                key=name,
            )
            + f" The only fish that lives there in numbers is the {water.fish}.",
            f"{water.found_by} was the first to describe {name} in print. "
            + sentence(
                "The account mentions a beast with the neck of a swan, which was very likely a swan.",
                "The account is mostly about the supper afterwards.",
                "The account gives its size in days of walking and is of no use today.",
                key=name,
            )
            + " A path goes all the way round; it takes the better part of an afternoon.",
        ),
    )


def _exhibit(title: str, about: str, folder: str, paragraphs: tuple[str, ...]) -> Article:
    author = person(title, "curator")
    return Article("museum", f"/{folder}/{slug(about)}", title, paragraphs, author, day(2016, 2025, title), about=about)


def _ship(ship: Ship) -> Article:
    name = ship.name
    return _exhibit(
        f"The loss of the {name}",
        name,
        "ships",
        (
            f"The {name} was built at {ship.yard} in {ship.built} and served the islands until {ship.lost}. "
            + sentence(
                "A half model of her hull hangs in the first room, above the stove.",
                "Her figurehead stands by our door, repainted by several generations of children.",
                "Of her we have a spoon, a page of the log and one very good rope.",
                key=name,
            ),
            f"On her last voyage the {name} carried {ship.cargo} under {ship.master}, who had taken her over that spring. "
            f"The inquiry found why the {name} was lost: {ship.cause}. "
            f"{ship.saved} people were saved in the boats.",
            sentence(
                "Her crew was paid for the whole year, which the owners regretted in writing.",
                "A song about it has thirty verses, of which the tenth is the one that people know.",
                "Pieces of her timber are said to be in every second house on that shore.",
                key=name,
            )
            + " The papers of the inquiry were given to the museum by the family of the clerk.",
            sentence(
                "We show them on the first Sunday of each month, in weak light, for the ink fades.",
                "Copies may be ordered at the desk; please allow a week, as we have one camera.",
                key=name,
            )
            + f" Visitors often ask whether the {name} will be raised. There is nothing left that would hold together.",
        ),
    )


def _keeper(light: Lighthouse) -> Article:
    title = f"What the last keeper of {light.name} told us"
    told = number(1996, 2012, light.name, "told")
    return _exhibit(
        title,
        f"keeper {light.name}",
        "keepers",
        (
            f"The last keeper of {light.name} was {light.keeper}, who left the tower in {light.left} with a cat and two "
            f"suitcases. We recorded the conversation in {told}; it fills four tapes.",
            f"The plans for {light.name} had been drawn by {light.designer}, who never saw the place. "
            + sentence(
                "That is why, the keeper said, the kitchen window looks at a wall.",
                "That is why, the keeper said, the door opens into the weather.",
                key=title,
            ),
            sentence(
                "The worst night was one without any wind at all, because one could hear the ships come too near.",
                "The best part of the work was the winding of the clockwork, which had to be done every forty minutes.",
                "The relief boat was due every second week and came, on average, every third.",
                key=title,
            )
            + " Bread was baked on Saturdays. Letters were answered on Sundays, and carried when the sea allowed it.",
            "The tapes may be heard in the reading room. " + f"The cat lived for another nine years at {light.town}.",
        ),
    )
