"""Named sessions: those of one host (`sessions.Sessions`), and the access to those of other processes."""
