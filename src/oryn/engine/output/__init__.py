"""Answers as text and as JSON, and their truncation."""
