"""The pages that the rules for rows were written with."""

from __future__ import annotations

from benchmarks.row_pages import (
    RowQuestion,
    definitions,
    document,
    json_ld,
    labelled_divs,
    property_list,
    table_of_labels,
    table_of_things,
)

BRIDGE = (
    "The bridge crosses the Norr near the old mill and carries a road and two tram tracks.\n"
    "It replaced a ferry that had sunk in a winter storm, and was paid for by a lottery of the town. "
    "Its arch was for many years the longest of the province, and painters came to draw it."
)
KETTLE = (
    "This kettle boils quietly and switches itself off. The lid opens by a button at the handle, and the filter can "
    "be washed. Its base has a place for the cable.\nDelivery takes three days, and returns are free of charge."
)
VILLAGE = (
    "The village lies on a terrace above the lake. Its church was rebuilt after the fire, and the market is held every "
    "second Saturday. Many of its houses are of slate.\nA path leads from the harbour to the pass in two hours."
)

DEVELOPMENT = (
    RowQuestion("How long is the Heron Bridge?", "Heron Bridge", "Length", "388 m", document(
        "Heron Bridge", table_of_labels([("Carries", "Road and tram"), ("Length", "388 m"), ("Width", "14.5 m"),
        ("Opened", "2 May 1931"), ("Architect", "Ada Holm")], css="infobox"), prose=BRIDGE, site="Bridges of the world")),
    RowQuestion("Who designed the Heron Bridge?", "Heron Bridge", "Architect", "Ada Holm", document(
        "Heron Bridge", table_of_labels([("Crosses", "Norr"), ("Architect", "Ada Holm"), ("Owner", "City of Norrby"),
        ("Height", "31 m")], header="td"), prose=BRIDGE)),
    RowQuestion("How long is the Kestrel Bridge?", "Kestrel Bridge", "Length", "212 m", document(
        "Bridges of the Norr", table_of_things(["Bridge", "Length", "Opened", "Carries"],
        [["Heron Bridge", "388 m", "1931", "Road"], ["Kestrel Bridge", "212 m", "1920", "Railway"],
         ["Plover Bridge", "96 m", "1874", "Footpath"]]), prose="The river is crossed at many places.")),
    RowQuestion("When was the Plover Bridge opened?", "Plover Bridge", "Opened", "1874", document(
        "Crossings", table_of_things(["Name", "Opened", "Span"], [["Heron Bridge", "1931", "388 m"],
        ["Kestrel Bridge", "1920", "212 m"], ["Plover Bridge", "1874", "96 m"]], thead=False), prose=VILLAGE)),
    RowQuestion("How much water does the K2 kettle hold?", "K2", "Capacity", "1.7 l", document(
        "K2 kettle", definitions([("Colour", "Slate"), ("Capacity", "1.7 l"), ("Weight", "1.2 kg"), ("Power", "2200 W")]),
        prose=KETTLE, site="Kitchen shop")),
    RowQuestion("How heavy is the K2 kettle?", "K2", "Weight", "1.2 kg", document(
        "K2 kettle", labelled_divs([("Colour", "Slate"), ("Capacity", "1.7 l"), ("Weight", "1.2 kg")]), prose=KETTLE)),
    RowQuestion("How much does the K2 kettle cost?", "K2", "Price", "39.00", document(
        "K2 kettle", "", prose=KETTLE, head=json_ld({"@type": "Product", "name": "K2 kettle", "sku": "81-220",
        "offers": {"@type": "Offer", "price": "39.00", "priceCurrency": "EUR"}}))),
    RowQuestion("How many people live in Aldermoor?", "Aldermoor", "Population", "4,812", document(
        "Aldermoor", table_of_labels([("Country", "Norland"), ("Elevation", "412 m"), ("Population", "4,812 (2024)"),
        ("Postal code", "7714")], caption="Aldermoor"), prose=VILLAGE)),
    RowQuestion("What is the postal code of Aldermoor?", "Aldermoor", "Postal code", "7714", document(
        "Aldermoor", property_list([("Mayor", "Ines Dahl"), ("Postal code", "7714"), ("Area", "38 km²")]), prose=VILLAGE)),
    RowQuestion("Who is the mayor of Aldermoor?", "Aldermoor", "Mayor", "Ines Dahl", document(
        "Aldermoor", labelled_divs([("District", "Upper Lake"), ("Mayor", "Ines Dahl"), ("Area", "38 km²")],
        label="k", value="v", tag="span"), prose=VILLAGE)),
    RowQuestion("How high is Mount Orrin?", "Mount Orrin", "Elevation", "2,941 m", document(
        "Mount Orrin", definitions([("First ascent", "1867"), ("Elevation", "2,941 m"), ("Range", "Grey Alps")], groups=True),
        prose="The mountain is climbed from the north. Its glacier has lost half of its ice since the first survey.")),
    RowQuestion("How long does it take to cook the leek tart?", "Leek tart", "Cook time", "45 min", document(
        "Leek tart", "<ul><li>3 leeks<li>200 g flour<li>2 eggs</ul>", prose="Wash the leeks and cut them into rings. Roll "
        "out the dough, and lay it in the tin. Spread the leeks on it and pour the eggs over them.",
        head=json_ld({"@type": "Recipe", "name": "Leek tart", "prepTime": "PT20M", "cookTime": "PT45M",
                      "recipeYield": "6 servings"}))),
    RowQuestion("How tall do sea hollies grow?", "Sea holly", "Height", "60 cm", document(
        "Sea holly", property_list([("Family", "Apiaceae"), ("Height", "30–60 cm"), ("Flowering", "June to October")],
        colon="plain"), prose="Sea holly grows on dunes, and is protected in many countries. Its leaves are stiff and blue.")),
    RowQuestion("When do sea hollies bloom?", "Sea holly", "Flowering", "June to October 2026", document(
        "Sea holly", table_of_labels([("Family", "Apiaceae"), ("Height", "30–60 cm"), ("Flowering", "June to October 2026")]),
        prose="Sea holly grows on dunes, and is protected in many countries. Its leaves are stiff and blue.")),
    RowQuestion("When does the ferry to Skerrow leave?", "Skerrow", "Departure", "08:15", document(
        "Ferries from Port Ellary", table_of_things(["Destination", "Departure", "Arrival", "Fare"],
        [["Skerrow", "08:15", "09:31", "12 €"], ["Immer", "09:00", "09:40", "7 €"]]), prose=VILLAGE)),
    RowQuestion("What battery does the Lumen 3 lamp have?", "Lumen 3", "Battery", "2600 mAh", document(
        "Lumen 3 head lamp", "<h2>Specifications</h2>" + table_of_labels([("Brightness", "400 lm"), ("Battery",
        "Li-ion, 2600 mAh"), ("Weight", "86 g"), ("Protection", "IP67")], css="specs"), prose="A light lamp for nights in "
        "the mountains. The beam can be set in five steps, and the band can be washed.")),
    RowQuestion("Who wrote The Salt Road?", "The Salt Road", "Author", "Mira Okafor", document(
        "The Salt Road", labelled_divs([("Author", "Mira Okafor"), ("Pages", "312"), ("Publisher", "Quay Press")],
        tag="p"), prose="A smuggler and a clerk cross the marshes in the last winter of the war. The novel was praised by "
        "critics for its quiet voice.")),
    RowQuestion("How many pages does The Salt Road have?", "The Salt Road", "pages", "312", document(
        "The Salt Road", "", prose="A smuggler and a clerk cross the marshes in the last winter of the war. The novel was "
        "praised by critics for its quiet voice.", head=json_ld({"@type": "Book", "name": "The Salt Road",
        "numberOfPages": 312, "isbn": "978-1-4028-9462-6", "author": {"@type": "Person", "name": "Mira Okafor"}}))),
    RowQuestion("What is the top speed of the Tern 40?", "Tern 40", "Top speed", "44 kn", document(
        "Tern 40 against Tern 50", table_of_things(["", "Tern 40", "Tern 50"], [["Length", "12.2 m", "15.1 m"],
        ["Top speed", "44 kn", "39 kn"], ["Berths", "4", "6"]]), prose="Both boats were tested in the bay in May.")),
    RowQuestion("How deep is Lake Immer?", "Lake Immer", "Max. depth", "141 m", document(
        "Lake Immer", '<table class="infobox"><tr><th colspan=2>Lake Immer</th></tr><tr><td colspan=2><img src=a.jpg alt="">'
        "</td></tr><tr><th>Area</th><td>38 km<sup>2</sup></td></tr><tr><th>Max. depth</th><td>141 m</td></tr></table>",
        prose="The lake was formed by a glacier. In summer ferries cross it, and in cold winters it freezes.")),
)  # fmt: skip
