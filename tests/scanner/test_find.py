"""find: text tiers, roles, selectors, points, and the facts that the engine ranks by
(docs/spec/scanner-protocol.md#find)."""

from __future__ import annotations

from typing import Any


def facts(matches: list[dict[str, Any]]) -> list[tuple[str, str, str, int]]:
    return [(m["text"], m["match"]["tier"], m["match"]["source"], m["match"]["excess"]) for m in matches]


def test_tiers(show: Any) -> None:
    page = show(
        "<button>Sign in</button><button>SIGN IN</button><button>Sign in with a key</button><button>Sign out</button>"
    )
    assert facts(page.find({"text": "Sign in"})) == [
        ("Sign in", "exact", "name", 0),
        ("SIGN IN", "case", "name", 0),
        ("Sign in with a key", "contains", "name", 11),
    ]


def test_sources(show: Any) -> None:
    page = show(
        "<button aria-label=Accessible>Visible</button><label>Labelled<input placeholder=Placed title=Titled></label>"
        "<input name=named id=identified><img alt=Picture onclick='0' src='data:,' style='width:9px;height:9px'><input type=submit value=Sent>"
    )
    for text, source in {
        "Accessible": "name", "Visible": "text", "Labelled": "name", "Placed": "placeholder", "Titled": "title",
        "named": "attribute", "identified": "attribute", "Picture": "name", "Sent": "name",
    }.items():  # fmt: skip
        (match,) = page.find({"text": text})
        assert (match["match"]["source"], match["match"]["tier"]) == (source, "exact"), text


def test_white_space_does_not_count(show: Any) -> None:
    assert len(show("<button>Two\n  words</button>").find({"text": " Two words "})) == 1


def test_plain_text_only_when_any(show: Any) -> None:
    page = show("<p>Total: <b>12 €</b></p><button>Total</button><script>var s = 'Total'</script>")
    assert [m["text"] for m in page.find({"text": "Total"})] == ["Total"]
    matches = page.find({"text": "Total"}, any=True)
    assert [(m["tag"], m["match"]["interactive"]) for m in matches] == [("p", False), ("button", True)]


def test_the_text_of_scripts_and_styles_is_nobodys(show: Any) -> None:
    page = show(
        "<main>Here<script>var s = 'Came later'</script><style>.x { content: 'Came later' }</style></main>"
        "<noscript>Came later</noscript><button>Now<template>Came later</template></button>"
    )
    assert page.find({"text": "Came later"}, any=True) == []
    assert [m["tag"] for m in page.find({"text": "Here"}, any=True)] == ["main"]


def test_text_that_several_children_make_up(show: Any) -> None:
    (match,) = show("<p>Hello <b>big</b> world</p>").find({"text": "Hello big world"}, any=True)
    assert match["tag"] == "p" and match["match"]["tier"] == "exact"


def test_any_finds_dead_elements_that_are_described(show: Any) -> None:
    assert [m["tag"] for m in show("<img alt='A diagram' src='data:,'>").find({"text": "A diagram"}, any=True)] == [
        "img"
    ]


def test_roles(show: Any) -> None:
    page = show("<form><input type=email title=E><input type=tel title=T><button>Go</button></form>")
    assert [m["text"] for m in page.find({"role": "email"})] == ["E"]
    assert [m["text"] for m in page.find({"role": "phone"})] == ["T"]
    assert [m["text"] for m in page.find({"role": "submit"})] == ["Go"]


def test_selectors(show: Any) -> None:
    page = show("<div id=host></div><p class=a>one</p><p class=a>two</p>")
    page.run("host.attachShadow({mode: 'open'}).innerHTML = '<p class=a>in the shadow</p>'")
    assert [m["text"] for m in page.find({"css": "p.a"})] == ["in the shadow", "one", "two"]
    assert [m["text"] for m in page.find({"xpath": "//p[2]"})] == ["two"]
    assert page.refusal("find", target={"css": "p["}) == "SELECTOR_INVALID not a CSS selector: p["
    assert page.refusal("find", target={"xpath": "//["}) == "SELECTOR_INVALID not an XPath expression: //["
    assert page.find({"css": ".none"}) == []


def test_points(show: Any) -> None:
    page = show("<button style='position:fixed;left:0;top:0;width:100px;height:40px'><b>Press</b></button>")
    assert [m["text"] for m in page.find({"point": [10, 10]})] == ["Press"]
    assert page.find({"point": [-5, 10]}) == []


def test_numbers_continue_and_stay(show: Any) -> None:
    page = show("<p>plain</p><button>a</button>")
    page.scan()
    (match,) = page.find({"text": "plain"}, any=True)
    assert match["id"] == 2
    assert page.find({"id": 2})[0]["text"] == "plain"
    assert page.find({"text": "plain"}, any=True, next_id=50)[0]["id"] == 2
    assert page.find({"css": "body"}, next_id=50)[0]["id"] == 50
    assert page.refusal("find", target={"id": 77}) == "ELEMENT_NOT_FOUND element 77 not found"
    page.run("document.querySelector('button').remove()")
    assert page.refusal("find", target={"id": 1}) == "ELEMENT_STALE element 1 is no longer on the page"


def test_the_open_dialog_is_a_fact(show: Any) -> None:
    page = show("<button>Delete</button><dialog id=d><button>Delete</button></dialog>")
    assert [m["match"]["in_dialog"] for m in page.find({"text": "Delete"})] == [True, True]
    page.run("d.showModal()")
    assert [m["match"]["in_dialog"] for m in page.find({"text": "Delete"})] == [False, True]


def test_hidden_matches_say_so(show: Any) -> None:
    (match,) = show("<button hidden>Gone</button>").find({"text": "Gone"})
    assert match["state"]["visible"] is False and "hidden" in match["modifiers"]


def test_at_most_fifty_the_best_first(show: Any) -> None:
    page = show("<button>item one</button>" * 80 + "<button hidden>item two</button>" * 7 + "<button>item</button>")
    answer = page.do("find", target={"text": "item"})
    assert answer["count"] == 88 and answer["visible"] == 81 and len(answer["matches"]) == 50
    assert answer["matches"][-1]["text"] == "item"


def test_bad_targets(show: Any) -> None:
    page = show("")
    assert page.refusal("find") == "INVALID_REQUEST target is required"
    assert page.refusal("find", target={"what": 1}).startswith("INVALID_REQUEST target must have")
    bad = {"text": "a", "relation": {"kind": "toString", "to": {"text": "b"}}}
    assert page.refusal("find", target=bad) == "INVALID_REQUEST no such relation: toString"


SHOP = """
<ul><li><h3>Red shoes</h3><button>Add to cart</button></li><li><h3>Blue hat</h3><button>Add to cart</button></li></ul>
<section><h2>Shipping</h2><label>Street <input name=s1></label></section>
<section><h2>Billing</h2><label>Street <input name=s2></label></section>
<table><tr><td>Ann</td><td><a href=#>Edit</a></td></tr><tr><td>Bob</td><td><a href=#>Edit</a></td></tr></table>
<form aria-label=Join><input type=email name=e1></form><form><legend>Leave</legend><input type=email name=e2></form>
"""


def best(page: Any, target: dict[str, Any], kind: str, to: dict[str, Any]) -> Any:
    """The nearest match: what it is by its position among its like."""
    matches = page.find({**target, "relation": {"kind": kind, "to": to}})
    return min(matches, key=lambda m: m["match"]["distance"]) if matches else None


def path(page: Any, match: dict[str, Any]) -> str:
    return str(
        page.do("get_state", id=match["id"])["attributes"].get("name") or page.do("get_bounds", id=match["id"])["y"]
    )


def test_inside_a_row_a_section_a_list_item_and_a_form(show: Any) -> None:
    page = show(SHOP)
    buttons = [m["id"] for m in page.find({"text": "Add to cart"})]
    links = [m["id"] for m in page.find({"text": "Edit"})]
    assert best(page, {"text": "Add to cart"}, "inside", {"text": "Blue hat"})["id"] == buttons[1]
    assert best(page, {"text": "Add to cart"}, "inside", {"text": "Red shoes"})["id"] == buttons[0]
    assert path(page, best(page, {"text": "Street"}, "inside", {"text": "Billing"})) == "s2"
    assert best(page, {"text": "Edit"}, "inside", {"text": "Bob"})["id"] == links[1]
    assert path(page, best(page, {"role": "email"}, "inside", {"text": "Join"})) == "e1"
    assert path(page, best(page, {"role": "email"}, "inside", {"text": "Leave"})) == "e2"
    assert path(page, best(page, {"role": "email"}, "inside", {"css": "form:last-of-type"})) == "e2"


def test_near(show: Any) -> None:
    page = show(SHOP)
    links = [m["id"] for m in page.find({"text": "Edit"})]
    assert best(page, {"text": "Edit"}, "near", {"text": "Bob"})["id"] == links[1]
    assert best(page, {"text": "Edit"}, "near", {"text": "Ann"})["match"]["distance"] < 20


def test_after_and_before(show: Any) -> None:
    page = show(SHOP)
    assert path(page, best(page, {"text": "Street"}, "after", {"text": "Shipping"})) == "s1"
    assert path(page, best(page, {"text": "Street"}, "after", {"text": "Billing"})) == "s2"
    assert path(page, best(page, {"text": "Street"}, "before", {"text": "Billing"})) == "s1"
    assert best(page, {"text": "Add to cart"}, "after", {"text": "Ann"}) is None


def test_contains(show: Any) -> None:
    page = show("<div onclick='0' id=a>Card one <b>cheap</b></div><div onclick='0' id=b>Card two <b>dear</b></div>")
    assert best(page, {"text": "Card"}, "contains", {"text": "dear"})["text"] == "Card two dear"


def test_chains(show: Any) -> None:
    page = show(
        "<section><h2>One</h2><p>Name <input name=a></p></section><section><h2>Two</h2><p>Name <input name=b></p></section>"
    )
    chain = {"text": "Name", "relation": {"kind": "inside", "to": {"text": "Two"}}}
    (match,) = [
        m for m in page.find({"css": "input", "relation": {"kind": "near", "to": chain}}) if m["match"]["distance"] < 10
    ]
    assert path(page, match) == "b"


def test_a_relation_to_nothing_matches_nothing(show: Any) -> None:
    assert show("<button>a</button>").find({"text": "a", "relation": {"kind": "near", "to": {"text": "absent"}}}) == []


def test_a_box_that_its_label_draws(show: Any) -> None:
    page = show(
        "<style>input{opacity:0}</style><table><tr><td><label><b>o</b><input type=checkbox></label><td onclick=0>Ann<tr>"
        "<td><input type=checkbox><td>Bob</table>"
    )
    found = {
        (each["type"], each["state"]["visible"], each["match"]["drawn_by_label"])
        for text in ("o", "Ann", "Bob")
        for each in page.find({"text": text})
    }
    assert ("checkbox", False, True) in found
    assert ("generic", True, False) in found


def test_the_text_of_a_hidden_item_is_not_its_branch(show: Any) -> None:
    page = show(
        "<div role=tree><div role=treeitem tabindex=0>Leafy<div role=group hidden><div role=treeitem>Maple</div></div>"
        "</div></div><button>Save <b style='display:none'>all</b></button>"
    )
    assert [match["state"]["visible"] for match in page.find({"text": "Maple"})] == [False]
    assert len(page.find({"text": "all"})) == 1


def test_a_field_without_a_name_is_called_by_what_it_holds(show: Any) -> None:
    page = show("<input value='New page'><input aria-label=Title value='New page'><input type=password value=abc>")
    assert [(m["match"]["source"], m["text"]) for m in page.find({"text": "New page"})] == [("value", "")]
    assert page.find({"text": "abc"}) == []


def test_a_select_without_a_name_is_called_by_what_is_chosen(show: Any) -> None:
    (match,) = show("<select><option>- column -<option>price</select>").find({"text": "- column -"})
    assert (match["match"]["source"], match["type"]) == ("value", "select")


def test_a_field_with_a_placeholder_is_also_called_by_the_text_beside_it(show: Any) -> None:
    (match,) = show("<div><b>When</b><div><input placeholder='YYYY-MM-DD'></div></div>").find({"text": "When"})
    assert (match["match"]["source"], match["text"]) == ("label", "YYYY-MM-DD")


def test_a_copy_in_a_box_without_an_extent_is_not_visible(show: Any) -> None:
    page = show(
        "<div aria-hidden=true style='position:absolute;width:1px;height:1px;overflow:hidden'><button>One</button>"
        "<button>Two</button></div><button>One</button><button>Two</button>"
    )
    assert [match["state"]["visible"] for match in page.find({"text": "Two"})] == [False, True]
