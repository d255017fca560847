"""Secrets of a session: references to the vault, and masking in everything that is output or stored."""
