"""What the small web can be asked, and what must be found."""

from __future__ import annotations

from oryn.core.records import Record
from scripts.small_web.facts import DISH, FERRY, FESTIVAL, HARBOUR, LIGHTHOUSE, PLANT, SHIP, TOWN, WATER
from scripts.small_web.newspaper import COUNTED, MOORING


class Question(Record):
    """`answer` is a part of a sentence on the page about `about` (`SmallWeb.about`), which stands nowhere else but on
    copies of it."""

    text: str
    answer: str
    about: str


_FERN = PLANT["Tarrow buckler fern"]
_FERRY = FERRY[0]

QUESTIONS = (
    Question(
        "In which year was the lighthouse at Skerrow Point first lit?",
        f"first lit in {LIGHTHOUSE['Skerrow Point'].lit}",
        "The lighthouse at Skerrow Point",
    ),
    Question(
        f"How many minutes does the ferry from {_FERRY.start} to {_FERRY.end} take since the new boat came?",
        f"takes {_FERRY.now} minutes",
        f"crossing from {_FERRY.start} to {_FERRY.end}",
    ),
    Question(f"How does the {_FERN.common} spread?", f"The {_FERN.common} spreads {_FERN.spreads}", _FERN.common),
    Question(
        "Who drew the plans of the lighthouse at Gannet Rock?",
        f"The plans for Gannet Rock had been drawn by {LIGHTHOUSE['Gannet Rock'].designer}",
        "keeper Gannet Rock",
    ),
    Question("How deep is Lake Immer?", f"{WATER['Lake Immer'].depth} metres deep", "Lake Immer"),
    Question("What does a night at a public mooring cost from April 2026?", MOORING, "tariff"),
    Question(
        "How many bells hang in the church tower of Withermouth?", f"{TOWN['Withermouth'].bells} bells", "Withermouth"
    ),
    Question(
        "How hot must the oven be for Hollin bread?",
        f"For Hollin bread, the oven must be at {DISH['Hollin bread'].degrees} degrees",
        "Hollin bread",
    ),
    Question("Why was the ship Marigold lost?", f"the Marigold was lost: {SHIP['Marigold'].cause}", "Marigold"),
    Question(
        "On which VHF channel does the harbour master of Grayling Sound listen?",
        f"VHF channel {HARBOUR['Grayling Sound'].channel}",
        "harbour Grayling Sound",
    ),
    Question("How many pairs of puffins breed on the northern cliffs?", f"{COUNTED:,} breeding pairs", "puffins"),
    Question(
        "What does the winner of the Lantern Regatta receive?",
        f"The winner of the Lantern Regatta receives {FESTIVAL['the Lantern Regatta'].prize}",
        "the Lantern Regatta",
    ),
)
