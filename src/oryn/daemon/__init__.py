"""The daemon: one long-lived host of sessions that many clients send commands to."""
