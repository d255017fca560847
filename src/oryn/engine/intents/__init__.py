"""Intents: the built-in ones, and those that users define."""
