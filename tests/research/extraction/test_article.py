"""What else an article has, what pages that are none give, and what every input gives: an article or NO_TEXT."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oryn.errors import NoText
from oryn.research.documents import Article, PageLink
from oryn.research.extraction import article_of, main_text
from oryn.research.html.tree import MAX_ATTRIBUTES, MAX_CHARACTERS, limit_attributes, parse_html

URL = "https://linden.example/news/harbour.html"
STORY = (
    "<p>The harbour of Linden Bay froze over on Tuesday for the first time in thirty years, and the ferry stayed.</p>"
    "<p>People walked out on the ice with sledges, and nobody under forty had seen that before, said the port.</p>"
    "<p>Forecasters expect the frost to last until the weekend, when wind from the south should bring rain.</p>"
)


def article(body: str, head: str = "", attributes: str = "") -> Article:
    return article_of(f"<html {attributes}><head>{head}</head><body>{body}</body></html>", URL)


def test_article_metadata_is_read_from_the_page() -> None:
    found = article(
        f"<article><h1>Harbour freezes over</h1>{STORY}</article>",
        '<title>Harbour freezes over | The Linden Courier</title><meta name="author" content="Maren Holt">'
        '<meta property="article:published_time" content="2025-11-19T09:14:00Z">'
        '<meta property="og:site_name" content="The Linden Courier"><meta name="description" content="Ice at last.">',
        'lang="en-GB"',
    )
    assert (found.title, found.author, found.date) == ("Harbour freezes over", "Maren Holt", "2025-11-19")
    assert (found.language, found.site, found.description) == ("en", "The Linden Courier", "Ice at last.")
    assert (found.url, found.kind) == (URL, "html")


def test_a_title_without_a_headline_loses_the_name_of_the_site() -> None:
    head = "<title>Ice in Linden - The Courier</title><meta property='og:site_name' content='The Courier'>"
    assert article(STORY, head).title == "Ice in Linden"


@pytest.mark.parametrize(
    ("text", "declared", "language"),
    [
        (STORY, "de", "en"),
        ("Kurz.", "de-AT", "de"),
        ("Kort.", "af", "af"),
        ("Short.", "", ""),
        ("Der Hafen ist zum ersten Mal seit dreißig Jahren zugefroren, und die Fähre zu den Inseln blieb am Dienstag "
         "an der Brücke. Die Leute gingen mit Schlitten auf das Eis, sagte die Wirtin des Cafés am Leuchtturm.", "", "de"),
        ("Порт впервые за тридцать лет замёрз, и паром на острова остался у причала. Люди вышли на лёд с санками, "
         "сказала хозяйка кафе у маяка, и это было не так, как в прошлые годы.", "", "ru"),
        ("港が三十年ぶりに凍り、島へのフェリーは桟橋にとどまった。", "", "ja"),
        ("港口三十年来首次结冰，开往岛屿的渡轮停在码头。", "", "zh"),
    ],
)  # fmt: skip
def test_the_language(text: str, declared: str, language: str) -> None:
    assert article(f"<p>{text}</p>", attributes=f'lang="{declared}"').language == language


def test_links_are_absolute_and_stand_once() -> None:
    found = article(
        '<a href="/a"></a><a href="/a#top">A</a><a href="b?x=1">B</a><a href="mailto:x@y.example">M</a>'
        f'<a href="javascript:void(0)">J</a><a href="//other.example/">O</a><a href="http://[bad">X</a>{STORY}'
    )
    assert found.links == (
        PageLink(url="https://linden.example/a", text="A"),
        PageLink(url="https://linden.example/news/b?x=1", text="B"),
        PageLink(url="https://other.example/", text="O"),
    )


def test_a_base_moves_the_links() -> None:
    assert (
        article(f'<a href="x">X</a>{STORY}', '<base href="/deep/er/">').links[0].url
        == "https://linden.example/deep/er/x"
    )


def test_bytes_are_read_in_the_charset_of_the_header_or_the_page() -> None:
    body = f"<p>Fähre, Größe, Café.</p>{STORY}"
    assert "Fähre, Größe, Café." in article_of(body.encode("latin-1"), URL, charset="iso-8859-1").text
    assert "Fähre, Größe, Café." in article_of(b'<meta charset="latin1">' + body.encode("latin-1"), URL).text
    assert "Fähre, Größe, Café." in article_of(body.encode("utf-8"), URL, charset="no-such-charset").text


@pytest.mark.parametrize(
    "html", ["", "   ", "<html></html>", b"\x00\x01", "<script>alert(1)</script>", "<img src=x>", "<!-- only -->"]
)
def test_a_page_without_words_is_no_text(html: bytes | str) -> None:
    with pytest.raises(NoText, match="has no text"):
        article_of(html, URL)
    assert main_text(html) == ""


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("<h1>Linden</h1>" + "".join(f'<div><h2><a href="/{n}">Story {n}</a></h2><p>Teaser of {n}.</p></div>' for n in range(9)),
         ["Story 3", "Teaser of 8."]),
        ('<div class="product"><h1>Ice skates</h1><span class="price">€ 49.90</span><p>Steel blades, size 36 to 46.</p></div>',
         ["€ 49.90", "Steel blades, size 36 to 46."]),
        ("<table><tr><th>Port</th><th>Ice</th></tr>" + "".join(f"<tr><td>P{n}</td><td>{n} cm</td></tr>" for n in range(30)) + "</table>",
         ["Port | Ice", "P7 | 7 cm"]),
        ("<h1>pier</h1><pre>pier --open 3\npier --close</pre><p>Opens a pier.</p><dl><dt>--open N</dt><dd>which one</dd></dl>",
         ["pier --open 3", "Opens a pier.", "which one"]),
        ("<h1>Is the ice safe?</h1>" + "".join(f'<div class="reply"><b>user{n}</b><div>I think it holds, see what {n} wrote about it.</div></div>' for n in range(9)),
         ["I think it holds, see what 5 wrote about it."]),
        ("<p>One line.</p>", ["One line."]),
    ],
    ids=["home", "product", "table", "reference", "forum", "line"],
)  # fmt: skip
def test_pages_that_are_no_articles_give_their_text_all_the_same(body: str, words: list[str]) -> None:
    text = article(body).text
    assert [each for each in words if each not in text] == []


@pytest.mark.slow
def test_deeply_nested_page_is_extracted() -> None:
    assert "froze over" in main_text("<div>" * 100_000 + STORY)
    assert "froze over" in main_text("<font><b>" * 3_000 + STORY)


def test_deeply_nested_shadow_roots_are_read() -> None:
    assert "froze over" in main_text('<my-card><template shadowrootmode="open">' * 3_000 + STORY)


def test_a_huge_script_hides_no_text() -> None:
    script = '{"@type": "Product", "description": "' + "word " * (MAX_CHARACTERS // 5) + '"}'
    assert "froze over" in main_text(f'<script type="application/ld+json">{script}</SCRIPT>{STORY}')


@pytest.mark.parametrize("reference", ["&#8;", "&#x1F;", "&#0;", "&#xFFFFFFFF;", "&#xD800;"])
def test_references_to_what_is_no_character_are_left_out(reference: str) -> None:
    found = article(f'<p><a href="/a{reference}b">Ice{reference} cold</a></p>{STORY}')
    assert "froze over" in found.text and found.links[0].url == "https://linden.example/ab"


@pytest.mark.slow
def test_very_large_pages_are_cut() -> None:
    assert len(main_text("word " * (MAX_CHARACTERS // 4))) <= MAX_CHARACTERS


ATTRIBUTE_FORMS = ["a{}", "a{}=1", "a{}='>'", 'a{}="a<b"', "a{}='1'/", 'a{}="1"\n', "a{} = <p"]


@pytest.mark.parametrize("form", ATTRIBUTE_FORMS)
def test_number_of_attributes_is_limited(form: str) -> None:
    """libxml2 takes the square of their number in time, a minute for these; here they would never end."""
    attributes = " ".join(map(form.format, range(200_000)))
    assert "froze over" in main_text(f"<p id=first {attributes}>{STORY}")
    kept = parse_html("<p id=first " + " ".join(map(form.format, range(1000))) + ">text")
    assert kept is not None
    paragraph = kept.xpath("//p")[0]
    assert paragraph.get("id") == "first" and len(paragraph.attrib) <= MAX_ATTRIBUTES


@pytest.mark.parametrize(
    "piece", ["<a", "<a b='", '<a b="', "<!--", "<script>", "<style ", "<p x='<a ", "=", "/", "<p " + "a " * 255]
)
def test_no_page_takes_more_than_its_length_in_time(piece: str) -> None:
    """Unclosed quotes, tags and comments, over and over: each would be looked at to the end if it were looked at twice."""
    parse_html("<p " + piece * (1_000_000 // len(piece)))


def test_what_few_attributes_have_stays_as_it_is() -> None:
    for page in (
        '<p a="<b c>" d=\'"\' e>x</p>',
        '<script>if (a<b) { x = "<p" }</script>',
        "<!-- <p a=1 -->",
        "<p/x/y=1>",
    ):
        assert limit_attributes(page) == page
    script = f"<script>{'if (a<b && c' + ' d' * 999} </script><p>stays</p>"
    assert limit_attributes(script) == script


def test_the_same_page_gives_the_same() -> None:
    page = f"<article><h1>Harbour</h1>{STORY}<ul><li>One.</li></ul></article>"
    assert article_of(page, URL) == article_of(page, URL)


TAGS = "html head body div p a b i span table tr td th ul ol li dl dt dd h1 h2 blockquote pre code br article meta title script form img base time".split()
ATTRIBUTES = st.sampled_from(
    ["", ' class="promo"', ' class="twitter-tweet"', ' class="x"', ' style="display:none"', " hidden", ' href="//["', ' href="/x"',
     ' property="og:title" content="T"', ' type="application/ld+json"', ' datetime="2025-99-99"', ' lang="x"', ' rend="h9"', "="]
)  # fmt: skip
PIECES = st.one_of(
    st.builds("<{}{}>".format, st.sampled_from(TAGS), ATTRIBUTES),
    st.builds("</{}>".format, st.sampled_from(TAGS)),
    st.sampled_from(
        [
            STORY,
            "words that are long enough to be taken for the prose of a page, more or less. ",
            '{"@type": "Article"}',
            "&#0;",
            "<!--",
            "<![CDATA[",
        ]
    ),
    st.text(max_size=20),
)


def gives_an_article_or_no_text(html: bytes | str) -> None:
    try:
        found = article_of(html, URL)
    except NoText:
        assert main_text(html) == ""
        return
    assert found.text.strip() and found.markdown.strip()
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]", found.text + found.markdown + found.title
    )
    assert all(link.url.startswith(("http://", "https://")) for link in found.links)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=25).map("".join))
def test_any_markup_gives_an_article_or_no_text(html: str) -> None:
    gives_an_article_or_no_text(html)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.one_of(st.binary(max_size=300), st.text(max_size=300)))
def test_any_bytes_and_characters_give_an_article_or_no_text(html: bytes | str) -> None:
    gives_an_article_or_no_text(html)
