"""Saved browser state: the file format, and loading it into a browser."""
