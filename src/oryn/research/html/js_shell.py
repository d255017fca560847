"""Detects pages that are only a JavaScript shell: their text is not in the HTML, a browser would have to run
them. Pure.

Little text alone is no shell: there must be a sign that more is to come. A false positive costs starting a
browser, a false negative costs the page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree, html

from oryn.research.html.tree import parse_html

MIN_TEXT_CHARACTERS = 250
"""Characters of text, apart from links and menus, with which a page has content of its own."""
MAX_EMPTY_CHARACTERS = 60
"""Characters that a container, or a page, may have and still count as empty: `Loading, please wait …`."""
MAX_WORD_CHARACTERS = 12
"""The same, whatever the word for waiting is."""
MIN_SCRIPT_CHARACTERS = 20_000
"""Characters of scripts within a page."""

_UNSEEN = frozenset({"script", "style", "noscript", "template", "svg", "head", "iframe", "object", "textarea"})
_AROUND = frozenset({"a", "nav", "footer", "header", "button", "select", "form", "dialog"})
_SHOWS = frozenset({"img", "video", "picture", "audio", "canvas", "iframe", "object", "embed", "frameset", "input"})
_ROOTS = frozenset(
    {
        "root", "app", "__next", "__nuxt", "__layout", "___gatsby", "react-root", "reactroot", "app-root", "approot",
        "app-container", "app-mount", "main-app", "react-app", "vue-app", "svelte", "q-app", "elm", "ember-app",
        "application", "mount", "spa", "page-root", "root-app", "content-root",
    }
)  # fmt: skip
_WANTS_SCRIPT = re.compile(
    r"(?:enable|activate|turn on|switch on|requires?|needs?|without|allow|support)\W+(?:\w+\W+){0,4}java\s?script"
    r"|java\s?script\W+(?:\w+\W+){0,6}(?:enabled?|required?|needed|disabled|turned|activated?|necessary|support)"
    r"|java\s?script.{0,40}(?:aktivier|erforderlich|benötigt|activer|activé|nécessaire|habilit|activar|necesari|abilit|attiv)"
    r"|(?:aktivier|benötigt|activer|habilit|activar|activez|abilit|attiv)\w{0,30}\W+(?:\w+\W+){0,4}java\s?script"
    r"|включите\W+(?:\w+\W+){0,3}java\s?script|启用\s*java\s?script|java\s?script\s*を有効",
    re.I,
)
_WAITS = re.compile(
    r"(?:loading|please wait|one moment|just a moment|wird geladen|bitte warten|chargement|cargando|caricamento"
    r"|carregando|загрузка|加载中|読み込み中|checking your browser)",
    re.I,
)
_TEMPLATE = re.compile(r"\{\{.{1,80}?\}\}")


def js_shell_reason(page: bytes | str, charset: str = "") -> str:
    """Why a page is only the shell of a script; empty if it is not."""
    tree = parse_html(page, charset)
    return "" if tree is None else shell_reason(tree)


def shell_reason(tree: html.HtmlElement) -> str:
    """Why the page of a tree, which stays as it is, is only the shell of a script; empty if it is not."""
    found = tree.find("body")
    body = tree if found is None else found  # there is none where all of it stands in the head
    scripts = [each for each in tree.iter("script") if (each.get("type") or "").lower() not in ("application/ld+json",)]
    own = _text(body, _AROUND) if scripts else ""
    if not scripts or len(own) - sum(map(len, _TEMPLATE.findall(own))) >= MIN_TEXT_CHARACTERS:
        return ""
    text = _text(body)
    templates = len(_TEMPLATE.findall(text))
    return (
        _root(body)
        or _demand(tree, text)
        or ("its text is still the templates of a script" if templates >= 3 else "")
        or _blank(body, scripts, text)
    )


def _root(body: html.HtmlElement) -> str:
    """The empty element that scripts are to fill."""
    for element in body.iter("div", "main", "section", "body"):
        if (element.get("id") or "").lower() in _ROOTS and _is_empty(element):
            return f'its <{element.tag} id="{element.get("id")}"> is empty, for a script to fill it'
    for element in body:
        if "-" in str(element.tag) and _is_empty(element):
            return f"its <{element.tag}> is empty, for a script to fill it"
    return ""


def _demand(tree: html.HtmlElement, text: str) -> str:
    """What the page says to a browser without scripts."""
    for element in tree.iter("noscript"):
        if _WANTS_SCRIPT.search(" ".join(element.text_content().split())):
            return "it says that it needs JavaScript"
    return "it says that it needs JavaScript" if _WANTS_SCRIPT.search(text) else ""


def _blank(body: html.HtmlElement, scripts: list[html.HtmlElement], text: str) -> str:
    if len(text) > MAX_EMPTY_CHARACTERS or any(True for _ in body.iter(*_SHOWS)):
        return ""
    if _WAITS.match(text):
        return "it only says that it is loading"
    inside = sum(len(each.text or "") for each in scripts)
    if not text or inside >= MIN_SCRIPT_CHARACTERS:
        return f"it has {len(scripts)} script{'s'[: len(scripts) != 1]} and no text"
    return ""


def _is_empty(element: html.HtmlElement) -> bool:
    text = _text(element)
    waits = len(text) <= MAX_WORD_CHARACTERS or (len(text) <= MAX_EMPTY_CHARACTERS and _WAITS.search(text) is not None)
    return waits and not any(True for _ in element.iter(*_SHOWS))


def _text(element: html.HtmlElement, without: frozenset[str] = frozenset()) -> str:
    """The visible text of an element, in one line; `without` some elements inside."""
    return " ".join(" ".join(_pieces(element, _UNSEEN | without)).split())


def _pieces(element: html.HtmlElement, without: frozenset[str]) -> Iterator[str]:
    passing: html.HtmlElement | None = None
    for event, each in etree.iterwalk(element, events=("start", "end")):
        if event == "end":
            if each is passing:
                passing = None
            if passing is None and each is not element and each.tail:
                yield each.tail
        elif passing is None:
            if each.tag in without and each is not element:
                passing = each
            elif each.text:
                yield each.text
