"""The HTTP API: application, authentication, limits and streams."""
