"""What raw text becomes."""

from __future__ import annotations

import pytest

from oryn.language import normalize, parse, render


def check(raw: str, canonical: str) -> None:
    assert normalize(raw) == canonical
    assert normalize(canonical) == canonical
    line = parse(raw)
    assert render(line) == canonical
    if line.command:
        assert parse(render(line.command)).command == line.command


ALIASES = {
    "navigate a.org": "goto a.org",
    "nav a.org": "goto a.org",
    "open a.org": "goto a.org",
    "Go \t to a.org": "goto a.org",
    "scan": "observe",
    "reload --HARD": "refresh --hard",
    "fill 5 x": 'type 5 "x"',
    "key Enter": "press enter",
    "accept  COOKIES": "accept_cookies",
    "accept_cookies": "accept_cookies",
    "quit": "exit",
}

CASE_AND_SPACE = {
    "\t OBSERVE   --Viewport\t": "observe --viewport",
    "WAIT Visible EMAIL": "wait visible email",
    "Cookies SET Theme Dark": 'cookies set Theme "Dark"',
    "click A NEAR B": 'click "A" near "B"',
    "scroll Down": "scroll down",
    "requests --method post": "requests --method POST",
    "pdf a.pdf --format LETTER": "pdf a.pdf --format Letter",
    "help CLICK": "help click",
    "click CSS(#a) near XPATH(//B)": 'click css("#a") near xpath("//B")',
    "goto HTTPS://Example.org/A": "goto HTTPS://Example.org/A",
    "back\r": "back",
    "type\r5\rx\r": 'type 5 "x"',
}

STRINGS = {
    "type 5 'it\\'s'": 'type 5 "it\'s"',
    r'type 5 "a\"b\\c\nd\te\rf"': r'type 5 "a\"b\\c\nd\te\rf"',
    r'type 5 "\d+"': r'type 5 "\\d+"',
    'type 5 "a\tb"': r'type 5 "a\tb"',
    "search don't": 'search "don\'t"',
    "search -": 'search "-"',
    "search -5": 'search "-5"',
    "search c#": 'search "c#"',
    "cookies get 'x y'": 'cookies get "x y"',
    "pdf 'a.pdf'": 'pdf "a.pdf"',
    "wait exists .a": 'wait exists ".a"',
    "eval document.title": 'eval "document.title"',
    "highlight 5 --color red": "highlight 5 --color red",
    "state save s --domain a.org": 'state save s --domain "a.org"',
    "headers a.org": "headers a.org",
    "login ann secret": 'login "ann" "secret"',
}

COMMENTS = {
    "#": "#",
    "  # a  ": "# a  ",
    "click 5\t#  two  spaces": "click 5 #  two  spaces",
    'click "#1" # c': 'click "#1" # c',
    "click css(a #b) #c": 'click css("a #b") #c',
    'fill_form {"a": "b #c"} #d': 'fill_form "{\\"a\\": \\"b #c\\"}" #d',
    "press control+#": "press control+#",
    "goto a.org # x # y": "goto a.org # x # y",
    "dialog accept #x": "dialog accept #x",
}

OPTIONS = {
    "click --double 5": "click 5 --double",
    "click -double 5": "click 5 --double",
    "type --delay 50 5 --enter x": 'type 5 "x" --delay 50 --enter',
    "observe full": "observe --full",
    "observe Full near Login": 'observe --full --near "Login"',
    "click 5 double force": "click 5 --double --force",
    "click double": 'click "double"',
    "scroll page": 'scroll "page"',
    "scroll 5 page": "scroll 5 --page",
    "text selector": 'text "selector"',
    "dialog accept timeout": 'dialog accept "timeout"',
    "tab close timeout 5s": "tab close --timeout 5s",
    "select 5 a strict": 'select 5 "a" "strict"',
    "storage --local get k": "storage get k --local",
    "state --cookies-only load x": "state load x --cookies-only",
    "session --mode headless new w": "session new w --mode headless",
    "errors last 5": "errors --last 5",
    "refresh --hard --timeout 1s --hard": "refresh --hard --timeout 1s --hard",
    "run x timeout 5s": "run x --timeout 5s",
    "run x --Name 'a b' --n 5": 'run x --name "a b" --n 5',
    "scroll --amount -100": "scroll --amount -100",
}

RELATIONS = {
    'type email "x" inside "Join"': 'type email inside "Join" "x"',
    'type email near "A" "x" inside "B"': 'type email near "A" inside "B" "x"',
    "click 5 --double near 6": "click 5 near 6 --double",
    "drag A to B near C": 'drag "A" to "B" near "C"',
    "drag A near C to B": 'drag "A" near "C" to "B"',
    "select 5 a b inside Form": 'select 5 inside "Form" "a" "b"',
    "attribute 5 href after 4": "attribute 5 after 4 href",
    "upload 5 a.png before 6 b.png": "upload 5 before 6 a.png b.png",
    "is checked 5 contains x": 'is checked 5 contains "x"',
    "wait visible A inside B": 'wait visible "A" inside "B"',
    "cookies set near inside": 'cookies set near "inside"',
}

SELECTIONS = {
    "select 5 007": "select 5 007",
    "select 5 2 3": 'select 5 "2" "3"',
    "select 5 '2'": 'select 5 "2"',
    "select 5 2 x": 'select 5 "2" "x"',
    "select 5 2 --strict 3": 'select 5 "2" "3" --strict',
    "select 5 1.5 2": 'select 5 "1.5" "2"',
}

KEYS = {
    "press Control + Shift + A": "press control+shift+a",
    "press Control +a": "press control+a",
    "press Control+ a": "press control+a",
    'press "Control + A"': 'press "control+a"',
    "press '#'": 'press "#"',
    "press É": "press é",
    "press -": "press -",
    "press a --timeout 1s": "press a --timeout 1s",
    "press +": "press +",
    "press + --timeout 1s": "press + --timeout 1s",
    "press ctrl++": "press control++",
    "press Control + +": "press control++",
    "press Ctrl + Shift + Plus": "press control+shift++",
    "press + + a": "press ++a",
    "press Cmd+Option+Left": "press meta+alt+arrowleft",
    "press Return": "press enter",
    "press Esc": "press escape",
    "press Page_Down": "press pagedown",
    "press 'Page Up'": 'press "pageup"',
    "press PgUp": "press pageup",
    "press Ins": "press insert",
    "keydown Del": "keydown delete",
    "keyup +": "keyup +",
    "keyup ALL": "keyup all",
    "keydown F12": "keydown f12",
}

SESSIONS = {
    "@work click 5": "@work click 5",
    "session work click 5": "@work click 5",
    "session 'work' go to a.org": "@work goto a.org",
    "@Work  observe #c": "@Work observe #c",
    "session work": "session work",
    "session 'work'": 'session "work"',
    "session work #c": "session work #c",
    "session work --timeout 5s": "session work --timeout 5s",
    "SESSION New work": "session new work",
    "@a session": "@a session",
    "@a session new b": "@a session new b",
    "session close work": "session close work",
    "@e5 click @e5": "@e5 click @e5",
}

OTHERS = {
    "device iPhone   14": 'device "iPhone 14"',
    "device Galaxy S9+ --timeout 1s #c": 'device "Galaxy S9+" --timeout 1s #c',
    "device 'iPhone 14'": 'device "iPhone 14"',
    "device reset": "device reset",
    'device "reset"': 'device "reset"',
    'headers set {"A": "b"}': 'headers set "{\\"A\\": \\"b\\"}"',
    'headers set a.org {"A": "b"}': 'headers set a.org "{\\"A\\": \\"b\\"}"',
    'headers set \'{"A": "b"}\'': 'headers set "{\\"A\\": \\"b\\"}"',
    'headers "clear"': 'headers "clear"',
    "headers [::1]": "headers [::1]",
    'tool call a/b {"x": [1, {}]} --timeout 1s': 'tool call a/b "{\\"x\\": [1, {}]}" --timeout 1s',
    'intercept a respond {"b": "}"} block': 'intercept "a" --respond "{\\"b\\": \\"}\\"}" --block',
    "dismiss Popups": "dismiss popups",
    "dismiss 'Popups'": 'dismiss "Popups"',
    "dismiss Newsletter": "dismiss Newsletter",
    "extract CSS(.a b)": 'extract css(".a b")',
    "click at( 1 , -2.50 )": "click at(1,-2.50)",
    "click tel": "click tel",
    "define x : #c": "define x: #c",
    "geolocation -33.80 151": "geolocation -33.80 151",
    "wait 007s": "wait 007s",
    'click button "Save"': 'click button "Save"',
    "click Button 'Save' --double": 'click button "Save" --double',
    'click [5] button "Save"': 'click [5] button "Save"',
    'click [5] button/submit "Sign in" {primary, focused}': 'click [5] button/submit "Sign in"',
    'type input/email "E-mail" "ada@example.org"': 'type input/email "E-mail" "ada@example.org"',
    'type textbox "E-mail" {required} "x" --enter': 'type textbox "E-mail" "x" --enter',
    'type textbox "Ada"': 'type "textbox" "Ada"',
    'click link "Details" in "1003"': 'click link "Details" inside "1003"',
    'click [7] link "Details" in "1003" {current}': 'click [7] link "Details" inside "1003"',
    'click "Details" in row "1003"': 'click "Details" inside row "1003"',
    'type "Name" "Ada" in "Billing"': 'type "Name" inside "Billing" "Ada"',
    'select combobox "City" "Oslo"': 'select combobox "City" "Oslo"',
    'select "Size" in "Row 2" "XL"': 'select "Size" inside "Row 2" "XL"',
    'select listbox "Red"': 'select "listbox" "Red"',
    'select 5 in "x"': 'select 5 "in" "x"',
    'drag listitem "A" to listitem "B" near button "C"': 'drag listitem "A" to listitem "B" near button "C"',
    'is visible heading "Intro"': 'is visible heading "Intro"',
    'wait exists alert "Saved"': 'wait exists alert "Saved"',
    'count row "Ada"': 'count row "Ada"',
    "click button double": 'click "button" --double',
    "type 5 in": 'type 5 "in"',
    "click [5]": 'click "[5]"',
    "click .error": 'click ".error"',
    "click button.primary  >  span": 'click "button.primary > span"',
    "is visible li:nth-child(2) + li ~ [role=row]": 'is visible "li:nth-child(2) + li ~ [role=row]"',
    "select .size > XL": 'select ".size" ">" "XL"',
    "type Name >": 'type "Name" ">"',
    "click css(a > b)": 'click css("a > b")',
    "wait 2": "wait 2",
    "wait 1.5s": "wait 1.5s",
    "click 5 --timeout 0.5": "click 5 --timeout 0.5",
}

ALL = {
    **ALIASES,
    **CASE_AND_SPACE,
    **STRINGS,
    **COMMENTS,
    **OPTIONS,
    **RELATIONS,
    **SELECTIONS,
    **KEYS,
    **SESSIONS,
    **OTHERS,
}


@pytest.mark.parametrize(("raw", "canonical"), ALL.items())
def test_canonical_text(raw: str, canonical: str) -> None:
    check(raw, canonical)


def test_blank_lines_disappear() -> None:
    assert normalize("\n back \r\n\t\n\r\n#c\r\n\n") == "back\n#c"


def test_a_blank_line_has_no_command() -> None:
    line = parse(" \t")
    assert (line.command, line.comment, line.canonical) == (None, None, "")


def test_a_role_behind_a_choice_stays_a_role() -> None:
    """`wait url` is another command, but `wait visible url` is not."""
    command = parse("wait visible url").command
    assert command is not None
    assert render(command) == "wait visible url"
    assert parse(render(command)).command == command
