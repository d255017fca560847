"""Named sessions: those of one host (`sessions.Sessions`), and the way to those of other processes."""
