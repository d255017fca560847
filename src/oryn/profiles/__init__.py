"""Profiles: folders in which browsers store cookies, web storage and settings. One browser uses a profile at a time."""
