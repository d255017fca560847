"""Programs that write and check the documentation: generated pages, and examples that are executed."""
