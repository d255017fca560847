"""The command history: a log in SQLite, queries over it, replay, and the log of commands in flight."""
