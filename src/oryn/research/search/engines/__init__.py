"""A module for each provider; all of them are imported by `search.provider`."""
