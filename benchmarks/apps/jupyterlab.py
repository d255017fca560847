"""JupyterLab: a notebook, its name, a folder, the theme, the command palette."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ._server import free_port, get_json, python_environment, serving
from ._task import Step, Task


@contextmanager
def application(data: Path) -> Iterator[Sequence[Task]]:
    folder, port, root = python_environment("jupyterlab", "jupyterlab"), free_port(), data / "root"
    root.mkdir()
    command: list[str | Path] = [
        folder / "jupyter-lab",
        "--no-browser",
        "--allow-root",
        "--ip=127.0.0.1",
        f"--port={port}",
    ]
    command += [f"--ServerApp.root_dir={root}", "--IdentityProvider.token="]
    environment = {
        f"JUPYTER_{name}": str(data / name.lower()) for name in ("CONFIG_DIR", "DATA_DIR", "RUNTIME_DIR", "CONFIG_PATH")
    } | {"JUPYTERLAB_SETTINGS_DIR": str(data / "settings"), "JUPYTERLAB_WORKSPACES_DIR": str(data / "workspaces")}
    environment |= {"IPYTHONDIR": str(data / "ipython")}
    url = f"http://127.0.0.1:{port}"
    with serving(command, f"{url}/api", folder=data, environment=environment):
        yield _tasks(url, root)


def _tasks(url: str, root: Path) -> Sequence[Task]:
    def is_computed() -> bool:
        notebooks = list(root.glob("*.ipynb"))
        if len(notebooks) != 1:
            return False
        cells = json.loads(notebooks[0].read_text())["cells"]
        results = [output["data"]["text/plain"] for cell in cells for output in cell.get("outputs", ())]
        return [["42"], ["'nory'"]] == [each if isinstance(each, list) else [each] for each in results]

    def has_no_tabs() -> bool:
        workspace = get_json(f"{url}/lab/api/workspaces/default")
        main = workspace["data"].get("layout-restorer:data", {}).get("main") or {}
        return "dock" in main and not (main["dock"] or {}).get("widgets")

    def is_dark() -> bool:
        settings = get_json(f"{url}/lab/api/settings/@jupyterlab/apputils-extension:themes")
        return bool(settings["settings"].get("theme") == "JupyterLab Dark")

    return (
        Task(
            "J1",
            (
                Step(f"goto {url}/lab", ["JupyterLab"]),
                Step('wait visible "Notebook"'),
                Step('click "Python 3 (ipykernel)"', ["Untitled.ipynb"]),
                Step('type css(".jp-Notebook .cm-content") "6*7"', ["6*7"]),
                Step("press shift+enter"),
                Step('type css(".jp-mod-active .cm-content") "\\"\\".join(sorted(\\"oryn\\"))"', ["sorted"]),
                Step("press shift+enter"),
                Step("wait visible \"'nory'\""),
                Step('text css(".jp-Notebook")', ["| 42", "| 'nory'"]),
                Step("press control+s", ["Untitled.ipynb"]),
                Step('click "Rename and Save"'),
            ),
            is_computed,
        ),
        Task(
            "J2",
            (
                Step('click "File"', ["Rename Notebook…"]),
                Step('click "Rename Notebook…"', ["Untitled.ipynb"]),
                Step('type "New Name" "report-A.ipynb" --enter', ["report-A.ipynb"]),
            ),
            lambda: (root / "report-A.ipynb").is_file(),
        ),
        Task(
            "J3",
            (
                Step('click "New Folder"', ["Untitled Folder"]),
                Step('type css("input:focus") "data-A" --enter', ["data-A"]),
            ),
            lambda: (root / "data-A").is_dir(),
        ),
        Task(
            "J4",
            (
                Step('click "Settings"', ["Theme"]),
                Step('hover "Theme"', ["JupyterLab Dark"]),
                Step('click "JupyterLab Dark"'),
                Step('wait gone css("#main-logo")'),
                Step('click "Settings"', ["Theme"]),
                Step('hover "Theme"', ["JupyterLab Dark", "checked"]),
                Step("press escape"),
                Step("press escape"),
            ),
            is_dark,
        ),
        Task(
            "J5",
            (
                Step("press control+shift+c", ["SEARCH"]),
                Step('type "Search" "Close All Tabs" --enter', ["Launcher"]),
            ),
            has_no_tabs,
        ),
    )
