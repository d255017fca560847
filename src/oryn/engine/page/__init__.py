"""The engine's model of a page: elements and their numbers, targets, ranking, changes."""
