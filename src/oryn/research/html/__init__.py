"""What the HTML of any page has, before its text or its data are looked for: its tree, JSON-LD, permalinks, and signs
that scripts create its text."""
