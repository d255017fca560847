"""The agent in the extension: the model of a chat in one tab controls other tabs (docs/agent-in-your-browser.md)."""
