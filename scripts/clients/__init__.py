"""Generates the typed methods of the client libraries from the table of commands: `python -m scripts.clients`."""
