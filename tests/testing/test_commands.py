"""`oryn test …` in a shell: a recording of a session and of a program, a run with its reports, and what fails how."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree

import pytest

from oryn.demo.server import Shop
from oryn.testing.files import read_test
from tests.cli.shell import Shell

pytestmark = [pytest.mark.browser, pytest.mark.processes]


PROGRAM = """
click("Boston fern")
for _ in range(2):
    click("More")
click("Add to cart")
"""


@pytest.mark.slow
def test_what_was_done_is_recorded_run_and_reported(shell: Shell, shop: Shop) -> None:
    folder = shell.folder
    shell.ok("goto", shop.url)
    assert shell("test", "stop").code == 10
    shell.ok("test", "record", "fern", "--viewport", "1000x700")
    assert "is being recorded already" in shell("test", "record", "other").err
    (folder / "fern.py").write_text(PROGRAM, encoding="utf-8")
    shell.ok("program", "fern.py")
    elements = shell.json("--json", "observe")["data"]["elements"]
    number = next(each["id"] for each in elements if each["text"] == "Check out")
    shell.ok("click", str(number))
    assert "6 steps" in shell.ok("test", "stop")
    test = read_test(folder / "fern.oryntest")
    assert [step.line for step in test.steps] == [
        "goto {{base}}/",
        'click "Boston fern"',
        'click "More"',
        'click "More"',
        'click "Add to cart"',
        'click button "Check out"',
    ]
    assert test.preparation.viewport == "1000x700" and test.preparation.base == shop.url

    shell.ok("test", "learn", "fern.oryntest", "--runs", "2")
    said = shell.ok("test", "run", ".", "--junit", "out/junit.xml", "--html", "out")
    assert said.startswith("ok   fern.oryntest  6 steps") and "1 test, 6 steps" in said
    suite = xml.etree.ElementTree.parse(folder / "out" / "junit.xml").getroot()
    assert [case.get("name") for case in suite.iter("testcase")] == ["fern"]
    page = (folder / "out" / "index.html").read_text("utf-8")
    assert page.count("<img") >= 6 and all(each.stat().st_size for each in (folder / "out" / "pictures").iterdir())

    shell.ok("test", "from-history", "again")
    assert [step.line for step in read_test(folder / "again.oryntest").steps][1:] == [
        each.line for each in test.steps[1:]
    ]
    shell.ok("test", "reach", "fern.oryntest", "3", "--base-url", shop.url)
    assert shell.json("--json", "url")["data"]["result"].endswith("/plants/boston-fern")


@pytest.mark.slow
def test_every_way_to_fail_has_its_exit_code(shell: Shell, shop: Shop) -> None:
    folder = shell.folder
    head = f"oryntest 1\nbase: {shop.url}\n"
    page, other = '  @ / "Plants · Fernhill"\n', '  = text "Plants for each corner"\n'
    texts = {
        "passes": f'{head}\n> goto {{{{base}}}}/\n  @ / "Plants · Fernhill"\n',
        "other-text": f"{head}\n> goto {{{{base}}}}/\n{page}{other}",
        "fails": f'{head}\n> goto {{{{base}}}}/\n  @ /cart "Cart"\n',
        "fails-exactly": f"{head}\n> goto {{{{base}}}}/\n  exact\n{page}{other}",
        "unprepared": f"{head}state: missing.json\n\n> goto {{{{base}}}}/\n",
        "other-version": "oryntest 2\n\n> refresh\n",
        "no-test": f"{head}\n> clik 3\n",
    }
    for name, text in texts.items():
        (folder / f"{name}.oryntest").write_text(text, encoding="utf-8")
    (folder / "binary.oryntest").write_bytes(b"oryntest 1\n\n> refresh \xff\n")
    (folder / "empty").mkdir()
    for name, code, word in (
        ("passes", 0, "1 test, 1 step in"),
        ("other-text", 0, "with other texts"),
        ("fails", 15, "fails.oryntest:4: step 1: goto"),
        ("fails-exactly", 15, "FAIL"),
        ("unprepared", 16, "TEST_NOT_PREPARED"),
    ):
        ended = shell("test", "run", f"{name}.oryntest", "--patience", "0.2")
        assert ended.code == code and word in ended.out, (name, ended)
    for name, code, word in (
        ("other-version.oryntest", 2, "other-version.oryntest:1:10: a test of version 2"),
        ("no-test.oryntest", 2, "no-test.oryntest:4:3"),
        ("binary.oryntest", 2, "binary.oryntest:3:11: not UTF-8"),
        ("missing.oryntest", 2, "there is no test missing.oryntest"),
        ("empty", 2, "there is no test in empty"),
    ):
        ended = shell("test", "run", "passes.oryntest", name)
        assert ended.code == code and word in ended.err and not ended.out, (name, ended)
    before = (folder / "fails.oryntest").read_text("utf-8")
    refused = shell("test", "run", "fails.oryntest", "--patience", "0.2", "--accept", "--retries", "1", "--json")
    assert refused.code == 15 and "line 4 differs" in refused.err
    assert json.loads(refused.out)["attempts"] == 2
    assert (folder / "fails.oryntest").read_text("utf-8") == before
    unwritten = shell("test", "run", "passes.oryntest", "--junit", "passes.oryntest/junit.xml")
    assert unwritten.code == 5 and "can't write" in unwritten.err
    shards = [shell("test", "run", "passes.oryntest", "other-text.oryntest", "--shard", f"{n}/2") for n in (1, 2)]
    assert [each.out.splitlines()[-1].split(",")[0] for each in shards] == ["1 test", "1 test"]
    assert shell("test", "run", "passes.oryntest", "--shard", "3/2").code == 2


@pytest.mark.slow
def test_the_answers_of_a_site_come_from_files(shell: Shell) -> None:
    folder = shell.folder
    with Shop(0) as shop:
        for name in ("boston-fern", "maidenhair-fern"):
            steps = f'> goto {{{{base}}}}/plants/{name}\n\n> click button "Add to cart"\n  @ /cart "Cart · Fernhill"\n'
            (folder / f"{name}.oryntest").write_text(f"oryntest 1\nbase: {shop.url}\n\n{steps}", encoding="utf-8")
        missing = shell("test", "run", ".", "--har", "replay")
        assert missing.code == 5 and "boston-fern.har: No such file" in missing.err and not missing.out
        said = shell.ok("test", "run", ".", "--har", "record", "--har-all", "--workers", "2")
        assert "note: boston-fern.har has" in said and "note: maidenhair-fern.har has" in said
    other = ("--base-url", "http://shop.test")
    said = shell.ok("test", "run", ".", "--har", "replay", "--har-all", "--workers", "2", *other)
    assert said.count("ok  ") == 2
    test = folder / "boston-fern.oryntest"
    test.write_text(test.read_text("utf-8").replace("/plants/", "/plants/new-"), encoding="utf-8")
    refused = shell("test", "run", "boston-fern.oryntest", "--har", "replay", "--har-all", *other, "--patience", "0.2")
    assert refused.code == 15
    assert "the HAR has no answer for GET http://shop.test/plants/new-boston-fern" in refused.out
    (folder / "boston-fern.har").write_text('{"log": {\n"version"', encoding="utf-8")
    invalid = shell("test", "run", ".", "--har", "replay")
    assert invalid.code == 2 and "boston-fern.har:2:10: not JSON" in invalid.err and not invalid.out
    assert shell("test", "run", ".", "--har-all").code == 2


def test_only_tests_that_differ_from_a_commit_are_run(shell: Shell, shop: Shop) -> None:
    folder = shell.folder
    text = f"oryntest 1\nbase: {shop.url}\n\n> goto {{{{base}}}}/\n"
    for name in ("same", "edited"):
        (folder / f"{name}.oryntest").write_text(text, encoding="utf-8")
    git = "git -c user.name=a -c user.email=a@b -c init.defaultBranch=main"
    commands = (f"{git} init -q", f"{git} add .", f"{git} commit -qm a")
    assert os.system(f"cd {folder} && {' && '.join(commands)}") == 0
    for name in ("edited", "new"):
        (folder / f"{name}.oryntest").write_text(f"{text}\n> refresh\n", encoding="utf-8")
    said = shell.ok("test", "run", ".", "--changed-only", "HEAD")
    assert [line.split()[1] for line in said.splitlines() if line.startswith("ok")] == [
        "edited.oryntest",
        "new.oryntest",
    ]
    assert "git can't tell" in shell("test", "run", ".", "--changed-only", "nothing").err
