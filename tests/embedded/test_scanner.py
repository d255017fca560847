"""The scanner in the documents of a tab: its own realm, which no page reaches, and what it finds."""

from __future__ import annotations

import json

from tests.embedded.scanned_page import Scanned, page, scanned
from tests.embedded.single_page import javascript
from tests.webkit import ENGINE

__all__ = ["page", "scanned"]


async def test_a_page_is_scanned(scanned: Scanned) -> None:
    await scanned.show("<button>Go</button><label>Name <input></label>")
    assert await scanned.texts() == ["Go", "Name"]
    assert (await scanned.ask("settle"))["quiet"]


async def test_the_page_finds_nothing(scanned: Scanned) -> None:
    await scanned.show(
        "<!doctype html><script>const names = Reflect.ownKeys(window).map(String);"
        "const ours = names.filter((name) => name.startsWith('Symbol(') || /oryn|scan|^[0-9a-f]{16}$/i.test(name));"
        "window.seen = JSON.stringify([length, document.childNodes.length, document.compatMode, ours])</script>"
    )
    assert json.loads(await javascript(scanned.page, "seen")) == [0, 2, "CSS1Compat", []]
    assert await javascript(scanned.page, "document.querySelectorAll('iframe').length") == 0


TURNED = """<!doctype html><script>
    window.taken = [];
    const taking = (name) => function () { window.taken[window.taken.length] = name };
    for (const name of ["call", "apply", "bind", "toString"]) Function.prototype[name] = taking(name);
    for (const type of [Array, Map, Set, WeakMap, WeakSet, String, RegExp, Number, Promise])
      for (const name of Object.getOwnPropertyNames(type.prototype))
        if (name !== "constructor" && typeof Object.getOwnPropertyDescriptor(type.prototype, name).value === "function")
          type.prototype[name] = taking(`${type.name}.${name}`);
    JSON.stringify = JSON.parse = Object.keys = Object.defineProperty = taking("static");
    Object.prototype.toJSON = String.prototype.toJSON = () => "forged";
    for (const name of ["value", "objectId", "type", "result", "get", "set", "cmd"])
      Reflect.defineProperty(Object.prototype, name, { set: taking(name), get() {}, configurable: true });
    window.console = { debug: taking("debug") };
    for (const name of ["setTimeout", "requestAnimationFrame", "getComputedStyle", "performance", "eval", "Promise",
      "Object", "Array", "Map", "MutationObserver", "innerWidth", "innerHeight", "origin", "frameElement", "closed"])
      Reflect.defineProperty(window, name, { get: taking(name) });
    Element.prototype.getBoundingClientRect = Document.prototype.querySelectorAll = taking("DOM");
  </script><button>Go</button><label>Name <input></label>"""


async def test_a_page_that_has_replaced_everything(scanned: Scanned) -> None:
    await scanned.show(TURNED)
    assert await scanned.texts() == ["Go", "Name"]
    assert (await scanned.ask("settle"))["quiet"]
    # Only a session gives WebKitGTK's window another size.
    assert (await scanned.ask("page"))["viewport"]["width"] == (1024 if ENGINE == "webkitgtk" else 1280)
    assert not {"call", "apply", "Array.map", "Promise.then", "static", "eval", "debug"} & set(
        (
            await javascript(
                scanned.page, "let all = ''; for (let i = 0; i < taken.length; i++) all += taken[i] + ' '; all"
            )
        ).split()
    )


async def test_a_document_that_clears_its_console_at_once(scanned: Scanned) -> None:
    await scanned.show("<script>console.clear()</script><button>Go</button><script>console.clear()</script>")
    assert await scanned.texts() == ["Go"]


async def test_a_document_that_began_before(scanned: Scanned) -> None:
    await scanned.show("<button>Go</button>")
    session = scanned.page.channel.session
    other = Scanned(scanned.page, scanned.pages)
    assert await other.texts() == ["Go"]
    assert await javascript(scanned.page, "document.querySelectorAll('iframe').length") == 0
    assert session is scanned.page.channel.session


async def test_opaque_documents(scanned: Scanned) -> None:
    await scanned.page.goto("data:text/html,<button>Data</button>")
    assert await scanned.texts() == ["Data"]
    scanned.pages["/in"] = "<button>Inside</button>"
    await scanned.show("<button>Go</button><iframe sandbox='allow-scripts' src='/in'></iframe>")
    (frame,) = scanned.page.frame_tree.top.children
    assert await scanned.texts(frame) == ["Inside"]


async def test_documents_that_are_written_anew(scanned: Scanned) -> None:
    await scanned.show("<button>Go</button>")
    assert await scanned.texts() == ["Go"]
    await scanned.eval("document.open(); document.write('<button>Written</button>'); document.close()")
    assert await scanned.texts() == ["Written"]


async def test_frames_of_the_same_origin(scanned: Scanned) -> None:
    scanned.pages["/in"] = "<button>Inside</button>"
    await scanned.show(
        "<button>Go</button><iframe src='/in'></iframe><iframe srcdoc='<button>Doc'></iframe><iframe id=b></iframe>"
    )
    await scanned.eval("b.contentDocument.body.innerHTML = '<button>Blank</button>'")
    assert await scanned.texts() == ["Go", "Inside", "Doc", "Blank"]
    children = scanned.page.frame_tree.top.children
    assert [await scanned.texts(frame) for frame in children] == [["Inside"], ["Doc"], ["Blank"]]
    element = next(each for each in (await scanned.ask("scan"))["elements"] if each["text"] == "Go")
    assert await scanned.client.frame_index(element["id"], scanned.page.frame_tree.top) is None
    area = await scanned.client.frame_operation(scanned.page.frame_tree.top, 1, "area", timeout=5)
    assert area[6:] == [300, 150]


async def test_closed_shadow_roots(scanned: Scanned) -> None:
    await scanned.show(
        "<div id=h></div><script>const root = h.attachShadow({mode: 'closed'});"
        "root.innerHTML = '<button>In</button><p>Listening</p><div id=i></div>';"
        "root.querySelector('p').addEventListener('click', () => {});"
        "root.querySelector('#i').attachShadow({mode: 'closed'}).innerHTML = '<button>Deep</button>'</script>"
    )
    assert await scanned.texts() == ["In", "Listening", "Deep"]
    await scanned.eval("h.remove(); 1")
    assert await scanned.texts() == []


async def test_elements_that_only_listen(scanned: Scanned) -> None:
    await scanned.show("<div id=d>Listens</div><p>Text</p><script>d.addEventListener('click', () => {})</script>")
    assert await scanned.texts() == ["Listens"]
    element = (await scanned.ask("scan"))["elements"][0]
    heard = await scanned.client.path_listeners(element["id"], scanned.page.frame_tree.top, pressed=True, timeout=5)
    assert heard


async def test_a_sandboxed_page_that_has_replaced_everything(scanned: Scanned) -> None:
    scanned.pages["/in"] = TURNED
    await scanned.show("<button>Outside</button><iframe sandbox='allow-scripts' src='/in'></iframe>")
    (frame,) = scanned.page.frame_tree.top.children
    assert await scanned.texts(frame) == ["Go", "Name"]


FROZEN = (
    "<script>Object.defineProperty(Array.prototype, 'map', {value: () => [], configurable: false, writable: false})"
    "</script><button>Go</button>"
)


async def test_a_sandboxed_page_that_keeps_them_replaced(scanned: Scanned) -> None:
    scanned.pages["/in"] = FROZEN
    await scanned.show("<iframe sandbox='allow-scripts' src='/in'></iframe>")
    (frame,) = scanned.page.frame_tree.top.children
    response = await scanned.client.run({"cmd": "scan"}, frame, 10)
    assert response["code"] == "SCRIPT_ERROR"
    await scanned.show(FROZEN)
    assert await scanned.texts() == ["Go"]
