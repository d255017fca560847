"""`<browsing_context>`: what a model sees of a tab (seed 001, DOM Snapshot). Pure.

Each element is one line, `<tag id="…" attribute="…">text</tag>`. The attributes are the seed's: `id`, `label`, `value`,
`placeholder`, `href` (without its query), `type`, `disabled`; and `role`, `checked` where the tag does not say it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from urllib.parse import urljoin, urlsplit, urlunsplit

from oryn.agent.markup import attribute, block, text
from oryn.agent.redaction import Redaction, redacted, redacted_body
from oryn.engine import escape
from oryn.engine.elements import Element

MOST_ELEMENTS = 300
"""Elements that a snapshot lists."""

TEXT_LIMIT, VALUE_LIMIT = 160, 400
"""Characters of a text, and of what a field holds."""

MOST_READ = 20_000
"""Characters of anything that are looked at."""

_TAG = re.compile(r"[a-z][a-z0-9-]{0,30}")
_VOID = frozenset({"input", "img", "area", "embed", "hr", "br"})
_FIELDS = frozenset({"input", "select", "textarea"})
_SILENT = frozenset({"password", "checkbox", "radio", "submit", "button", "reset", "image", "hidden", "file"})
_NAMED_AFTER = ("aria-label", "title", "name")


class Shown:
    """How much of a page is shown: what is redacted, and what else is kept back (values of the vault; these before
    anything is cut, for half of a value would not be known as one)."""

    def __init__(self, redaction: Redaction = "values", withheld: Callable[[str], str] = str) -> None:
        self._redaction = redaction
        self._withheld = withheld

    def value(self, words: str) -> str:
        """What a field holds, or an address."""
        words = self._withheld(words)[:MOST_READ]
        return words if self._redaction == "off" else redacted(words)

    def body(self, body: str) -> str:
        """What a request carries."""
        body = self._withheld(body)[:MOST_READ]
        return body if self._redaction == "off" else redacted_body(body)

    def words(self, words: str) -> str:
        """Whatever else a page says."""
        words = self._withheld(words)[:MOST_READ]
        return redacted(words) if self._redaction == "all" else words


def snapshot(
    url: str,
    elements: Sequence[Element],
    shown: Shown,
    *,
    bases: Mapping[int, str],
    page_text: str = "",
    text_limit: int = MOST_READ,
) -> str:
    """One tab's context. `bases` are the URLs that links of elements in other frames are relative to; `text_limit` is
    how many characters of the page's text it has."""
    listed = elements[:MOST_ELEMENTS]
    rows = [element_line(each, bases.get(each["id"], url), shown) for each in listed]
    if len(listed) < len(elements):
        rows.append(f"({len(elements) - len(listed)} more elements are not listed)")
    parts = ["\n".join(("Interactive Elements:", *(rows or ["(none)"])))]
    if said := shown.words(page_text)[:text_limit]:
        parts.append(f"Page Text:\n{block(said)}")
    return _context("Target Update", url, shown, *parts)


def unchanged(url: str, shown: Shown) -> str:
    """A tab whose last snapshot still holds."""
    return _context("Target Unchanged", url, shown)


def waiting(url: str, kind: str, message: str, shown: Shown) -> str:
    """A tab whose page waits for its dialog to be answered."""
    said = text(shown.words(message), TEXT_LIMIT).replace('"', "&quot;")
    return _context("Target Update", url, shown, f'Open Dialog: {text(kind)} "{said}"')


def _context(head: str, url: str, shown: Shown, *parts: str) -> str:
    inside = "\n\n".join([f"[{head}]\nURL: {address(url, shown)}", *parts])
    return f"<browsing_context>\n{inside}\n</browsing_context>"


def address(url: str, shown: Shown) -> str:
    """A URL as it is told: no query, which may hold anything; the fragment where it is a page's own path."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return text(escape.url(url.partition("?")[0]))
    if parts.scheme in ("data", "javascript", "blob"):
        return f"{parts.scheme}:…"
    fragment = parts.fragment if parts.fragment.startswith(("/", "!/")) else ""
    path = parts.path if parts.scheme in ("http", "https") else parts.path.partition("?")[0]
    host = parts.netloc.rpartition("@")[2]
    bare = urlunsplit((parts.scheme, host, path, "", fragment.partition("?")[0]))
    return text(escape.url(shown.value(bare)))


def element_line(element: Element, base: str, shown: Shown) -> str:
    """One element as one line."""
    tag = _tag(element)
    head = f"<{tag}{attribute('id', str(element['id']))}{''.join(_attributes(element, tag, base, shown))}>"
    if tag in _VOID:
        return head
    return f"{head}{_body(element, tag, shown)}</{tag}>"


def _tag(element: Element) -> str:
    found = str(element.get("tag") or "div")
    return found if _TAG.fullmatch(found) else "div"


def _attributes(element: Element, tag: str, base: str, shown: Shown) -> Iterator[str]:
    own: Mapping[str, str] = element.get("attributes") or {}
    kind = own.get("type", "text").lower() if tag == "input" else ""
    modifiers = element.get("modifiers") or ()
    if own.get("role"):
        yield attribute("role", own["role"], 40)
    if kind:
        yield attribute("type", kind, 40)
    if label := _label(element, tag, own):
        yield attribute("label", shown.words(label), TEXT_LIMIT)
    if own.get("placeholder"):
        yield attribute("placeholder", shown.words(own["placeholder"]), TEXT_LIMIT)
    value = str(element.get("value") or "")
    if value or (tag == "input" and kind not in _SILENT):
        yield attribute("value", shown.value(value), VALUE_LIMIT)
    if "href" in own:
        yield f' href="{_link(own["href"], base, shown)}"'
    if "checked" in modifiers:
        yield attribute("checked", "true")
    if own.get("aria-expanded") in ("true", "false"):
        yield attribute("expanded", own["aria-expanded"])
    if "disabled" in modifiers:
        yield attribute("disabled", "true")


def _label(element: Element, tag: str, own: Mapping[str, str]) -> str:
    """Of a field what a person reads beside it, else its name; of all else what the page calls it besides its text."""
    if tag not in _FIELDS:
        return next((own[name] for name in _NAMED_AFTER if own.get(name)), "")
    said = str(element["text"])
    if said and said != own.get("placeholder"):
        return said
    return own.get("name", "")


def _link(href: str, base: str, shown: Shown) -> str:
    try:
        whole = urljoin(base, href.strip())
    except ValueError:
        whole = href
    return address(whole, shown).replace('"', "&quot;")


def _body(element: Element, tag: str, shown: Shown) -> str:
    if tag == "textarea":
        return ""
    if options := element.get("options"):
        names = " | ".join(text(shown.words(name), TEXT_LIMIT) for name in options["first"])
        return f"{names} (of {options['count']})" if options["count"] > len(options["first"]) else names
    return text(shown.words(str(element["text"])), TEXT_LIMIT)
