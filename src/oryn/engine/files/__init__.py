"""Files of commands: access checks, and downloads."""
