"""Targets in the forms of other tools, which models write by habit (docs/spec/intent-language.md#forms-of-other-tools):
`getByRole("button", { name: "Save" })`, `role=button[name="Save"]`, `text=Save`, `ref=e5`, `index 5`.

Each form has a meaning as a target of the language, or is refused with the form that has: nothing is taken for another
element than it names. Playwright (https://playwright.dev/docs/locators, https://playwright.dev/docs/other-locators),
Playwright MCP, Chrome DevTools MCP, agent-browser, browser-use, Stagehand and Puppeteer have them."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from oryn.core.records import Record
from oryn.errors import InvalidValue, LanguageError
from oryn.language.lexer import Cursor, quote, shorten
from oryn.language.patterns import LITERAL, check_pattern, exact_pattern, read_pattern
from oryn.language.targets import (
    TEXT_SOURCES,
    CssTarget,
    IdTarget,
    KindTarget,
    PatternTarget,
    ReferenceTarget,
    RelatedTarget,
    SimpleTarget,
    SourceTarget,
    Target,
    TextSource,
    TextTarget,
    XPathTarget,
    add_relation,
    is_kind,
)

MAX_DEPTH = 8
"""Maximum number of locators in one another, and of those in a chain."""


class Pattern(NamedTuple):
    """A regular expression in a locator."""

    pattern: str
    flags: str


Wanted = str | Pattern


def read_locator(cursor: Cursor, *, several_words: bool = False) -> Target | None:
    """Take a target in the form of another tool and return its meaning; None, taking nothing, if none is there.

    several_words: also forms of words that may be two arguments of a command: `index 5`.
    Raises `LanguageError` for a form that has no meaning here, with the right form as its hint."""
    start = cursor.position
    for read in (_read_call, _read_assignment, _read_literal, _read_printed_element, _read_selector_word):
        if (target := read(cursor)) is not None:
            return target
        cursor.position = start
    return _read_words(cursor) if several_words else None


def locator_target(text: str) -> Target | None:
    """Return the meaning of a whole text, if it is a target in the form of another tool, also one of several words
    (`text=Save changes`). Raises `LanguageError` like `read_locator`."""
    text = text.strip()
    if assigned := _ASSIGNMENT.match(text):
        rest = text[assigned.end() :]
        engine = assigned[1].lower()
        if rest and not rest.startswith(('"', "'", "/")) and engine in _ENGINES and engine not in _NUMBERS:
            return _assigned(engine, rest, 0)
    if puppeteer := _PUPPETEER.match(text):
        return _puppeteer(puppeteer[1], text[puppeteer.end() :], 0)
    cursor = Cursor(text)
    target = read_locator(cursor, several_words=True)
    if target is None and (reference := _REFERENCE.fullmatch(text)):
        return ReferenceTarget(int(reference[1]))
    cursor.skip_space()
    return target if cursor.position == len(text) and target != TextTarget(text) else None


# --- meanings ---


def _text(
    wanted: Wanted, *, exact: bool = False, kind: str | None = None, source: TextSource | None = None
) -> SimpleTarget:
    """Return the target of a text or a pattern."""
    if isinstance(wanted, Pattern):
        return PatternTarget(wanted.pattern, wanted.flags, kind, source)
    if exact:
        return PatternTarget(exact_pattern(wanted), "", kind, source)
    if source is not None:
        return SourceTarget(source, wanted)
    return TextTarget(wanted) if kind is None else KindTarget(kind, wanted)


def _attribute(name: str, value: str) -> CssTarget:
    return CssTarget(f"[{name}={quote(value)}]")


def _kind(role: str, position: int, name: Wanted = "", *, exact: bool = False) -> SimpleTarget:
    if not is_kind(role.lower()):
        raise InvalidValue(f"not a role: {shorten(role)}", 'A role and a name are button "Save".', position)
    return _text(name, exact=exact and name != "", kind=role.lower())


def _number(text: str, position: int) -> SimpleTarget:
    """Return the element of `e5` or `5`."""
    if match := re.fullmatch(r"@?(e?)([0-9]{1,15})", text):
        return ReferenceTarget(int(match[2])) if match[1] else IdTarget(int(match[2]))
    hint = "The numbers of observe are 5, those of snapshot @e5: look again, and take one of them."
    raise InvalidValue(f"not the number of an element: {shorten(text)}", hint, position)


# --- calls: getByRole("button", { name: "Save" }) ---


class LocatorCall(Record):
    """One call of a chain. `options` are those of an object (`{ exact: true }`) or of Python's (`exact=True`)."""

    name: str
    arguments: tuple[Any, ...]
    options: dict[str, Any]
    start: int


_CALLED = (
    r"(?:get_?by_?\w+|locator|frame_?locator|query_?selector(?:_?all)?|\$\$?|cy\.(?:get|contains)|"
    r"by\.\w+|test_?id|label|placeholder|title|alt|text|role)"
)
_CALL_START = re.compile(
    rf"(?:await[ \t]++)?(?:(?:this|self|page|driver|screen|browser|document|root)\.)*+(?={_CALLED}\()", re.IGNORECASE
)
_CALL_NAME = re.compile(r"(?:(?:cy|by)\.)?[A-Za-z_$][\w$]*+", re.IGNORECASE)
_DOT = re.compile(r"(?<!\s)\s*+\.\s*+(?=[A-Za-z_])")
_PROPERTY = re.compile(r"(?:first|last)(?![\w(])")
_KEY = re.compile(r"[A-Za-z_]\w*+")
_KEYWORD_ARGUMENT = re.compile(r"([A-Za-z_]\w*+)\s*+=(?!=)\s*+")
_CONSTANT = re.compile(r"(?:true|false|null|none|undefined|-?[0-9]++)(?![\w.(])", re.IGNORECASE)
_COMPILED = re.compile(
    r"""re\.compile\(\s*+r?("(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')(\s*+,\s*+re\.(?:I|IGNORECASE))?\s*+\)"""
)
_TEMPLATE = re.compile(r"`([^`\\$]*+)`")
_SPACES = re.compile(r"\s*+")


def _read_call(cursor: Cursor) -> Target | None:
    match = _CALL_START.match(cursor.line, cursor.position)
    if match is None:
        return None
    cursor.position = match.end()
    return _ChainReader(cursor).target()


class _ChainReader:
    """Reads a chain of calls, and gives it its meaning."""

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.start = cursor.position

    def target(self, depth: int = 0) -> Target:
        cursor = self.cursor
        found = _apply(self._call(depth), None)
        for _ in range(MAX_DEPTH):
            end = cursor.position
            if not cursor.take(_DOT):
                return found
            if prop := cursor.take(_PROPERTY):  # Python's: `.first` without brackets
                found = _apply(LocatorCall(prop, (), {}, end), found)
            else:
                found = _apply(self._call(depth), found)
        raise InvalidValue("a chain of too many locators", None, cursor.position)

    def _call(self, depth: int) -> LocatorCall:
        cursor, start = self.cursor, self.cursor.position
        if depth > MAX_DEPTH:
            raise InvalidValue("too many locators in one another", None, start)
        name = cursor.take(_CALL_NAME)
        if not cursor.looking_at("("):
            raise cursor.unexpected('a locator is a call: getByText("Save")')
        cursor.position += 1
        values: list[Any] = []
        options: dict[str, Any] = {}
        cursor.take(_SPACES)
        while not cursor.looking_at(")"):
            if keyword := _KEYWORD_ARGUMENT.match(cursor.line, cursor.position):
                cursor.position = keyword.end()
                options[_plain(keyword[1])] = self._value(depth)
            elif isinstance(value := self._value(depth), dict):
                options.update(value)
            else:
                values.append(value)
            self._separate(")")
        cursor.position += 1
        return LocatorCall(_plain(name), tuple(values), options, start)

    def _value(self, depth: int) -> Any:
        cursor = self.cursor
        if cursor.at_string:
            return cursor.string()
        if template := _TEMPLATE.match(cursor.line, cursor.position):
            cursor.position = template.end()
            return template[1]
        if literal := read_pattern(cursor):
            return Pattern(*literal)
        if compiled := _COMPILED.match(cursor.line, cursor.position):
            check_pattern(compiled[1][1:-1], cursor.position)
            cursor.position = compiled.end()
            return Pattern(compiled[1][1:-1], "i" if compiled[2] else "")
        if constant := cursor.take(_CONSTANT).lower():
            return int(constant) if constant.lstrip("-").isdigit() else {"true": True, "false": False}.get(constant)
        if cursor.looking_at("{"):
            return self._object(depth)
        if match := _CALL_START.match(cursor.line, cursor.position):
            cursor.position = match.end()
            return _ChainReader(cursor).target(depth + 1)
        raise cursor.unexpected("a text in a locator is in quotes")

    def _object(self, depth: int) -> dict[str, Any]:
        cursor = self.cursor
        if depth > MAX_DEPTH:
            raise InvalidValue("too many braces in one another", None, cursor.position)
        cursor.position += 1
        cursor.take(_SPACES)
        found: dict[str, Any] = {}
        while not cursor.looking_at("}"):
            key = cursor.string() if cursor.at_string else cursor.take(_KEY)
            cursor.take(_SPACES)
            if not key or not cursor.looking_at(":"):
                raise cursor.unexpected('options are { name: "Save", exact: true }')
            cursor.position += 1
            cursor.take(_SPACES)
            found[_plain(key)] = self._value(depth + 1)
            self._separate("}")
        cursor.position += 1
        return found

    def _separate(self, end: str) -> None:
        """Take the comma after a value, unless the list ends."""
        cursor = self.cursor
        cursor.take(_SPACES)
        if cursor.looking_at(","):
            cursor.position += 1
            cursor.take(_SPACES)
        elif not cursor.looking_at(end):
            raise self._unclosed() if cursor.position >= len(cursor.line) else cursor.unexpected()

    def _unclosed(self) -> LanguageError:
        self.cursor.position = self.start
        return self.cursor.unterminated("locator")


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


_SOURCES: dict[str, TextSource] = {
    **{f"getby{source}": source for source in TEXT_SOURCES},
    **{source: source for source in TEXT_SOURCES},
    "getbyalttext": "alt",
    "getbylabeltext": "label",
    "getbyplaceholdertext": "placeholder",
}
_SELECTORS = frozenset(
    {"locator", "queryselector", "queryselectorall", "$", "$$", "cy.get", "by.css", "by.cssselector"}
)
_ATTRIBUTES = {"getbytestid": "data-testid", "testid": "data-testid", "by.id": "id", "by.name": "name"}
_TEXTS = frozenset({"getbytext", "text", "cy.contains", "by.linktext", "by.partiallinktext"})
_ROLES = frozenset({"getbyrole", "role", "by.role"})
_VERBS = {
    "click": "click", "dblclick": "click", "tap": "tap", "hover": "hover", "focus": "focus", "check": "check",
    "uncheck": "uncheck", "clear": "clear", "fill": "type", "type": "type", "presssequentially": "type",
    "sendkeys": "type", "selectoption": "select", "setinputfiles": "upload", "innertext": "text",
    "textcontent": "text", "inputvalue": "value", "isvisible": "is visible", "ischecked": "is checked",
    "count": "count", "scrollintoviewifneeded": "scroll", "press": "press",
}  # fmt: skip
_FRAMES = frozenset({"framelocator", "contentframe"})
_IGNORED_OPTIONS = frozenset({"exact", "name", "includehidden", "hastext", "has", "timeout"})


def _apply(call: LocatorCall, found: Target | None) -> Target:
    """Return what a chain up to and with this call means. `found` is what it means without it."""
    if found is not None:
        _refuse_verb(call, found)
    for name in call.options:
        if name not in _IGNORED_OPTIONS:
            hint = f"Leave it out, and look with 'find' or 'observe' which one it is: {_without_options(call)}"
            raise InvalidValue(f"a target has no {shorten(name)}", hint, call.start)
    if found is not None and call.name in ("first", "nth", "last"):
        if call.name == "first" or call.arguments == (0,):
            return found
        hint = f"Run 'find' or 'observe' and take its number, or name what it is in: {found} inside \"…\"."
        raise InvalidValue(f"a target has no {call.name}", hint, call.start)
    if found is not None and call.name == "filter":
        return _filtered(found, call)
    target = _filtered(_located(call), call)
    if found is None:
        return target
    if isinstance(target, RelatedTarget):
        hint = f"Name one part: {target.subject} inside {found}"
        raise InvalidValue("a locator with a filter inside of another one", hint, call.start)
    return add_relation(target, "inside", found)


def _without_options(call: LocatorCall) -> Target:
    return _located(call.replace(options={key: call.options[key] for key in call.options if key == "name"}))


def _refuse_verb(call: LocatorCall, found: Target) -> None:
    if call.name in ("or", "and"):
        raise InvalidValue(f"{call.name}() in a target", f"A target names one element: {found}", call.start)
    verb = _VERBS.get(call.name)
    if verb is None:
        return
    value = "".join(f" {quote(each)}" for each in call.arguments if isinstance(each, str))
    raise InvalidValue(f"{call.name}() in a target", f"The verb comes first: {verb} {found}{value}", call.start)


def _located(call: LocatorCall) -> Target:
    """Return what a call names by itself."""
    exact = call.options.get("exact") is True
    first = call.arguments[0] if call.arguments else None
    if not isinstance(first, str | Pattern):
        raise InvalidValue(f"{call.name}() without a text", 'as in getByText("Save"), or just "Save"', call.start)
    if call.name in _FRAMES:
        raise InvalidValue("a frame in a target", f"Enter it first: frame css({quote(str(first))})", call.start)
    if call.name in _ROLES and isinstance(first, str):
        name = call.options.get("name", call.arguments[1] if len(call.arguments) > 1 else "")
        if not isinstance(name, str | Pattern):
            raise InvalidValue("the name of a role that is no text", 'as in button "Save"', call.start)
        return _kind(first, call.start, name, exact=exact)
    if source := _SOURCES.get(call.name):
        return _text(first, exact=exact, source=source)
    if call.name in _TEXTS:
        if len(call.arguments) > 1:
            hint = f"{quote(str(call.arguments[1]))} inside css({quote(str(first))})"
            raise InvalidValue("a selector and a text", hint, call.start)
        kind = "link" if call.name.startswith("by.") else None
        return _text(first, exact=exact, kind=kind)
    if isinstance(first, str):
        if attribute := _ATTRIBUTES.get(call.name):
            return _attribute(attribute, first)
        if call.name in _SELECTORS:
            return _selected(first, call.start)
        if call.name == "by.xpath":
            return XPathTarget(first)
        if call.name in ("by.classname", "by.tagname"):
            return CssTarget(f".{first}" if call.name == "by.classname" else first)
    elif call.name in _ATTRIBUTES:
        hint = f'css("[{_ATTRIBUTES[call.name]}*=\\"…\\"]") has a part of it'
        raise InvalidValue("a regular expression of an attribute", hint, call.start)
    hint = 'button "Save", label("E-mail"), "a text", css("…")'
    raise InvalidValue(f"no target: {shorten(call.name)}()", f"Targets are {hint}.", call.start)


def _filtered(found: Target, call: LocatorCall) -> Target:
    """Return the target that has the text, or the part, that a call's options require."""
    if (text := call.options.get("hastext")) is not None and isinstance(text, str | Pattern):
        if not (isinstance(found, KindTarget) and found.text == "" and found.number is None):
            hint = (
                f"Name its kind (listitem {quote(_words(text))}), or a part of it: {quote(_words(text))} inside {found}"
            )
            raise InvalidValue("a text beside another condition", hint, call.start)
        found = _text(text, kind=found.kind)
    if (part := call.options.get("has")) is not None:
        if isinstance(found, RelatedTarget) or isinstance(part, str | Pattern | int):
            raise InvalidValue("two relations of one locator", f"A target has one: {found}", call.start)
        found = add_relation(found, "contains", part)
    if call.name == "filter" and not {"hastext", "has"} & call.options.keys():
        raise InvalidValue("a filter without hasText or has", f"as a target: {found}", call.start)
    return found


def _words(wanted: Wanted) -> str:
    return wanted if isinstance(wanted, str) else wanted.pattern


# --- selectors: what stands in locator("…") ---

_HAS_TEXT = re.compile(
    r"""([\w.#*-]++(?:\[[^\]]*+\])*+)?:(has-text|text|text-is|contains)\((?:"((?:[^"\\]|\\.)*+)"|'((?:[^'\\]|\\.)*+)'|([^"')]++))\)"""
)
_PSEUDO = re.compile(r":(?:has-text|text|text-is|text-matches|nth-match|visible|right-of|left-of|above|below|near)\b")
_PSEUDO_WORD = re.compile(r"[\w.*-]*+:(?:has-text|text|text-is|text-matches|contains|nth-match)\(")
_KINDS_OF_TAGS = {
    "a": "link", "button": "button", "select": "combobox", "textarea": "textbox", "li": "listitem", "tr": "row",
    "td": "cell", "th": "columnheader", "article": "article", "form": "form", "dialog": "dialog", "nav": "navigation",
    "option": "option", "h1": "heading", "h2": "heading", "h3": "heading", "h4": "heading",
}  # fmt: skip


def _selected(selector: str, position: int) -> Target:
    """Return what the text of a selector means, in which an engine may be named: `text=Save`, `//button`, `#save`."""
    selector = selector.strip()
    if ">>" in selector:
        parts = [part.strip() for part in selector.split(">>")]
        if re.fullmatch(r"nth=0", parts[-1]):
            parts.pop()
        found = _selected(parts[0], position)
        for part in parts[1:]:
            if part.startswith(("nth=", "visible=", "internal:")):
                raise InvalidValue(
                    f"a target has no {shorten(part)}", f"Run 'find', and take a number: {found}", position
                )
            inner = _selected(part, position)
            if isinstance(inner, RelatedTarget):
                raise InvalidValue("selectors in one another", f"{inner} inside {found}", position)
            found = add_relation(inner, "inside", found)
        return found
    if assigned := _ASSIGNMENT.match(selector):
        return _assigned(assigned[1].lower(), selector[assigned.end() :], position)
    if selector.startswith(("//", "..", "(//")):
        return XPathTarget(selector)
    if (text := _HAS_TEXT.fullmatch(selector)) is not None:
        return _with_text(text, position)
    if pseudo := _PSEUDO.search(selector):
        before = selector[: pseudo.start()].strip() or "*"
        hint = f'The text is a target of its own: "…" inside css({quote(before)})'
        raise InvalidValue(f"no selector of CSS: {shorten(pseudo[0])}", hint, position)
    return CssTarget(selector)


def _with_text(match: re.Match[str], position: int) -> Target:
    """Return the meaning of `button:has-text("Save")`."""
    tag, pseudo, text = match[1], match[2], next(each for each in match.group(3, 4, 5) if each is not None)
    exact = pseudo == "text-is"
    if tag in (None, "*"):
        return _text(text, exact=exact)
    if kind := _KINDS_OF_TAGS.get(tag.lower()):
        return _text(text, exact=exact, kind=kind)
    hint = f"The text is a target of its own: {quote(text)} inside css({quote(tag)})"
    raise InvalidValue(f"no selector of CSS: :{pseudo}()", hint, position)


# --- assignments: text=Save ---

_ENGINES: dict[str, str] = {
    **{source: source for source in TEXT_SOURCES},
    "text": "text", "role": "role", "css": "css", "xpath": "xpath", "ref": "ref", "uid": "uid", "index": "index",
    "id": "id", "name": "name", "testid": "data-testid", "data-testid": "data-testid", "data-test-id": "data-test-id",
    "data-test": "data-test", "aria-label": "aria-label", "aria_ref": "ref", "aria-ref": "ref", "link": "link",
    "linktext": "link", "selector": "css", "element": "element",
}  # fmt: skip
_NUMBERS = frozenset({"ref", "aria-ref", "aria_ref", "uid", "index"})
_ASSIGNMENT = re.compile(rf"({'|'.join(sorted(map(re.escape, _ENGINES), key=len, reverse=True))})=(?!=)", re.IGNORECASE)
_SELECTOR_TOKEN = re.compile(r"""\\.|["'\[\]()]|[ \t\r]|[^\\"'\[\]() \t\r]++|\\""")
_CLOSING = {"[": "]", "(": ")", '"': '"', "'": "'"}
_ATTRIBUTE_SELECTOR = re.compile(r"[\w.*-]*+\[[A-Za-z_][\w-]*+(?:[~|^$*]?=|\])")
_QUOTED = re.compile(r"""(?:"((?:[^"\\]|\\.)*+)"|'((?:[^'\\]|\\.)*+)')([is]?)""")
_ROLE = re.compile(r"([A-Za-z]++)((?:\[[^\]\"'/]*+(?:\"[^\"]*+\"|'[^']*+'|/[^/]++/)?[^\]\"'/]*+\])*+)")
_ROLE_ATTRIBUTE = re.compile(r"\[\s*+([\w-]++)\s*+(?:=\s*+([^\]]*+(?:\"[^\"]*+\"|'[^']*+')?[^\]]*+))?\]")


def _selector_word(cursor: Cursor) -> str:
    """Take the characters up to white space outside of quotes and brackets; up to any, if these are not closed."""
    start, open_marks = cursor.position, list[str]()
    end = len(cursor.line)
    for token in _SELECTOR_TOKEN.finditer(cursor.line, start):
        text, inner = token[0], open_marks[-1] if open_marks else ""
        if text == inner:
            open_marks.pop()
        elif inner not in ('"', "'"):
            if text in _CLOSING:
                open_marks.append(_CLOSING[text])
            elif text.isspace() and not open_marks:
                end = token.start()
                break
    if open_marks:
        return cursor.word()
    cursor.position = end
    return cursor.line[start:end]


def _read_assignment(cursor: Cursor) -> Target | None:
    """Take `text=Save`, `role=button[name="Save"]`, `ref=e5`."""
    match = _ASSIGNMENT.match(cursor.line, cursor.position)
    if match is None:
        return None
    start = cursor.position
    cursor.position = match.end()
    literal = LITERAL.match(cursor.line, cursor.position)
    if literal is not None:
        cursor.position = literal.end()
        value = literal[0]
    else:
        value = _selector_word(cursor)
    if not value:
        cursor.position = start
        return None
    return _assigned(match[1].lower(), value, start)


def _assigned(name: str, value: str, position: int) -> Target:
    """Return the meaning of `name=value`."""
    engine = _ENGINES[name]
    if engine in ("ref", "index", "uid"):
        return _number(value.strip("\"'[]"), position)
    if engine == "role":
        return _role(value, position)
    quoted = _QUOTED.fullmatch(value.strip())
    bare = value if quoted is None else next(each for each in quoted.group(1, 2) if each is not None)
    if engine == "element":
        return TextTarget(bare)
    if engine == "css":
        return _selected(bare, position)
    if engine == "xpath":
        return XPathTarget(bare)
    wanted: Wanted = bare
    if quoted is None and (pattern := read_pattern(cursor := Cursor(value))) and cursor.position == len(value):
        wanted = Pattern(*pattern)
    if source := _SOURCES.get(engine):
        return _text(wanted, source=source)
    if engine in ("text", "link"):
        kind = "link" if engine == "link" else None
        return _text(wanted, exact=quoted is not None, kind=kind)
    return _attribute(engine, bare)


def _role(value: str, position: int) -> Target:
    """Return the meaning of `button[name="Save"]` behind `role=`."""
    match = _ROLE.fullmatch(value)
    if match is None:
        raise InvalidValue(f"not a role: {shorten(value)}", 'A role and a name are button "Save".', position)
    name: Wanted = ""
    exact = False
    state = ""
    for attribute in _ROLE_ATTRIBUTE.finditer(match[2]):
        if attribute[1].lower() != "name" or attribute[2] is None:
            state = attribute[1]
            continue
        written = attribute[2].strip()
        if quoted := _QUOTED.fullmatch(written):
            name = next(each for each in quoted.group(1, 2) if each is not None)
            exact = quoted[3] == "s"
        elif (literal := read_pattern(cursor := Cursor(written))) and cursor.position == len(written):
            name = Pattern(*literal)
        else:
            name = written
    found = _kind(match[1], position, name, exact=exact)
    if state:
        hint = f"Leave it out, and look with 'find' or 'observe' which one it is: {found}"
        raise InvalidValue(f"a target has no {shorten(state)}", hint, position)
    return found


# --- others ---

_REFERENCE = re.compile(r"@e([0-9]{1,15})")
_BRACKETED_REFERENCE = re.compile(r"\[ref=(@?e?[0-9]{1,15})\]")
_HTML_ELEMENT = re.compile(r"\*?\[([0-9]{1,15})\]\s*+<([a-z][\w-]*+)[^<>]*?(?:/>|>)([^<]*+)(?:</[a-z][\w-]*+>)?")
_PUPPETEER = re.compile(r"(aria|pierce|xpath)/(?=\S)")
_ARIA_ROLE = re.compile(r"\[role=[\"']?(\w++)[\"']?\]$")
_XPATH = re.compile(r"\(?//(?=[\w@*])|/html(?=[/\[])")
_WORDS = re.compile(r"(?:index|element|ref):?[ \t]++\[?(@?e?[0-9]{1,15})\]?(?![^ \t\r])", re.IGNORECASE)


def _read_literal(cursor: Cursor) -> Target | None:
    """Take `/Sav(e|ing)/i`."""
    literal = read_pattern(cursor)
    return None if literal is None else PatternTarget(*literal)


def _read_printed_element(cursor: Cursor) -> Target | None:
    """Take what snapshots of other tools print: `[ref=e5]`, `[5]<button>Save</button>`, `uid=1_5`."""
    start = cursor.position
    if match := _BRACKETED_REFERENCE.match(cursor.line, start):
        cursor.position = match.end()
        return _number(match[1], start)
    match = _HTML_ELEMENT.match(cursor.line, start)
    if match is None:
        return None
    cursor.position = match.end()
    kind, text = _KINDS_OF_TAGS.get(match[2], match[2]), " ".join(match[3].split())
    number = int(match[1])
    return KindTarget(kind, text, number) if text and is_kind(kind) else IdTarget(number)


def _read_selector_word(cursor: Cursor) -> Target | None:
    """Take a selector that can only be one: `[aria-label="Close it"]`, `button:has-text("Save")`, `//button`."""
    start = cursor.position
    if puppeteer := _PUPPETEER.match(cursor.line, start):
        cursor.position = puppeteer.end()
        return _puppeteer(puppeteer[1], _selector_word(cursor), start)
    if _XPATH.match(cursor.line, start):
        return XPathTarget(_selector_word(cursor))
    if _ATTRIBUTE_SELECTOR.match(cursor.line, start):
        # The text of a selector: what it selects counts if nothing shows it.
        word = _selector_word(cursor)
        return _selected(word, start) if _PSEUDO.search(word) else TextTarget(word)
    if _PSEUDO_WORD.match(cursor.line, start):
        return _selected(_selector_word(cursor), start)
    return None


def _puppeteer(engine: str, selector: str, position: int) -> Target:
    """Return the meaning of `aria/Save[role="button"]`, `pierce/#save`, `xpath///button`."""
    if engine == "aria":
        if role := _ARIA_ROLE.search(selector):
            return _kind(role[1], position, selector[: role.start()])
        return TextTarget(selector)
    return CssTarget(selector) if engine == "pierce" else XPathTarget(selector)


def _read_words(cursor: Cursor) -> Target | None:
    """Take `index 5` and `ref e5`."""
    match = _WORDS.match(cursor.line, cursor.position)
    if match is None:
        return None
    start = cursor.position
    cursor.position = match.end()
    return _number(match[1], start)
