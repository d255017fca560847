"""Every line that the skill shows does what it says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from oryn.language import Line, Program
from oryn.sandbox.monty import new_interpreter
from oryn.skill import skill_text
from tests.skill.test_skill import EXAMPLE_LINES, INLINE_COMMANDS

pytestmark = pytest.mark.browser

PAGE = """<title>Shop</title>
<form onsubmit="event.preventDefault()"><input type=email placeholder=E-mail><input type=password>
<button>Sign in</button></form>
<form onsubmit="event.preventDefault()"><input type=search placeholder=Search></form>
<label>Name <input></label><label>City <input></label>
<label>Budget <input type=range max=100></label><label>Leave on <input type=date></label>
<label>Country <select><option>Sweden<option>Norway</select></label>
<label><input type=checkbox> I agree</label><button>Menu</button>
<button class=buy>Add</button><p>Price</p><p>Total</p><label>Quantity <input value=3></label>
<label>Photo <input type=file></label><table><tr><th>a<td>1</table>
<h2>Payment</h2><button onclick="confirm('sure?')">Ask</button>
<iframe title=Payment srcdoc="<button>Pay</button>"></iframe>
<button onclick="this.remove()">Accept all cookies</button>
<dialog open aria-label=Newsletter><button onclick="this.parentNode.remove()" aria-label=Close>x</button></dialog>
<p class=result>1<p class=result>2<p class=result>3<p class=result>4<p class=result>5
<p class=result>6<p class=result>7<p class=result>8<p class=result>9<p class=result>10
<p>Done</p><p style="margin-top:3000px">Reviews</p>"""


@pytest.mark.slow
async def test_commands_in_the_skill_work(isolated: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath("photo.png").write_bytes(b"\x89PNG\r\n")
    isolated.pages["/"] = isolated.pages["/thanks"] = PAGE
    for line in dict.fromkeys((*EXAMPLE_LINES, *INLINE_COMMANDS)):
        await isolated.ok(f"goto {isolated.pages.url('/thanks')}")
        await isolated.ok("observe")
        if line == "back":
            await isolated.ok(f"goto {isolated.pages.url('/')}")
        elif line.startswith("dialog"):
            await isolated.ok("click Ask")
        await isolated.ok(line.replace("example.org", isolated.pages.url("/")))


async def test_the_program_in_the_skill_works(isolated: Any) -> None:
    pytest.importorskip("pydantic_monty")
    isolated.session.new_interpreter = new_interpreter
    (text,) = re.findall(r"^```python\n(.*?)^```$", skill_text(), re.MULTILINE | re.DOTALL)
    isolated.pages["/"] = (
        "<title>Shop</title><a href=/fern>Fern €24</a> <a href=/palm>Palm €45</a> <a href=/a>About</a>"
    )
    for name in ("fern", "palm"):
        isolated.pages[f"/{name}"] = f"<title>{name}</title><label><input type=checkbox> Remind me</label>"
    await isolated.ok(f"goto {isolated.pages.url('/')}")
    answer = await isolated.session.execute(Line.of(Program(text=text)))
    assert answer.data["value"] == "Shop", answer.render()
    assert answer.data["commands"] == {"observe": 1, "click": 1, "check": 1, "back": 1, "title": 1}
