"""Renders `<browsing_context>`, the snapshot of a tab that a model sees (docs/spec/agent-protocol.md#snapshots). Pure.

Each element is one line, `<tag id="…" attribute="…">text</tag>`. The seed defines these attributes: `id`, `label`,
`value`, `placeholder`, `href` (without its query), `type`, `disabled`. Oryn adds `role`, and `checked` if the tag does
not imply it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from urllib.parse import urljoin, urlsplit, urlunsplit

from oryn.agent.sanitization import Redaction, attribute, escape_line, quote_block, redact, redact_body
from oryn.core import text_safety
from oryn.engine.output.elements import Element, quoted_name
from oryn.engine.output.elements import kind as kind_of

MAX_ELEMENTS = 300
"""Maximum number of elements that a snapshot lists."""

MAX_TOOLS, TOOL_NAME_LIMIT = 30, 120
"""Maximum number of tools of plugins and of the page that a snapshot names, and of characters of a name."""

TEXT_LIMIT, VALUE_LIMIT = 160, 400
"""Maximum length of a text, and of a field's value, in characters. A value is cut in its middle, because its end is
where text is written."""
VALUE_END = 100
"""Characters of the end of a value that is cut."""

MAX_TEXT_CHARACTERS = 20_000
"""Characters of any text that are processed; the rest is cut off."""

_TAG = re.compile(r"[a-z][a-z0-9-]{0,30}")
_VOID = frozenset({"input", "img", "area", "embed", "hr", "br"})
_FIELDS = frozenset({"input", "select", "textarea"})
_SILENT = frozenset({"password", "checkbox", "radio", "submit", "button", "reset", "image", "hidden", "file"})
_LABEL_ATTRIBUTES = ("aria-label", "title", "name")


class PageRedactor:
    """Limits what a model sees of a page: redacts personal data and masks secrets (`withheld`, for values of the
    vault). Secrets are masked before text is cut, because part of a value would not be recognized."""

    def __init__(self, redaction: Redaction = "values", withheld: Callable[[str], str] = str) -> None:
        self._redaction = redaction
        self._mask_secrets = withheld

    def value(self, words: str) -> str:
        """Redact the value of a field, or a URL."""
        words = self._mask_secrets(words)[:MAX_TEXT_CHARACTERS]
        return words if self._redaction == "off" else redact(words)

    def body(self, body: str) -> str:
        """Redact the body of a request."""
        body = self._mask_secrets(body)[:MAX_TEXT_CHARACTERS]
        return body if self._redaction == "off" else redact_body(body)

    def text(self, words: str) -> str:
        """Redact any other text of a page."""
        words = self._mask_secrets(words)[:MAX_TEXT_CHARACTERS]
        return redact(words) if self._redaction == "all" else words


def snapshot(
    url: str,
    elements: Sequence[Element],
    redactor: PageRedactor,
    *,
    bases: Mapping[int, str],
    page_text: str = "",
    text_limit: int = MAX_TEXT_CHARACTERS,
    changed_text: str = "",
    tools: Sequence[str] = (),
) -> str:
    """Render one tab's context. `bases` has, by element number, the base URL for links of elements in other frames.
    `text_limit` is the maximum number of characters of the page's text. `changed_text` are lines about text that has
    changed since the last snapshot, which no element says. `tools` are the names of the tools of plugins and of the
    page."""
    listed = elements[:MAX_ELEMENTS]
    rows = [element_line(each, bases.get(each["id"], url), redactor) for each in listed]
    if len(listed) < len(elements):
        rows.append(f"({len(elements) - len(listed)} more elements are not listed)")
    parts = ["\n".join(("Interactive Elements:", *(rows or ["(none)"])))]
    if tools:
        parts.append(_tools(tools, redactor))
    if changed_text:
        parts.append(f"Changed Text:\n{quote_block(redactor.text(changed_text))}")
    if text := redactor.text(page_text)[:text_limit]:
        parts.append(f"Page Text:\n{quote_block(text)}")
    return _context("Target Update", url, redactor, *parts)


def _tools(names: Sequence[str], redactor: PageRedactor) -> str:
    """Render the names of tools, which are a page's words like any other text."""
    listed = ", ".join(escape_line(redactor.text(name), TOOL_NAME_LIMIT) for name in names[:MAX_TOOLS])
    more = f"\n({len(names) - MAX_TOOLS} more are not listed)" if len(names) > MAX_TOOLS else ""
    return f'Tools ("tools" describes them, "tool_call" calls one):\n{quote_block(listed)}{more}'


def unchanged_context(url: str, redactor: PageRedactor) -> str:
    """Render the context of a tab whose last snapshot is still current."""
    return _context("Target Unchanged", url, redactor)


def dialog_context(url: str, kind: str, message: str, redactor: PageRedactor) -> str:
    """Render the context of a tab whose page has an open dialog."""
    text = escape_line(redactor.text(message), TEXT_LIMIT).replace('"', "&quot;")
    return _context("Target Update", url, redactor, f'Open Dialog: {escape_line(kind)} "{text}"')


def _context(head: str, url: str, redactor: PageRedactor, *parts: str) -> str:
    inside = "\n\n".join([f"[{head}]\nURL: {display_url(url, redactor)}", *parts])
    return f"<browsing_context>\n{inside}\n</browsing_context>"


def display_url(url: str, redactor: PageRedactor) -> str:
    """Return a URL without credentials and query, because a query may contain anything. The fragment stays if it is a
    path of the page."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return escape_line(text_safety.url(url.partition("?")[0]))
    if parts.scheme in ("data", "javascript", "blob"):
        return f"{parts.scheme}:…"
    fragment = parts.fragment if parts.fragment.startswith(("/", "!/")) else ""
    path = parts.path if parts.scheme in ("http", "https") else parts.path.partition("?")[0]
    host = parts.netloc.rpartition("@")[2]
    bare = urlunsplit((parts.scheme, host, path, "", fragment.partition("?")[0]))
    return escape_line(text_safety.url(redactor.value(bare)))


def element_line(element: Element, base: str, redactor: PageRedactor) -> str:
    """Render one element as one line."""
    tag = str(element.get("tag") or "div")
    if not _TAG.fullmatch(tag):
        tag = "div"
    head = f"<{tag}{attribute('id', str(element['id']))}{''.join(_attributes(element, tag, base, redactor))}>"
    if tag in _VOID:
        return head
    return f"{head}{_body(element, tag, redactor)}</{tag}>"


def element_words(element: Element, redactor: PageRedactor) -> str:
    """Role and name of an element, as `button "Buy"`."""
    name = escape_line(redactor.text(str(element["text"])), TEXT_LIMIT)
    return f"{kind_of(element)} {quoted_name(name)}"


def _attributes(element: Element, tag: str, base: str, redactor: PageRedactor) -> Iterator[str]:
    own: Mapping[str, str] = element.get("attributes") or {}
    kind = own.get("type", "text").lower() if tag == "input" else ""
    modifiers = element.get("modifiers") or ()
    if own.get("role"):
        yield attribute("role", own["role"], 40)
    if kind:
        yield attribute("type", kind, 40)
    if label := _label(element, tag, own):
        yield attribute("label", redactor.text(label), TEXT_LIMIT)
    if own.get("placeholder"):
        yield attribute("placeholder", redactor.text(own["placeholder"]), TEXT_LIMIT)
    value = str(element.get("value") or "")
    if value or (tag == "input" and kind not in _SILENT):
        yield attribute("value", _cut_in_middle(" ".join(redactor.value(value).split())))
    if "href" in own:
        yield f' href="{_link(own["href"], base, redactor)}"'
    if "checked" in modifiers:
        yield attribute("checked", "true")
    if own.get("aria-expanded") in ("true", "false"):
        yield attribute("expanded", own["aria-expanded"])
    if "disabled" in modifiers:
        yield attribute("disabled", "true")


def _cut_in_middle(value: str) -> str:
    return value if len(value) <= VALUE_LIMIT else f"{value[: VALUE_LIMIT - VALUE_END - 1]}…{value[-VALUE_END:]}"


def _label(element: Element, tag: str, own: Mapping[str, str]) -> str:
    """Return a label: the visible label of a field, else its name; for other elements, what the page calls it besides
    its text."""
    if tag not in _FIELDS:
        return next((own[name] for name in _LABEL_ATTRIBUTES if own.get(name)), "")
    text = str(element["text"])
    if text and text != own.get("placeholder"):
        return text
    return own.get("name", "")


def _link(href: str, base: str, redactor: PageRedactor) -> str:
    try:
        whole = urljoin(base, href.strip())
    except ValueError:
        whole = href
    return display_url(whole, redactor).replace('"', "&quot;")


def _body(element: Element, tag: str, redactor: PageRedactor) -> str:
    if tag == "textarea":
        return ""
    if options := element.get("options"):
        names = " | ".join(escape_line(redactor.text(name), TEXT_LIMIT) for name in options["first"])
        return f"{names} (of {options['count']})" if options["count"] > len(options["first"]) else names
    return escape_line(redactor.text(str(element["text"])), TEXT_LIMIT)
