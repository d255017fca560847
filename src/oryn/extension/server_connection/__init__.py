"""The extension's connection to a server."""
