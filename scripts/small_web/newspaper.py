"""The newspaper, the council's notices, the forum, and a site that only copies the newspaper."""

from __future__ import annotations

from collections.abc import Iterator

from scripts.small_web.article import Article, day, sentence, slug
from scripts.small_web.facts import DISH, FERRY, FESTIVAL, LIGHTHOUSE, SHIP, TOWN, WATER, Ferry, Festival, Ship, person
from scripts.small_web.seeded_random import number, pick

COUNTED = 2416
"""Pairs of puffins, in the council's report on the cliffs."""
MOORING = "fourteen crowns"
"""What a night at a public mooring costs, by the council's tariff."""


def gazette() -> Iterator[Article]:
    for ferry in FERRY:
        yield _crossing(ferry, ferry.before, "2019")
        yield _crossing(ferry, ferry.now, "2025")
    yield from map(_feast, FESTIVAL.values())
    yield from map(_anniversary, SHIP.values())
    for town in TOWN:
        yield _roads(town)


def council() -> Iterator[Article]:
    for place, town in enumerate(TOWN):
        yield _notice(place, town)
    yield _tariff()
    yield _puffins()


def forum() -> Iterator[Article]:
    for light in LIGHTHOUSE.values():
        yield _rumour(light.name, f"the lighthouse at {light.name}", f"was first lit in {light.lit + 4}")
    for water in list(WATER.values())[:7]:
        yield _rumour(water.name, water.name, f"has no bottom, or is {water.depth * 3} metres deep at the least")
    for dish in list(DISH.values())[:9]:
        yield _rumour(dish.name, dish.name, f"wants an oven of {dish.degrees - 40} degrees")


def mirror(published: list[Article]) -> Iterator[Article]:
    """Every third of the newspaper's articles over again, under another address."""
    for number_, article in enumerate(published[::3], 1):
        yield article.replace(
            site="mirror",
            path=f"/story/{number_:04}",
            author="Isles Digest",
            canonical=article,
            about=f"copy {number_}",
        )


def _article(path: str, title: str, date: str, about: str, *paragraphs: str) -> Article:
    return Article("gazette", f"/{date[:4]}/{path}", title, paragraphs, person(path, "reporter"), date, about)


def _crossing(ferry: Ferry, minutes: int, year: str) -> Article:
    between = f"from {ferry.start} to {ferry.end}"
    date = f"{year}-{number(2, 11, between, year):02}-{number(1, 28, between, 'day'):02}"
    if year == "2019":
        return _article(
            f"timetable-{slug(ferry.start)}-{slug(ferry.end)}",
            f"Winter timetable {between}",
            date,
            f"old crossing {between}",
            f"The winter timetable of 2019 is out. The ferry {between} takes {minutes} minutes, as it has since the "
            "steamers went out of service, and leaves every two hours.",
            sentence(
                "The company asks passengers not to feed the gulls, which have learned the timetable.",
                "The company regrets that hot drinks are no longer sold after the incident in March.",
                key=between,
            )
            + " Bicycles travel free of charge where there is room.",
            "The old boat is to be replaced within some years. Nobody at the company would say how many.",
        )
    return _article(
        f"faster-{slug(ferry.start)}-{slug(ferry.end)}",
        f"New boat is faster {between}",
        date,
        f"crossing {between}",
        f"A crowd stood on the quay when the {ferry.boat} came in for the first time. With the new boat, since 2025 the "
        f"crossing {between} takes {minutes} minutes, {ferry.before - minutes} fewer than before.",
        f"A single ticket costs {ferry.fare} crowns. "
        + sentence(
            "Children under six travel free, and dogs at the price of children.",
            "Residents pay half, as the council had promised before the election.",
            key=between,
        )
        + f" The {ferry.boat} runs on batteries that are charged at {ferry.end}.",
        sentence(
            "The harbour pilots were less pleased: they can no longer hear her come.",
            "The company's director broke the bottle at the second attempt.",
            "The old boat will be a restaurant, if somebody is found who can cook.",
            key=between,
        )
        + " The timetable hangs in the waiting rooms.",
    )


def _feast(feast: Festival) -> Article:
    name = feast.name
    return _article(
        slug(name),
        f"{feast.town} prepares for {name}",
        day(2022, 2025, name),
        name,
        f"In {feast.month}, {feast.town} will again be full for {name}. It has been held since {feast.since}, with two gaps "
        "that nobody likes to talk about.",
        f"The winner of {name} receives {feast.prize}. "
        + sentence(
            "Last year's winner gave it back, saying that there was no room for another.",
            "The rules fill one page and have been quarrelled over for as long as there are rules.",
            key=name,
        ),
        f"{person(name, 'committee')} of the committee expects {number(2, 9, name, 'guests')} thousand guests. Beds are let by "
        "the parish office. " + sentence("Bring boots.", "Dogs must stay at home.", key=name),
    )


def _anniversary(ship: Ship) -> Article:
    return _article(
        f"remembering-{slug(ship.name)}",
        f"Wreath laid for the {ship.name}",
        day(2014, 2024, ship.name),
        f"wreath {ship.name}",
        f"Some forty people came to the quay at {ship.yard} to remember those who were on the {ship.name} when she went down.",
        sentence(
            "The choir sang against the wind, and the wind won.",
            "A wreath of thrift was let down on a line, for last year's had come back with the tide.",
            key=ship.name,
        )
        + f" {person(ship.name, 'speaker')} read the names. The museum keeps the papers of the inquiry.",
        "Coffee was served in the net loft. The collection goes to the lifeboat.",
    )


def _roads(town: str) -> Article:
    works = pick(("the lower road", "the bridge", "the slip way", "the school's roof", "the sea wall"), town, "works")
    return _article(
        f"repairs-{slug(town)}",
        f"Repairs to {works} at {town} take longer",
        day(2020, 2025, town, "works"),
        f"repairs {town}",
        f"The repairs to {works} at {town} will take {number(3, 16, town, 'weeks')} weeks longer than planned, the council's "
        "engineer said on Thursday. The ground turned out to be older than expected.",
        f"They now cost {number(20, 410, town, 'cost')} thousand crowns. "
        + sentence(
            "Residents have put up a sign of their own, which can't be printed here.",
            "Buses go round by the mill, where they meet those that come the other way.",
            key=town,
        ),
        f"“We were told of {number(2, 6, town, 'told')} weeks,” said {person(town, 'resident')}, who lives opposite.",
    )


def _notice(place: int, town: str) -> Article:
    subject = ("Keeping of bees", "Chimney sweeping", "Use of the common", "Street lamps", "Collection of peat ash")[
        place % 5
    ]
    return Article(
        "council",
        f"/notices/{place + 101}",
        f"Notice {place + 101}: {subject} in {town}",
        (
            f"The council has resolved on the following for the parish of {town}. {subject}: the fee is "
            f"{number(2, 60, town, 'fee')} crowns a year, payable at the parish office before the end of March.",
            f"Complaints are to be sent to {person(town, 'clerk')} in writing and within four weeks. A complaint does not "
            "put off the day of payment.",
            "This notice replaces all earlier ones on the same subject.",
        ),
        "The clerk",
        day(2021, 2025, town, "notice"),
        f"notice {town}",
    )


def _tariff() -> Article:
    return Article(
        "council",
        "/papers/tariff-2026.pdf",
        "Tariff of public moorings 2026",
        (
            "The council of the Aldermere Isles has set the following tariff for the public moorings of all harbours.",
            f"A night at a public mooring costs {MOORING} for a boat of up to ten metres, from the first of April 2026. "
            "Longer boats pay two crowns more for each metre begun.",
            "Boats in distress pay nothing for the first three nights. The harbour masters may ask for the papers of the boat.",
        ),
        "The council",
        "2026-01-15",
        "tariff",
        pdf=True,
    )


def _puffins() -> Article:
    return Article(
        "council",
        "/papers/seabirds-2025.pdf",
        "Count of sea birds on the northern cliffs 2025",
        (
            "The count was made from boats in the second half of May, on six calm mornings, by nine volunteers.",
            f"On the northern cliffs {COUNTED:,} breeding pairs of puffins were counted in 2025. Guillemots were too many to be "
            "counted and were estimated from photographs.",
            "Fulmars have moved to the western end, where the new path does not reach. The next count is due in five years.",
        ),
        "The council's wardens",
        "2025-09-02",
        "puffins",
        pdf=True,
    )


def _rumour(name: str, thing: str, claim: str) -> Article:
    asker, knower = person(name, "asks"), person(name, "knows")
    return Article(
        "forum",
        f"/thread/{number(1000, 9999, name, 'thread')}-{slug(name)}",
        f"Does anybody know about {thing}?",
        (
            f"{asker}: Hello all, we had a quarrel at home about {thing} and nobody would give in. Who knows?",
            f"{knower}: My uncle says that {thing} {claim}. He was never there, but he reads a lot.",
            f"{asker}: Thank you, that settles it!",
            f"{person(name, 'doubts')}: It does not. Look it up in the almanac, or ask somebody who was there.",
        ),
        asker,
        day(2009, 2023, name, "thread"),
        f"rumour {name}",
    )
