"""The patterns of docs/spec/scanner-protocol.md#patterns."""

from __future__ import annotations

from typing import Any


def test_login_form(show: Any) -> None:
    patterns = show(
        "<form id=login><input type=email title=E><input type=password title=P>"
        "<label><input type=checkbox>Keep me signed in</label><button>Log in</button></form>"
    ).scan()["patterns"]
    assert patterns["login_form"] == {"email": 1, "password": 2, "remember": 3, "submit": 4, "container": "#login"}


def test_login_without_a_form(show: Any) -> None:
    patterns = show(
        "<div id=box><input name=user><input type=password title=P><div role=button>Enter</div></div>"
    ).scan()["patterns"]
    assert patterns["login_form"] == {"username": 1, "password": 2, "submit": 3, "container": "#box"}


def test_registration_is_no_login(show: Any) -> None:
    patterns = show(
        "<form><input type=email><input type=password><input type=password><button>Join</button></form>"
    ).scan()["patterns"]
    assert "login_form" not in patterns


def test_search_form(show: Any) -> None:
    patterns = show("<form id=s><input type=search title=Words><button>Go</button></form>").scan()["patterns"]
    assert patterns["search_form"] == {"input": 1, "submit": 2, "container": "#s"}
    assert show("<input placeholder='Search articles'>").scan()["patterns"]["search_form"] == {"input": 1}


def test_pagination(show: Any) -> None:
    html = "<ul><li><a href=#>‹ Previous</a><li><a href=#>1</a><li><a href=#>2</a><li><a href=#>3</a><li><a href=#>Next</a></ul>"
    assert show(html + "<a href=#>2019</a>").scan()["patterns"]["pagination"] == {
        "prev": 1,
        "next": 5,
        "pages": [2, 3, 4],
    }
    assert "pagination" not in show("<a href=#>1</a> <button>Next steps for you</button>").scan()["patterns"]


def test_modal_by_role(show: Any) -> None:
    page = show(
        "<button>behind</button><div role=dialog aria-labelledby=t id=m style='position:fixed;inset:20%'>"
        "<h2 id=t>Subscribe now</h2><button aria-label=Close>x</button></div>"
    )
    assert page.scan()["patterns"]["modal"] == {"container": "#m", "close": 2, "title": "Subscribe now"}


def test_dialog_element(show: Any) -> None:
    page = show("<dialog id=d><h3>Really?</h3><button>Cancel</button></dialog>")
    assert "modal" not in page.scan()["patterns"]
    page.run("d.showModal()")
    assert page.scan()["patterns"]["modal"] == {"container": "#d", "close": 1, "title": "Really?"}


def test_a_modal_without_a_title_is_called_by_what_it_says(show: Any) -> None:
    page = show("<div role=dialog id=m><p>Your session ends in two minutes</p><input aria-label=Code></div>")
    assert page.scan()["patterns"]["modal"] == {"container": "#m", "title": "Your session ends in two minutes"}


def test_modal_by_geometry_alone(show: Any) -> None:
    page = show(
        "<p>page</p><a href=#>link</a><section id=w style='position:fixed;left:30%;top:25%;width:40%;height:50%;background:#fff'>"
        "<h2>Win a prize</h2><a href=# onclick='0'>No thanks</a></section>"
    )
    assert page.scan()["patterns"]["modal"] == {"container": "#w", "close": 2, "title": "Win a prize"}
    backdrop = "<div style='position:fixed;inset:0;z-index:9'><div id=i style='margin:100px auto;width:300px'><p>Hi</p><button>OK</button></div></div>"
    assert show(backdrop).scan()["patterns"]["modal"]["container"] == "#i"


def test_fixed_header_and_layout_are_no_modal(show: Any) -> None:
    page = show(
        "<header style='position:fixed;top:0;left:0;right:0;height:60px'><a href=#>Home</a></header>"
        "<main style='position:absolute;top:60px;left:0;width:100%;height:600px'><button>Buy</button></main>"
    )
    assert "modal" not in page.scan()["patterns"]


def test_cookie_banner(show: Any) -> None:
    page = show(
        "<a href=#>cookies policy</a><div id=cookie-consent><p>We use cookies</p>"
        "<button>Accept all</button><button>Reject all</button></div>"
    )
    data = page.scan()["patterns"]
    assert data["cookie_banner"] == {"container": "#cookie-consent", "accept": 2, "reject": 3}
    assert "modal" not in data


def test_hidden_banner_is_none(show: Any) -> None:
    page = show("<div class=cookies style='display:none'><button>Accept</button></div>")
    assert page.scan()["patterns"] == {}


def test_a_button_that_goes_to_another_page_starts_no_search(show: Any) -> None:
    page = show("<div><div><input type=search aria-label=Find></div><div><button>Go to page 2</button></div></div>")
    assert page.scan()["patterns"]["search_form"] == {"input": 1}
