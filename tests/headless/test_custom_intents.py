"""Intents of one's own: defined, run, failed, ended by their limits; in real Chromium, lines in and answers out."""

from __future__ import annotations

import asyncio
import json
import re
import stat
from pathlib import Path
from typing import Any

import pytest

from oryn.engine.definitions import read_definition
from oryn.intents import FileIntentLibrary

FORM = """<title>Form</title><form action=/done><label>Name <input name=n></label>
 <label>Password <input type=password></label><button>Send</button></form>"""
DONE = "<title>Done</title><p>Thank you</p><a href=/>Again</a>"


@pytest.fixture
def library(oryn: Any, tmp_path: Path) -> FileIntentLibrary:
    """The user's folders, as a host gives them to a session; `library.folder` has the intents."""
    kept = FileIntentLibrary(tmp_path / "intents", tmp_path / "packs")
    oryn.session.library = lambda: kept
    (tmp_path / "intents").mkdir()
    return kept


def define(oryn: Any, name: str, *steps: Any, **more: Any) -> None:
    """Define by data, as a file would."""
    oryn.session.custom_intents.definitions[name] = read_definition({"name": name, "steps": list(steps), **more})


# --- define, undefine, intents ---------------------------------------------------------------------------------------


async def test_define_run_and_undefine(oryn: Any) -> None:
    oryn.pages["/done"] = DONE
    await oryn.show(FORM)
    body = '\n  type "Name" "{{name}}"\n  click "Send" # and off\n'
    assert await oryn(f"define send:{body}") == "ok define send:\n\n2 steps: run send --name <text>"
    assert await oryn("intents --session") == "ok intents --session\n\nrun send --name <text>  (session)"
    assert await oryn("run send --name Ada") == (
        'ok run send --name Ada\n\n1 type "Name" "Ada"\n2 click "Send"\n\n'
        f'# changes\n@ {oryn.pages.url()[7:]}done?n=Ada "Done"\n+ text "Thank you"'
    )
    assert await oryn("undefine send") == "ok undefine send"
    assert await oryn("intents --session") == "ok intents --session\n\nnone"
    assert await oryn("run send --name Ada") == (
        "error run send --name \"••••\": no intent send\n\n# hint\nRun 'intents' to see them."
    )
    assert await oryn("undefine send") == (
        "error undefine send: this session has defined no send\n\n# hint\nRun 'intents --session' to see its own."
    )


async def test_a_definition_may_have_no_body_yet(oryn: Any) -> None:
    assert await oryn("define later:") == "ok define later:\n\nno steps yet: indented lines after it are its steps"
    await oryn.show("<title>A</title>")
    assert await oryn("run later") == "ok run later"
    assert "1 step: run later" in await oryn("define later:\n  title")
    assert await oryn("run later") == 'ok run later\n\n1 title: "A"'


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("\n  clik 5", 'line 1 of the body: unknown command "clik" (at 2)'),
        ("\n  define b:", "line 1 of the body: a definition inside a definition (at 2)"),
        ("\n  @other back", "steps[1]: a step runs in the session of its intent"),
        ("\n  exit", "steps[1]: exit is no step"),
        ("\n  back\n  run bad", "steps[2]: bad calls itself"),
        ('\n  click "{{A}}"', "parameters: 'A' is no name"),
    ],
)
async def test_invalid_definition_is_rejected(oryn: Any, body: str, message: str) -> None:
    assert (await oryn(f"define bad:{body}")).splitlines()[0] in (
        f"error define bad:: {message}",
        f"error define bad: {message}",
    )
    assert await oryn("intents --session") == "ok intents --session\n\nnone"


async def test_intents_lists_the_built_in_ones_with_their_usage(oryn: Any) -> None:
    lines = (await oryn("intents")).splitlines()
    assert (
        'login "<user>" "<password>" [--no-submit] [--wait <duration>]  (built in) Fill in the login form and submit it'
        in lines
    )
    assert len(lines) == 9
    await oryn("output json")
    names = [row["name"] for row in json.loads(await oryn("intents"))["result"]]
    assert names == ["login", "search", "dismiss", "accept_cookies", "scroll_until", "logout", "fill_form"]


# --- what run is given -----------------------------------------------------------------------------------------------


async def test_parameters_that_are_wrong_are_told_with_the_usage(oryn: Any) -> None:
    await oryn.show(FORM)
    define(
        oryn,
        "send",
        'type "Name" "{{name}}"',
        "wait {{n}}ms",
        parameters={"name": {}, "n": {"type": "number", "default": 1}},
    )
    usage = "\n\n# hint\nrun send --name <text> [--n <number>]"
    assert await oryn("run send") == f"error run send: send needs --name{usage}"
    assert await oryn("run send --name x --n y") == f"error run send --name x --n y: --n is no number: y{usage}"
    assert await oryn("run send --name x --nam y") == (
        'error run send --name "x" --nam "••••": send has no parameter --nam\n\n# hint\ndid you mean --name?'
    )
    assert (await oryn("run sent --name x")).endswith("# hint\ndid you mean send?")


async def test_a_value_can_not_become_a_command_or_an_option(oryn: Any) -> None:
    await oryn.show(FORM)
    await oryn("define send:\n  type Name {{name}}")
    await oryn.ok("""run send --name '" --enter # click "Send"'""")
    assert json.loads((await oryn("value Name")).split("\n\n")[1]) == '" --enter # click "Send"'


@pytest.mark.slow
async def test_credentials_are_dots_wherever_a_run_is_told(oryn: Any) -> None:
    await oryn.show(FORM)
    await oryn(
        'define enter:\n  login "{{user}}" "{{pin}}" --no-submit\n  type "Password" "{{pin}}"\n  click "None {{pin}}"'
    )
    answers = [
        await oryn("run enter --user ada --pin hunter2"),
        await oryn("run enter --pin hunter2"),
        await oryn("run enter --user ada --pin hunter2 --x hunter2"),
        await oryn("@other run enter --pin hunter2"),
        await oryn("run unknown --pin hunter2"),
        await oryn('define wrong:\n  login "ada" "hunter2"\n  clik 5'),
        await oryn('define kept:\n  login "ada" "hunter2"'),
        await oryn("run kept"),
        await oryn("export kept"),
        await oryn('type "Password field" "hunter2"'),
    ]
    await oryn("output json")
    answers.append(await oryn("run enter --user ada --pin hunter2"))
    assert "hunter2" not in "".join(answers)
    assert answers[0].startswith(
        'error run enter --user "ada" --pin "••••": step 3 (click "None ••••"): element not found'
    )
    assert '1 login "ada" "••••" --no-submit\n2 type "Password" "••••"\n3 click' in answers[0]
    assert answers[4].startswith('error run unknown --pin "••••": no intent unknown')
    assert '| - login "ada" "{{password}}"' in answers[8].replace("'", "") or '"login' in answers[8]


async def test_value_of_a_secret_parameter_is_masked(oryn: Any) -> None:
    await oryn.show(FORM)
    await oryn("define inner:\n  type password {{pw}}\n  run outer --name {{pw}}")
    await oryn("define outer:\n  run inner --pw {{name}}")
    await oryn("define signs_in:\n  run login --user {{user}} --password {{word}} --no-submit true")
    answers = [
        await oryn("run outer --name hunter2"),
        await oryn("run signs_in --user ada --word hunter2"),
        await oryn('fill_form {"Password": "hunter2", "Name": "ada"}'),
    ]
    assert "hunter2" not in "".join(answers)
    assert answers[0].startswith(
        'error run outer --name "••••": step 1 (run inner --pw "••••"): step 3 (run outer --name "••••"): '
    )
    assert answers[1].startswith(
        'ok run signs_in --user "ada" --word "••••"\n\n1 run login --user "ada" --password "••••" --no-submit "true"'
    )
    assert answers[2].startswith('ok fill_form "{\\"Password\\": \\"••••\\", \\"Name\\": \\"ada\\"}"')


# --- steps -----------------------------------------------------------------------------------------------------------


async def test_step_results_are_in_the_answer(oryn: Any) -> None:
    await oryn.show("<title>A</title><main>One</main><aside>Two</aside>")
    await oryn('define read:\n  text --selector "main"\n  count "p"')
    assert await oryn("run read") == 'ok run read\n\n1 text --selector "main"\n2 count "p": 0\n\n| One'
    await oryn('define both:\n  text --selector "main"\n  text --selector "aside"')
    assert (await oryn("run both")).endswith('| 1 text --selector "main"\n| One\n|\n| 2 text --selector "aside"\n| Two')
    await oryn("output json")
    result = json.loads(await oryn("run read"))["result"]
    assert result["intent"] == "read"
    assert result["steps"][1] == {"step": 2, "command": 'count "p"', "ok": True, "result": 0}


async def test_a_step_that_fails_ends_the_run_and_says_what_was_done(oryn: Any) -> None:
    await oryn.show(FORM)
    await oryn('define send:\n  type "Name" "Ada"\n  click "Nowhere"\n  click "Send"')
    answer = await oryn("run send")
    assert answer.startswith('error run send: step 2 (click "Nowhere"): element not found\n\n# hint\n')
    assert (
        '1 type "Name" "Ada"\n2 click "Nowhere": element not found\n\n# changes\n~ [1] input/text "Name" {focused} value: "Ada"'
        in answer
    )
    await oryn("output json")
    told = json.loads(await oryn("run send"))
    assert told["error"]["code"] == "INTENT_FAILED"
    assert told["result"]["steps"][1]["error"]["code"] == "ELEMENT_NOT_FOUND"


CONDITIONS = """<title>C</title><p id=p>Sold out</p><p hidden>Secret</p><input type=checkbox checked aria-label=Box>
 <button disabled>Buy</button>"""


@pytest.mark.parametrize(
    ("condition", "holds", "shown"),
    [
        ({"text": "Sold out"}, True, 'is visible "Sold out"'),
        ({"text": "Secret"}, False, 'is visible "Secret"'),
        ({"text": 'no "{{x}}"'}, False, 'is visible "no \\"val\\""'),
        ({"visible": "css(#p)"}, True, 'is visible css("#p")'),
        ({"enabled": '"Buy"'}, False, 'is enabled "Buy"'),
        ({"enabled": '"Nowhere"'}, False, 'is enabled "Nowhere"'),
        ({"checked": '"Box"'}, True, 'is checked "Box"'),
        ({"exists": "#p"}, True, 'exists "#p"'),
        ({"gone": "#p"}, False, 'not exists "#p"'),
        ({"gone": "#{{x}}"}, True, 'not exists "#val"'),
        ({"url": "*/c"}, True, 'url "*/c"'),
        ({"url": "/x"}, False, 'url "/x"'),
        ({"script": "document.title === 'C'"}, True, "eval \"document.title === 'C'\""),
        ({"given": "x"}, True, "given x"),
        ({"given": "y"}, False, "given y"),
        ({"equals": ["{{x}}", "val"]}, True, '"val" equals "val"'),
        ({"not": {"exists": "#p"}}, False, 'not exists "#p"'),
        ({"all": [{"exists": "#p"}, {"exists": "#q"}]}, False, '(exists "#p" and exists "#q")'),
        ({"any": [{"exists": "#p"}, {"exists": "#q"}]}, True, '(exists "#p" or exists "#q")'),
    ],
)  # fmt: skip
async def test_conditions(oryn: Any, condition: dict[str, Any], holds: bool, shown: str) -> None:
    await oryn.show(CONDITIONS, "/c")
    branch = {"branch": {"if": condition, "then": ["title"], "else": ["url"]}}
    define(oryn, "a", branch, parameters={"x": {"default": "val"}, "y": {"type": "flag", "default": False}})
    lines = (await oryn("run a")).splitlines()
    assert lines[2] == f"if {shown}: {'yes' if holds else 'no'}"
    assert lines[3].startswith("1 title" if holds else "1 url")


COUNTER = "<title>0</title><button onclick=\"document.title = +document.title + 1; if (document.title > 2) this.insertAdjacentHTML('afterend', '<p id=three>three</p>')\">More</button>"


@pytest.mark.parametrize(
    ("loop", "clicks", "told"),
    [
        ({"times": 3}, 3, None),
        ({"times": "n"}, 2, None),
        ({"times": 0}, 0, None),
        ({"over": ["More", "More"], "as": "what"}, 2, None),
        ({"over": "list"}, 1, None),
        ({"until": {"exists": "#three"}}, 3, 'until exists "#three": done after 3 rounds'),
        ({"while": {"gone": "#three"}}, 3, 'while not exists "#three": done after 3 rounds'),
    ],
)
async def test_loops(oryn: Any, loop: dict[str, Any], clicks: int, told: str | None) -> None:
    await oryn.show(COUNTER)
    step = 'click "{{what}}"' if loop.get("as") else 'click "{{item}}"' if loop.get("over") else 'click "More"'
    parameters = {"n": {"type": "number", "default": 2}, "list": {"type": "list", "default": ["More"]}}
    define(oryn, "a", {"loop": {**loop, "steps": [step]}}, parameters=parameters)
    answer = await oryn.ok("run a")
    assert answer.count('click "More"') == clicks
    assert await oryn("title") == f'ok title\n\n"{clicks}"'
    if told:
        assert told in answer.splitlines()


async def test_a_loop_that_waits_in_vain_ends(oryn: Any) -> None:
    await oryn.show(COUNTER)
    define(oryn, "a", {"loop": {"until": {"exists": "#never"}, "limit": 4, "steps": ['click "More"']}})
    assert (await oryn("run a")).startswith('error run a: until exists "#never": not done after 4 rounds')
    assert '"4"' in await oryn("title")


async def test_a_loop_without_end_ends_and_lets_others_work(oryn: Any) -> None:
    await oryn.show(COUNTER)
    loop: dict[str, Any] = {"loop": {"times": "n", "steps": []}}
    define(oryn, "a", loop, parameters={"n": {"type": "number"}})
    assert (await oryn("run a --n 1000000000")).startswith("error run a --n 1000000000: a loop of 1000000000 rounds")
    for _ in range(3):
        loop = {"loop": {"times": 1000, "steps": [loop]}}
    define(oryn, "b", loop, parameters={"n": {"type": "number", "default": 1000}})
    others = 0

    async def other() -> None:
        nonlocal others
        while True:
            others += 1
            await asyncio.sleep(0)

    working = asyncio.create_task(other())
    answer = await oryn("run b --timeout 500ms")  # whichever of the two notices it first
    assert "b ran out of time at step 0" in answer or "not done after 0.5 s" in answer
    working.cancel()
    assert others > 100


async def test_try_goes_on_after_a_failure(oryn: Any) -> None:
    await oryn.show(COUNTER)
    define(oryn, "a", {"try": {"steps": ['click "Less"', "url"], "catch": ['click "More"']}}, "title")
    assert (await oryn("run a")).startswith(
        'ok run a\n\n1 click "Less": element not found (caught)\n2 click "More"\n3 title: "1"'
    )
    define(oryn, "b", {"try": {"steps": ["run c"]}}, "title")
    define(oryn, "c", {"try": {"steps": ['click "Less"'], "catch": ['click "Least"']}})
    assert (await oryn("run b")).startswith('ok run b\n\n1 run c: step 3 (click "Least"): element not found\n')


# --- success, failure, limits ---------------------------------------------------------------------------------------


async def test_success_is_waited_for(oryn: Any) -> None:
    await oryn.show(
        "<title>A</title><button onclick=\"setTimeout(() => document.body.append('Thank you'), 600)\">Go</button>"
    )
    define(oryn, "a", 'click "Go"', success={"text": "Thank you"})
    assert (await oryn("run a")).startswith('ok run a\n\n1 click "Go"')


@pytest.mark.slow
async def test_success_that_does_not_come_is_a_failure(oryn: Any) -> None:
    await oryn.show("<title>A</title><button>Go</button>")
    define(oryn, "a", 'click "Go"', success=[{"exists": "button"}, {"text": "Thank you"}])
    assert (await oryn("run a --timeout 2s")).startswith(
        'error run a --timeout 2s: all steps are done, but not is visible "Thank you"'
    )


async def test_failure_ends_it_where_no_try_catches(oryn: Any) -> None:
    await oryn.show("<title>A</title><button onclick=\"document.body.append('Declined')\">Pay</button>")
    define(oryn, "a", {"try": {"steps": ['click "Pay"'], "catch": []}}, "title", failure={"text": "Declined"})
    assert (await oryn("run a")).startswith('error run a: it failed at step 1: is visible "Declined"')


async def test_the_limit_of_steps(oryn: Any) -> None:
    await oryn.show(COUNTER)
    loop = {"loop": {"times": 1000, "steps": [{"try": {"steps": ['click "More"'], "catch": ["title"]}}]}}
    define(oryn, "a", loop, limits={"steps": 5})
    assert (await oryn("run a")).startswith("error run a: a is not done after 5 steps")
    define(oryn, "outer", {"try": {"steps": ["run a"]}}, limits={"steps": 3})
    assert (await oryn("run outer")).startswith("error run outer: step 1 (run a): outer is not done after 3 steps")
    assert '"7"' in await oryn("title")


@pytest.mark.slow
async def test_the_time_is_that_of_the_run(oryn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # The machine may be busy when the time is over.
    monkeypatch.setattr("oryn.engine.deadline.ANSWER_GRACE_SECONDS", 30.0)
    await oryn.show(COUNTER)
    define(oryn, "a", {"loop": {"times": 1000, "steps": [{"try": {"steps": ['wait until "false" --timeout 300ms']}}]}})
    answer = await oryn("run a --timeout 1s")
    assert re.match(r"error run a --timeout 1s: a ran out of time at step [345]\n", answer), answer
    define(oryn, "b", 'wait until "false"', limits={"time": "500ms"})
    assert (await oryn("run b")).startswith("error run b: b ran out of time at step 1")
    define(oryn, "c", "run b", "title")
    assert (await oryn("run c")).startswith("error run c: step 1 (run b): b ran out of time at step 2")


async def test_an_intent_may_have_more_time_than_a_command(oryn: Any) -> None:
    await oryn.show(COUNTER)
    define(oryn, "a", 'wait until "performance.now() > t0 + 800" --timeout 5s', limits={"time": "6s"})
    oryn.session.options = type(oryn.session.options)(timeout=0.5)
    await oryn.ok('eval "t0 = performance.now()"')
    await oryn.ok("run a")


async def test_recursive_intent_is_rejected(oryn: Any) -> None:
    await oryn.show(COUNTER)
    for name, other in ("ab", "bc", "ca"):
        await oryn(f"define {name}:\n  run {other}")
    assert "a calls itself: a → b → c → a" in (await oryn("run a")).splitlines()[0]
    for number in range(10):
        await oryn(f"define n{number}:\n  run n{number + 1}")
    assert "8 intents call each other already" in (await oryn("run n0")).splitlines()[0]


async def test_a_dialog_is_told_and_may_be_answered(oryn: Any) -> None:
    await oryn.show("<title>A</title><button onclick=\"document.title = confirm('Sure?')\">Go</button>")
    await oryn('define a:\n  click "Go"\n  dialog accept')
    answer = await oryn("run a")
    assert answer.startswith('ok run a\n\n1 click "Go"\n2 dialog accept')
    assert '+ dialog confirm "Sure?" (accept' in answer
    await oryn('define b:\n  click "Go"\n  click "Go"')
    assert (await oryn("run b")).startswith('error run b: step 2 (click "Go"): ')
    await oryn("define c:\n  dialog dismiss\n  title")
    assert (await oryn("run c")).startswith("ok run c\n\n")
    assert '"false"' in await oryn("title")


async def test_an_observation_inside_does_not_confuse_the_report(oryn: Any) -> None:
    await oryn.show(
        "<title>A</title><a href=#a>One</a><p><button onclick=\"b.append(document.createElement('hr')); b.insertAdjacentHTML('beforeend', '<a href=#n>New</a>')\">Add</button><p id=b>"
    )
    await oryn('define a:\n  observe\n  click "Add"')
    assert (await oryn("run a")).endswith('# changes\n+ [3] link "New"')


# --- one's own before the built-in ones --------------------------------------------------------------------------


@pytest.mark.slow
async def test_ones_own_login_comes_before_the_built_in_and_may_use_it(oryn: Any) -> None:
    oryn.pages["/done"] = DONE
    await oryn.show(FORM)
    body = '\n  login "{{user}}@example.org" "{{password}}" --no-submit\n  click "Send"'
    assert "# note\nit takes precedence over the built-in one" in await oryn(f"define login:{body}")
    answer = await oryn('login "ada" "hunter2"')
    assert answer.startswith('ok login "ada" "••••"\n\n1 login "ada@example.org" "••••" --no-submit')
    assert "n=ada%40example.org" in answer
    assert (await oryn('login "ada" "hunter2" --no-submit')).startswith(
        'error login "ada" "••••" --no-submit: login has no parameter --no_submit'
    )
    await oryn.ok("undefine login")
    assert "submit [" in await oryn(f"goto {oryn.pages.url()}") + await oryn('login "ada" "hunter2"')


async def test_run_also_runs_the_built_in_ones(oryn: Any) -> None:
    await oryn.show(FORM)
    answer = await oryn("run login --user ada --password hunter2 --no-submit true")
    assert answer.startswith('ok run login --user "ada" --password "••••" --no-submit "true"')
    assert "not submitted" in answer
    assert (await oryn("run login --user ada")).startswith("error run login --user ada: login needs --password")
    assert (await oryn("run search --query x --wait soon")).startswith(
        "error run search --query x --wait soon: not a duration"
    )
    assert "search has no parameter --q" in await oryn("run search --q x")
    assert (await oryn('run fill_form --values-by-field \'{"Name": "Ada"}\'')).startswith("ok")
    assert '"Ada"' in await oryn("value Name")


# --- export ------------------------------------------------------------------------------------------------------------


async def test_export_shows_or_writes_yaml_that_defines_the_same(
    oryn: Any, library: FileIntentLibrary, tmp_path: Path
) -> None:
    await oryn('define send:\n  type "Name" "{{name}}"\n  press enter')
    assert await oryn("export send") == (
        "ok export send\n\n| name: send\n| version: '1'\n| parameters:\n|   name: {}\n| steps:\n"
        '| - type "Name" "{{name}}"\n| - press enter'
    )
    file = tmp_path / "intents" / "send.yaml"
    assert await oryn(f"export send --out {file}") == f"ok export send --output {file}\n\nsaved {file}"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    await oryn.ok("undefine send")
    assert "run send --name <text>  (file)" in await oryn("intents")
    assert (await oryn("undefine send")).startswith("error undefine send: send is defined in a file")


async def test_export_of_what_is_built_in_begins_ones_own(
    oryn: Any, library: FileIntentLibrary, tmp_path: Path
) -> None:
    await oryn.ok(f"export login --out {tmp_path / 'intents' / 'login.yaml'}")
    await oryn.show(FORM)
    assert '1 login "ada" "••••"' in await oryn('login "ada" "pw"')
    assert (await oryn("export fill_form")).startswith(
        "error export fill_form: fill_form is built in and has no definition"
    )
    assert (await oryn("export nothing")).startswith("error export nothing: no intent nothing")


async def test_export_writes_only_where_commands_may(oryn: Any, tmp_path: Path) -> None:
    await oryn("define a:\n  back")
    assert (await oryn(f"export a --out {tmp_path}/none/a.yaml")).startswith(
        f"error export a --output {tmp_path}/none/a.yaml: there is no folder"
    )
    oryn.session.files = type(oryn.session.files)((tmp_path,))
    assert "outside the allowed folders" in await oryn("export a --out ../a.yaml")
    assert not list(tmp_path.iterdir())  # noqa: ASYNC240


# --- files and precedence ----------------------------------------------------------------------------------------


async def test_the_session_comes_before_files_and_files_before_packs(
    oryn: Any, library: FileIntentLibrary, tmp_path: Path
) -> None:
    await oryn.show("<title>A</title>")
    pack = tmp_path / "packs" / "mine"
    pack.mkdir(parents=True)
    (pack / "pack.yaml").write_text('name: mine\nurls: ["http://127.0.0.1*/"]\n')
    (pack / "which.yaml").write_text("name: which\nsteps: [eval \"'pack'\"]\n")
    assert (await oryn("run which")).endswith("# hint\nPack mine has it: pack load mine")
    await oryn.ok("pack load mine")
    assert "| pack" in await oryn("run which")
    (tmp_path / "intents" / "which.yaml").write_text("name: which\nsteps: [eval \"'file'\"]\n")
    assert "| file" in await oryn("run which")
    assert "# note\nit takes precedence over the one of file" in await oryn("define which:\n  eval \"'session'\"")
    assert "| session" in await oryn("run which")
    assert await oryn("undefine which") == "ok undefine which\n\n# note\nwhich is the one of file again"
    (tmp_path / "intents" / "which.yaml").unlink()
    await oryn.show("<title>B</title>", "/elsewhere")
    assert (await oryn("run which")).startswith(
        "error run which: no intent which for this page\n\n# hint\nPack mine has it for: "
    )
    assert "mine 1  (loaded, not for this page)" in await oryn("packs")


async def test_a_wrong_file_is_told_and_hides_no_other(oryn: Any, library: FileIntentLibrary, tmp_path: Path) -> None:
    await oryn.show("<title>A</title>")
    folder = tmp_path / "intents"
    (folder / "good.yaml").write_text("name: good\nsteps: [title]\n")
    (folder / "bad.yaml").write_text("name: bad\nsteps: [clik 5]\n")
    (folder / "bomb.yaml").write_text("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n")
    answer = await oryn("intents")
    assert "run good  (file)" in answer
    assert 'bad.yaml: steps[1]: "clik 5": unknown command "clik"' in answer
    assert "bomb.yaml: line 1: anchors and aliases (& and *) are refused" in answer
    assert (await oryn("run bad")).startswith('error run bad: bad.yaml: steps[1]: "clik 5": unknown command')
    assert await oryn("run good") == 'ok run good\n\n1 title: "A"'
    assert (await oryn("define bad:\n  title")).startswith("ok define bad:")


async def test_packs_are_loaded_and_unloaded(oryn: Any, library: FileIntentLibrary) -> None:
    await oryn.show("<title>A</title>")
    assert await oryn("pack load shop") == (
        "ok pack load shop\n\nactive here: add_to_cart, buy, find_product, open_cart, remove_from_cart"
    )
    assert "shop 1.0  (active here) Any web shop" in await oryn("packs")
    assert (await oryn("undefine buy")).startswith(
        "error undefine buy: buy is of pack shop\n\n# hint\nRun 'pack unload shop'."
    )
    assert await oryn("pack unload shop") == "ok pack unload shop"
    assert (await oryn("pack unload shop")).startswith(
        "error pack unload shop: no pack shop is loaded\n\n# hint\nLoaded: none."
    )
    assert (await oryn("pack load shoe")).startswith(
        "error pack load shoe: no pack shoe\n\n# hint\nPacks: documentation, search"
    )


async def test_without_a_library_there_are_no_packs(oryn: Any) -> None:
    assert await oryn("packs") == "ok packs\n\nnone"
    assert (await oryn("pack load shop")).startswith("error pack load shop: no pack shop\n\n# hint\nRun 'packs'")
