"""Tests of Playwright, in Python for pytest-playwright and in TypeScript for its own runner. Pure.

Both have the same statements, written by a `Dialect`. Two functions come with each test: `find` looks in all frames,
which Oryn does too, and `shows` compares texts without white space, which layouts change."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Literal

from oryn.testing.expectation import VARIES
from oryn.testing.exports.operations import (
    Act,
    CheckElement,
    CheckPage,
    CheckResult,
    CheckTexts,
    ExportedStep,
    Locator,
    Operation,
)
from oryn.testing.test_file import RecordedTest

Language = Literal["python", "typescript"]

MAX_LINE = 100
_HEAD = {
    "python": '''"""Exported by Oryn: what was done, and what each step caused."""

import json
import re
import time

from playwright.sync_api import Error, Page, expect

BASE = {base}

''',
    "typescript": """// Exported by Oryn: what was done, and what each step caused.

import {{ test, expect, type Frame, type Locator, type Page }} from "@playwright/test";

const BASE = {base};

""",
}
_FUNCTIONS = {
    "python": '''

def find(page, *picks):
    """The first visible element that one of `picks` finds in a frame of the page; those before go first."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        for pick in picks:
            for frame in page.frames:
                try:
                    found = pick(frame).filter(visible=True)
                    if found.count():
                        return found.first
                except Error:  # the frame has gone
                    continue
        page.wait_for_timeout(50)
    return picks[0](page.main_frame).first


def named(name):
    """Ways to find what is called so: by its role, its label, or its text."""
    roles = ("button", "link", "tab", "menuitem", "checkbox", "radio", "option")
    return (
        *(lambda frame, role=role: frame.get_by_role(role, name=name, exact=True) for role in roles),
        *field(name)[:3],
        lambda frame: frame.get_by_text(name, exact=True),
        lambda frame: frame.get_by_role("button", name=name).or_(frame.get_by_role("link", name=name)),
        lambda frame: frame.get_by_text(name),
    )


def field(name):
    """Ways to find the field or box with this label, placeholder or name, or that the text stands beside."""
    key, fields = json.dumps(name), "self::input or self::textarea or self::select"
    beside = f"xpath=ancestor::*[.//*[{fields}]][1]//*[{fields}]"
    return (
        lambda frame: frame.get_by_label(name, exact=True),
        lambda frame: frame.get_by_placeholder(name, exact=True),
        lambda frame: frame.locator(f"[name={key}], [id={key}]"),
        lambda frame: frame.get_by_text(name, exact=True).locator(beside),
        lambda frame: frame.get_by_label(name),
        lambda frame: frame.get_by_text(name).locator(beside),
    )


def inside(frame, text, pick):
    """What `pick` finds in the innermost row or section that has this text, too."""
    areas = frame.locator("tr, li, article, section, fieldset, form, div, [role=row]")
    named = frame.get_by_text(text, exact=True).or_(frame.get_by_placeholder(text)).or_(frame.get_by_label(text))
    return pick(areas.filter(has=named).filter(has=pick(frame)).last)


def shows(page, *texts):
    """Wait until the page shows these texts; `{{varies}}` stands for any."""
    end = time.monotonic() + 10
    missing = texts
    while missing:
        seen = ""
        for frame in page.frames:
            try:
                seen += frame.locator("body").inner_text(timeout=1000)
            except Error:
                continue
        seen = "".join(seen.split()).casefold()
        missing = [text for text in texts if not re.search(pattern(text), seen) and not quoted(page, text)]
        assert not missing or time.monotonic() < end, f"the page does not show {missing}"
        if missing:
            page.wait_for_timeout(50)


def pattern(text):
    parts = "".join(text.removesuffix("…").split()).casefold().split("{{varies}}")
    return ".*?".join(map(re.escape, parts))


def quoted(page, text):
    """Whether the text is somewhere that a page's own text lacks: in a shadow root."""
    try:
        return any(frame.get_by_text(text.removesuffix("…")).count() for frame in page.frames)
    except Error:
        return False
''',
    "typescript": """
type Pick = (frame: Frame) => Locator;

/** The first visible element that one of `picks` finds in a frame of the page; those before go first. */
async function find(page: Page, ...picks: Pick[]): Promise<Locator> {
  const end = Date.now() + 10_000;
  while (Date.now() < end) {
    for (const pick of picks) {
      for (const frame of page.frames()) {
        const found = pick(frame).filter({ visible: true });
        if (await found.count().catch(() => 0)) return found.first();
      }
    }
    await page.waitForTimeout(50);
  }
  return picks[0](page.mainFrame()).first();
}

/** Ways to find what is called so: by its role, its label, or its text. */
function named(name: string): Pick[] {
  const roles = ["button", "link", "tab", "menuitem", "checkbox", "radio", "option"] as const;
  return [
    ...roles.map((role): Pick => (frame) => frame.getByRole(role, { name, exact: true })),
    ...field(name).slice(0, 3),
    (frame) => frame.getByText(name, { exact: true }),
    (frame) => frame.getByRole("button", { name }).or(frame.getByRole("link", { name })),
    (frame) => frame.getByText(name),
  ];
}

/** Ways to find the field or box with this label, placeholder or name, or that the text stands beside. */
function field(name: string): Pick[] {
  const key = JSON.stringify(name);
  const fields = "self::input or self::textarea or self::select";
  const beside = `xpath=ancestor::*[.//*[${fields}]][1]//*[${fields}]`;
  return [
    (frame) => frame.getByLabel(name, { exact: true }),
    (frame) => frame.getByPlaceholder(name, { exact: true }),
    (frame) => frame.locator(`[name=${key}], [id=${key}]`),
    (frame) => frame.getByText(name, { exact: true }).locator(beside),
    (frame) => frame.getByLabel(name),
    (frame) => frame.getByText(name).locator(beside),
  ];
}

/** What `pick` finds in the innermost row or section that has this text, too. */
function inside(frame: Frame, text: string, pick: (scope: Frame | Locator) => Locator): Locator {
  const areas = frame.locator("tr, li, article, section, fieldset, form, div, [role=row]");
  const named = frame.getByText(text, { exact: true }).or(frame.getByPlaceholder(text)).or(frame.getByLabel(text));
  return pick(areas.filter({ has: named }).filter({ has: pick(frame) }).last());
}

/** Wait until the page shows these texts; `{{varies}}` stands for any. */
async function shows(page: Page, ...texts: string[]): Promise<void> {
  await expect(async () => {
    let seen = "";
    for (const frame of page.frames()) seen += await frame.locator("body").innerText({ timeout: 1000 }).catch(() => "");
    seen = seen.replace(/\\s+/g, "").toLowerCase();
    for (const text of texts) {
      const plain = text.replace(/…$/, "");
      const parts = plain.replace(/\\s+/g, "").toLowerCase().split("{{varies}}");
      const pattern = new RegExp(parts.map((part) => part.replace(/[.*+?^${}()|[\\]\\\\]/g, "\\\\$&")).join(".*?"));
      if (pattern.test(seen)) continue;
      let inShadow = 0;
      for (const frame of page.frames()) inShadow += await frame.getByText(plain).count().catch(() => 0);
      expect(inShadow, `the page shows ${text}`).toBeGreaterThan(0);
    }
  }).toPass({ timeout: 10_000 });
}
""",
}


def render(test: RecordedTest, steps: Sequence[ExportedStep], name: str, language: Language) -> str:
    """Return the text of a file with the test."""
    dialect = Dialect(language)
    head = _HEAD[language].format(base=dialect.text(test.preparation.base.rstrip("/")))
    words = [word for word in re.split(r"\W+", name.lower()) if word]
    if dialect.is_python:
        opening, closing = f"\ndef test_{'_'.join(words)}(page: Page) -> None:\n", ""
    else:
        opening, closing = f"test({dialect.text(name)}, async ({{ page }}) => {{\n", "});\n"
    indent = "    " if dialect.is_python else "  "
    body = "\n".join(_step_text(step, dialect, indent) for step in steps)
    return f"{head}{opening}{body}{closing}{_FUNCTIONS[language]}"


def _step_text(step: ExportedStep, dialect: Dialect, indent: str) -> str:
    mark = "#" if dialect.is_python else "//"
    line = step.line.replace("\n", " ")
    rows = [f"{mark} {line}", *(row for each in step.operations for row in dialect.statements(each))]
    return "".join(f"{indent}{row}\n" for row in rows)


class Dialect:
    """How a statement is written in one of the languages."""

    def __init__(self, language: Language) -> None:
        self.is_python = language == "python"

    def text(self, text: str) -> str:
        return json.dumps(text, ensure_ascii=False)

    def name(self, name: str) -> str:
        """`set_checked` or `setChecked`."""
        if self.is_python or name == "to_have_url":
            return name if self.is_python else "toHaveURL"
        first, *others = name.split("_")
        return first + "".join(word.capitalize() for word in others)

    def call(self, owner: str, name: str, *arguments: str, **options: str) -> str:
        """Write a call that is awaited."""
        return f"{self.wait}{owner}.{self.name(name)}({', '.join([*arguments, *self.options(options)])})"

    def options(self, options: dict[str, str]) -> list[str]:
        if not options:
            return []
        if self.is_python:
            return [f"{name}={value}" for name, value in options.items()]
        return ["{ " + ", ".join(f"{self.name(name)}: {value}" for name, value in options.items()) + " }"]

    @property
    def wait(self) -> str:
        return "" if self.is_python else "await "

    @property
    def end(self) -> str:
        return "" if self.is_python else ";"

    def boolean(self, value: bool) -> str:
        return str(value) if self.is_python else str(value).lower()

    # --- locators ---

    def located(self, locator: Locator) -> str:
        """Write the search for an element: `find(page, lambda frame: frame.get_by_role("button", name="Buy"))`."""
        inside = self._picked(locator, "scope" if locator.section else "frame")
        if locator.section:
            pick = f"lambda scope: {inside}" if self.is_python else f"(scope) => {inside}"
            inside = f"inside(frame, {self.text(locator.section)}, {pick})"
        picks = [f"lambda frame: {inside}" if self.is_python else f"(frame) => {inside}"] if inside else []
        if locator.by in ("field", "box", "name"):
            spread = "*" if self.is_python else "..."
            function = "named" if locator.by == "name" else "field"
            picks.append(f"{spread}{function}({self.text(locator.value)})")
        found = f"find(page, {', '.join(picks)})"
        return found if self.is_python else f"(await {found})"

    def _picked(self, locator: Locator, scope: str) -> str:
        value = self.text(locator.value)
        exact = {"exact": self.boolean(locator.is_exact)}
        match locator.by:
            case "role" | "box":
                options = ", ".join(self.options({"name": value, **exact}))
                return f"{scope}.{self.name('get_by_role')}({self.text(locator.role)}, {options})"
            case "field" if locator.section:
                return f"{scope}.{self.name('get_by_label')}({value}, {', '.join(self.options(exact))})"
            case "password":
                return f'{scope}.locator("input[type=password]")'
            case "search":
                return f'{scope}.locator("input[type=search], [role=search] input, [role=searchbox]")'
            case "css":
                visible = ", ".join(self.options({"visible": self.boolean(True)}))
                nth = f".filter({visible}).nth({locator.place - 1})" if locator.place else ""
                return f"{scope}.locator({value}){nth}"
            case "xpath":
                return f"{scope}.locator({self.text(f'xpath={locator.value}')})"
        return f"{scope}.{self.name('get_by_text')}({value})" if locator.section else ""

    def pattern(self, text: str, *, whole: bool) -> str:
        """Write a text, or a regular expression if a part of it varies."""
        if VARIES not in text:
            return self.text(text)
        source = ".*?".join(map(_escaped, text.split(VARIES)))
        source = f"^{source}$" if whole else f"{source}$"
        return f"re.compile({self.text(source)})" if self.is_python else f"new RegExp({self.text(source)})"

    # --- statements ---

    def statements(self, operation: Operation) -> Iterator[str]:
        match operation:
            case Act():
                yield from self._act(operation)
            case CheckPage(place, title):
                yield from self._page(place, title)
            case CheckTexts(texts):
                yield from self._shows(texts)
            case CheckElement(locator, state, value):
                yield self._expect(self.located(locator), state, value)
            case CheckResult(locator, _, value):
                state = "visible" if value == "yes" else "gone"
                yield self._expect(self.located(locator), state, "")

    def _shows(self, texts: Sequence[str]) -> Iterator[str]:
        line = f"{self.wait}shows(page, {', '.join(map(self.text, texts))}){self.end}"
        if len(line) <= MAX_LINE:
            yield line
            return
        indent = "    " if self.is_python else "  "
        yield f"{self.wait}shows("
        yield f"{indent}page,"
        yield from (f"{indent}{self.text(each)}," for each in texts)
        yield f"){self.end}"

    def _act(self, act: Act) -> Iterator[str]:
        if act.dialog:
            if self.is_python:
                yield f'page.once("dialog", lambda dialog: dialog.{act.dialog}())'
            else:
                yield f'page.once("dialog", (dialog) => dialog.{act.dialog}());'
        yield f"{self._act_call(act)}{self.end}"

    def _act_call(self, act: Act) -> str:
        where = self.located(act.locator) if act.locator is not None else "page"
        texts = [self.text(each) for each in act.texts]
        match act.name:
            case "goto":
                place = act.texts[0]
                url = f"BASE + {self.text(place)}" if place.startswith("/") else self.text(place)
                return self.call("page", "goto", url)
            case "back" | "forward":
                return self.call("page", f"go_{act.name}")
            case "reload":
                return self.call("page", "reload")
            case "click" if act.variant == "double":
                return self.call(where, "dblclick")
            case "click" if act.variant:
                return self.call(where, "click", button=self.text(act.variant))
            case "press" if act.locator is None:
                return self.call("page.keyboard", "press", *texts)
            case "select":
                labels = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
                return self.call(where, "select_option", labels)
            case "set":
                return self.call(where, "set_checked", self.boolean(act.variant == "on"))
            case "upload":
                return self.call(where, "set_input_files", f"[{', '.join(texts)}]")
        return self.call(where, act.name, *texts)

    def _page(self, place: str, title: str) -> Iterator[str]:
        if place:
            if place.startswith("/") and VARIES not in place:
                url = f"BASE + {self.text(place)}"
            else:
                url = self.pattern(place, whole=not place.startswith("/"))
            yield f"{self.wait}expect(page).{self.name('to_have_url')}({url}){self.end}"
        if title:
            yield f"{self.wait}expect(page).{self.name('to_have_title')}({self.pattern(title, whole=True)}){self.end}"

    def _expect(self, where: str, state: str, value: str) -> str:
        names = {"visible": "to_be_visible", "gone": "to_be_hidden", "disabled": "to_be_disabled"}
        names |= {"enabled": "to_be_enabled", "checked": "to_be_checked"}
        if state == "not checked":
            options = ", ".join(self.options({"checked": self.boolean(False)}))
            return f"{self.wait}expect({where}).{self.name('to_be_checked')}({options}){self.end}"
        if state == "value":
            argument = "each" if self.is_python else "each: any"
            script = f"({argument}) => each.selectedOptions ? each.selectedOptions[0]?.text : each.value"
            held = self.call(where, "evaluate", self.text(script) if self.is_python else script)
            wanted = self.text(value)
            if self.is_python:
                return f"assert ({held} or '').strip() == {wanted}"
            return f"expect((({held}) ?? '').trim()).toBe({wanted});"
        return f"{self.wait}expect({where}).{self.name(names[state])}(){self.end}"


def _escaped(text: str) -> str:
    return re.sub(r"[.*+?^${}()|\[\]\\/]", r"\\\g<0>", text)
