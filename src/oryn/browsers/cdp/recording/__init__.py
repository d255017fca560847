"""What the browser writes down: its trace, moving pictures, printed pages."""
