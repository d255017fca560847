"""The build as a command. usage: python -m scripts.extension [--out FOLDER]"""

from __future__ import annotations

import argparse
from pathlib import Path

from scripts.extension.builder import OUT, build
from scripts.extension.engine import BuildFailed


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m scripts.extension", description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT, help="folder to build into (default: %(default)s)")
    try:
        print(build(parser.parse_args().out))
    except BuildFailed as error:
        raise SystemExit(f"error: {error}") from None


main()
