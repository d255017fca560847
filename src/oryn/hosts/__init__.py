"""Hosts of sessions: the line protocol on standard input and output, the interactive prompt, and scripts."""
