"""`python -m oryn` is `oryn`."""

from oryn.cli.main import main

main()
