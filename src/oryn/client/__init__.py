"""What speaks to a daemon. It is in a hurry: a verb of the command line may cost twice what Python's own start does, so
what runs for one imports next to nothing (`benchmarks/command_line.py`)."""
