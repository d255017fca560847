"""Links of headings to themselves are no part of a page's text, in the markup of the tools that make documentation."""

from __future__ import annotations

import pytest

from benchmarks.documentation_pages import PARTS, figures, imitated_pages
from oryn.research.extraction import main_text
from oryn.research.extractor import article_of_html

FAMILIES = {
    "sphinx": '<section id="oil"><h2>Oil<a class="headerlink" href="#oil" title="Link to this heading">¶</a></h2>'
    "{0}</section>",
    "sphinx 1": '<div class="section" id="oil"><h2>Oil<a class="headerlink" href="#oil">¶</a></h2>{0}</div>',
    "furo": '<section id="oil"><span id="index-0"></span><h2>Oil<a class="headerlink" href="#oil">#</a></h2>'
    "{0}</section>",
    "read the docs": '<section id="oil"><h2>Oil<a class="headerlink" href="#oil">\uf0c1</a></h2>{0}</section>',
    "mkdocs": '<h2 id="oil">Oil<a class="headerlink" href="#oil" title="Permanent link">&para;</a></h2>{0}',
    "mkdocs, anchor links": '<h2 id="oil"><a class="toclink" href="#oil">Oil</a></h2>{0}',
    "docusaurus": '<h2 class="anchor anchorWithStickyNavbar_LWe7" id="oil">Oil<a href="#oil" class="hash-link" '
    'aria-label="Direct link to Oil" title="Direct link to Oil">&#8203;</a></h2>{0}',
    "docusaurus 1": '<h2><a class="anchor" aria-hidden="true" id="oil"></a><a href="#oil" aria-hidden="true" '
    'class="hash-link"><svg viewBox="0 0 16 16"><path d="M4"></path></svg></a>Oil</h2>{0}',
    "gitbook": '<h2 id="oil" class="flex"><div class="hash"><a href="#oil" aria-label="Direct link to heading">'
    '<svg></svg></a></div><div class="flex-1 z-[1]">Oil</div></h2>{0}',
    "gitbook, old": '<h2 id="oil"><a name="oil" class="plugin-anchor" href="#oil"><i class="fa fa-link"></i></a>'
    "Oil</h2>{0}",
    "vitepress": '<h2 id="oil" tabindex="-1">Oil <a class="header-anchor" href="#oil" '
    'aria-label="Permalink to “Oil”">&#8203;</a></h2>{0}',
    "vuepress": '<h2 id="oil"><a href="#oil" class="header-anchor">#</a> Oil</h2>{0}',
    "github": '<div class="markdown-heading"><h2 class="heading-element">Oil</h2><a id="user-content-oil" '
    'class="anchor" aria-label="Permalink: Oil" href="#oil"><span class="octicon octicon-link"></span></a></div>{0}',
    "rustdoc": '<h2 id="oil"><a class="doc-anchor" href="#oil">§</a>Oil</h2>{0}',
    "docsy": '<h2 id="oil">Oil<a class="td-heading-self-link" href="#oil" aria-label="Heading self-link"></a></h2>{0}',
    "just the docs": '<h2 id="oil"><a href="#oil" class="anchor-heading" aria-labelledby="oil"><svg>'
    "<use></use></svg></a> Oil</h2>{0}",
    "starlight": '<div class="sl-heading-wrapper level-h2"><h2 id="oil">Oil</h2><a class="sl-anchor-link" href="#oil">'
    '<span aria-hidden="true"><svg></svg></span><span class="sr-only">Section titled “Oil”</span></a></div>{0}',
    "mdn": '<section aria-labelledby="oil"><h2 id="oil"><a href="#oil">Oil</a></h2>{0}</section>',
    "emoji": '<h2 id="oil">Oil <a href="#oil">\U0001f517\ufe0f</a></h2>{0}',
    "words": '<h2 id="oil">Oil <a href="https://linden.example/oil#oil"><span class="sr-only">'
    "Link to this heading</span></a></h2>{0}",
    "named by a script": '<h2>Oil <a href="#oil">#</a></h2>{0}',
    "percent": '<h2 id="öl">Oil <a href="#%C3%B6l">#</a></h2>{0}',
}
TEXT = (
    "<p>Linden oil is pressed from the fruits of the tree, which ripen in autumn and are gathered before the first "
    "frost of the year. It has a pale yellow colour and was used for lamps.</p>"
)


@pytest.mark.parametrize("markup", FAMILIES.values(), ids=FAMILIES)
def test_marks_of_headings_are_left_out(markup: str) -> None:
    body = f"<main><h1>Trees</h1>{TEXT}{markup.format(TEXT)}</main>"
    page = f"<html><head><title>Trees</title></head><body>{body}</body></html>"
    article = article_of_html(page, "https://linden.example/oil")
    assert "\n## Oil\n" in article.markdown
    assert "\nOil\n" in article.text
    assert all(link.text == "" for link in article.links)
    assert main_text(page) == article.text


@pytest.mark.parametrize(
    "kept",
    [
        '<p>The oil is described above <a href="#oil">§</a>, and elsewhere.</p>',
        '<h2 id="other">Oil and <a href="/fat#oil">fat</a></h2>',
        '<h2>Oil <a href="#note">*</a></h2><p id="note">* A note about it.</p>',
        '<ul><li><a href="#oil">Oil</a></li></ul><h2 id="oil">Oil</h2>',
    ],
    ids=["a reference", "another page", "a note", "contents"],
)
def test_other_links_stay(kept: str) -> None:
    page = f"<html><body><main><h1>Trees</h1>{TEXT}<p id='oil'>Oil</p>{kept}{TEXT}</main></body></html>"
    article = article_of_html(page, "https://linden.example/oil")
    assert "](https://linden.example/" in article.markdown


def test_terms_and_captions_have_no_marks() -> None:
    body = (
        '<dl><dt class="sig" id="press"><code>press()</code><a class="headerlink" href="#press">¶</a></dt>'
        f"<dd>{TEXT}</dd></dl><figure id='id1'><figcaption><p><span>The press</span>"
        "<a class='headerlink' href='#id1'>¶</a></p></figcaption></figure><table id='t1'><caption><span>Yields</span>"
        "<a href='#t1'>¶</a></caption><tr><th>Year</th><th>Litres</th></tr><tr><td>1931</td><td>40</td></tr></table>"
    )
    article = article_of_html(
        f"<html><body><main><h1>Oil</h1>{TEXT}{body}{TEXT}</main></body></html>", "https://linden.example/"
    )
    assert "¶" not in article.text and "¶" not in article.markdown


def test_damaged_targets_are_no_error() -> None:
    body = '<h2 id="oil">Oil <a href="http://[#oil">#</a><a href="#%">#</a><a href="#">#</a></h2>'
    article = article_of_html(f"<html><body>{body}{TEXT}</body></html>", "https://linden.example/")
    assert "Linden oil" in article.text


def test_pages_of_documentation_tools_keep_their_headings() -> None:
    for name, html in imitated_pages():
        assert figures(html) == (len(PARTS) + 1, 0), name
