"""Videos of a session: the parts that need more than the standard library, and so are not in the engine."""
