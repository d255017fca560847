"""Templates that the rules were written with."""

from __future__ import annotations

import json

from benchmarks.structured_pages import DATE, URI, Sample, Template, document, list_of, object_schema

BASE = "https://pages.example/page"


def json_ld_shop(number: int) -> Sample:
    name, price, sku, stock = [
        ("Boston fern", 18.0, "BF-18", "InStock"), ("Maidenhair fern", 22.5, "MH-22", "OutOfStock"),
        ("Staghorn fern", 1249.0, "SH-99", "PreOrder"),
    ][number]  # fmt: skip
    data = {"@context": "https://schema.org", "@graph": [
        {"@type": "Organization", "name": "Fernhill Ltd", "url": "https://pages.example/"},
        {"@type": "BreadcrumbList", "itemListElement": [{"@type": "ListItem", "position": 1, "name": "Plants"}]},
        {"@type": "Product", "name": name, "sku": sku, "brand": {"@type": "Brand", "name": "Greenleaf"},
         "offers": {"@type": "Offer", "price": str(price), "priceCurrency": "EUR", "availability": f"https://schema.org/{stock}"},
         "aggregateRating": {"@type": "AggregateRating", "ratingValue": "4.5", "reviewCount": 12 + number},
         "review": [{"@type": "Review", "author": {"@type": "Person", "name": "Ann"}, "reviewBody": "Lovely"}]}]}  # fmt: skip
    body = f"<main><h1>{name}</h1><p>A fern for shady rooms.</p><p class='x'>€ {price:.2f}</p></main>"
    head = f'<script type="application/ld+json">{json.dumps(data)}</script>'
    schema = object_schema(name="string", price="number", currency="string", sku="string", brand="string", weight="number",
                           availability={"enum": ["InStock", "OutOfStock", "PreOrder"]}, rating="number", reviewCount="integer",
                           author="string")  # fmt: skip
    return Sample(document(name, body, head), schema, {
        "name": name, "price": price, "currency": "EUR", "sku": sku, "brand": "Greenleaf", "weight": None,
        "availability": stock, "rating": 4.5, "reviewCount": 12 + number, "author": None})  # fmt: skip


def infobox_table(number: int) -> Sample:
    name, length, width, opened, lanes = [
        ("Heron Bridge", 388, 14.5, "1931-05-02", 4), ("Otter Bridge", 1204, 22.0, "1964-11-30", 6),
        ("Wren Bridge", 95, 7.25, "2008-08-15", 2)][number]  # fmt: skip
    day = {"1931-05-02": "2 May 1931", "1964-11-30": "30 November 1964", "2008-08-15": "15 August 2008"}[opened]
    rows = [("Carries", "Road and tram"), ("Total length", f"{length:,} m ({length * 3:,} ft)"), ("Width", f"{width} m"),
            ("Opened", day), ("No. of lanes", str(lanes))]  # fmt: skip
    table = "".join(f"<tr><th scope='row'>{label}</th><td>{value}</td></tr>" for label, value in rows)
    body = f"""<main><h1>{name}</h1><table class="infobox"><caption>{name}</caption>{table}</table>
<p>The {name} crosses the Norr. It replaced a ferry in 1890. The older Mill Bridge is 60 m long.</p></main>"""
    schema = object_schema(
        name="string", length="number", width="number", opened=DATE, lanes="integer", height="number"
    )
    return Sample(document(f"{name} - Encyclopedia", body), schema, {
        "name": name, "length": length, "width": width, "opened": opened, "lanes": lanes, "height": None})  # fmt: skip


def definition_list(number: int) -> Sample:
    title, author, pages, isbn, publisher, language = [
        ("The Moss Atlas", "Ida Holm", 312, "978-3-16-148410-0", "Norrland Press", "English"),
        ("Rivers at Night", "Paul Okafor", 198, "978-1-40-289462-6", "Quay Books", "German"),
        ("A Field of Stones", "Mei Tan", 544, "978-0-30-640615-7", "Lantern", "French")][number]  # fmt: skip
    body = f"""<article><div class="hd"><h1>{title}</h1></div><dl class="biblio"><dt>Author</dt><dd><a href="/p/{number}">{author}</a></dd>
<dt>Pages</dt><dd>{pages}</dd><dt>ISBN</dt><dd>{isbn}</dd><dt>Publisher</dt><dd>{publisher}</dd><dt>Language</dt><dd>{language}</dd>
<dt>Subjects</dt><dd>Nature</dd><dd>Maps</dd><dd>Travel</dd></dl><p>A book about what grows.</p></article>"""
    schema = object_schema(title="string", author="string", page_count="integer", isbn="string", publisher="string",
                           language="string", subjects={"type": "array", "items": {"type": "string"}}, price="number")  # fmt: skip
    return Sample(document(title, body), schema, {
        "title": title, "author": author, "page_count": pages, "isbn": isbn, "publisher": publisher, "language": language,
        "subjects": ["Nature", "Maps", "Travel"], "price": None})  # fmt: skip


def card_list(number: int) -> Sample:
    samples = [("Boston fern", 18.0), ("Maidenhair fern", 22.0), ("Bird's nest fern", 15.5), ("Silver lace", 9.99)]
    plants = samples[number : number + 3]
    cards = "".join(f"""<div class="card_x{place}a9"><a href="/plants/{place}"><img src="/img/{place}.jpg" alt=""></a>
<h3 class="t_9f3"><a href="/plants/{place}">{name}</a></h3><div class="q_77z"><span class="a_1x">€{price:.2f}</span></div></div>"""
                    for place, (name, price) in enumerate(plants))  # fmt: skip
    body = f"""<main><h1>All ferns</h1><div class="grid_a1b2">{cards}</div><div class="pager"><a href="?page=2">Next</a></div></main>"""
    return Sample(document("All ferns", body), list_of(name="string", price="number", url=URI, image=URI), [
        {"name": name, "price": price, "url": f"https://pages.example/plants/{place}",
         "image": f"https://pages.example/img/{place}.jpg"} for place, (name, price) in enumerate(plants)])  # fmt: skip


def data_table(number: int) -> Sample:
    samples = [("Norwick", 81_234, 12.5), ("Osby", 9_120, 30.2), ("Quay", 402_118, 101.0), ("Ternhill", 1_204, 4.4)]
    cities = samples[number : number + 3]
    rows = "".join(f"<tr><td>{name}</td><td>{people:,}</td><td>{area}</td></tr>" for name, people, area in cities)
    body = f"""<main><h1>Cities of the Norr</h1><p>The valley has four cities.</p><table><thead><tr><th>City</th><th>Population (2024)</th>
<th>Area (km²)</th></tr></thead><tbody>{rows}</tbody></table></main>"""
    return Sample(document("Cities", body), list_of(city="string", population="integer", area="number"), [
        {"city": name, "population": people, "area": area} for name, people, area in cities])  # fmt: skip


def microdata_recipe(number: int) -> Sample:
    name, servings, minutes, parts = [
        ("Nettle soup", 4, 35, ["300 g nettles", "1 onion", "2 potatoes"]),
        ("Plum cake", 12, 75, ["500 g plums", "3 eggs"]),
        ("Rye bread", 1, 180, ["400 g rye flour", "10 g salt", "300 ml water", "Sourdough"])][number]  # fmt: skip
    listed = "".join(f'<li itemprop="recipeIngredient">{part}</li>' for part in parts)
    body = f"""<div itemscope itemtype="https://schema.org/Recipe"><h1 itemprop="name">{name}</h1>
<p>By <span itemprop="author" itemscope itemtype="https://schema.org/Person"><span itemprop="name">Ann Bee</span></span></p>
<time itemprop="datePublished" datetime="2025-0{number + 1}-14">14th</time>
<meta itemprop="totalTime" content="PT{minutes // 60}H{minutes % 60}M"><span itemprop="recipeYield">{servings} servings</span>
<ul>{listed}</ul></div>"""
    schema = object_schema(name="string", author="string", servings="integer", total_time_minutes="integer", published=DATE,
                           ingredients={"type": "array", "items": {"type": "string"}}, calories="number")  # fmt: skip
    return Sample(document(name, body), schema, {
        "name": name, "author": "Ann Bee", "servings": servings, "total_time_minutes": minutes,
        "published": f"2025-0{number + 1}-14", "ingredients": parts, "calories": None})  # fmt: skip


def label_divs(number: int) -> Sample:
    title, company, place, salary, until = [
        ("Gardener", "Fernhill", "Norwick", "32,000", "2026-12-01"), ("Botanist", "Moss Institute", "Osby", "54,500", "2027-01-15"),
        ("Driver", "Quay Haulage", "Quay", "28,750", "2026-11-30")][number]  # fmt: skip
    year, month, day = until.split("-")
    body = f"""<main><div class="job"><h1>{title}</h1><div class="meta"><div><span>Employer</span><span>{company}</span></div>
<div><span>Location</span><span>{place}</span></div><div><span>Salary</span><span>£{salary} a year</span></div>
<div><span>Apply by</span><span>{day}.{month}.{year}</span></div></div><p>We look for a {title.lower()} with two years of practice.</p></div></main>"""
    schema = object_schema(
        title="string", company="string", location="string", salary="number", deadline=DATE, remote="boolean"
    )
    return Sample(document(f"{title} at {company}", body), schema, {
        "title": title, "company": company, "location": place, "salary": float(salary.replace(",", "")), "deadline": until,
        "remote": None})  # fmt: skip


def class_names(number: int) -> Sample:
    samples = [("Spade", 24.9, 29.9, 4.2), ("Rake", 17.0, 19.0, 3.9), ("Hoe", 1020.5, 1100.0, 4.8)]
    name, price, old, stars = samples[number]
    body = f"""<div class="product-detail"><h1 class="product-detail__title">{name}</h1><div class="product-detail__prices">
<span class="price price--current">${price:,.2f}</span> <span class="price--old"><s>${old:,.2f}</s></span></div>
<div class="product-rating" aria-label="{stars} out of 5"><span class="rating-value">{stars}</span></div>
<p class="product-detail__description">A {name.lower()} of ash and steel.</p><p class="stock-status">In stock</p></div>
<section class="related-products"><div class="product"><span class="title">Bucket</span><span class="price">$3.00</span></div></section>"""
    schema = object_schema(
        name="string", price="number", rating="number", description="string", in_stock="boolean", color="string"
    )
    return Sample(document(name, body), schema, {
        "name": name, "price": price, "rating": stars, "description": f"A {name.lower()} of ash and steel.", "in_stock": True,
        "color": None})  # fmt: skip


def article_metadata(number: int) -> Sample:
    title, author, day = [("Herons return", "Lena Ost", "2026-03-02"), ("The ferry is back", "Sam Rook", "2026-04-18"),
                          ("Mill for sale", "Ada Quist", "2025-12-24")][number]  # fmt: skip
    head = f"""<meta property="og:title" content="{title}"><meta property="og:type" content="article">
<meta property="article:published_time" content="{day}T08:00:00+01:00"><meta name="author" content="{author}">
<meta property="og:image" content="https://pages.example/i/{number}.jpg"><meta property="article:section" content="Local">"""
    body = f"<article><h1>{title}</h1><p>By {author}</p><p>It rained all morning when the news came to the town hall.</p></article>"
    schema = object_schema(
        headline="string", author="string", date_published=DATE, image=URI, section="string", word_count="integer"
    )
    return Sample(document(f"{title} | Norwick News", body, head), schema, {
        "headline": title, "author": author, "date_published": day, "image": f"https://pages.example/i/{number}.jpg",
        "section": "Local", "word_count": None})  # fmt: skip


def bold_labels(number: int) -> Sample:
    samples = [
        ("Lark 5", 172, 6.1, 4200),
        ("Lark 5 Pro", 204, 6.7, 5000),
        ("Wren", 141, 5.4, 3100),
    ]
    name, weight, screen, battery = samples[number]
    body = f"""<main><h2>Phones</h2><h1>{name}</h1><ul><li><b>Weight:</b> {weight} g</li><li><b>Screen size:</b> {screen} inches</li>
<li><b>Battery capacity:</b> {battery:,} mAh</li><li><strong>Colours</strong>: black, moss green, white</li></ul>
<p><em>Released:</em> 3 March 202{number + 3}</p></main>"""
    schema = object_schema(name="string", weight_g="number", screen_size="number", battery_capacity_mah="integer",
                           colours={"type": "array", "items": {"type": "string"}}, released=DATE, storage="string")  # fmt: skip
    return Sample(document(name, body), schema, {
        "name": name, "weight_g": weight, "screen_size": screen, "battery_capacity_mah": battery,
        "colours": ["black", "moss green", "white"], "released": f"202{number + 3}-03-03", "storage": None})  # fmt: skip


DEVELOPMENT: tuple[Template, ...] = (
    json_ld_shop, infobox_table, definition_list, card_list, data_table, microdata_recipe, label_divs, class_names,
    article_metadata, bold_labels,
)  # fmt: skip
