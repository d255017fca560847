"""`python -m oryn` is the command `oryn`."""

from oryn.cli.main import main

main()
