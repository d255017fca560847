"""Node-RED: nodes on a canvas, wires, an edit dialog, messages of a running flow, an import."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ._server import free_port, get_json, node_package, serving
from ._task import Step, Task

COMMENT = '[{"id":"aA","type":"comment","name":"Imported A","info":"","x":200,"y":300,"wires":[]}]'


@contextmanager
def application(data: Path) -> Iterator[Sequence[Task]]:
    folder, port = node_package("node-red"), free_port()
    (data / "settings.js").write_text(
        'module.exports = {uiHost: "127.0.0.1", telemetry: {enabled: false},'
        " editorTheme: {tours: false}, logging: {console: {level: 'warn'}}}"
    )
    command: list[str | Path] = [folder / "node-red", "--userDir", data, "--port", str(port)]
    url = f"http://127.0.0.1:{port}/"
    with serving(command, f"{url}flows", folder=data):
        yield _tasks(url)


def _tasks(url: str) -> Sequence[Task]:
    def has_nodes(condition: Callable[[list[dict[str, Any]]], bool]) -> Callable[[], bool]:
        return lambda: condition(get_json(f"{url}flows"))

    def is_wired(nodes: list[dict[str, Any]]) -> bool:
        targets = {target for node in nodes if node["type"] == "inject" for wire in node["wires"] for target in wire}
        return any(node["type"] == "debug" and node["id"] in targets for node in nodes)

    return (
        Task(
            "N1",
            (
                Step(f"goto {url}", ["Node-RED"]),
                Step('wait visible "inject"'),
                Step('drag "inject" to at(400,200)', ["timestamp"]),
                Step('drag "debug" to at(650,200)', ["debug 1"]),
                Step('drag css(".red-ui-flow-port-output") to css(".red-ui-flow-port-input")'),
            ),
            has_nodes(is_wired),
            checked_after="N3",
        ),
        Task(
            "N2",
            (
                Step('click "timestamp" --double', ["Edit inject node"]),
                Step('select "Repeat" "interval"', ["interval"]),
                Step('type css("#inject-time-interval-count") "5"', ["5"]),
                Step('click "Done"', ['button/primary "Done"', "elements"]),
            ),
            has_nodes(lambda nodes: any(node["type"] == "inject" and node["repeat"] == "5" for node in nodes)),
            checked_after="N3",
        ),
        Task(
            "N3",
            (
                Step('click "Deploy"', ["Successfully deployed"]),
                Step('click css("#red-ui-tab-debug-link-button")', ["debug"]),
                Step('wait items ".red-ui-debug-msg" 2'),
                Step('text css(".red-ui-debug-content")', ["debug 1"]),
            ),
            has_nodes(lambda nodes: len(nodes) >= 3),
        ),
        Task(
            "N4",
            (
                Step("press control+i", ["Import nodes"]),
                Step(f'type css("#red-ui-clipboard-dialog-import-text") {json.dumps(COMMENT)}', ["Imported A"]),
                Step('click "Import"', ["Imported A"]),
                Step("click at(500,300)"),
                Step('click "Deploy"', ["Successfully deployed"]),
            ),
            has_nodes(lambda nodes: any(node.get("name") == "Imported A" for node in nodes)),
        ),
    )
