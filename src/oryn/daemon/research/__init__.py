"""Research commands in the daemon: jobs for the worker process, their answers, and pages rendered in a tab."""
