"""Marks of a person on pages that change: 30 marks on 10 pages, five of which render themselves anew all the time, and
where they are a minute of that later.

    pytest tests/daemon/test_followed_marks.py -s

prints how many of them mean the right element."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from tests.daemon.daemon_process import RunningDaemon
from tests.daemon.test_person_notes import Person
from tests.headless.conftest import Pages

SECONDS = 60
"""How often each of the five pages renders itself anew: once a second, as a clock would have it."""

STILL: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "shop": (
        "<h1 data-key=h>Plants</h1><p data-key=p>Ferns love shade.</p><button data-key=b>Save</button>"
        "<button>Cancel</button>",
        ('css("h1")', 'css("p")', '"Save"'),
    ),
    "form": (
        "<form><label>Name <input data-key=name></label><label><input type=checkbox data-key=box> Terms</label>"
        "<select data-key=size aria-label=Size><option>S<option>M</select></form>",
        ('"Name"', '"Terms"', '"Size"'),
    ),
    "rows": (
        "<table>"
        + "".join(f"<tr><td>Row {at}</td><td><button data-key={at}>Edit</button></td></tr>" for at in range(9))
        + "</table>",
        ('"Edit" near "Row 2"', '"Edit" near "Row 5"', '"Edit" near "Row 8"'),
    ),
    "shadow": (
        "<x-app></x-app><script>document.querySelector('x-app').attachShadow({mode: 'open'}).innerHTML = "
        "'<button data-key=go>Go</button><a href=/a data-key=a>More</a><em data-key=e>New</em>'</script>",
        ('"Go"', '"More"', 'css("em")'),
    ),
    "frame": (
        "<h2 data-key=h>Outside</h2><iframe srcdoc='<button data-key=in>Inside</button><p data-key=p>Text</p>'>"
        "</iframe>",
        ('css("h2")', '"Inside"', '"Text"'),
    ),
}
"""Pages that stay as they are: their HTML, and the elements that are marked."""

TURNING: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "clock": (
        "`<h1 data-key=h>Plants</h1><p>Second ${second}</p><button data-key=b>Save</button>"
        "<button data-key=c>Cancel</button>`",
        ('"Plants"', '"Save"', '"Cancel"'),
    ),
    "growing": (
        "`<ul>${[...Array(4 + second % 7).keys()].reverse()"
        ".map(at => `<li>Task ${at} <button data-key=${at}>Done</button></li>`).join('')}</ul>`",
        ('"Done" near "Task 0"', '"Done" near "Task 2"', '"Done" near "Task 3"'),
    ),
    "shuffled": (
        "`<table>${['Fern', 'Cactus', 'Ivy', 'Moss'].map((name, at, all) => all[(at + second) % all.length])"
        ".map(name => `<tr><td>${name}</td><td><button data-key=${name}>Buy</button></td></tr>`).join('')}</table>`",
        ('"Buy" near "Fern"', '"Buy" near "Ivy"', '"Buy" near "Moss"'),
    ),
    "loading": (
        "second % 2 ? '<p>Loading …</p>' : `<p data-key=p>Ferns love shade.</p><a href=/x data-key=a>More</a>"
        "<label>Mail <input type=email data-key=mail></label>`",
        ('"Ferns love shade."', '"More"', '"Mail"'),
    ),
    "texts": (
        "`<section><h2>North</h2><p data-key=n>Sunny</p></section><section><h2>South</h2><p data-key=s>Rainy</p>"
        "<button data-key=b>Report</button></section>`",
        ('"Sunny"', '"Rainy"', '"Report"'),
    ),
}
"""Pages that render themselves anew: the template of what they show in a `second`, and the elements that are marked."""


def turning(template: str) -> str:
    return f"""<div id=app></div><script>let second = 0;
    const render = () => {{ document.querySelector('#app').innerHTML = {template}; }};
    addEventListener('tick', () => {{ second += 1; render(); }});
    render();</script>"""


@pytest.mark.slow
async def test_thirty_marks_mean_the_right_elements_a_minute_later(daemon: RunningDaemon, pages: Pages) -> None:
    await daemon.ok({"argv": ["close", "--all"]})
    person = Person(daemon, "marks")
    bodies = {name: html for name, (html, _) in STILL.items()} | {
        name: turning(template) for name, (template, _) in TURNING.items()
    }
    targets = {name: marked for name, (_, marked) in (STILL | TURNING).items()}
    keys: dict[int, tuple[str, str]] = {}
    for at, (name, body) in enumerate(bodies.items()):
        pages[f"/{name}"] = f"<title>{name}</title>{body}"
        await person.say(f"{'tab new' if at else 'goto'} {pages.url(f'/{name}')}")
        await person.say("observe")
        for target in targets[name]:
            note = await person.note(target, f"about {target}")
            await person.rows()  # the agent knows the number from now on
            key = (await person.say(f"attribute {note['element']['id']} data-key"))["data"]["result"]
            assert key, target
            keys[note["number"]] = name, key
    assert len(keys) == 30
    right: list[int] = []
    for at, name in enumerate(bodies):
        await person.say(f"tab switch {at + 1}")
        if name in TURNING:
            await _turn(person)
        rows = {row["number"]: row for row in await person.rows()}
        for number, (place, key) in keys.items():
            if place != name:
                assert rows[number]["element"]["id"] is None
                continue
            found = rows[number]["element"]["id"]
            if found is None:
                continue
            got: dict[str, Any] = await person.daemon.ask(f"attribute {found} data-key", session="marks")
            if got["data"].get("result") == key:
                right.append(number)
    figure = f"{len(right)} of {len(keys)} marks on {len(bodies)} pages mean the right element"
    sys.stdout.write(f"\n{figure} after {SECONDS} renderings of five of them\n")
    missing = [keys[number] for number in keys if number not in right]
    assert not missing


async def _turn(person: Person) -> None:
    """A minute of the page's own clock, while the agent looks now and then."""
    for _ in range(4):
        script = f"for (let at = 0; at < {SECONDS // 4}; at++) dispatchEvent(new Event('tick')); undefined"
        await person.say(f"eval {json.dumps(script)}")
        await person.say("observe")
    await person.say(
        """eval 'while (document.querySelector("#app").textContent.startsWith("Loading"))
        dispatchEvent(new Event("tick")); undefined'""".replace("\n", " ")
    )
