"""The client libraries for programs without an event loop. `scripts/clients` generates them from the others."""
