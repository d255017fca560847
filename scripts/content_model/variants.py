"""Copies of pages as other sites would have made them: without class names, so that the model does not depend on their
words, and of articles with readers' comments below, or shorter than what is around them, as blogs have them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from html import escape

from lxml.html import HtmlElement, fragment_fromstring

NAMES = ("class", "id", "role", "itemprop", "itemtype", "data-testid")
UNNAMED, COMMENTED, SHORTENED = "unnamed", "commented", "shortened"

MAX_COMMENTS = 40
MAX_LEVELS = 4
"""Comments stand behind the text's innermost element, or behind one of so many around it."""
_AUTHORS = (
    "Anna Jon Maria Mike Kim Lars Wei Priya Tom Sue Ivan Elena Claus bob77 the_reader Sarah_K Dr. J. Antoine hb Nadia"
).split()
_MONTHS = "January February March April May June July August September October November December".split()

# As WordPress, Movable Type, Blogger and pages made by hand have them.
_LISTS = (
    (
        '<div id="comments"><h3>{count} Responses to this post</h3><ol class="commentlist">{all}</ol></div>',
        '<li class="comment even depth-1"><div class="comment-author vcard"><cite class="fn">{author}</cite> '
        '<span class="says">says:</span></div><div class="comment-meta"><a href="#c{number}">{date}</a></div>{body}'
        '<div class="reply"><a href="#r{number}">Reply</a></div></li>',
    ),
    (
        '<div class="comments"><h2>Comments</h2>{all}</div>',
        '<div class="comment"><div class="comment-content">{body}</div><p class="comment-footer">Posted by: '
        '<a href="#u{number}">{author}</a> | {date}</p></div>',
    ),
    (
        '<div id="comments"><h4>{count} comments:</h4><dl id="comments-block">{all}</dl></div>',
        '<dt class="comment-author"><a href="#u{number}">{author}</a> said...</dt><dd class="comment-body">{body}</dd>'
        '<dd class="comment-footer"><a href="#c{number}">{date}</a></dd>',
    ),
    ("<div><b>{count} comments</b>{all}</div>", "<div><b>{author}</b> {date}<br>{body}</div>"),
    (
        "<section><h2>Join the conversation</h2>{all}</section>",
        "<article><header><a href='#u{number}'>{author}</a> <time>{date}</time></header>{body}"
        "<footer><button>Like</button> <button>Reply</button></footer></article>",
    ),
    ("<table>{all}</table>", "<tr><td>{author}<br>{date}</td><td>{body}</td></tr>"),
)
_FORMS = (
    "",
    '<div id="respond"><h3>Leave a Reply</h3><p>Your email address will not be published.</p><form><label>Name</label>'
    "<input><label>Email</label><input><textarea></textarea></form></div>",
    "<p>Comments are closed.</p>",
)


def without_names(tree: HtmlElement) -> None:
    """Take out what names elements, as pages of generated names are."""
    for element in tree.iter():
        for attribute in NAMES:
            element.attrib.pop(attribute, None)


def with_comments(text: HtmlElement, comments: Sequence[str], chance: random.Random) -> None:
    """Put comments behind the element that has a page's main text, or behind one around it."""
    place = text
    for _ in range(chance.randrange(MAX_LEVELS)):
        parent = place.getparent()
        if parent is None or parent.tag in ("body", "html"):
            break
        place = parent
    section = fragment_fromstring(_section(comments, chance), create_parent="div")
    if place.getparent() is None or place.tag == "body":
        place.append(section)
    else:
        section.tail, place.tail = place.tail, None
        place.addnext(section)


def _section(comments: Sequence[str], chance: random.Random) -> str:
    around, one = chance.choice(_LISTS)
    said: list[str] = []
    waiting = list(comments)
    while waiting and len(said) < MAX_COMMENTS:
        paragraphs = [waiting.pop() for _ in range(min(len(waiting), chance.choice((1, 1, 1, 2, 3))))]
        said.append(
            one.format(
                author=chance.choice(_AUTHORS),
                number=len(said),
                date=f"{chance.choice(_MONTHS)} {chance.randrange(1, 29)}, 20{chance.randrange(10, 26)} at "
                f"{chance.randrange(1, 13)}:{chance.randrange(10, 60)} {chance.choice(('am', 'pm'))}",
                body="".join(f"<p>{escape(each)}</p>" for each in paragraphs),
            )
        )
    return around.format(count=len(said), all="".join(said)) + chance.choice(_FORMS)


def shorten(paragraphs: Sequence[HtmlElement], chance: random.Random) -> list[HtmlElement]:
    """Take out most of a page's paragraphs, those of the end; return those that stay."""
    kept = max(1, round(len(paragraphs) * chance.uniform(0.05, 0.4)))
    for paragraph in paragraphs[kept:]:
        if paragraph.getparent() is not None:
            paragraph.drop_tree()
    return list(paragraphs[:kept])
