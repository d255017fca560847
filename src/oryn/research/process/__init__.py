"""The research process: it runs research commands for a daemon, which stays responsive meanwhile."""
