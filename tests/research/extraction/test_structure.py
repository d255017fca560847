"""What the elements around a text make of it: code with its language, formulas, exponents, nested lists, tables."""

from __future__ import annotations

import numpy as np
import pytest

from oryn.research.extraction.blocks import Block
from oryn.research.extraction.markdown import markdown_of, text_of
from oryn.research.extraction.segments import PageSegments
from oryn.research.extraction.structure import StructureReader
from oryn.research.html.tree import parse_html


def blocks_of(body: str) -> list[Block]:
    """All that a page has, as if all of it was chosen."""
    tree = parse_html(f"<html><body>{body}</body></html>")
    assert tree is not None
    page = PageSegments(tree)
    return StructureReader(page, "https://linden.example/").blocks(np.ones(len(page.segments), dtype=bool))


def markdown(body: str) -> str:
    return markdown_of(blocks_of(body))


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("10<sup>6</sup> cells", "10^6 cells"),
        ("10<sup>-3</sup> m", "10^-3 m"),
        ("E=mc<sup>2</sup>.", "E=mc^2."),
        ("x<sup>n+1</sup>", "x^(n+1)"),
        ("CO<sub>2</sub> and H<sub>2</sub>O", "CO₂ and H₂O"),
        ("x<sub>max</sub>", "x_max"),
        ("the 1<sup>st</sup> of May, Oryn<sup>TM</sup>", "the 1st of May, OrynTM"),
        ('a fact.<sup><a href="#cite">[12]</a></sup> More', "a fact. [12] More"),
        ("a fact.<sup>3</sup> More", "a fact. [3] More"),
        ("<sup>not raised</sup> text", "not raised text"),
    ],
)
def test_exponents_and_indices_stay_what_they_are(body: str, text: str) -> None:
    assert text_of(blocks_of(f"<p>{body}</p>")) == text


@pytest.mark.parametrize(
    "formula",
    [
        '<math alttext="{\\displaystyle e^{i\\pi}+1=0}"><mi>e</mi></math>',
        '<span class="katex"><span class="katex-mathml"><math><semantics><mi>e</mi><annotation encoding="application/x-tex">'
        'e^{i\\pi}+1=0</annotation></semantics></math></span><span class="katex-html">eiπ+1=0</span></span>',
        '<script type="math/tex">e^{i\\pi}+1=0</script>',
        '<mjx-container><mjx-assistive-mml><math><annotation encoding="application/x-tex">e^{i\\pi}+1=0</annotation></math>'
        "</mjx-assistive-mml></mjx-container>",
    ],
    ids=["mathml", "katex", "script", "mathjax"],
)
def test_formulas_are_their_source(formula: str) -> None:
    body = f"<p>Euler has {formula} in it.</p>"
    assert text_of(blocks_of(body)) == "Euler has e^{i\\pi}+1=0 in it."
    assert markdown(body) == "Euler has $e^{i\\pi}+1=0$ in it."


def test_a_formula_without_a_source_is_read_from_its_elements() -> None:
    body = "<math><mfrac><mn>1</mn><msup><mi>x</mi><mn>2</mn></msup></mfrac></math>"
    assert text_of(blocks_of(f"<p>{body}</p>")) == "\\frac{1}{x^2}"


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ('<pre><code class="language-bash hljs">ls\n</code></pre>', "bash"),
        ('<div class="highlight-python notranslate"><div class="highlight"><pre>ls</pre></div></div>', "python"),
        ('<div class="highlight highlight-source-shell"><pre>ls</pre></div>', "shell"),
        ('<pre class="brush: java; gutter: false">ls</pre>', "java"),
        ('<pre data-lang="go">ls</pre>', "go"),
        ("<pre>ls</pre>", ""),
        ('<pre class="language-plaintext">ls</pre>', ""),
    ],
)
def test_code_has_its_language(code: str, language: str) -> None:
    assert markdown(code) == f"```{language}\nls\n```"


def test_code_has_its_lines_and_no_line_numbers() -> None:
    body = (
        "<table><tr><td><pre>1\n2</pre></td><td><pre><span>if x:</span>\n<div>    y()</div></pre></td></tr></table>"
        "<pre>a<br>b</pre>"
    )
    assert markdown(body) == "```\nif x:\n    y()\n```\n\n```\na\nb\n```"


def test_a_line_of_code_that_is_a_block_ends_once() -> None:
    code = "<div><div><span>def</span> <span>pier</span>():</div></div><div><div>    open()</div></div>"
    assert markdown(f"<pre>{code}</pre>") == "```\ndef pier():\n    open()\n```"


def test_numbers_before_the_lines_of_code_are_not_code() -> None:
    line = "<div><span>{}</span><div><div>{}</div></div></div>"
    body = f"<pre>{line.format(8, 'def pier():')}{line.format(9, '    open()')}</pre>"
    assert markdown(body) == "```\ndef pier():\n    open()\n```"
    assert markdown("<pre><b>10</b> PRINT\n<b>20</b> GOTO 10</pre>") == "```\n10 PRINT\n20 GOTO 10\n```"
    assert markdown("<pre><b>1</b>\n<b>2</b></pre><p>Two</p>") == "Two"


def test_lists_are_nested_by_the_width_of_their_marks() -> None:
    body = "<ol start=9><li>Nine<ul><li>a</li><li>b<ol><li>deep</li></ol></li></ul></li><li>Ten<p>More</p><ul><li>c</li></ul></li></ol>"
    assert markdown(body) == "9. Nine\n   - a\n   - b\n     1. deep\n10. Ten\n\n    More\n\n    - c"


def test_a_quote_within_an_item_is_indented_with_it() -> None:
    body = "<ul><li>Ice<blockquote><p>It froze.</p><ul><li>thick</li><li>wide</li></ul></blockquote></li><li>Wind</li></ul>"
    assert markdown(body) == "- Ice\n\n  > It froze.\n  >\n  > - thick\n  > - wide\n\n- Wind"
    assert markdown("<blockquote><ul><li>Ice<p>It froze.</p></li></ul></blockquote>") == "> - Ice\n>\n>   It froze."
    code = "<ul><li>Ice<blockquote><pre>pier --open</pre></blockquote></li></ul>"
    assert markdown(code) == "- Ice\n\n  > ```\n  > pier --open\n  > ```"


@pytest.mark.parametrize("heading", ["<h3>Pier</h3>", '<p role="heading" aria-level="3">Pier</p>'], ids=["tag", "role"])
def test_an_item_with_a_heading_is_a_section(heading: str) -> None:
    card = f"<li><p>9 March</p>{heading}<p>It froze.</p><ul><li>thick</li></ul></li>"
    assert markdown(f"<ul><li>Wind</li>{card}</ul>") == "- Wind\n\n9 March\n\n### Pier\n\nIt froze.\n\n- thick"


def test_items_by_role() -> None:
    body = '<div role="list"><div role="listitem">Ice<p>It froze.</p></div><div role="listitem">Wind</div></div>'
    assert markdown(body) == "- Ice\n\n  It froze.\n\n- Wind"


def test_an_image_within_an_item_does_not_end_it() -> None:
    body = '<ul><li><p>Ice</p><img src="/ice.png" alt="thick"><p>It froze.</p></li></ul>'
    assert markdown(body) == "- Ice\n\n  ![thick](https://linden.example/ice.png)\n\n  It froze."


def test_definitions_have_their_terms() -> None:
    assert markdown("<dl><dt>Ice</dt><dd>Frozen water.</dd><dd>Cold.</dd></dl>") == "**Ice**\n: Frozen water.\n: Cold."


def test_tables_of_divs_are_tables() -> None:
    body = (
        '<div role="table"><div role="row"><span role="columnheader">Name</span><span role="columnheader">Value</span></div>'
        '<div role="row"><span role="cell">Length</span><span role="cell">388 m</span></div></div>'
    )
    assert markdown(body) == "| Name | Value |\n| --- | --- |\n| Length | 388 m |"


def test_cells_have_lists_and_spans() -> None:
    body = "<table><tr><th colspan=2>Ice</th><th>Day</th></tr><tr><td>7</td><td><ul><li>a</li><li>b</li></ul></td><td>Monday</td></tr></table>"
    assert markdown(body) == "| Ice |  | Day |\n| --- | --- | --- |\n| 7 | a; b | Monday |"


def test_a_table_is_data_whatever_the_style_of_its_cells() -> None:
    body = "<table><tr><td><h3>Pier</h3></td><td><h3>Ice</h3></td></tr><tr><td>East</td><td><p>7 cm</p><p>thin</p></td></tr></table>"
    assert markdown(body) == "| Pier | Ice |\n| --- | --- |\n| East | 7 cm thin |"
    properties = '<table role="list"><tr role="listitem"><td role="presentation">Ice</td><td role="presentation">7 cm</td></tr></table>'
    assert markdown(properties) == "| Ice | 7 cm |\n| --- | --- |"


def test_tables_for_layout_are_none() -> None:
    body = "<table><tr><td><h2>Ice</h2><p>It froze.</p><p>It thawed.</p></td><td>Menu</td></tr></table>"
    assert markdown(body) == "## Ice\n\nIt froze.\n\nIt thawed.\n\nMenu"


def test_images_have_captions() -> None:
    body = '<figure><img src="/ice.png" alt="Ice [thick]"><figcaption>The pier</figcaption></figure>'
    assert markdown(body) == "![Ice \\[thick\\]](https://linden.example/ice.png)\n\nThe pier"
    assert text_of(blocks_of(body)) == "The pier"


def test_open_shadow_roots_are_part_of_the_page() -> None:
    body = '<my-card><template shadowrootmode="open"><p>In the shadow</p></template></my-card><template><p>Not yet</p></template>'
    assert text_of(blocks_of(body)) == "In the shadow"


def test_headings_by_role() -> None:
    assert markdown('<div role="heading" aria-level="3">Ice</div>') == "### Ice"


def test_text_within_a_line_that_is_not_displayed_is_left_out() -> None:
    body = '<p>The harbour <b hidden>not</b> master <span style="display: none">is named by the council</span> closed it.</p>'
    assert text_of(blocks_of(body)) == "The harbour master closed it."
