"""The wire protocol between the browser extension and a server, both its ends (docs/spec/extension-protocol.md)."""
