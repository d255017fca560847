"""Templates that the rules were measured with, and not written with."""

from __future__ import annotations

import json

from benchmarks.structured_pages import DATE, URI, Sample, Template, document, list_of, object_schema


def product_group_microdata(number: int) -> Sample:
    samples = [("Clay pot", "7,90", "P1"), ("Zinc bucket", "1.013,50", "P2"), ("Oak tub", "49,00", "P3")]
    name, amount, code = samples[number]
    body = f"""<section itemscope itemtype="http://schema.org/Product"><h2 itemprop="name">{name}</h2>
<img itemprop="image" src="/pics/{code}.webp"><div itemprop="offers" itemscope itemtype="http://schema.org/Offer">
<span itemprop="price" content="{amount.replace(".", "").replace(",", ".")}">{amount}</span> <span itemprop="priceCurrency" content="EUR">€</span>
<link itemprop="availability" href="http://schema.org/InStock">auf Lager</div><span>Art.-Nr. <b itemprop="sku">{code}</b></span></section>"""
    schema = object_schema(
        name="string", price="number", currency="string", sku="string", image=URI, available="boolean", gtin="string"
    )
    return Sample(document(name, body), schema, {
        "name": name, "price": float(amount.replace(".", "").replace(",", ".")), "currency": "EUR", "sku": code,
        "image": f"https://pages.example/pics/{code}.webp", "available": True, "gtin": None})  # fmt: skip


def event_json_ld(number: int) -> Sample:
    name, start, venue, city, price = [
        ("Moss fair", "2026-05-01T10:00:00+02:00", "Town hall", "Norwick", 5), ("Night of ferns", "2026-06-20T21:30:00+02:00", "Glass house", "Osby", 12),
        ("Seed swap", "2026-09-12T09:00:00+02:00", "Market square", "Quay", 0)][number]  # fmt: skip
    data = [{"@context": "https://schema.org", "@type": "Event", "name": name, "startDate": start,
             "location": {"@type": "Place", "name": venue, "address": {"@type": "PostalAddress", "addressLocality": city, "postalCode": f"1000{number}"}},
             "offers": [{"@type": "Offer", "price": price, "priceCurrency": "EUR"}], "organizer": {"@type": "Organization", "name": "Norr Club"}}]  # fmt: skip
    head = f'<script type="application/ld+json">{json.dumps(data)}</script>'
    schema = object_schema(name="string", start_date=DATE, location="string", organizer="string", price="number", capacity="integer",
                           address=object_schema(city="string", postal_code="string", street="string"))  # fmt: skip
    return Sample(document(name, f"<main><h1>{name}</h1><p>Come along!</p></main>", head), schema, {
        "name": name, "start_date": start[:10], "location": venue, "organizer": "Norr Club", "price": price, "capacity": None,
        "address": {"city": city, "postal_code": f"1000{number}", "street": None}})  # fmt: skip


def spec_grid(number: int) -> Sample:
    samples = [("Mower A", 1200, 88, 2021), ("Mower B", 1800, 94, 2023), ("Mower C", 950, 79, 2025)]
    name, power, noise, year = samples[number]
    grid = "".join(f'<div class="sc-key">{label}</div><div class="sc-val">{value}</div>' for label, value in
                   [("Power", f"{power} W"), ("Noise level", f"{noise} dB"), ("Model year", str(year)), ("Grass box", "yes")])  # fmt: skip
    body = f"<main><h1>{name}</h1><h2>Specifications</h2><div class='specs'>{grid}</div><p>Quiet and strong.</p></main>"
    schema = object_schema(
        name="string",
        power_w="integer",
        noise_level="number",
        model_year="integer",
        grass_box="boolean",
        cutting_width="number",
    )
    return Sample(document(name, body), schema, {
        "name": name, "power_w": power, "noise_level": noise, "model_year": year, "grass_box": True, "cutting_width": None})  # fmt: skip


def search_results(number: int) -> Sample:
    jobs = [("Gardener", "Fernhill", "Norwick", "2026-10-01"), ("Cook", "Quay Inn", "Quay", "2026-10-03"), ("Porter", "Hotel Osby", "Osby", "2026-09-28"),
            ("Baker", "Rye & Co", "Norwick", "2026-10-05"), ("Clerk", "Town hall", "Ternhill", "2026-09-30")][number : number + 3]  # fmt: skip
    items = "".join(
        f"""<li class="result"><h2 class="result-title"><a href="/jobs/{place}">{title}</a></h2><span class="company">{company}</span>
<span class="location">{where}</span><time class="posted" datetime="{day}">{place + 2} days ago</time></li>"""
        for place, (title, company, where, day) in enumerate(jobs)
    )
    body = f"<main><h1>{len(jobs)} jobs</h1><ul class='results'>{items}</ul></main>"
    return Sample(document("Jobs", body), list_of(title="string", company="string", location="string", posted=DATE, url=URI), [
        {"title": title, "company": company, "location": where, "posted": day, "url": f"https://pages.example/jobs/{place}"}
        for place, (title, company, where, day) in enumerate(jobs)])  # fmt: skip


def contact_block(number: int) -> Sample:
    name, street, zip_, city, phone, mail = [
        ("Norwick Clinic", "12 Mill Lane", "NR1 4AB", "Norwick", "+44 20 7946 0100", "desk@clinic.example"),
        ("Quay Dental", "3 Harbour Row", "QY2 9ZZ", "Quay", "+44 20 7946 0222", "hello@dental.example"),
        ("Osby Vets", "77 High Street", "OS7 1AA", "Osby", "+44 20 7946 0333", "vets@osby.example")][number]  # fmt: skip
    body = f"""<main><h1>{name}</h1><div class="vcard"><div class="street-address">{street}</div><span class="postal-code">{zip_}</span>
<span class="locality">{city}</span><p>Tel: <a href="tel:{phone.replace(" ", "")}">{phone}</a></p><p>E-mail: <a href="mailto:{mail}">{mail}</a></p></div>
<table class="hours"><tr><td>Monday</td><td>9:00 – 17:00</td></tr><tr><td>Tuesday</td><td>10:00 – 18:00</td></tr></table></main>"""
    schema = object_schema(name="string", street="string", zip="string", city="string", phone="string", email={"type": "string", "format": "email"},
                           monday="string", fax="string")  # fmt: skip
    return Sample(document(name, body), schema, {
        "name": name, "street": street, "zip": zip_, "city": city, "phone": phone, "email": mail, "monday": "9:00 – 17:00", "fax": None})  # fmt: skip


def league_table(number: int) -> Sample:
    samples = [("Norwick FC", 30, 62, 21), ("Quay United", 30, 58, 11), ("Osby", 29, 40, -4), ("Ternhill", 30, 22, -28)]
    teams = samples[number : number + 3]
    rows = "".join(f"<tr><td>{place}</td><td><a href='/t/{place}'>{name}</a></td><td>{played}</td><td>{points}</td><td>{difference}</td></tr>"
                   for place, (name, played, points, difference) in enumerate(teams, 1))  # fmt: skip
    body = f"""<main><h1>First division</h1><table class="standings"><tr><th>Rank</th><th>Team</th><th>Played</th><th>Points</th><th>Goal difference</th></tr>{rows}</table>
<table><tr><th>Name</th><th>Age</th></tr><tr><td>Ann</td><td>31</td></tr></table></main>"""
    return Sample(document("Standings", body), object_schema(standings=list_of(rank="integer", team="string", played="integer", points="integer", goal_difference="integer")), {
        "standings": [{"rank": place, "team": name, "played": played, "points": points, "goal_difference": difference}
                      for place, (name, played, points, difference) in enumerate(teams, 1)]})  # fmt: skip


def hotel_reviews(number: int) -> Sample:
    name = ["Hotel Heron", "Quay Inn", "Osby Lodge"][number]
    reviews = [
        ("Ann", 4.0, f"2026-01-0{number + 1}", "Clean and quiet."),
        ("Bo", 5.0, f"2026-02-1{number}", "We will be back."),
        ("Cy", 2.0, f"2026-03-2{number}", "Cold room."),
    ]
    blocks = "".join(
        f"""<article class="review-item"><span class="review-author">{who}</span><span class="review-rating">{stars}/5</span>
<time datetime="{day}">last month</time><p class="review-text">{text}</p></article>"""
        for who, stars, day, text in reviews
    )
    body = f"<main><h1>{name}</h1><p>Rooms from <strong>€{80 + number}</strong> per night</p><h2>Reviews</h2><div id='reviews'>{blocks}</div></main>"
    schema = object_schema(
        name="string",
        reviews=list_of(author="string", rating="number", date=DATE, text="string"),
        stars_official="integer",
    )
    return Sample(document(name, body), schema, {"name": name, "stars_official": None, "reviews": [
        {"author": who, "rating": stars, "date": day, "text": text} for who, stars, day, text in reviews]})  # fmt: skip


def stat_tiles(number: int) -> Sample:
    samples = [
        ("Norr valley", 1204.5, 493_676, 1822),
        ("Quay island", 88.0, 12_040, 310),
        ("Ternhill", 9.75, 1_204, 95),
    ]
    name, area, people, height = samples[number]
    tiles = "".join(f'<div class="tile"><div class="n">{value}</div><div class="l">{label}</div></div>' for value, label in
                    [(f"{area:,} km²", "Area"), (f"{people:,}", "Population"), (f"{height:,} m", "Highest point")])  # fmt: skip
    body = f"<main><h1>{name}</h1><div class='tiles'>{tiles}</div><p>Founded: 1204. The neighbouring Osby has 9,120 inhabitants.</p></main>"
    schema = object_schema(
        name="string", area="number", population="integer", highest_point="integer", founded="integer", mayor="string"
    )
    return Sample(document(name, body), schema, {
        "name": name, "area": area, "population": people, "highest_point": height, "founded": 1204, "mayor": None})  # fmt: skip


def open_graph_product(number: int) -> Sample:
    name, price, brand = [("Trowel", 12.5, "Ashby"), ("Shears", 39.0, "Kline"), ("Twine", 3.25, "Norr")][number]
    head = f"""<meta property="og:type" content="product"><meta property="og:title" content="{name}">
<meta property="product:price:amount" content="{price}"><meta property="product:price:currency" content="GBP">
<meta property="product:brand" content="{brand}"><meta property="product:availability" content="in stock"><link rel="canonical" href="/shop/{name.lower()}">"""
    body = f"<main><div class='c-7d1'><h1>{name}</h1><button>Add to basket</button><p>Delivery in 3-5 days.</p></div></main>"
    schema = object_schema(
        name="string",
        price="number",
        currency="string",
        brand="string",
        availability="string",
        url=URI,
        material="string",
    )
    return Sample(document(f"Buy {name}", body, head), schema, {
        "name": name, "price": price, "currency": "GBP", "brand": brand, "availability": "in stock",
        "url": f"https://pages.example/shop/{name.lower()}", "material": None})  # fmt: skip


def course_page(number: int) -> Sample:
    samples = [
        ("Botany 1", 12, 6, "Dr. Holm"),
        ("Soils", 8, 4, "Prof. Tan"),
        ("Mosses", 10, 5, "Dr. Okafor"),
    ]
    title, weeks, credits, teacher = samples[number]
    body = f"""<main><p class="crumb">Courses / {title}</p><h1>{title}</h1><aside class="facts"><p><span class="k">Duration</span>: <span class="v">{weeks} weeks</span></p>
<p><span class="k">Credits</span>: <span class="v">{credits}</span></p><p><span class="k">Teacher</span>: <span class="v">{teacher}</span></p></aside>
<h2>Requirements</h2><ul><li>Basic chemistry</li><li>Good boots</li></ul><h2>Contents</h2><p>We look at what grows.</p></main>"""
    schema = object_schema(title="string", duration_weeks="integer", credits="integer", teacher="string", fee="number",
                           requirements={"type": "array", "items": {"type": "string"}}, contents="string")  # fmt: skip
    return Sample(document(title, body), schema, {
        "title": title, "duration_weeks": weeks, "credits": credits, "teacher": teacher, "fee": None,
        "requirements": ["Basic chemistry", "Good boots"], "contents": "We look at what grows."})  # fmt: skip


HELD_OUT: tuple[Template, ...] = (
    product_group_microdata, event_json_ld, spec_grid, search_results, contact_block, league_table, hotel_reviews, stat_tiles,
    open_graph_product, course_page,
)  # fmt: skip
