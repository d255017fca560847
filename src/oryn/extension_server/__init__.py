"""The server that the browser extension connects to, and the protocol of both (docs/spec/extension-protocol.md)."""
