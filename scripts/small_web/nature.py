"""The herbarium, the kitchen's pages, and the harbours' own site."""

from __future__ import annotations

from collections.abc import Iterator

from scripts.small_web.article import Article, day, sentence, slug
from scripts.small_web.facts import DISH, HARBOUR, PLANT, Dish, Harbour, Plant, person
from scripts.small_web.seeded_random import number


def herbarium() -> Iterator[Article]:
    yield from map(_plant, PLANT.values())


def kitchen() -> Iterator[Article]:
    yield from map(_dish, DISH.values())


def harbours() -> Iterator[Article]:
    yield from map(_harbour, HARBOUR.values())


def _plant(plant: Plant) -> Article:
    name = plant.common
    paragraphs = (
        f"The {name} ({plant.latin}) grows on {plant.habitat} and reaches a height of {plant.height} centimetres. "
        + sentence(
            "It is not rare where it grows, but it grows in few places.",
            "Of the known stands two thirds are on the northern island.",
            "It was lost for eighty years, and then found again by a dog.",
            key=name,
        ),
        f"It blooms in {plant.blooms}. The {name} spreads {plant.spreads}. "
        + sentence(
            "This was long doubted, and shown only by patience and a great many paper bags.",
            "Children know this better than the older handbooks do.",
            "Its relatives on the mainland do nothing of the kind.",
            key=name,
        )
        if "fern" not in name and "spleenwort" not in name
        else f"Its fronds unroll in {plant.blooms}. The {name} spreads {plant.spreads}. "
        + sentence(
            "This was long doubted, and shown only by patience and a great many paper bags.",
            "Its relatives on the mainland do nothing of the kind.",
            key=name,
        ),
        f"On the islands people made of the {name} {plant.use}. "
        + sentence(
            "The leaves were gathered before sunrise, for reasons that nobody could tell.",
            "The right to gather it went with certain farms and was sometimes the only thing they were worth.",
            key=name,
        )
        + " Today it is protected: look, draw, and leave it where it is.",
        f"Sheet {number(100, 998, name, 'sheet')} of our collection was pressed by {person(name, 'collector')}. "
        "The label is written in pencil and mentions rain.",
    )
    title = f"{name} ({plant.latin})"
    return Article(
        "herbarium", f"/species/{slug(name)}", title, paragraphs, person(name, "botanist"), day(2012, 2025, name), name
    )


def _dish(dish: Dish) -> Article:
    name = dish.name
    title = f"{name[0].upper()}{name[1:]}, as they make it in {dish.town}"
    paragraphs = (
        sentence(
            "When I was small, my aunt would not let anybody into the kitchen while this was made.",
            "I had forgotten this one until a reader sent me a stained card with half of it.",
            "It rained for nine days, so I cooked for nine days, and this is the best of what came of it.",
            "Some dishes are better the next day; this one has never lasted that long with us.",
            key=name,
        )
        + f" I mean {name}, of course, which nobody outside {dish.town} seems to make properly.",
        sentence(
            "Before you begin, open a window and put the cat out.",
            "You need a heavy pot, a wooden spoon, and nobody who wants to talk to you.",
            "Everything should be at the warmth of the room, the cook too.",
            key=name,
        )
        + f" The main thing is good {dish.main}; do not take what the shops sell as such.",
        f"For {name}, the oven must be at {dish.degrees} degrees and not one less. It stays there for {dish.minutes} "
        "minutes, and the door stays shut. "
        + sentence("I know that you will open it anyway.", "Set a clock; hunger is a bad one.", key=name),
        f"Now the secret of {name}: {dish.secret}. "
        + sentence(
            "Leave it out and you will have made something else.",
            "I was asked not to tell it, by somebody who has since moved away.",
            key=name,
        )
        + " Eat it standing up, in the kitchen, with those you like.",
    )
    return Article("kitchen", f"/recipes/{slug(name)}", title, paragraphs, "Aunt Merrin", day(2019, 2025, name), name)


def _harbour(harbour: Harbour) -> Article:
    town = harbour.town
    paragraphs = (
        f"Welcome to the harbour of {town}. There are {harbour.berths} berths for visiting boats along the inner pier, "
        f"with water and electricity. At low water springs the depth in the entrance is {harbour.depth} metres.",
        f"The harbour master of {town} is {harbour.master}. {town} listens on VHF channel {harbour.channel} from six in "
        "the morning until ten at night; call before you pass the outer buoy.",
        sentence(
            "Keep to the southern side when you come in: the northern one is silting up faster than we dredge.",
            "The swing bridge opens on the half hour for boats with a mast, and for nobody else.",
            "Fishing boats have the right of way, and will take it.",
            key=town,
        )
        + f" Dues at {town} are paid at the yellow hut, in coin.",
    )
    title = f"{town}: pilotage notes"
    return Article(
        "harbours", f"/{slug(town)}", title, paragraphs, harbour.master, day(2023, 2025, town), f"harbour {town}"
    )
