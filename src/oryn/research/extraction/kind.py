"""The kind of a page: what the model says of its form, and pages that have no content at all.

The kinds with content are those of WCXB (https://github.com/murroughfoley/wcx), whose pages the model has learnt them
from. A search page, a login, an error and a consent wall are recognised by what defines them: a field for a password,
the status in the title, the share of text in a dialogue about consent."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
from lxml.html import HtmlElement

from oryn.research.extraction.declarations import Declarations
from oryn.research.extraction.features import PageFeatures
from oryn.research.extraction.layout import MEASURES, Floats
from oryn.research.extraction.votes import CANDIDATES

KINDS = ("article", "documentation", "service", "forum", "product", "listing", "collection")
"""The kinds that have content, in the order of the model's classes."""

_COUNTED = (
    "p li a img table tr td pre code h1 h2 h3 h4 article section main nav aside form input select button video figure "
    "time dl dt blockquote iframe details textarea ul ol header footer svg"
).split()
_TYPES = (
    ("Article", "NewsArticle", "BlogPosting", "Report", "ScholarlyArticle", "TechArticle", "Recipe", "Review"),
    ("NewsArticle",), ("BlogPosting",), ("TechArticle", "APIReference"),
    ("DiscussionForumPosting", "QAPage", "Question", "Answer", "Comment"), ("DiscussionForumPosting",), ("QAPage",),
    ("Product", "ProductGroup"), ("Offer", "AggregateOffer"), ("ItemList",), ("CollectionPage",), ("WebPage",),
    ("BreadcrumbList",), ("FAQPage",), ("Service", "ProfessionalService", "LocalBusiness", "Organization"),
    ("SoftwareApplication",), ("Person",), ("Event",), ("VideoObject",), ("Course",), ("WebSite",), ("Review",),
)  # fmt: skip
_WORDS = re.compile(r"[a-z]{3,}")
_NAMED = {
    "forum": ("forum", "thread", "topic", "discourse", "xenforo", "phpbb", "vbulletin", "question", "answer", "reply"),
    "post": ("post", "posts", "comment", "comments"),
    "product": ("product", "cart", "price", "shop", "shopify", "woocommerce", "sku", "variant"),
    "docs": ("docs", "documentation", "api", "reference", "sphinx", "docusaurus", "mkdocs", "wiki", "manual", "guide"),
    "article": ("article", "entry", "author", "byline", "story", "single", "blog"),
    "listing": ("archive", "category", "results", "listing", "list", "grid", "card", "cards", "collection", "filter"),
    "service": ("hero", "pricing", "features", "testimonial", "testimonials", "cta", "home", "landing", "services"),
}
"""Words of class names, ids and addresses whose numbers are features of the kind."""


def kind_features(tree: HtmlElement, features: PageFeatures, declarations: Declarations) -> Floats:
    """The features of the page as a whole: a vector."""
    layout = features.layout
    count, total = max(1, len(layout.own)), features.total
    found: list[float] = [np.log1p(count), np.log1p(total)]
    tags = Counter(element.tag for element in tree.iter("*"))
    found += [np.log1p(tags[name]) for name in _COUNTED]
    found += [float(not declarations.types.isdisjoint(names)) for names in _TYPES]
    declared = declarations.meta.get("og:type", "").lower()
    found += [float(name in declared) for name in ("article", "product", "website", "profile", "video")]
    found += [float(name in declarations.meta) for name in ("article:published_time", "author", "product:price:amount")]
    sums = layout.measures.sum(axis=0)
    for at, name in enumerate(MEASURES):
        found.append(float(sums[at]) / (total if name in ("linked", "prose", "digits", "strong", "code") else count))
    for at in range(len(CANDIDATES)):
        chosen = features.votes[:, at] > 0.5
        size = float(features.characters[chosen].sum())
        found += [size / total, np.log1p(size), float(chosen.sum()) / count]
        linked = layout.measures[chosen, MEASURES.index("linked")].sum()
        found.append(float(linked) / max(1.0, size))
    column = features.names.index
    for name in ("largest kin share", "largest kin count", "kin 1 count", "class path share", "class path count"):
        values = features.values[:, column(name)]
        found += [float(values.max(initial=0)), float((values * features.characters).sum()) / total]
    for name in (
        "in main",
        "in article",
        "in table",
        "in li",
        "in pre",
        "in form",
        "in nav",
        "in footer",
        "in h2",
        "in h3",
        "in dd",
    ):
        found.append(float((features.values[:, column(name)] * features.characters).sum()) / total)
    found += _named(tree, declarations)
    return np.array(found, dtype=np.float32)


def _named(tree: HtmlElement, declarations: Declarations) -> list[float]:
    names: list[str] = [declarations.meta.get("generator", "")]
    for element in tree.iter("*"):
        if said := element.get("class"):
            names.append(said[:200])
            if len(names) > 4000:
                break
    counts = Counter(_WORDS.findall(" ".join(names).lower()))
    found = [np.log1p(sum(counts[word] for word in group)) for group in _NAMED.values()]
    address = declarations.meta.get("og:url", "") or next(
        (each.get("href") or "" for each in tree.iter("link") if each.get("rel") == "canonical"), ""
    )
    path = address.partition("://")[2].partition("/")[2].lower()
    said = set(_WORDS.findall(address.lower()))
    found += [float(not said.isdisjoint(group)) for group in _NAMED.values()]
    found += [path.count("/"), path.count("-"), float(len(path)), float(bool(re.search(r"\d{4}/\d\d|\d{5,}", path)))]
    return [*found, float(not address), float(not path)]


_PASSWORD = "password"
_STATUS = re.compile(
    r"\b(?:error\s*)?(?:400|401|403|404|410|429|500|502|503|504)\b(?!\s*[-/.,]?\d)"
    r"|\b(?:page|file) (?:not found|can.t be found)\b|\bnot found\b|\baccess denied\b|\bforbidden\b"
    r"|\btoo many requests\b|\binternal server error\b|\bbad gateway\b"
    r"|\bservice unavailable\b|\bjust a moment\b|\bare you (?:a )?(?:human|robot)\b|\bcaptcha\b",
    re.IGNORECASE,
)
_CONSENT = re.compile(
    r"cookie|consent|datenschutz|einwillig|privacy|partner|rgpd|gdpr|zustimm|accept|akzept", re.IGNORECASE
)
MAX_EMPTY_CHARACTERS = 1_500
"""A page with more prose than this has content, whatever it is called."""


def empty_kind(tree: HtmlElement, features: PageFeatures, prose: str) -> str:
    """The kind of a page without content (`login`, `error`, `search`, `consent`), or an empty string. `prose` is the
    text that was chosen."""
    if len(prose) > MAX_EMPTY_CHARACTERS:
        return ""
    inputs = [(each.get("type") or "text").lower() for each in tree.iter("input")]
    titles = " ".join(each.text_content() for each in [*list(tree.iter("title"))[:1], *list(tree.iter("h1"))[:2]])
    if _STATUS.search(titles[:200]):
        return "error"
    if _PASSWORD in inputs and features.total < 2 * MAX_EMPTY_CHARACTERS:
        return "login"
    words = re.findall(r"\w+", prose.lower())
    if words and len(_CONSENT.findall(prose)) > max(3, 0.04 * len(words)):
        return "consent"
    searches = sum(each == "search" for each in inputs) + sum(
        each.get("role") == "search" or (each.get("name") or "").lower() in ("q", "query", "search")
        for each in tree.iter("form", "input", "search")
    )
    if searches and len(prose) < 300 and features.total < MAX_EMPTY_CHARACTERS:
        return "search"
    return ""
