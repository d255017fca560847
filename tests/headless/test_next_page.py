"""What the answer of an action says about the page that it leads to, or about an application's new address."""

from __future__ import annotations

import pytest

from tests.headless.conftest import Driver
from tests.headless.test_reactions import GO, changes

pytestmark = pytest.mark.usefixtures("default_grace")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("<h2>Later</h2><h1>Thank you</h1><p>More", ['+ heading "Thank you"']),
        ("<p role=status>Saved</p><h1>Post</h1>", ['+ status "Saved"', '+ heading "Post"']),
        ("<title>Thank you</title><h1>Thank you</h1>", []),
        ("<p>One</p><p>Two</p><p>Three</p>", ['+ text "One"', '+ text "Two"']),
    ],
)
async def test_what_a_new_page_begins_with_is_reported(oryn: Driver, body: str, told: list[str]) -> None:
    oryn.pages["/sent"] = body
    await oryn.show("<form method=post action=/sent><button>Send</button></form>")
    assert changes(await oryn.ok('click "Send"'))[1:] == told


@pytest.mark.slow
async def test_a_page_that_scripts_build_is_waited_for_after_a_click_too(oryn: Driver) -> None:
    build = "setTimeout(() => { root.innerHTML = '<h1>Ready</h1><button>Start</button>' }, 300)"
    oryn.pages["/app"] = f"<title>App</title><div id=root></div><script>{build}</script>"
    oryn.pages["/empty"] = "<title>App</title><div id=root></div><script></script>"
    await oryn.show("<a href=/app>Open</a> <a href=/empty>Other</a>")
    assert "shows nothing to act on" in await oryn.ok('click "Other"')
    await oryn.show("<a href=/app>Open</a>")
    assert changes(await oryn.ok('click "Open"'))[1:] == ['+ heading "Ready"']


@pytest.mark.parametrize(
    "move", ["location.hash = 'users'", "history.pushState({}, '', '/users'); document.title = 'App'"]
)
async def test_what_an_application_shows_at_its_new_address(oryn: Driver, move: str) -> None:
    script = f"go.onclick = () => {{ {move}; setTimeout(() => {{ out.innerHTML = '<h1>Users</h1>' }}, 150) }}"
    await oryn.show(f"{GO}<script>{script}</script>")
    told = changes(await oryn.ok('click "Go"'))
    assert "users" in told[0] and any("Users" in line for line in told[1:])


def plants_page(*names: str, message: str = "") -> str:
    items = "".join(f"<li>{name}</li>" for name in names)
    return (
        f"<title>Plants</title><h1>All plants</h1>{message}<p>You have {len(names)} plants.</p><ul>{items}</ul>"
        "<form><button>Send</button></form><p>Rendered at 10:00:0" + str(len(names)) + "</p><p>About us</p>"
    )


@pytest.mark.slow
async def test_what_differs_in_a_page_that_comes_again(oryn: Driver) -> None:
    """As after a form is sent that leads back to its page."""
    saved = "<p role=status>Saved</p>"
    await oryn.show(plants_page("Fern", "Moss"))
    address = changes(await oryn.ok('click "Send"'))[0]
    assert address.startswith("@ ")
    for names, message, expected in (
        (("Fern", "Moss", "Pine"), "", ['+ text "You have 3 plants."', '+ text "Pine"']),
        (("Moss", "Pine"), saved, ['+ status "Saved"', '+ text "You have 2 plants."']),
        (("Pine", "Moss"), saved, ['+ status "Saved"']),
    ):
        oryn.pages["/"] = plants_page(*names, message=message)
        assert changes(await oryn.ok('click "Send"'))[1:] == expected
    oryn.pages["/"] = plants_page("Pine", "Moss")
    assert changes(await oryn.ok('click "Send"'))[1:] == ['- text "Saved"']
    assert changes(await oryn.ok('click "Send"'))[1:] == ['+ heading "All plants"']
    oryn.pages["/"] = "<h1>Thank you</h1><p>Good bye</p><p>You have 2 plants.</p>"
    assert changes(await oryn.ok('click "Send"'))[1:] == ['+ heading "Thank you"']
