"""How many files of Oryn one click without navigation passes in the daemon, and how often control changes the package.

usage: python -m benchmarks.click_path [CHECKOUT] [--files]

CHECKOUT is another copy of the project with its own `.venv` (this one by default); `--files` lists the files. A file
counts if one of its functions is called between the arrival of the request and the answer; a change of package is a
call into another package of `oryn` (its first folder) than the call before it. Commands that ran before have loaded
everything, and what is saved after their answers is saved.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from benchmarks._host import OnePage

PAGE = "<title>Clicks</title><button onclick=\"this.textContent = 'Clicked ' + ++count\">Click me</button>"
SAVING_SECONDS = 2.0
"""Seconds after which the daemon has saved the session: nothing tells of it."""
WARM_UP_CLICKS = 20
PROGRAM = """
import json, os, signal, sys
calls = []
def profile(frame, event, argument, part=os.sep + os.path.join("src", "oryn") + os.sep):
    if event == "call":
        before, found, name = frame.f_code.co_filename.partition(part)
        if found:
            calls.append(name)
def start(*_):
    calls.clear()
    sys.setprofile(profile)
def stop(*_):
    sys.setprofile(None)
    with open(os.environ["CLICK_PATH_CALLS"], "w") as file:
        json.dump(calls, file)
    os.rename(file.name, file.name + ".done")
signal.signal(signal.SIGUSR1, start)
signal.signal(signal.SIGUSR2, stop)
from oryn.cli.main import main
sys.argv = ["oryn", "daemon", "serve"]
main()
"""


def main() -> None:
    arguments = [each for each in sys.argv[1:] if not each.startswith("--")]
    checkout = Path(arguments[0]).resolve() if arguments else Path(__file__).parents[1]
    with tempfile.TemporaryDirectory() as folder, OnePage(f"<script>count = 0</script>{PAGE}") as page:
        calls = trace_click(checkout, Path(folder), page.url)
    changes = sum(one != other for one, other in pairwise(each.split(os.sep)[0] for each in calls))
    if "--files" in sys.argv:
        print(*sorted(set(calls)), sep="\n")
    print(f"files {len(set(calls))}, changes of package {changes}, calls {len(calls)}")


def trace_click(checkout: Path, folder: Path, url: str) -> list[str]:
    """The file of each function of Oryn that the daemon calls for the click, in order."""
    python, calls = checkout / ".venv" / "bin" / "python", folder / "calls"
    environment = {**os.environ, "ORYN_HOME": str(folder / "home"), "CLICK_PATH_CALLS": str(calls)}

    def ask(*words: str) -> str:
        command = [str(python), "-m", "oryn", *words]
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout

    ready, write_end = os.pipe()
    environment["ORYN_READY_FD"] = str(write_end)
    daemon = subprocess.Popen([python, "-c", PROGRAM], env=environment, pass_fds=[write_end], stdin=subprocess.DEVNULL)
    os.close(write_end)
    with os.fdopen(ready) as stream:
        stream.readline()
    del environment["ORYN_READY_FD"]
    try:
        ask("goto", url)
        ask("observe")
        ask("click", "Click me")
        for clicks in range(1, WARM_UP_CLICKS):
            ask("click", f"Clicked {clicks}")
        time.sleep(SAVING_SECONDS)
        daemon.send_signal(signal.SIGUSR1)
        answer = ask("click", f"Clicked {WARM_UP_CLICKS}")
        assert f"Clicked {WARM_UP_CLICKS + 1}" in answer, answer
        daemon.send_signal(signal.SIGUSR2)
        ask("title")  # the signal's handler has run before the daemon reads another request
        made = json.loads(Path(f"{calls}.done").read_text())
        answered = max(place for place, file in enumerate(made) if file.startswith("daemon" + os.sep))
        return list(made[: answered + 1])
    finally:
        daemon.terminate()
        daemon.wait(30)


if __name__ == "__main__":
    main()
