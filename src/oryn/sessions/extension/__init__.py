"""Sessions in the user's own browser, driven through the extension."""
