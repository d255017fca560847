"""What things and people on the islands are called."""

from __future__ import annotations

TOWNS = (
    "Port Ellary", "Quill Harbour", "Withermouth", "Bascombe", "Tarrowby", "Immerstead", "Skerrow", "Hollin Green",
    "Grayling Sound", "Pellbrook", "Ostrand", "Vennacher", "Drumlin Ferry", "Saltby", "Candlewick", "Loxhaven",
    "Fennimore", "Ardwell Cross", "Brackenfold", "Kestrel Bay", "Thornsea", "Upper Welk", "Marrable", "Owlet Strand",
)  # fmt: skip

FIRST = (
    "Ottoline", "Barnaby", "Ingrid", "Lucan", "Maud", "Tobias", "Elspeth", "Corwin", "Philippa", "Magnus", "Rosalind",
    "Edmund", "Isolde", "Jasper", "Winifred", "Gideon", "Beatrix", "Alaric", "Cordelia", "Humphrey",
)  # fmt: skip
LAST = (
    "Farrow", "Penhallow", "Strand", "Whitlock", "Garrick", "Ashdown", "Tremayne", "Quayle", "Holloway", "Merrin",
    "Sable", "Thackeray", "Uffington", "Vane", "Yarrow", "Buckle", "Crane", "Dunmore", "Everley", "Fenwick",
)  # fmt: skip

LIGHTS = (
    "Skerrow Point", "Gannet Rock", "Cape Merrin", "the Old Pilot", "Candle Head", "North Ledge", "Saint Ebba's Isle",
    "the Widow's Finger", "Kittiwake Stack", "Loxhaven Mole", "Thornsea Bar", "Drumlin Spit", "the Hen and Chicks",
    "Ostrand Ness", "Far Holm", "Marrable Reef",
)  # fmt: skip

WATERS = (
    "Lake Immer", "the Pell spring", "Lake Vennacher", "the Tarn of Ash", "Lake Brackenfold", "the Hollin pond",
    "Loch Quill", "the Mirror tarn", "Lake Orrin", "the Seven Wells", "Lake Sorrel", "the Stillwater", "Lake Teasel",
    "the Kettle pool",
)  # fmt: skip

SHIPS = (
    "Marigold", "Halcyon", "Prudence", "Corncrake", "Lady Merrin", "Fulmar", "Dunlin", "Emperor of Ostrand",
    "Silver Darling", "Petrel", "Good Intent", "Amaranth", "Wayfarer", "Turnstone", "Rosemary", "Bellwether",
    "Nightjar", "Constance", "Sea Holly", "Plover", "Harvest Moon", "Sandpiper", "Thistle", "Evening Star",
)  # fmt: skip

GENERA = (
    ("Asplenium", "spleenwort"), ("Dryopteris", "buckler fern"), ("Campanula", "bellflower"), ("Silene", "campion"),
    ("Armeria", "thrift"), ("Saxifraga", "saxifrage"), ("Primula", "primrose"), ("Gentiana", "gentian"),
)  # fmt: skip
EPITHETS = (
    ("tarrowense", "Tarrow"), ("maritima-ellaria", "Ellary"), ("pellensis", "Pell"), ("immeriana", "Immer"),
    ("welkii", "Welk"), ("ostrandica", "Ostrand"),
)  # fmt: skip

DISHES = (
    "Hollin bread", "pilot's stew", "smoked eel pie", "barley dumplings", "sorrel soup", "lantern cake", "salt lamb",
    "rhubarb shortcrust", "mussel broth", "ferryman's oatcakes", "kelp fritters", "plum brose", "honey flats",
    "Withermouth buns", "leek turnover", "black pudding crumble", "gooseberry fool tart", "herring roll",
    "candlemas pancakes", "nettle gnocchi", "potato bannock", "pear and ginger loaf", "widow's pudding", "crab bake",
    "Ostrand biscuits", "apple batter", "turnip pasties", "seed cake", "brown butter scones", "harvest plait",
)  # fmt: skip

FESTIVALS = (
    "the Lantern Regatta", "the Feast of Nets", "Saint Ebba's Night", "the Wool Fair", "the Blessing of the Oars",
    "the Turnip Race", "the Long Table", "the Night of Bells", "the Gull Parade", "the Kite Week", "the Peat Cutting",
    "the Song of the Wells", "the Apple Wassail", "the Drift Wood Burning",
)  # fmt: skip
