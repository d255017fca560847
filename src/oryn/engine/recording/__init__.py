"""Recordings of a session: its trace, its video, and the HTTP archive of its requests."""
