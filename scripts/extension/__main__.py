"""The build as a command. usage: python -m scripts.extension [--out FOLDER] [--firefox-out FOLDER]"""

from __future__ import annotations

import argparse
from pathlib import Path

from scripts.extension.builder import FIREFOX_OUT, OUT, build, build_firefox
from scripts.extension.engine import BuildFailed


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m scripts.extension", description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT, help="folder to build into (default: %(default)s)")
    parser.add_argument(
        "--firefox-out", type=Path, default=FIREFOX_OUT, help="folder to build Firefox's into (default: %(default)s)"
    )
    arguments = parser.parse_args()
    try:
        print(build(arguments.out))
        print(build_firefox(arguments.firefox_out))
    except BuildFailed as error:
        raise SystemExit(f"error: {error}") from None


main()
