"""Counts what documentation tools leave in the headings of their pages: `python -m benchmarks.documentation_pages`.

Builds sites with those of these tools that are installed beside Oryn (`pip install sphinx furo pydata-sphinx-theme
sphinx-rtd-theme mkdocs mkdocs-material`), and pages with the markup of others, which need Node or are services. A mark
is a link of a heading to itself, or `¶`, `#`, `§`, a link sign or a private character in one. A line for each kind of
site: pages, headings found of those that the source has, and marks. Ends with 1 if there is a mark or a heading is
missing."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from oryn.research.extractor import article_of_html

SPHINX_THEMES = {"alabaster": "sphinx", "furo": "furo", "pydata_sphinx_theme": "pydata_sphinx_theme",
                 "sphinx_rtd_theme": "sphinx_rtd_theme"}  # fmt: skip
"""Themes of Sphinx, with the module that each needs."""
MKDOCS = {
    "mkdocs": ("mkdocs", "permalink: true"),
    "readthedocs": ("mkdocs", "permalink: '#'"),
    "material": ("material", "permalink: true"),
    "material, linked": ("material", "anchorlink: true"),
}
"""Themes of MkDocs, with the module that each needs and the option of its table of contents."""

IMITATED = {
    "docusaurus": '<h{level} class="anchor anchorWithStickyNavbar_LWe7" id="{id}">{text}<a href="#{id}" '
    'class="hash-link" aria-label="Direct link to {text}" title="Direct link to {text}" '
    'translate="no">\u200b</a></h{level}>',
    "gitbook": '<h{level} id="{id}" class="text-2xl font-semibold flex flex-row gap-2 column-first-of-type:mt-0">'
    '<div class="hash grid relative"><a href="#{id}" aria-label="Direct link to heading" class="inline-flex"><svg '
    'class="gb-icon size-4"></svg></a></div><div class="flex-1 z-1 justify-self-start">{text}</div></h{level}>',
    "vitepress": '<h{level} id="{id}" tabindex="-1">{text} <a class="header-anchor" href="#{id}" '
    'aria-label="Permalink to &quot;{text}&quot;">\u200b</a></h{level}>',
    "github": '<div class="markdown-heading"><h{level} class="heading-element">{text}</h{level}>'
    '<a id="user-content-{id}" class="anchor" aria-label="Permalink: {text}" href="#{id}">'
    '<svg class="octicon octicon-link"></svg></a></div>',
    "rustdoc": '<h{level} id="{id}"><a class="doc-anchor" href="#{id}">§</a>{text}</h{level}>',
}
"""Headings as other tools write them."""

TOPICS = ("Presses", "Filters", "Storage", "Lamps")
PARTS = ("Before you begin", "Install the frame", "Set the pressure", "What can go wrong")
MARK = re.compile(r"\]\([^)]*#|[¶§🔗\ue000-\uf8ff\u200b]|#\s*$")

Page = tuple[str, str]
"""A kind of site, and the HTML of one of its pages."""


def paragraph(topic: str, part: str) -> str:
    return (
        f"This part of the manual is about {topic.lower()} of linden oil, and about how people {part.lower()} there. "
        "Read all of it first, since the fruits have to be pressed within a day, and nothing that was left out can be "
        "mended after that. The pressure rises slowly, and the oil must be kept cool and dark from the first hour on."
    )


def built_pages(folder: Path) -> Iterator[Page]:
    """The pages of the tools that are installed."""
    for theme, module in SPHINX_THEMES.items():
        if find_spec("sphinx") and find_spec(module):
            yield from ((f"sphinx, {theme}", html) for html in _sphinx(folder / theme, theme))
    for name, (module, contents) in MKDOCS.items():
        if find_spec("mkdocs") and find_spec(module):
            yield from ((f"mkdocs, {name}", html) for html in _mkdocs(folder / name, name.partition(",")[0], contents))


def _sphinx(folder: Path, theme: str) -> Iterator[str]:
    folder.mkdir()
    (folder / "conf.py").write_text(f"project = 'Linden'\nhtml_theme = '{theme}'\n")
    names = "".join(f"   {topic.lower()}\n" for topic in TOPICS)
    (folder / "index.rst").write_text(f"Linden\n======\n\n.. toctree::\n\n{names}")
    for topic in TOPICS:
        parts = [f"{part}\n{'-' * len(part)}\n\n{paragraph(topic, part)}\n" for part in PARTS]
        (folder / f"{topic.lower()}.rst").write_text("\n".join((topic, "=" * len(topic), "", *parts)))
    _run("sphinx", "-q", "-b", "html", str(folder), str(folder / "out"))
    yield from ((folder / "out" / f"{topic.lower()}.html").read_text("utf-8") for topic in TOPICS)


def _mkdocs(folder: Path, theme: str, contents: str) -> Iterator[str]:
    (folder / "docs").mkdir(parents=True)
    (folder / "mkdocs.yml").write_text(
        f"site_name: Linden\ntheme:\n  name: {theme}\nmarkdown_extensions:\n  - toc:\n      {contents}\n"
    )
    (folder / "docs" / "index.md").write_text("# Linden\n")
    for topic in TOPICS:
        parts = [f"## {part}\n\n{paragraph(topic, part)}\n" for part in PARTS]
        (folder / "docs" / f"{topic.lower()}.md").write_text("\n".join((f"# {topic}", "", *parts)))
    _run("mkdocs", "build", "-q", "-f", str(folder / "mkdocs.yml"))
    yield from ((folder / "site" / topic.lower() / "index.html").read_text("utf-8") for topic in TOPICS)


def _run(module: str, *words: str) -> None:
    subprocess.run([sys.executable, "-m", module, *words], check=True, capture_output=True)


def imitated_pages() -> Iterator[Page]:
    """Pages with the headings of other tools."""
    for name, heading in IMITATED.items():
        for topic in TOPICS:
            parts = "".join(
                heading.format(level=2, id=part.lower().replace(" ", "-"), text=part)
                + f"<p>{paragraph(topic, part)}</p>"
                for part in PARTS
            )
            title = heading.format(level=1, id=topic.lower(), text=topic)
            menu = "".join(f"<li><a href='/{each.lower()}'>{each}</a></li>" for each in TOPICS)
            yield (
                name,
                (
                    f"<html lang=en><head><title>{topic} | Linden</title></head><body><nav><ul>{menu}</ul></nav><main>"
                    f"<article>{title}{parts}</article></main><footer>© Linden</footer></body></html>"
                ),
            )


def figures(html: str) -> tuple[int, int]:
    """The headings of the source that the Markdown has, and the marks in headings."""
    markdown = article_of_html(html, "https://linden.example/manual/page.html").markdown
    headings = re.findall(r"^#{1,6} +(.*)$", markdown, re.MULTILINE)
    return len({*headings} & {*PARTS, *TOPICS}), sum(MARK.search(heading) is not None for heading in headings)


def main() -> int:
    totals: dict[str, list[int]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, html in (*built_pages(Path(folder)), *imitated_pages()):
            found, marks = figures(html)
            total = totals.setdefault(name, [0, 0, 0])
            total[:] = [total[0] + 1, total[1] + found, total[2] + marks]
    for name, (pages, found, marks) in totals.items():
        print(f"{name:28} pages {pages:3}  headings {found:3} of {pages * (len(PARTS) + 1):3}  marks {marks}")
    pages, found, marks = (sum(total[at] for total in totals.values()) for at in range(3))
    print(f"{'all':28} pages {pages:3}  headings {found:3} of {pages * (len(PARTS) + 1):3}  marks {marks}")
    return int(marks > 0 or found < pages * (len(PARTS) + 1))


if __name__ == "__main__":
    sys.exit(main())
