"""Research commands in the daemon: jobs for the research process, their answers, and pages rendered in a tab."""
