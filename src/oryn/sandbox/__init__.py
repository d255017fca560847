"""The sandbox of programs: Monty (extra `program`), a Python in a process of its own, without files, network, imports
and processes."""
