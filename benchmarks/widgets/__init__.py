"""Widget libraries as their own releases draw them, driven by plain commands."""
