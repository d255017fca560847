"""`python -m oryn.demo` is `oryn demo`."""

from oryn.cli.main import main

main(["demo"])
