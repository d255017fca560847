"""Hosts of a session: the line protocol on standard input and output, the interactive prompt, and scripts."""
