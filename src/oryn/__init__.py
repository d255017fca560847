"""Oryn: the browser for AI agents."""

__version__ = "0.1.0"

PROTOCOL_VERSION = 2
"""Version of the line protocol (seed 000, §6.4): 2 added named sessions."""
