"""Three real applications, of the registries: SQLite Web (server-rendered), TiddlyWiki (one page that scripts build),
and the dashboard of Optuna (React, MUI, Plotly)."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.apps._server import free_port, node_package, python_environment, serving
from benchmarks.tests._runs import lines_of


@dataclass(frozen=True)
class Application:
    """A running application, and the lines of its test."""

    base: str
    lines: list[str]
    vary: tuple[str, ...] = ()
    reset: Callable[[], object] = field(default=lambda: None)


SQLITE_WEB = """
goto {{base}}/
click "plant"
click link "Content"
click link "price"
click link "Content"
click link "View" near "Monstera"
click link "Content"
click link "Edit" near "Snake plant"
check "include all columns"
type "stock" "3"
click button "Update"
click link "Insert"
type "name" "Peace lily"
type "price" "21"
type "stock" "6"
click button "Insert"
click link "View" near "Peace lily"
click link "Back"
click link "orders"
click link "Content"
click link "Structure"
click link "Query"
type textarea "" "select name, price from plant where price > 20 order by price"
click button "Execute"
click link "plant"
click link "Import"
click link "Export"
click link "Structure"
click link "+ Add column"
click link "shop.db"
"""

_SCHEMA = """
drop table if exists orders; drop table if exists plant;
create table plant(id integer primary key, name text not null, price real, stock integer);
create table orders(id integer primary key, plant_id integer references plant(id), buyer text, placed text);
insert into plant(name, price, stock) values
    ('Boston fern', 18, 4), ('Monstera', 48, 2), ('Snake plant', 25, 9), ('Fiddle-leaf fig', 64, 1);
insert into orders(plant_id, buyer, placed) values (1, 'Ada', '2026-11-01'), (2, 'Grace', '2026-11-02');
"""


@contextmanager
def sqlite_web(data: Path) -> Iterator[Application]:
    file, port = data / "shop.db", free_port()

    def reset() -> None:
        with sqlite3.connect(file) as database:
            database.executescript(_SCHEMA)
        database.close()

    reset()
    program = python_environment("sqlite-web", "sqlite-web") / "sqlite_web"
    base = f"http://127.0.0.1:{port}"
    with serving([program, "-x", "-p", str(port), file], base, folder=data):
        yield Application(base, lines_of(SQLITE_WEB), ("date", "time"), reset)


TIDDLYWIKI = """
goto {{base}}/
click "new tiddler"
type input/text "" "Fern diary"
type textarea "Type the text for this tiddler" "Watered the //Boston fern//."
type "tag name" "plants"
click "add" near "tag name"
click "Confirm changes to this tiddler"
click "Edit this tiddler"
type textarea "Type the text for this tiddler" "Moved to the //window//."
click "Show preview pane"
click "Confirm changes to this tiddler"
click tab "Recent"
click tab "Tools"
click tab "More"
click tab "Tags"
click tab "Missing"
click tab "Open"
type input/search "" "fern"
click "advanced search"
click tab "System"
click tab "Filter"
click "close all"
click tab "Recent"
click link "Fern diary"
click "control panel"
click tab "Appearance"
click tab "Saving"
click tab "Info"
click "hide sidebar"
click "show sidebar"
"""


@contextmanager
def tiddlywiki(data: Path) -> Iterator[Application]:
    program, port = node_package("tiddlywiki") / "tiddlywiki", free_port()
    site = data / "site"
    subprocess.run([program, data / "wiki", "--init", "empty"], check=True, stdout=subprocess.DEVNULL)
    render: list[str | Path] = [
        program,
        data / "wiki",
        "--output",
        site,
        "--render",
        "$:/core/save/all",
        "index.html",
        "text/plain",
    ]
    subprocess.run(render, check=True, stdout=subprocess.DEVNULL)
    base = f"http://127.0.0.1:{port}"
    with serving([sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1"], base, folder=site):
        yield Application(base, lines_of(TIDDLYWIKI), ("date", "time"))


OPTUNA = """
goto {{base}}/dashboard/
click "Create"
type "Study name" "lichens"
click button "Add"
click button "Cancel"
type "Search study" "fern"
click "rename study"
press escape
click link "ferns"
click link "Trials (List)"
click "Trial 2"
click "Trial 1"
click link "Note"
click link "Analytics"
check "Log y scale"
click link "History"
click link "Return to the top page"
type "Search study" "moss"
clear "Search study"
click link "mosses"
click link "Trials (List)"
click link "Note"
click "Settings"
press escape
click "open drawer"
click link "History"
click link "Return to the top page"
click link "Compare"
back
click "Reload"
"""

_STUDIES = """
import sys, optuna
optuna.logging.set_verbosity(optuna.logging.ERROR)
x = optuna.distributions.FloatDistribution(0, 5)
study = optuna.create_study(storage=sys.argv[1], study_name="ferns", direction="minimize")
for value in (1.0, 2.5, 0.5, 3.0):
    study.add_trial(optuna.trial.create_trial(params={"x": value}, distributions={"x": x}, value=(value - 2) ** 2))
optuna.create_study(storage=sys.argv[1], study_name="mosses", direction="maximize")
"""


@contextmanager
def optuna_dashboard(data: Path) -> Iterator[Application]:
    programs, port = python_environment("optuna-dashboard", "optuna-dashboard"), free_port()
    storage = f"sqlite:///{data / 'studies.db'}"
    for _ in range(2):  # its first commit into a new file fails on some file systems
        made = subprocess.run([programs / "python", "-c", _STUDIES, storage], capture_output=True, text=True)
        if made.returncode == 0:
            break
    base = f"http://127.0.0.1:{port}"
    command: list[str | Path] = [programs / "optuna-dashboard", storage, "--port", str(port)]
    with serving(command, f"{base}/dashboard/", folder=data):
        yield Application(base, lines_of(OPTUNA))


APPLICATIONS = {"sqlite-web": sqlite_web, "tiddlywiki": tiddlywiki, "optuna": optuna_dashboard}
