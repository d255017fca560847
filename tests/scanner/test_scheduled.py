"""settle's `pending`: whether scripts have put something off since the action; and `event_paths`: where its events go."""

from __future__ import annotations

from typing import Any

import pytest

FRAME = '<iframe id=frame srcdoc="<p>Inner"></iframe>'


@pytest.mark.parametrize(
    ("script", "pending"),
    [
        ("0", False),
        ("setTimeout(() => 0, 5000)", True),
        ("setInterval(() => 0, 5000)", True),
        ("requestIdleCallback(() => 0)", True),
        ("requestAnimationFrame(function again() { requestAnimationFrame(again) })", True),
        ("requestAnimationFrame(() => 0)", False),
        ("frame.contentWindow.setTimeout(() => 0, 5000)", True),
        ("document.body.append(document.createElement('iframe'))", True),
        ("Promise.resolve().then(() => 0)", False),
        ("clearTimeout(0)", False),
    ],
)
def test_what_scripts_have_put_off_is_pending(show: Any, script: str, pending: bool) -> None:
    page = show(FRAME)
    page.do("watch")
    page.run(script)
    assert page.do("settle")["pending"] is pending
    assert page.do("settle")["pending"] is pending


def test_timers_from_before_an_action_are_not_pending(show: Any) -> None:
    page = show("<p>x</p><script>setTimeout(() => 0, 9000)</script>")
    page.do("watch")
    assert page.do("settle")["pending"] is False


def test_nothing_is_told_of_a_page_that_sets_timers_by_itself(show: Any) -> None:
    page = show("<p>x</p>")
    page.do("watch")
    page.do("changed_texts")
    page.run("setTimeout(() => 0)")
    page.do("watch")
    assert page.do("settle")["pending"] is None


def test_nothing_is_told_without_an_action(show: Any) -> None:
    assert show("<p>x</p>").do("settle")["pending"] is None


def test_a_page_that_nobody_hears_is_quiet_at_once_unless_it_has_changed(show: Any) -> None:
    page = show("<p id=out>x</p>")
    page.do("watch")
    assert page.do("settle", timeout=0, unheard=True)["quiet"] is True
    page.run("out.textContent = 'y'")
    assert page.do("settle", timeout=0, unheard=True)["quiet"] is False


def paths(page: Any, selector: str, *, pressed: bool = False) -> Any:
    found = page.do("find", target={"css": selector}, any=True)["matches"]
    return page.do("event_paths", id=found[0]["id"], pressed=pressed)["paths"]


def test_paths_lead_through_open_shadow_roots(show: Any) -> None:
    page = show("<p>x</p><x-a id=host></x-a>")
    page.run("host.attachShadow({mode: 'open'}).innerHTML = '<b></b><input>'")
    page.run(
        "window.at = (steps) => steps.reduce((node, step) => step < 0 ? node.shadowRoot : node.children[step], document)"
    )
    (path,) = paths(page, "input")
    assert path["tag"] == "input"
    assert page.run(f"at({path['steps']}) === host.shadowRoot.querySelector('input')") is True


def test_paths_of_what_had_the_focus_and_of_labels_are_told(show: Any) -> None:
    page = show("<input id=a><label for=b>Gift</label><input type=checkbox id=b>")
    page.run("a.focus()")
    page.do("watch")
    assert [each["tag"] for each in paths(page, "#b", pressed=True)] == ["input", "input", "label"]


@pytest.mark.parametrize(
    ("body", "selector", "pressed"),
    [
        ("<a href=#x>Go</a>", "a", True),
        ("<form><button>Go</button></form>", "button", True),
        ("<button popovertarget=p>Go</button><p popover id=p>x", "button", True),
        ("<details><summary>Go</summary>x</details>", "summary", True),
        ("<input type=file>", "input", False),
        ("<div contenteditable>x</div>", "div", False),
        ("<div contenteditable>x</div>", "div", True),
        ("<div role=combobox tabindex=0>x</div>", "div", False),
        ("<x-form><template shadowrootmode=closed><slot></slot></template><input></x-form>", "input", False),
    ],
)
def test_no_paths_are_told_of_what_has_effects_without_listeners(
    show: Any, body: str, selector: str, pressed: bool
) -> None:
    assert paths(show(body), selector, pressed=pressed) is None


def test_no_paths_are_told_of_a_field_in_a_frame(show: Any) -> None:
    assert paths(show('<iframe srcdoc="<input>"></iframe>'), "input") is None
