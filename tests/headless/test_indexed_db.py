"""IndexedDB in states: `state save --include-indexeddb` and `state load`, also from and for Playwright."""

# The files are small and on this machine: nothing waits for them.
# ruff: noqa: ASYNC240

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.browsers.chromium.discovery import find_browser
from oryn.engine import Options, Session
from oryn.engine.state.state_file import decode
from oryn.errors import FileError
from tests.headless.conftest import OPTIONS, Driver, Pages

pytestmark = pytest.mark.browser

# `open` keeps its connection, as pages do.
PAGE = r"""<title>Shop</title><script>
const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
const open = (name, version, upgrade) => {
  const request = indexedDB.open(name, version);
  request.onupgradeneeded = () => upgrade?.(request.result);
  return done(request);
};
const VALUES = () => {
  const cyclic = { name: 'cyclic' };
  cyclic.self = cyclic;
  return {
    words: 'ünï \ud83d', number: 1.5, nothing: null, missing: undefined, nan: NaN, minus: -0, big: 2n ** 70n,
    date: new Date(1e12), pattern: /a+/gi, bytes: new Uint8Array([0, 1, 255]), doubles: new Float64Array([0.1]),
    buffer: new Uint8Array([7, 8]).buffer, map: new Map([['a', new Set([1, 'b'])]]), nested: [[{ deep: [true] }]], cyclic,
  };
};
async function fill() {
  const db = await open('shop', 3, (made) => {
    const carts = made.createObjectStore('carts', { keyPath: ['user', 'id'] });
    carts.createIndex('by price', 'price', { unique: true });
    carts.createIndex('by tags', ['tags', 'price']);
    carts.createIndex('by tag', 'tags', { multiEntry: true });
    made.createObjectStore('notes', { autoIncrement: true });
    made.createObjectStore('keys');
  });
  const write = db.transaction(['carts', 'notes', 'keys'], 'readwrite');
  write.objectStore('carts').put({ user: 'ada', id: 1, price: 5, tags: ['a', 'b'] });
  write.objectStore('notes').put('first');
  write.objectStore('notes').put(VALUES());
  write.objectStore('keys').put('by date', new Date(5));
  write.objectStore('keys').put('by list', ['x', 1]);
  await new Promise((resolve) => { write.oncomplete = resolve; });
}
async function put(store, value) {
  const db = await open('shop');
  return done(db.transaction(store, 'readwrite').objectStore(store).put(value));
}
async function look(name = 'shop') {
  const db = await open(name);
  if (!db.objectStoreNames.length) return { version: db.version };
  const read = db.transaction(db.objectStoreNames);
  const found = { version: db.version };
  for (const each of db.objectStoreNames) {
    const store = read.objectStore(each);
    found[each] = {
      path: store.keyPath,
      auto: store.autoIncrement,
      keys: await done(store.getAllKeys()),
      values: await done(store.getAll()),
      indexes: [...store.indexNames].map((name) => {
        const { keyPath, unique, multiEntry } = store.index(name);
        return [name, keyPath, unique, multiEntry];
      }),
    };
  }
  db.close();
  return found;
}
const kind = (value) => Object.prototype.toString.call(value);
const text = (it) => {
  if (it instanceof Map) return String([...it].map(([k, v]) => [k, [...v]]));
  if (it?.byteLength) return String(new Uint8Array(it.buffer ?? it));
  if (it?.name === 'cyclic') return String(it.self === it);
  if (Object.is(it, -0)) return '-0';
  return kind(it) === '[object BigInt]' ? String(it) : JSON.stringify(it) ?? String(it);
};
async function check() {
  const wanted = VALUES(), found = (await look()).notes.values[1], wrong = [];
  for (const [name, value] of Object.entries(wanted)) {
    const other = found[name];
    if (kind(value) !== kind(other) || text(value) !== text(other) || !(name in found)) wrong.push(name);
  }
  return wrong;
}
</script>"""

LOOK = 'eval "look().then((found) => JSON.stringify({...found, notes: null}))"'


@pytest.fixture
def oryn(browser: ChromiumBrowser, pages: Pages, run: Any, tmp_path: Path) -> Iterator[Driver]:
    """A session in a browser context of its own: what a test stores, no other one has."""
    pages.bodies.clear()
    session = Session(ChromiumBrowser(runtime_dir=tmp_path / "context", shared_with=browser), options=OPTIONS)
    yield Driver(session, pages)
    run(session.close())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state.json"


async def shop(oryn: Any, host: str = "127.0.0.1") -> None:
    oryn.pages["/"] = PAGE
    await oryn.ok(f"goto {oryn.pages.url('/', host)}")
    await oryn.ok("eval fill()")


async def value(session: Session, line: str) -> Any:
    answer = await session.execute(line)
    assert answer.error is None, answer.render()
    return answer.data


@pytest.mark.slow
async def test_every_type_goes_to_a_file_and_into_another_browser(oryn: Any, file: Path, tmp_path: Path) -> None:
    await shop(oryn)
    before = await value(oryn.session, LOOK)
    await oryn.ok(f"state save {file} --include-indexeddb")
    session = Session(ChromiumBrowser(runtime_dir=tmp_path), options=Options(timeout=60))
    try:
        await value(session, f"state load {file}")
        await value(session, f"goto {oryn.pages.url()}")
        assert json.loads(await value(session, LOOK)) == json.loads(before)
        assert await value(session, "eval check()") == []
        # The next key is a new one.
        assert await value(session, "eval \"put('notes', 1)\"") == 3
    finally:
        await session.close()


@pytest.mark.slow
async def test_it_is_saved_on_request_alone(oryn: Any, file: Path) -> None:
    await shop(oryn)
    await oryn.ok("storage set lang en")
    await oryn.ok(f"state save {file}")
    assert "indexedDB" not in file.read_text()
    await oryn.ok(f"state load {file}")
    assert json.loads(await value(oryn.session, LOOK))["carts"]["keys"] == [["ada", 1]], (
        "a file without it changes none"
    )


@pytest.mark.slow
async def test_a_load_replaces_and_a_merge_adds(oryn: Any, file: Path) -> None:
    await shop(oryn)
    await oryn.ok(f"state save {file} --include-indexeddb")
    put = "eval \"put('carts', {user: 'eve', id: 2, price: 9, tags: []})\""
    other = "eval \"open('other', 1, (db) => db.createObjectStore('s').put(1, 'k')).then(() => 1)\""
    keys = 'eval "look().then((found) => found.carts.keys)"'
    others = "eval \"look('other').then((found) => found.s.keys)\""
    names = 'eval "indexedDB.databases().then((all) => all.map((each) => each.name))"'
    await value(oryn.session, put)
    await value(oryn.session, other)
    await oryn.ok(f"state load {file} --merge")
    assert await value(oryn.session, keys) == [["ada", 1], ["eve", 2]]
    assert await value(oryn.session, others) == ["k"]
    await oryn.ok(f"state load {file}")
    assert await value(oryn.session, keys) == [["ada", 1]], "although the page has the database open"
    assert await value(oryn.session, names) == ["shop"]


@pytest.mark.slow
async def test_of_one_domain(oryn: Any, file: Path) -> None:
    await shop(oryn)
    await shop(oryn, "localhost")
    await oryn.ok(f"state save {file} --include-indexeddb --domain localhost")
    origins = json.loads(file.read_text())["origins"]
    assert [each["origin"] for each in origins if each.get("indexedDB")] == [oryn.pages.url("", "localhost")]


@pytest.mark.slow
async def test_a_database_of_another_form_that_a_page_uses(oryn: Any, file: Path) -> None:
    await shop(oryn)
    await oryn.ok(f"state save {file} --include-indexeddb")
    data = json.loads(file.read_text())
    data["origins"][0]["indexedDB"][0]["version"] = 4
    file.write_text(json.dumps(data))
    await value(oryn.session, "eval fill()")  # the page has a connection, which the browser closes
    await oryn.ok(f"state load {file}")
    await oryn.ok("refresh")
    assert json.loads(await value(oryn.session, LOOK))["version"] == 4


@pytest.mark.slow
async def test_what_the_browser_refuses_puts_all_back(oryn: Any, file: Path) -> None:
    await shop(oryn)
    await oryn.ok("cookies set theme dark")
    before = await value(oryn.session, LOOK)
    await oryn.ok(f"state save {file} --include-indexeddb")
    data = json.loads(file.read_text())
    data["cookies"] = []
    (carts,) = [each for each in data["origins"][0]["indexedDB"][0]["stores"] if each["name"] == "carts"]
    carts["records"].append({"value": {"user": "eve", "id": 2, "price": 5, "tags": []}})  # another of the same price
    file.write_text(json.dumps(data))
    answer = await oryn.session.execute(f"state load {file}")
    assert answer.error is not None and answer.error.code == "NOT_STORED", answer.render()
    assert await value(oryn.session, LOOK) == before
    assert await value(oryn.session, "cookies get theme") == "dark"


@pytest.mark.slow
async def test_what_the_format_lacks_is_counted(oryn: Any, file: Path) -> None:
    await shop(oryn)
    await value(oryn.session, "eval \"put('notes', new Blob(['x']))\"")
    answer = await oryn.ok(f"state save {file} --include-indexeddb")
    assert "1 record of IndexedDB with files, keys or the like can't be saved" in answer
    stores = json.loads(file.read_text())["origins"][0]["indexedDB"][0]["stores"]
    assert {each["name"]: len(each["records"]) for each in stores} == {"carts": 1, "keys": 2, "notes": 2}


@pytest.mark.slow
async def test_playwrights_format(oryn: Any, file: Path) -> None:
    await shop(oryn)
    await oryn.ok(f"state save {file} --include-indexeddb --format playwright")
    (origin,) = json.loads(file.read_text())["origins"]
    (database,) = origin["indexedDB"]
    assert (database["name"], database["version"]) == ("shop", 3)
    carts, keys, notes = database["stores"]
    assert carts["keyPathArray"] == ["user", "id"] and "keyPath" not in carts
    assert carts["records"] == [{"value": {"user": "ada", "id": 1, "price": 5, "tags": ["a", "b"]}}]
    assert carts["indexes"][1] == {"name": "by tag", "keyPath": "tags", "multiEntry": True, "unique": False}
    assert keys["records"][0] == {"keyEncoded": {"d": "1970-01-01T00:00:00.005Z"}, "value": "by date"}
    assert notes["autoIncrement"] and notes["records"][0] == {"key": 1, "value": "first"}
    fields = {each["k"]: each["v"] for each in notes["records"][1]["valueEncoded"]["o"]}
    assert fields["bytes"] == {"ta": {"b": "AAH/", "k": "ui8"}} and fields["minus"] == {"v": "-0"}
    await oryn.ok("goto about:blank")
    storage = oryn.session.browser.storage
    await storage.set_databases({oryn.pages.url("", "127.0.0.1"): []}, merge=False)
    await oryn.ok(f"state load {file}")
    await oryn.ok(f"goto {oryn.pages.url()}")
    assert await value(oryn.session, "eval check()") == []


async def test_playwright_reads_what_was_saved_and_writes_what_is_loaded(oryn: Any, file: Path, tmp_path: Path) -> None:
    playwright = pytest.importorskip("playwright.async_api")
    await shop(oryn)
    await oryn.ok(f"state save {file} --include-indexeddb --format playwright")
    async with playwright.async_playwright() as started:
        browser = await started.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        context = await browser.new_context(storage_state=file)
        page = await context.new_page()
        await page.goto(oryn.pages.url())
        assert await page.evaluate("check()") == []
        theirs = tmp_path / "theirs.json"
        await context.storage_state(path=theirs, indexed_db=True)
        await browser.close()
    await oryn.ok("goto about:blank")
    storage = oryn.session.browser.storage
    await storage.set_databases({oryn.pages.url("", "127.0.0.1"): []}, merge=False)
    await oryn.ok(f"state load {theirs}")
    await oryn.ok(f"goto {oryn.pages.url()}")
    assert await value(oryn.session, "eval check()") == ["words"], "Playwright replaces half of a character"


DATABASE: dict[str, Any] = {
    "name": "d",
    "version": 1,
    "stores": [{"name": "s", "autoIncrement": False, "indexes": [], "records": [{"key": 1, "value": 2}]}],
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": 5}, r"indexedDB\[0\].name is not a string"),
        ({"version": 0}, "a database has the version 0"),
        ({"version": "1"}, r"indexedDB\[0\].version is not a number"),
        ({"stores": {}}, "stores is not a list"),
        ({"stores": [{"name": "s"}]}, "autoIncrement is not true or false"),
        ({"stores": [{**DATABASE["stores"][0], "records": [{"key": 1}]}]}, "a record of a database"),
        ({"stores": [{**DATABASE["stores"][0], "records": [{"value": 1, "extra": 1}]}]}, "a record of a database"),
        ({"stores": [{**DATABASE["stores"][0], "indexes": [{"name": "i"}]}]}, "an index has no key path"),
    ],
)
def test_damaged_databases(change: dict[str, Any], message: str) -> None:
    origin = {"origin": "https://a.example", "localStorage": {}, "indexedDB": [DATABASE | change]}
    file = {"version": 1, "created": "", "domain": None, "cookies": [], "origins": [origin]}
    with pytest.raises(FileError, match=message):
        decode(json.dumps(file).encode())
