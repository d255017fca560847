"""The client of the daemon, for the command line, the client library and `oryn mcp`."""
