"""Pages that the rules for rows were not written with."""

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

MUSEUM = (
    "The museum shows clocks and instruments of five centuries. Guided tours start at the staircase, and children can "
    "take a clock apart in the workshop.\nIn the courtyard there is a café with cakes from the town."
)
SHIP = (
    "The ship carried wool and timber along the coast before she was laid up. After the war she was towed to the "
    "estuary, where volunteers have restored her rigging.\nVisitors may come aboard in summer."
)
LAPTOP = (
    "A small machine with a matt display and a keyboard that is quiet. The lid is of magnesium and opens with one hand. "
    "Two fans cool it under load.\nIt is repaired without glue, and spare parts are sold for seven years."
)
BIRD = (
    "The bird is seen at the edges of reed beds, where it climbs on the stalks. Its song is a short rattle, mostly at "
    "dusk. In hard winters many of them die.\nRinging has shown that few of them leave their valley."
)

HELD_OUT = (
    RowQuestion("How much is the admission to the Clock Museum?", "Clock Museum", "Adults", "9 €", document(
        "Clock Museum", "<h2>Admission</h2>" + table_of_labels([("Adults", "9 €"), ("Children", "4 €"), ("Families",
        "20 €")], header="td"), prose=MUSEUM)),
    RowQuestion("When is the Clock Museum open on Sundays?", "Clock Museum", "Sunday", "11:00", document(
        "Clock Museum", "<h2>Opening hours</h2>" + definitions([("Tuesday to Friday", "10:00–17:00"), ("Saturday",
        "10:00–18:00"), ("Sunday", "11:00–16:00")]), prose=MUSEUM)),
    RowQuestion("What is the phone number of the Clock Museum?", "Clock Museum", "Telephone", "+44 1632 960123", document(
        "Clock Museum", "", prose=MUSEUM, head=json_ld({"@type": "Museum", "name": "Clock Museum",
        "telephone": "+44 1632 960123", "address": {"@type": "PostalAddress", "streetAddress": "4 Quay Lane",
        "addressLocality": "Ellary"}}))),
    RowQuestion("Where is the Clock Museum?", "Clock Museum", "Address", "4 Quay Lane", document(
        "Clock Museum", labelled_divs([("Address", "4 Quay Lane, Ellary"), ("Bus", "Line 7"), ("Director", "Jon Vale")],
        label="field__label", value="field__item"), prose=MUSEUM)),
    RowQuestion("Who built the Meridian?", "Meridian", "Builder", "Hoult & Sons", document(
        "Meridian (ship)", table_of_labels([("Owner", "Estuary Trust"), ("Builder", "Hoult & Sons".replace("&", "&amp;")),
        ("Launched", "14 March 1887"), ("Tonnage", "612 GRT")], caption="Meridian", css="infobox vcard"), prose=SHIP)),
    RowQuestion("When was the Meridian launched?", "Meridian", "Launched", "14 March 1887", document(
        "Meridian (ship)", labelled_divs([("Yard number", "112"), ("Launched", "14 March 1887"), ("Fate", "Museum ship")],
        tag="span"), prose=SHIP)),
    RowQuestion("What is the draught of the Meridian?", "Meridian", "Draught", "4.2 m", document(
        "Tall ships of the estuary", table_of_things(["Ship", "Length", "Beam", "Draught"], [["Meridian", "52 m", "8.6 m",
        "4.2 m"], ["Corriemore", "61 m", "9.9 m", "5.1 m"], ["Ann Bell", "33 m", "6.0 m", "2.8 m"]]), prose=SHIP)),
    RowQuestion("How wide is the Corriemore?", "Corriemore", "Beam", "9.9 m", document(
        "Tall ships of the estuary", table_of_things(["Ship", "Length", "Beam"], [["Meridian", "52 m", "8.6 m"],
        ["Corriemore", "61 m", "9.9 m"], ["Ann Bell", "33 m", "6.0 m"]], thead=False), prose=SHIP)),
    RowQuestion("How much memory does the Finch 14 have?", "Finch 14", "Memory", "16 GB", document(
        "Finch 14", "<h2>Technical data</h2>" + table_of_labels([("Processor", "8 cores, 3.2 GHz"), ("Memory", "16 GB"),
        ("Display", "14 in, 1920 × 1200"), ("Battery life", "11 h"), ("Weight", "1.1 kg")], header="td"), prose=LAPTOP)),
    RowQuestion("How long does the battery of the Finch 14 last?", "Finch 14", "Battery life", "11 h", document(
        "Finch 14", property_list([("Processor", "8 cores"), ("Battery life", "11 h"), ("Ports", "2 USB-C"), ("Weight",
        "1.1 kg")]), prose=LAPTOP, site="Harrow Computers")),
    RowQuestion("How long is the warranty of the Finch 14?", "Finch 14", "Warranty", "36 months", document(
        "Finch 14", definitions([("Part number", "F14-7"), ("Warranty", "36 months"), ("In the box", "Charger, cable")],
        groups=True), prose=LAPTOP)),
    RowQuestion("Is the Finch 14 in stock?", "Finch 14", "Availability", "InStock", document(
        "Finch 14", "", prose=LAPTOP, head=json_ld({"@graph": [{"@type": "BreadcrumbList", "itemListElement": []}, {
        "@type": "Product", "name": "Finch 14", "offers": {"@type": "Offer", "price": 1190, "priceCurrency": "EUR",
        "availability": "https://schema.org/InStock"}}]}))),
    RowQuestion("What is the wingspan of the reed creeper?", "Reed creeper", "Wingspan", "17", document(
        "Reed creeper", table_of_labels([("Order", "Passeriformes"), ("Length", "12 cm"), ("Wingspan", "17–19 cm"),
        ("Clutch", "4 to 6 eggs")]), prose=BIRD)),
    RowQuestion("How many eggs does the reed creeper lay?", "Reed creeper", "Clutch", "4 to 6 eggs", document(
        "Reed creeper", "<section><h3>At a glance</h3>" + labelled_divs([("Weight", "9 g"), ("Clutch", "4 to 6 eggs"),
        ("Broods", "2 a year")], label="fact-name", value="fact-text") + "</section>", prose=BIRD)),
    RowQuestion("Which is the capital of Norland?", "Norland", "Capital", "Norrby", document(
        "Norland", table_of_labels([("Capital", "Norrby"), ("Currency", "Norland crown"), ("Official languages",
        "Norric, English"), ("Calling code", "+991")], css="infobox"), prose="Norland is a country on the northern coast. "
        "Its valleys are farmed, and its mines were closed in the last century.")),
    RowQuestion("What currency is used in Norland?", "Norland", "Currency", "Norland crown", document(
        "Norland", definitions([("Capital", "Norrby"), ("Currency", "Norland crown"), ("Time zone", "UTC+1")]),
        prose="Norland is a country on the northern coast. Its valleys are farmed, and its mines were closed.")),
    RowQuestion("Who teaches Organic Chemistry II?", "Organic Chemistry II", "Lecturer", "Prof. E. Brandt", document(
        "Courses in spring", table_of_things(["Course", "Lecturer", "Room", "Time"], [["Organic Chemistry I",
        "Dr. K. Osei", "B 12", "Mon 10:00"], ["Organic Chemistry II", "Prof. E. Brandt", "C 4", "Tue 14:00"],
        ["Statistics", "Dr. L. Marsh", "A 1", "Wed 08:30"]]), prose="Courses begin in the second week of April.")),
    RowQuestion("What is the application deadline for the harbour pilot job?", "Harbour pilot", "Valid through",
        "2026-12-15", document("Harbour pilot", "", prose="You bring ships into the port by day and by night. A licence "
        "as a master is required, and good knowledge of the estuary.", head=json_ld({"@type": "JobPosting",
        "name": "Harbour pilot", "title": "Harbour pilot", "validThrough": "2026-12-15", "employmentType": "FULL_TIME"}))),
    RowQuestion("What is the maximum load of the Atlas shelf?", "Atlas", "Max. load per board", "80 kg", document(
        "Atlas shelf", '<div class="spec-grid"><div>Material</div><div>Oak, steel</div><div>Max. load per board</div>'
        "<div>80 kg</div><div>Boards</div><div>5</div><div>Assembly</div><div>20 minutes</div></div>",
        prose="A shelf for books and tools. Its boards can be hung at any height, and it stands without screws.")),
    RowQuestion("What is the melting point of gallium?", "Gallium", "Melting point", "29.76 °C", document(
        "Gallium", '<table class="infobox"><tr><th colspan="2">Physical properties</th></tr><tr><th>Phase</th><td>solid'
        "</td></tr><tr><th>Melting point</th><td>29.76 °C <sup>[2]</sup></td></tr><tr><th>Boiling point</th><td>2400 °C"
        "</td></tr></table>", prose="Gallium is a soft metal that melts in the hand. It is used in semiconductors and was "
        "predicted before it was found.")),
)  # fmt: skip
