"""What there is on the Aldermere Isles: towns, lighthouses, waters, ships, plants, dishes, ferries, feasts, harbours.

Every fact is an attribute; nothing is said of these things elsewhere that is not taken from here.
"""

from __future__ import annotations

from oryn.core.records import Record
from scripts.small_web.names import (
    DISHES,
    EPITHETS,
    FESTIVALS,
    FIRST,
    GENERA,
    LAST,
    LIGHTS,
    SHIPS,
    TOWNS,
    WATERS,
)
from scripts.small_web.seeded_random import number, pick

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


class Town(Record):
    name: str
    people: int
    founded: int
    founder: str
    bells: int
    market: str
    trade: str
    landmark: str


class Lighthouse(Record):
    name: str
    town: str
    lit: int
    height: int
    designer: str
    flashes: int
    keeper: str
    left: int


class Water(Record):
    name: str
    near: str
    depth: int
    fish: str
    mineral: str
    found_by: str


class Ship(Record):
    name: str
    yard: str
    built: int
    lost: int
    master: str
    cargo: str
    cause: str
    saved: int


class Plant(Record):
    latin: str
    common: str
    habitat: str
    height: int
    blooms: str
    spreads: str
    use: str


class Dish(Record):
    name: str
    town: str
    main: str
    degrees: int
    minutes: int
    secret: str


class Ferry(Record):
    start: str
    end: str
    before: int
    """Minutes of the crossing until the new boat came."""
    now: int
    boat: str
    fare: int


class Festival(Record):
    name: str
    town: str
    month: str
    since: int
    prize: str


class Harbour(Record):
    town: str
    channel: int
    depth: str
    master: str
    berths: int


def person(*key: object) -> str:
    return f"{pick(FIRST, 'first', *key)} {pick(LAST, 'last', *key)}"


_TRADES = ("herring", "slate", "wool", "rope", "salt", "glass", "peat", "lace", "boat building", "bell founding")
_LANDMARKS = (
    "a tidal mill", "a covered bridge", "a round tower", "a rope walk of four hundred paces", "a hall of whale bones",
    "a clock that runs backwards", "a chapel cut from one rock", "an avenue of limes",
)  # fmt: skip
_FISH = ("char", "perch", "tench", "whitefish", "eel", "trout", "pike")
_MINERALS = ("iron", "fluoride", "sulphur", "magnesium", "lithium", "silica", "manganese", "chalk")
_CARGOES = ("quicklime", "barrels of pitch", "roofing slate", "raw wool", "church bells", "salt herring", "coal", "rye")
_CAUSES = (
    "sea water reached the cargo, which grew hot and set the hold on fire",
    "the rudder chain parted in a following sea",
    "the pilot took the lamp of a farm for the harbour light",
    "the cargo shifted to port and would not be moved back",
    "a plank below the water line had been patched with tin",
    "the anchor dragged over rock until both flukes were gone",
    "ice closed round the hull in the night and pressed it in",
    "the boiler's safety valve had been tied down with wire",
)
_HABITATS = (
    "wet basalt ledges", "dune slacks", "the edges of peat cuttings", "old walls laid without mortar", "oak shade",
    "scree above the tree line", "salt meadows", "the spray of waterfalls",
)  # fmt: skip
_SPREADS = (
    "by small bulbs on the leaf that drop and take root", "with the wind in the first dry week of autumn",
    "by ants, which carry the seed for its oily coat", "by runners that cross bare rock in a summer",
    "with the tide, for its seed floats for a month", "in the wool of grazing sheep",
    "by thrushes that eat the fruit and drop the stone", "by spores that wait in the soil for twenty years",
)  # fmt: skip
_USES = (
    "a yellow dye for sails", "a tea against coughs", "the stuffing of pillows", "a bitter for spirits",
    "a poultice for horses", "the thatching of boat houses", "a rennet for ewe's cheese", "ink",
)  # fmt: skip
_MAINS = ("barley flour", "smoked eel", "mutton", "sorrel", "mussels", "oats", "leeks", "rye", "plums", "potatoes")
_SECRETS = (
    "a spoon of cold seaweed water", "the dough resting over night in a wooden trough", "one grated raw beet",
    "butter browned with juniper", "a pinch of burnt hay", "the stock being made of shells alone",
    "honey from the heather slopes", "buttermilk in the place of yeast",
)  # fmt: skip
_PRIZES = (
    "a pewter ladle", "a live goose", "the key of the salt house for a year", "a coat of eider down",
    "forty fathoms of new rope", "a seat in the pilots' pew", "a cheese of one's own weight", "a silver thole pin",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


def _town(name: str) -> Town:
    return Town(
        name=name,
        people=number(310, 9800, name, "people"),
        founded=number(1104, 1690, name, "founded"),
        founder=person(name, "founder"),
        bells=number(3, 23, name, "bells"),
        market=pick(_DAYS, name, "market"),
        trade=pick(_TRADES, name, "trade"),
        landmark=pick(_LANDMARKS, name, "landmark"),
    )


def _lighthouse(place: int, name: str) -> Lighthouse:
    lit = number(1790, 1899, name, "lit")
    return Lighthouse(
        name=name,
        town=TOWNS[(place * 5 + 6) % len(TOWNS)],
        lit=lit,
        height=number(14, 58, name, "height"),
        designer=person(name, "designer"),
        flashes=number(1, 6, name, "flashes"),
        keeper=person(name, "keeper"),
        left=number(1958, 1994, name, "left"),
    )


def _water(place: int, name: str) -> Water:
    return Water(
        name=name,
        near=TOWNS[(place * 7 + 3) % len(TOWNS)],
        depth=number(4, 240, name, "depth"),
        fish=pick(_FISH, name, "fish"),
        mineral=_MINERALS[place % len(_MINERALS)],
        found_by=person(name, "found"),
    )


def _ship(place: int, name: str) -> Ship:
    built = number(1802, 1911, name, "built")
    return Ship(
        name=name,
        yard=TOWNS[(place * 11 + 1) % len(TOWNS)],
        built=built,
        lost=built + number(3, 38, name, "lost"),
        master=person(name, "master"),
        cargo=_CARGOES[place % len(_CARGOES)],
        cause=_CAUSES[place % len(_CAUSES)],
        saved=number(2, 41, name, "saved"),
    )


def _plant(place: int) -> Plant:
    genus, kind = GENERA[place % len(GENERA)]
    epithet, where = EPITHETS[place // len(GENERA)]
    return Plant(
        latin=f"{genus} {epithet}",
        common=f"{where} {kind}",
        habitat=pick(_HABITATS, genus, epithet, "habitat"),
        height=number(4, 90, genus, epithet, "height"),
        blooms=pick(MONTHS[3:9], genus, epithet, "blooms"),
        spreads=_SPREADS[(place + place // len(GENERA)) % len(_SPREADS)],
        use=pick(_USES, genus, epithet, "use"),
    )


def _dish(place: int, name: str) -> Dish:
    return Dish(
        name=name,
        town=TOWNS[(place * 5 + 7) % len(TOWNS)],
        main=pick(_MAINS, name, "main"),
        degrees=number(148, 251, name, "degrees"),
        minutes=number(18, 95, name, "minutes"),
        secret=_SECRETS[place % len(_SECRETS)],
    )


def _ferry(place: int) -> Ferry:
    before = number(55, 140, "ferry", place)
    return Ferry(
        start=TOWNS[place * 2],
        end=TOWNS[place * 2 + 1],
        before=before,
        now=before - number(9, 31, "ferry", place, "now"),
        boat=f"{pick(FIRST, 'boat', place)} of {TOWNS[place * 2 + 1]}",
        fare=number(4, 19, "fare", place),
    )


def _festival(place: int, name: str) -> Festival:
    return Festival(
        name=name,
        town=TOWNS[(place * 9 + 2) % len(TOWNS)],
        month=pick(MONTHS, name, "month"),
        since=number(1611, 1932, name, "since"),
        prize=_PRIZES[place % len(_PRIZES)],
    )


def _harbour(place: int) -> Harbour:
    town = TOWNS[place * 2]
    return Harbour(
        town=town,
        channel=60 + place * 2,
        depth=f"{number(18, 74, town, 'low water') / 10:.1f}",
        master=person(town, "harbour master"),
        berths=number(12, 160, town, "berths"),
    )


TOWN = {name: _town(name) for name in TOWNS}
LIGHTHOUSE = {name: _lighthouse(place, name) for place, name in enumerate(LIGHTS)}
WATER = {name: _water(place, name) for place, name in enumerate(WATERS)}
SHIP = {name: _ship(place, name) for place, name in enumerate(SHIPS)}
PLANT = {plant.common: plant for plant in map(_plant, range(len(GENERA) * len(EPITHETS)))}
DISH = {name: _dish(place, name) for place, name in enumerate(DISHES)}
FERRY = tuple(map(_ferry, range(len(TOWNS) // 2)))
FESTIVAL = {name: _festival(place, name) for place, name in enumerate(FESTIVALS)}
HARBOUR = {harbour.town: harbour for harbour in map(_harbour, range(len(TOWNS) // 2))}
