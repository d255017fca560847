"""Profiles: folders in which a browser keeps cookies, storage and settings, one session's browser at a time."""
