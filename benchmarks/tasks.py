"""Tasks done: MiniWoB++ with scripted policies that see nothing but what the engine prints.

usage: python -m benchmarks.tasks FOLDER [ARGUMENT …]     (runs FOLDER/../miniwob_run.py with the ARGUMENTs)

Last line: the mean success over the tasks.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

DEFAULT_SET = "../shared/evals/public"


def main() -> int:
    folder, *arguments = sys.argv[1:] or [DEFAULT_SET]
    runner = Path(folder).resolve().parent / "miniwob_run.py"
    if not runner.is_file():
        raise SystemExit(f"no runner at {runner}: give the folder of a set, as in {DEFAULT_SET}")
    engine = f"{sys.executable} -m oryn headless"
    return subprocess.call([sys.executable, str(runner), "--engine", engine, "--seeds", "0-9", *arguments])


if __name__ == "__main__":
    sys.exit(main())
