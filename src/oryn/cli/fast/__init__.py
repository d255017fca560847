"""The fast command line: one verb, sent to the daemon, with as few imports as possible."""
