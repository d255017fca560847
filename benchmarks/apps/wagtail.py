"""A site of Wagtail: log in, publish a page, upload an image, create a user, redirect, delete in bulk."""

from __future__ import annotations

import os
import shutil
import sqlite3
import struct
import subprocess
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from ._server import cache_folder, free_port, python_environment, serving
from ._task import Step, Task

USER, PASSWORD = "admin", "fern-admin-41"


@contextmanager
def application(data: Path) -> Iterator[Sequence[Task]]:
    site, port = data / "site", free_port()
    python = python_environment("wagtail", "wagtail") / "python"
    shutil.copytree(_empty_site(python), site)
    (data / "fern.png").write_bytes(_png(64, 48))
    url = f"http://127.0.0.1:{port}"
    command: list[str | Path] = [python, "manage.py", "runserver", "--noreload", f"127.0.0.1:{port}"]
    with serving(command, f"{url}/admin/login/", folder=site):
        yield _tasks(url, data, site / "db.sqlite3")


def _empty_site(python: Path) -> Path:
    """Return the folder of a site with its database and one administrator. Makes it if it is not there yet."""
    folder = cache_folder() / "wagtail" / "site"
    complete = folder.with_suffix(".complete")
    if not complete.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        subprocess.run([python.with_name("wagtail"), "start", "ferns", folder], check=True)
        manage = [python, folder / "manage.py"]
        subprocess.run([*manage, "migrate", "--verbosity", "0"], cwd=folder, check=True)
        user = ["--username", USER, "--email", "admin@example.org"]
        environment = os.environ | {"DJANGO_SUPERUSER_PASSWORD": PASSWORD}
        subprocess.run([*manage, "createsuperuser", "--noinput", *user], cwd=folder, check=True, env=environment)
        complete.touch()
    return folder


def _png(width: int, height: int) -> bytes:
    """Return a picture of one green."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        checksum = zlib.crc32(kind + content)
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pixels = zlib.compress((b"\0" + b"\x20\x90\x40" * width) * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def _tasks(url: str, data: Path, database: Path) -> Sequence[Task]:
    def counts(query: str, expected: int = 1) -> Callable[[], bool]:
        def check() -> bool:
            with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
                (count,) = connection.execute(f"select count(*) from {query}").fetchone()
                return bool(count == expected)

        return check

    published = "wagtailcore_page where title = 'Spring news A'"
    image = (
        "wagtailimages_image as i join taggit_taggeditem as g on g.object_id = i.id "
        "join taggit_tag as t on t.id = g.tag_id where i.title = 'Fern A' and t.name = 'green'"
    )
    user = (
        "auth_user as u join auth_user_groups as m on m.user_id = u.id join auth_group as g on g.id = m.group_id "
        "where u.username = 'bob-A' and g.name = 'Editors' and u.password <> ''"
    )
    return (
        Task(
            "W1",
            (
                Step(f"goto {url}/admin/login/", ['"Sign in']),
                Step(f'login "{USER}" "{PASSWORD}"', ["/admin/"]),
            ),
            counts("django_session"),
        ),
        Task(
            "W2",
            (
                Step(f"goto {url}/admin/pages/3/add_subpage/", ["New: Home page"]),
                Step('type "Title*" "Spring news A"', ["Spring news A"]),
                Step('click "More actions"', ["Publish"]),
                Step('click "Publish"', ["Page 'Spring news A' created and published."]),
                Step('text css(".listing")', ["Spring news A", "LIVE"]),
            ),
            counts(f"{published} and live = 1"),
        ),
        Task(
            "W3",
            (
                Step(f"goto {url}/admin/images/add/", ["Add an image"]),
                Step('type "Title" "Fern A"', ["Fern A"]),
                Step(f'upload css("input[type=file]") {data / "fern.png"}', ["fern.png"]),
                Step('type css(".tagit-new input") "green" --enter', ["green"]),
                Step('click "Upload"', ["Image 'Fern A' added."]),
            ),
            counts(image),
        ),
        Task(
            "W4",
            (
                Step(f"goto {url}/admin/users/new/", ["Add user"]),
                Step(
                    'fill_form {"Username": "bob-A", "Email": "bob@example.org", "First name": "Bob", '
                    '"Last name": "Fern", "Password": "shady-Moss-73", "Password confirmation": "shady-Moss-73"}',
                    ["bob-A", "bob@example.org"],
                ),
                Step('click "Roles"', ["Editors"]),
                Step('check "Editors"', ["{checked"]),
                Step('click css("footer [type=submit]")', ["User 'bob-A' created."]),
            ),
            counts(user),
        ),
        Task(
            "W5",
            (
                Step(f"goto {url}/admin/redirects/add/", ["New: Redirect"]),
                Step(
                    f'fill_form {{"Redirect from": "/old-A", "Redirect to any URL": "{url}/new"}}', ["/old-A", "/new"]
                ),
                Step('click css("footer [type=submit]")', ["added"]),
            ),
            counts("wagtailredirects_redirect where old_path = '/old-A' and redirect_link like '%/new'"),
        ),
        Task(
            "W6",
            (
                Step(f"goto {url}/admin/pages/3/", ["Home"]),
                Step('type "Search" "Spring news A" --enter', ["one matching page"]),
                Step('check css("tbody input[type=checkbox]")', ["{checked"]),
                Step('click "Delete selected pages"', ["Delete"]),
                Step('click "Yes, delete"', ["deleted"]),
            ),
            counts(published, 0),
        ),
    )
