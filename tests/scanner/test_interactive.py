"""What counts as interactive when no role says so, and what is left out."""

from __future__ import annotations

from typing import Any


def test_own_listeners_are_found_by_hints(show: Any) -> None:
    page = show(
        "<div id=a>Listens</div><div id=b>Silent</div><p onclick='0'>Attribute</p>"
        "<script>a.addEventListener('click', () => {}); b.addEventListener('focus', () => {})</script>"
    )
    assert page.names() == ["Listens", "Attribute"]


def test_hints_are_kept_and_replaced(show: Any) -> None:
    page = show("<div id=a>first</div><div id=b>second</div>")
    elements = page.run("[...document.querySelectorAll('*')].map((e) => e.id)")
    first, second, count = elements.index("a"), elements.index("b"), len(elements)
    assert page.names(listeners=[first], listeners_of=count) == ["first"]
    assert page.names(listeners=None) == ["first"]
    assert page.names(listeners=[second], listeners_of=count) == ["second"]
    assert page.names(listeners=[first], listeners_of=count + 1) == ["second"], "hints of another page"
    assert page.names(listeners=[-1, 10**9, second], listeners_of=count) == ["second"]


def test_hints_and_scan_walk_in_the_same_order(show: Any) -> None:
    page = show(
        "<div id=host></div><iframe src=/inner></iframe><div id=after>after</div><script>"
        "host.attachShadow({mode: 'open'}).innerHTML = '<i>a</i><b>in the shadow</b>';"
        "host.shadowRoot.querySelector('b').onmousedown = () => 0; after.addEventListener('mouseup', () => 0)</script>",
        inner="<p>one</p><p>two</p>",
    )
    assert page.names() == ["in the shadow", "after"]


def test_pointer_cursor_counts_where_it_begins(show: Any) -> None:
    assert (
        show("<div style='cursor:pointer'>Card <b>bold</b></div><div>plain</div>").lines() == '[1] generic "Card bold"'
    )


def test_focusable_and_editable(show: Any) -> None:
    assert show(
        "<div tabindex=-1>No</div><div tabindex=0>Focus</div><h2></h2><div contenteditable>Edit me</div><p contenteditable=false>No</p>"
    ).lines() == ('[1] generic "Focus"\n[2] generic/textbox "Focus" value: "Edit me"')


def test_wrappers_of_listed_elements_are_left_out(show: Any) -> None:
    page = show(
        "<div id=outer onclick='0'><ul onclick='0'><li onclick='0'><a href=/x>Link</a></li></ul></div>"
        "<label style='cursor:pointer'><input type=checkbox> Agree</label>"
        "<button><span style='cursor:pointer'>In a button</span></button>"
    )
    assert page.lines() == '[1] link "Link"\n[2] checkbox "Agree" {unchecked}\n[3] button "In a button"'


def test_a_card_with_words_of_its_own_stays(show: Any) -> None:
    assert show("<div onclick='0'>Open the card <a href=/x>or this</a></div>").lines() == (
        '[1] generic "Open the card or this"\n[2] link "or this"'
    )


def test_a_control_inside_another_keeps_its_own_listener(show: Any) -> None:
    assert show("<div role=tab>Files <span onclick='0' title='Close tab'>x</span></div>").lines() == (
        '[1] generic/tab "Files x"\n[2] generic "Close tab"'
    )


def test_page_and_huge_containers_are_never_listed(show: Any) -> None:
    page = show(
        "<body onclick='0'><div id=app style='height:700px'><p>words that only the container has</p>"
        "<button>a</button><button>b</button><button>c</button><button>d</button></div>"
        "<script>for (const e of [app, document.documentElement]) e.addEventListener('click', () => {})</script>"
    )
    assert page.names() == ["a", "b", "c", "d"]


def test_svg_shapes_that_listen(show: Any) -> None:
    page = show(
        "<svg width=200 height=100><rect id=r width=50 height=50><title>Red square</title></rect>"
        "<g id=g aria-label=Group><circle cx=100 cy=30 r=20 /></g><text id=t y=90>Label</text><path d='M0 0h10v10z'/></svg>"
        "<script>for (const e of [r, g, t]) e.addEventListener('click', () => 0)</script>"
    )
    assert page.names() == ["Red square", "Group", "Label"]


def test_slider_handle_without_role(show: Any) -> None:
    assert show(
        "<span class='ui-slider-handle' tabindex=0 style='display:block;width:9px;height:9px'></span>"
    ).lines() == ('[1] generic/slider "slider handle"')


def test_a_label_that_draws_its_box_is_not_listed_beside_it(show: Any) -> None:
    page = show(
        "<style>input{position:absolute;opacity:0}label{cursor:pointer}</style>"
        "<label><input type=checkbox>Fancy</label><div role=radiogroup tabindex=0><label><input type=radio>Day</label>"
        "<label><input type=radio>Week</label></div>"
    )
    assert [(each["type"], each["text"]) for each in page.scan()["elements"]] == [
        ("checkbox", "Fancy"), ("radio", "Day"), ("radio", "Week"),
    ]  # fmt: skip


def test_hidden_native_box_with_a_visible_label_is_listed(show: Any) -> None:
    page = show(
        "<style>input{position:absolute;opacity:0}</style><input type=checkbox id=c><label for=c>Fancy</label>"
        "<input type=checkbox id=d><label for=d style='display:none'>Gone</label>"
    )
    assert page.lines() == '[1] checkbox "Fancy" {unchecked}'


def test_aria_hidden_counts_only_in_sight(show: Any) -> None:
    assert (
        show(
            "<div aria-hidden=true><button>Seen</button></div>"
            "<div aria-hidden=true style='position:absolute;left:2000px'><button>Waiting</button></div>"
            "<div inert><button>Inert</button></div>"
        ).lines()
        == '[1] button "Seen"'
    )


def test_foreign_frames_are_listed_themselves(show: Any) -> None:
    page = show("<iframe src='{0}/x' title=Ads></iframe>".replace("{0}", show.other))
    assert page.lines() == '[1] generic/frame "Ads"'


def test_icons_are_called_as_their_author_calls_them(show: Any) -> None:
    page = show(
        "<style>.i{display:inline-block;width:20px;height:20px}</style><span class='i retweet' onclick='0'></span>"
        "<button><i class='fa fa-shopping-cart i'></i></button><a href=# class='i css-1x2y3z' id=backToTop></a>"
        "<a href=# class=i><svg width=9 height=9><use href='#icon-search'/></svg></a><button class='btn btn-icon'></button>"
    )
    assert page.names() == ["retweet", "shopping cart", "back to top", "search", ""]


def shadow(host: str, inner: str) -> str:
    """A script that gives the element `host` an open shadow root."""
    return f"<script>document.querySelector('{host}').attachShadow({{mode: 'open'}}).innerHTML = `{inner}`</script>"


def test_a_host_and_its_only_control_are_one(show: Any) -> None:
    inner = "<button><span onclick=0 tabindex=-1></span><slot></slot></button>"
    for host in ("<x-button onclick=0>Save</x-button>", "<x-button tabindex=0 role=button>Save</x-button>"):
        assert show(host + shadow("x-button", inner)).lines() == '[1] button "Save"'
    page = show("<x-field onclick=0 aria-label=Tag></x-field>" + shadow("x-field", "<input aria-label=Tag>"))
    assert page.lines() == '[1] input/text "Tag"'


def test_a_host_of_several_controls_stays(show: Any) -> None:
    page = show(
        "<x-card onclick=0>Card</x-card>" + shadow("x-card", "<slot></slot><button>A</button><button>B</button>")
    )
    assert page.names() == ["Card A B", "A", "B"]
    page = show("<x-card onclick=0>Card</x-card>" + shadow("x-card", "<slot></slot><button>A</button>"))
    assert page.names() == ["Card A", "A"]


def test_dividers_and_resize_handles_are_left_out(show: Any) -> None:
    page = show(
        "<style>.h{width:9px;height:30px;cursor:col-resize}</style><div role=separator tabindex=0 onclick=0>|</div>"
        "<ul role=menu><li role=menuitem>Cut<li role=none class='h menu-thing' onclick=0></li>"
        "<li role=presentation tabindex=0 class=menu-thing style='height:9px'></li></ul>"
        "<div class='h column-handle' onclick=0></div><hr onclick=0><p class=h onclick=0 style='width:90px'>Resize</p>"
        "<div role=separator tabindex=0 aria-valuenow=30 aria-label=Split style='height:9px'></div>"
    )
    assert page.names() == ["Cut", "Resize", "Split"]


def test_nameless_parts_of_a_control_are_left_out(show: Any) -> None:
    page = show(
        "<style>i{display:inline-block;width:9px;height:9px}</style>"
        "<button>Save<i onclick=0></i><span tabindex=-1></span></button><a href=#><b onclick=0>Home</b></a>"
        "<div role=tab>Files <i onclick=0 class=close-icon></i></div>"
    )
    assert page.names() == ["Save", "Home", "Files", "close"]


def test_the_transparent_field_of_a_combo_box_is_listed(show: Any) -> None:
    page = show(
        "<div style='border:1px solid;width:200px'><label id=l>Tags</label><span>"
        "<input role=combobox aria-labelledby=l readonly style='opacity:0;width:4px'></span></div>"
        "<div style='border:1px solid;width:200px'><label for=p>Plan</label><span>One"
        "<input id=p role=combobox readonly style='opacity:0;width:1px;height:1px;position:absolute;border:0'></span></div>"
        "<div style='opacity:0'><input role=combobox aria-label=Gone></div><input aria-label=Plain style='opacity:0'>"
    )
    assert [each["text"] for each in page.scan()["elements"]] == ["Tags", "Plan"]
    assert page.lines().endswith('"Plan" {readonly} value: "One"')


def test_the_field_of_a_combo_box_in_a_transparent_box_is_pressed_at_what_is_drawn(show: Any) -> None:
    page = show(
        "<label for=p>Plan</label><div id=box style='width:200px;height:30px;position:relative;border:1px solid'>"
        "<div style='opacity:0;position:absolute'><input id=p role=combobox readonly style='border:0;width:11px'></div>"
        "<div id=drawn style='position:absolute;inset:0'><span>One</span><button style='float:right'>x</button></div></div>"
    )
    (plan,) = [each["id"] for each in page.scan()["elements"] if each["text"] == "Plan"]
    assert page.lines().startswith('[1] input/text "Plan" {readonly}')
    assert page.do("locate", id=plan)["tag"] == "input"


def test_a_box_that_the_page_draws_says_itself_whether_it_is_checked(show: Any) -> None:
    page = show(
        "<label for=a>Drawn</label><input id=a type=checkbox role=switch aria-checked=true style='opacity:0;position:absolute'>"
        "<label for=b>Seen</label><input id=b type=checkbox aria-checked=true>"
    )
    assert page.lines() == '[1] checkbox/switch "Drawn" {checked}\n[2] checkbox "Seen" {unchecked}'


def test_thin_resizers_and_what_draws_a_box_are_left_out(show: Any) -> None:
    page = show(
        "<div>Name<span class=col-resize-handle style='display:inline-block;width:6px;height:20px' onmousedown=0></span>"
        "</div><div style='position:relative'><div class=track onclick=0 style='width:40px;height:20px'></div><input"
        " type=checkbox aria-label=Wifi style='position:absolute;left:0;top:0;opacity:0;width:40px;height:20px'></div>"
    )
    assert page.lines() == '[1] checkbox "Wifi" {unchecked}'
