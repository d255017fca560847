"""What is in closed shadow roots is observed, found, pressed and typed into like the rest of the page."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

FORM = """<h1>Shop</h1><x-login></x-login><div id=out></div><script>
customElements.define('x-login', class extends HTMLElement {
  constructor() {
    super();
    const root = this.attachShadow({mode: 'closed'});
    root.innerHTML = '<p>Welcome back</p><form><input aria-label=Email><input type=password aria-label=Password>' +
      '<select aria-label=Role><option>Guest<option>Admin</select><label><input type=checkbox> Stay</label>' +
      '<button>Sign in</button></form><p role=status></p>';
    root.querySelector('form').onsubmit = (event) => {
      event.preventDefault();
      const [email, , role, stay] = event.target.elements;
      root.querySelector('[role=status]').textContent = `${email.value} ${role.value} ${stay.checked}`;
    };
  }
});</script>"""


@pytest.mark.slow
async def test_a_form_in_a_closed_root(oryn):
    await oryn.show(FORM)
    answer = await oryn.ok("observe")
    for line in ('[1] input/email "Email"', '[3] select "Role"', '[5] button/submit "Sign in"'):
        assert line in answer
    await oryn.ok('type "Email" "ann@example.org"')
    await oryn.ok('select "Role" "Admin"')
    await oryn.ok('check "Stay"')
    assert "ann@example.org Admin true" in await oryn.ok('click "Sign in"')
    assert "Welcome back" in await oryn.ok("text")
    assert await oryn.session.page.evaluate("document.querySelector('x-login').shadowRoot") is None


async def test_a_target_is_found_without_an_observation_before(oryn):
    await oryn.show(FORM)
    await oryn.ok('type "Email" "bob"')
    assert "bob Guest false" in await oryn.ok("press enter")


async def test_a_root_that_an_action_attaches_is_in_its_answer(oryn):
    await oryn.show(
        "<button onclick=\"host.attachShadow({mode: 'closed'}).innerHTML = '<p>It opens</p><button>Close it</button>'\">Open</button>"
        "<div id=host></div>"
    )
    await oryn.ok("observe")
    answer = await oryn.ok("click Open")
    assert '"Close it"' in answer
    assert "It opens" in answer
    await oryn.ok('click "Close it"')


async def test_a_fixed_widget_in_a_host_without_a_box(oryn):
    await oryn.show(
        "<p>text</p><script>addEventListener('load', () => { const host = document.createElement('div');"
        "host.attachShadow({mode: 'closed'}).innerHTML = '<button style=\"position:fixed;right:9px;bottom:9px\">Chat</button>';"
        "document.body.append(host) })</script>"
    )
    assert '"Chat"' in await oryn.ok("observe")
    await oryn.ok("click Chat")


async def test_what_only_listens_in_a_closed_root(oryn):
    await oryn.show(
        "<div id=host></div><p id=other>Other</p><script>const root = host.attachShadow({mode: 'closed'});"
        "root.innerHTML = '<p>Pressable</p><p>Silent</p>';"
        "root.firstChild.addEventListener('click', () => document.title = 'pressed');"
        "other.addEventListener('click', () => 0)</script>"
    )
    answer = await oryn.ok("observe")
    assert '[1] generic "Pressable"\n[2] generic "Other"' in answer
    await oryn.ok("click 1")
    assert "pressed" in await oryn.ok("title")


@pytest.mark.slow
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_frames_in_a_closed_root(oryn, host):
    oryn.pages["/inner"] = "<p>Framed</p><button onclick=\"this.textContent = 'Pressed'\">In the frame</button>"
    await oryn.show(
        f"<p>text</p><div><template shadowrootmode=closed><iframe name=in src={oryn.pages.url('/inner', host)}></iframe></template></div>"
    )
    assert '"In the frame"' in await oryn.ok("observe")
    assert '"Pressed"' in await oryn.ok('click "In the frame"')
    await oryn.ok('frame "in"')
    assert "Framed" in await oryn.ok("text")


@pytest.mark.slow
async def test_mouse_keys_and_uploads_reach_into_closed_roots(oryn, tmp_path):
    (tmp_path / "note.txt").write_text("hello")
    await oryn.show(
        "<div id=host></div><script>const root = host.attachShadow({mode: 'closed'});"
        "root.innerHTML = '<input aria-label=Word value=old><input type=file aria-label=File><p contenteditable aria-label=Note>note</p>"
        "<a href=#x>Menu</a><p id=tip hidden>Tip</p>';"
        "root.querySelector('a').onmouseenter = () => { root.querySelector('#tip').hidden = false }</script>"
    )
    await oryn.ok("observe")
    assert 'value: "old and new"' in await oryn.ok('type "Word" " and new" --append')
    await oryn.ok('clear "Word"')
    await oryn.ok('type "Note" "written"')
    assert '"written"' in await oryn.ok("value Note")
    assert "Tip" in await oryn.ok("hover Menu")
    await oryn.ok("focus Word")
    assert '"Word" {focused} value: "k"' in await oryn.ok("press k")
    assert "note.txt" in await oryn.ok(f'upload "File" "{tmp_path / "note.txt"}"')


COUNTER = """<h1>Stock</h1><stock-level></stock-level><button onclick="level.count++">Deliver</button>
<input aria-label=Note oninput="level.count++"><script>
customElements.define('stock-level', class extends HTMLElement {
  #count = 3;
  connectedCallback() { this.attachShadow({mode: 'open'}); this.#draw(); window.level = this; }
  get count() { return this.#count; }
  set count(value) { this.#count = value; this.#draw(); }
  #draw() {
    const root = this.shadowRoot;
    root.innerHTML = `In stock: ${this.#count}<p>Of them free: ${this.#count - 1}</p><button>Order ${this.#count}</button>`;
    root.querySelector('button').onclick = () => this.count--;
  }
});</script>"""


@pytest.mark.parametrize(
    "line", ["click Deliver", 'type "Note" "a"', 'click "Order 3"', "focus Deliver", "scroll down"]
)
async def test_a_component_draws_its_root_anew(oryn, line):
    await oryn.show(COUNTER)
    await oryn.ok("observe")
    before = await oryn.ok("text")
    answer = await oryn.ok(line)
    assert "can't be read" not in answer
    after = await oryn.ok("text")
    assert ("Of them free" in answer) is (before != after)
    await oryn.ok("observe --diff")
    await oryn.ok("snapshot")


async def test_a_message_right_in_a_shadow_root_is_in_the_answer(oryn):
    await oryn.show(
        "<div id=host></div><button onclick=\"const p = document.createElement('p'); p.textContent = 'Saved'; p.role = 'status';"
        'host.shadowRoot.append(p); setTimeout(() => p.remove(), 20)">Save</button>'
        "<script>host.attachShadow({mode: 'open'})</script>"
    )
    await oryn.ok("observe")
    assert '+ status "Saved"' in await oryn.ok("click Save")
