"""What the user sees of the extension: its popup, its toolbar icon, and the banner on controlled tabs."""
