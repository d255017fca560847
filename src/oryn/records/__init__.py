"""Records in a database that several daemons share: sessions, history, tokens, audit, daemons, leases."""
