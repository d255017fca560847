"""`audit accessibility`: all that axe finds alone, in frames of any origin and closed shadow roots too."""

from __future__ import annotations

import re
from typing import Any

import pytest

from oryn.scanner import library_script
from tests import token_count

pytestmark = pytest.mark.whole_browser

FAULTS = """
<html><head><title>Faults</title><meta name=viewport content="width=device-width, user-scalable=no"></head><body>
<img src=/a.png><img src=/b.png><input type=image src=/c.png><input><select><option>one</select><textarea></textarea>
<button></button><button><img src=/d.png></button><a href=/x></a><a href=/y><img src=/e.png></a>
<div role=button tabindex=0></div><div role=checkbox></div><div role=slider></div><div role=nonsense>?</div>
<p style="color:#ccc;background:#fff">pale</p><p style="color:#ddd;background:#fff">paler</p>
<a href=/z style="color:#eee;background:#fff">palest</a>
<ul><p>no item</p></ul><ol><div>none</div></ol><dl><p>none</p></dl><li>alone</li>
<div aria-hidden=true><button>Hidden</button></div><div aria-labelledby=nowhere aria-wrong=1>x</div>
<h1>One</h1><h4>Four</h4><table><tr><th></th></tr></table><div tabindex=5>five</div>
<object data=/f.png type=image/png></object><svg role=img></svg><p lang=qq>words</p>
<iframe src=/same></iframe><iframe title=Other src=OTHER></iframe>
<div id=open></div><div id=closed></div><fancy-box></fancy-box>
<script>
document.getElementById('open').attachShadow({mode: 'open'}).innerHTML = '<img src=/g.png>';
document.getElementById('closed').attachShadow({mode: 'closed'}).innerHTML = '<button></button><img src=/h.png>';
customElements.define('fancy-box', class extends HTMLElement {
  constructor() { super(); this.attachShadow({mode: 'closed'}).innerHTML = '<input>'; }
});
</script></body></html>"""
INNER = """<html lang=en><head><title>Inner</title></head><body><main><button></button><img src=/i.png>
<div id=host></div><script>
document.getElementById('host').attachShadow({mode: 'closed'}).innerHTML = '<select><option>1</select>';
</script></main></body></html>"""
ALONE = """axe.run(document, {resultTypes: ['violations'], preload: {assets: ['media']}}).then(({violations}) =>
  violations.map(({id, nodes}) => [id, nodes.length]))"""


async def _show(oryn: Any) -> None:
    oryn.pages["/same"], oryn.pages["/other"] = INNER, INNER
    await oryn.show(FAULTS.replace("OTHER", oryn.pages.url("/other", "localhost")))


@pytest.mark.slow
async def test_it_finds_what_axe_finds_alone_and_more(oryn: Any) -> None:
    """In the page, axe gets into open roots alone, and into frames that have axe too: here it has the top document."""
    await _show(oryn)
    answer = await oryn.session.execute("audit accessibility")
    assert answer.ok
    found = {rule["rule"]: rule["elements"] for rule in answer.data["rules"]}
    page = oryn.session.page
    await page.evaluate(f"{library_script('axe')}; 1")
    for rule, count in await page.evaluate(ALONE):
        assert len(found.get(rule, ())) >= count, rule
    # In the top document, its two closed roots, and the closed root of each of the frames.
    assert sum("<button></button>" in each["html"] for each in found["button-name"]) == 4
    assert len(found["select-name"]) == 3
    assert sum(len(each) for each in found.values()) >= 30
    assert [each for elements in found.values() for each in elements if each["id"] is None] == []


@pytest.mark.slow
async def test_the_numbers_are_targets(oryn: Any) -> None:
    await _show(oryn)
    answer = await oryn.session.execute("audit accessibility")
    images = next(rule for rule in answer.data["rules"] if rule["rule"] == "image-alt")
    for element in images["elements"]:
        source = re.search(r'src="(.*?)"', element["html"])
        assert source is not None
        assert source[1] in await oryn.ok(f"attribute {element['id']} src")
    observed = await oryn("observe --limit 0")
    unnamed = next(rule for rule in answer.data["rules"] if rule["rule"] == "button-name")
    assert all(f"[{each['id']}] " in observed for each in unnamed["elements"] if "tabindex" not in each["html"])


@pytest.mark.slow
async def test_fifty_findings_fit_into_600_tokens(oryn: Any) -> None:
    await _show(oryn)
    text = await oryn("audit accessibility")
    count = re.search(r"(\d+) findings", text)
    assert count is not None
    assert int(count[1]) >= 50
    assert token_count.count(text) <= 600


@pytest.mark.slow
@pytest.mark.parametrize(("impact", "ok"), [("critical", False), ("serious", False), (None, True)])
async def test_fail_on(oryn: Any, impact: str | None, ok: bool) -> None:
    await _show(oryn)
    answer = await oryn.session.execute(f"audit accessibility {f'--fail-on {impact}' if impact else ''}")
    assert answer.ok is ok
    if not ok:
        assert answer.error.code == "AUDIT_FAILED"
        assert f"at least {impact}" in answer.error.message
    assert "image-alt [" in answer.render()


async def test_a_page_without_findings(oryn: Any) -> None:
    await oryn.show("<html lang=en><head><title>Fine</title></head><body><main><h1>Fine</h1></main></body></html>")
    assert (await oryn.ok("audit accessibility --fail-on minor")).endswith("\n\nno findings")


@pytest.mark.slow
async def test_tags_and_rules_choose(oryn: Any) -> None:
    await _show(oryn)
    rules = [rule["rule"] for rule in (await oryn.session.execute("audit accessibility --tags wcag2aa")).data["rules"]]
    assert "color-contrast" in rules
    assert "image-alt" not in rules
    rules = [
        rule["rule"]
        for rule in (await oryn.session.execute("audit accessibility --without 'image-alt region'")).data["rules"]
    ]
    assert "button-name" in rules
    assert not {"image-alt", "region"} & set(rules)


@pytest.mark.slow
async def test_full_says_what_is_wrong(oryn: Any) -> None:
    await _show(oryn)
    text = await oryn.ok("audit accessibility --full")
    assert "critical image-alt: " in text
    assert "Element does not have an alt attribute" in text


async def test_the_page_notices_nothing(oryn: Any) -> None:
    oryn.pages["/same"], oryn.pages["/other"] = INNER, INNER
    await oryn.show("""<html lang=en><title>Watch</title><iframe src=/same></iframe><div id=host></div><script>
    const own = Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot').get;
    window.seen = [];
    addEventListener('message', (event) => seen.push(event.data));
    new MutationObserver((records) => seen.push(...records)).observe(document, {subtree: true, childList: true, attributes: true});
    window.same = () => own === Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot').get;
    </script></html>""")
    await oryn.ok("audit accessibility")
    assert await oryn.session.page.evaluate("[seen.length, typeof axe, frames[0].axe === undefined, same()]") == [
        0,
        "undefined",
        True,
        True,
    ]
