"""The worker process: it runs research jobs for a daemon, which stays responsive meanwhile."""
