"""The administration of a site of Wagtail: redirects, users and pages from lists."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.apps import wagtail
from benchmarks.programs._task import Task, Way
from oryn import Oryn

PASSWORD = "shady-Moss-73"
USERS = {"ann": True, "bob": False, "cem": True, "dora": False}
"""Who is an editor."""
PAGES = ("Ferns", "Mosses", "Palms", "Orchids", "Cacti")


@contextmanager
def application(data: Path) -> Iterator[Sequence[Task]]:
    with wagtail.application(data) as tasks:
        login = tasks[0].steps
        url = login[0].line.partition(" ")[2].removesuffix("/admin/login/")
        yield _tasks(url, (login[0].line, login[1].line), data / "site" / "db.sqlite3")


def _tasks(url: str, login: tuple[str, str], database: Path) -> Sequence[Task]:
    def rows(query: str, expected: Sequence[Any]) -> dict[str, Any]:
        async def state(oryn: Oryn) -> Any:
            with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
                return [found[0] for found in connection.execute(query)]

        return {"state": state, "is_done": lambda found: found == list(expected)}

    save = 'css("footer [type=submit]")'
    redirects = "select old_path from wagtailredirects_redirect"

    async def add_redirects(way: Way) -> None:
        for number in range(1, 7):
            await way.line(f"goto {url}/admin/redirects/add/")
            fields = {"Redirect from": f"/old-{number}", "Redirect to any URL": f"{url}/new-{number}"}
            await way.line(f"fill_form {json.dumps(fields)}")
            await way.line(f"click {save}")

    async def change_redirects(way: Way) -> None:
        found = re.findall(r'"(/old-(\d))"', await way.line("observe"))
        for path, number in dict.fromkeys(found):
            if int(number) % 2:
                await way.line(f'click "{path}"')
                await way.line('uncheck "Permanent"')
                await way.line('click "Save"')

    async def add_users(way: Way) -> None:
        for name, is_editor in USERS.items():
            await way.line(f"goto {url}/admin/users/new/")
            fields = {"Username": name, "Email": f"{name}@example.org", "First name": name, "Last name": "Fern",
                      "Password": PASSWORD, "Password confirmation": PASSWORD}  # fmt: skip
            await way.line(f"fill_form {json.dumps(fields)}")
            if is_editor:
                await way.line('click "Roles"')
                await way.line('check "Editors"')
            await way.line(f"click {save}")

    async def publish(way: Way) -> None:
        for title in PAGES:
            await way.line(f"goto {url}/admin/pages/3/add_subpage/")
            await way.line(f'type "Title*" "{title}"')
            await way.line('click "More actions"')
            await way.line('click "Publish"')
            await way.line('wait visible "created and published"')

    return (
        Task("W1", login, add_redirects, f"""for n in range(1, 7):
    goto("{url}/admin/redirects/add/")
    fill_form({{"Redirect from": f"/old-{{n}}", "Redirect to any URL": f"{url}/new-{{n}}"}})
    click('{save}')""", **rows(f"{redirects} order by 1", [f"/old-{number}" for number in range(1, 7)])),
        Task("W2", (f"goto {url}/admin/redirects/",), change_redirects, """for name in [e.name for e in observe()]:
    if name.startswith("/old-") and int(name[5:]) % 2:
        click(name)
        uncheck("Permanent")
        click("Save")""", **rows(f"{redirects} where not is_permanent order by 1", ["/old-1", "/old-3", "/old-5"])),
        Task("W3", (), add_users, f"""for name, is_editor in {USERS}.items():
    goto("{url}/admin/users/new/")
    fill_form({{"Username": name, "Email": name + "@example.org", "First name": name, "Last name": "Fern",
        "Password": "{PASSWORD}", "Password confirmation": "{PASSWORD}"}})
    if is_editor:
        click("Roles")
        check("Editors")
    click('{save}')""", **rows(
            "select u.username || coalesce(g.name, '') from auth_user u "
            "left join auth_user_groups m on m.user_id = u.id "
            "left join auth_group g on g.id = m.group_id where not u.is_superuser order by 1",
            ["annEditors", "bob", "cemEditors", "dora"])),
        Task("W4", (), publish, f"""for title in {list(PAGES)}:
    goto("{url}/admin/pages/3/add_subpage/")
    type("Title*", title)
    click("More actions")
    click("Publish")
    wait("visible", "created and published")""", **rows(
            "select title from wagtailcore_page where live = 1 and depth = 3 order by id", PAGES)),
    )  # fmt: skip
