"""`python -m oryn.daemon`: the daemon in the foreground."""

from __future__ import annotations

import sys

from oryn.cli.main import main

if __name__ == "__main__":
    main(["daemon", "serve", *sys.argv[1:]])
