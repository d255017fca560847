"""The live page: sessions, their screencasts and their commands, in the user's browser."""
