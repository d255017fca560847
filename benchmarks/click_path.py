"""How long the way of one click without navigation is through the daemon.

usage: python -m benchmarks.click_path [CHECKOUT] [--files] [--calls]

CHECKOUT is another copy of the project with its own `.venv` (this one by default); `--files` lists the files, `--calls`
the functions by their number of calls. What is counted lies between the arrival of the request and the answer:

frames      how many frames of Oryn stand over a request to the scanner when it is sent, at most
first calls calls of Oryn's functions; that a coroutine continues is no call
crossings   calls of a function whose caller is in another package (first folder) of `oryn`
round trips requests to the scanner until the mouse button is pressed

Commands that ran before have loaded everything, and what is saved after their answers is saved.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks._host import OnePage

PAGE = "<title>Clicks</title><button onclick=\"this.textContent = 'Clicked ' + ++count\">Click me</button>"
SAVING_SECONDS = 2.0
"""Seconds after which the daemon has saved the session: nothing tells of it."""
WARM_UP_CLICKS = 20
PROGRAM = """
import json, os, signal, sys
PART = os.sep + os.path.join("src", "oryn") + os.sep
calls, depths, sent = [], [], []
def file_of(frame):
    return frame.f_code.co_filename.partition(PART)[2]
def frames_of(frame):
    # Those of Oryn, the innermost first, down to the event loop's.
    while frame and not (frame.f_code.co_name == "_run" and frame.f_code.co_filename.endswith("events.py")):
        if file_of(frame):
            yield frame
        frame = frame.f_back
def profile(frame, event, argument):
    # The operand of RESUME, the instruction at which a frame starts or continues, is 0 at the start of a function.
    if event != "call" or not file_of(frame) or frame.f_code.co_code[frame.f_lasti + 1] & 3:
        return
    stack = frames_of(frame)
    name = next(stack).f_code.co_qualname
    caller = next(stack, None)
    calls.append((file_of(frame), name, file_of(caller) if caller else ""))
    if name == "PipeTransport.send":
        method, params = caller.f_locals["method"], caller.f_locals["params"] or {}
        sent.append(params.get("type") or method)
        if method == "Runtime.callFunctionOn":
            depths.append([each.f_code.co_qualname for each in frames_of(frame)])
def start(*_):
    for each in (calls, depths, sent):
        each.clear()
    sys.setprofile(profile)
def stop(*_):
    sys.setprofile(None)
    with open(os.environ["CLICK_PATH_CALLS"], "w") as file:
        json.dump({"calls": calls, "depths": depths, "sent": sent}, file)
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
        trace = trace_click(checkout, Path(folder), page.url)
    calls: list[tuple[str, str, str]] = trace["calls"]
    files = {file for file, _, _ in calls}
    functions = Counter((file, function) for file, function, _ in calls)
    crossings = sum(bool(caller) and package_of(caller) != package_of(file) for file, _, caller in calls)
    round_trips = trace["sent"][: trace["sent"].index("mousePressed")].count("Runtime.callFunctionOn")
    deepest: list[str] = max(trace["depths"], key=len)
    if "--files" in sys.argv:
        print(*sorted(files), sep="\n")
    if "--calls" in sys.argv:
        print(*(f"{count:5} {file} {name}" for (file, name), count in functions.most_common()), sep="\n")
        print(" -> ".join(reversed(deepest)))
    print(f"files {len(files)}, functions {len(functions)}")
    print(f"frames {len(deepest)}, first calls {len(calls)}, crossings {crossings}, round trips {round_trips}")


def package_of(file: str) -> str:
    return file.split(os.sep)[0]


def trace_click(checkout: Path, folder: Path, url: str) -> dict[str, Any]:
    """What the daemon does for the click, in order: `calls` (file, function, file of the caller), `depths` (functions
    over each request to the scanner), `sent` (methods, and types of input)."""
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
        trace: dict[str, Any] = json.loads(Path(f"{calls}.done").read_text())
        made = trace["calls"]
        answered = max(place for place, (file, *_) in enumerate(made) if file.startswith("daemon" + os.sep))
        trace["calls"] = made[: answered + 1]
        return trace
    finally:
        daemon.terminate()
        daemon.wait(30)


if __name__ == "__main__":
    main()
