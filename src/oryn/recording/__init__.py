"""Making a film of a session: what the engine can't do with the standard library alone."""
