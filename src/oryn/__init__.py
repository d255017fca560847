"""Oryn: the browser for AI agents."""

__version__ = "0.1.0"

DISTRIBUTION = "oryn-browser"
"""What this is called on PyPI, and its client for Node on npm: `oryn` is another project's there. The product, its
program and this package are called `oryn` all the same. Whatever says how to install it is made of this."""

PROTOCOL_VERSION = 2
"""Version of the line protocol (seed 000, §6.4): 2 added named sessions."""
