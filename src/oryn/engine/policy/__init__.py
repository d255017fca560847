"""Limits of a session: domains, actions and confirmations."""
